//! Notes about an input that was read in spite of a peculiarity.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Location, OperationName};
use omnilink_value::Value;

/// A peculiarity of the input that did not stop the reader but may explain a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The input ends in the middle of a record, or in bytes that are no record: the recorder crashed or is still running.
    Cut {
        /// The end of the readable part.
        location: Location,
        /// Why the rest is not readable.
        reason: &'static str,
    },
    /// The last line has no line end, and its beginning would be a line, too.
    Unended {
        /// The line.
        location: Location,
    },
    /// Parts of the input are not operations and were skipped.
    Skipped {
        /// The input.
        file: String,
        /// Their number.
        count: u64,
        /// What they are.
        what: &'static str,
    },
    /// The input is ambiguous, and this is how it was interpreted.
    Interpretation {
        /// Where.
        location: Location,
        /// How.
        how: &'static str,
    },
    /// The input was not in order of start and was sorted.
    Sorted {
        /// The input.
        file: String,
        /// Whether that needed temporary files.
        spilled: bool,
    },
    /// Spans ended in errors, and nothing says what these did.
    UnclearErrors {
        /// The input.
        file: String,
        /// Their number.
        count: u64,
    },
    /// A thread died, according to a record in the input.
    ThreadAborted {
        /// The record.
        location: Location,
        /// Which thread.
        thread: Value,
        /// What killed it, such as a signal.
        reason: Value,
    },
    /// Two threads are called alike, one by a number and one by a text.
    NumberAndText {
        /// Where the second begins.
        location: Location,
        /// The second thread.
        thread: Value,
        /// The first.
        other: Value,
    },
    /// Two files of a merged trace have threads of one name, which count as one thread.
    SharedThread {
        /// The operation in the second file.
        location: Location,
        /// The thread.
        thread: Value,
        /// Its operation before, in the first file.
        other: Location,
    },
    /// A message that a retiming rule names contradicts the timeboxes.
    Contradiction {
        /// The receiver, which ends before the sender starts.
        location: Location,
        /// Its name.
        op: OperationName,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut { location, reason } => {
                write!(
                    f,
                    "{location}: cut off here: {reason}; everything before was read"
                )
            }
            Self::Unended { location } => write!(
                f,
                "{location}: the last line has no newline, so it may be cut off; it was read as it stands"
            ),
            Self::Skipped { file, count, what } => write!(f, "{file}: skipped {count} {what}"),
            Self::UnclearErrors { file, count } => write!(
                f,
                "{file}: {count} spans ended in an error and count as never returned: they may have taken effect or not; if an error means \
                 that nothing was done, say so: --spans error=aborted, or --spans aborted=TYPE for those of some error.type"
            ),
            Self::Interpretation { location, how } => write!(f, "{location}: {how}"),
            Self::Sorted { file, spilled: false } => write!(f, "{file}: was not in order of start; sorted"),
            Self::Sorted { file, spilled: true } => {
                write!(
                    f,
                    "{file}: was not in order of start; sorted through temporary files"
                )
            }
            Self::ThreadAborted {
                location,
                thread,
                reason,
            } => {
                write!(f, "{location}: thread {thread} died ({reason})")
            }
            Self::NumberAndText {
                location,
                thread,
                other,
            } => {
                write!(
                    f,
                    "{location}: {thread} and {other} are two threads, one called by a number and one by a text; write both alike if they are one"
                )
            }
            Self::SharedThread {
                location,
                thread,
                other,
            } => {
                write!(
                    f,
                    "{location}: thread {thread} is also in {}, and both count as one thread; if they are two, qualify threads by their \
                     file (omnilink trace merge --qualify)",
                    other.file()
                )
            }
            Self::Contradiction { location, op } => {
                write!(
                    f,
                    "{location}: {op} ends before something it is known to have waited for; left as it is"
                )
            }
        }
    }
}

/// The notes of a trace, shared by its readers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<Note>>>);

impl Notes {
    pub(crate) fn push(&self, note: Note) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    pub(crate) fn to_vec(&self) -> Vec<Note> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
