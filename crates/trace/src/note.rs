//! Things a person should be told about a trace that was read nevertheless.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Name, Place};
use omnilink_value::Value;

/// Something about the input that did not stop the reading but may explain an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The input ends in the middle of a record, or in bytes that are none: the recorder crashed or is still running.
    Cut {
        /// Where the readable part ends.
        place: Place,
        /// What stands there.
        reason: &'static str,
    },
    /// Parts of the input were not operations and were passed over.
    Skipped {
        /// The input.
        file: String,
        /// How many.
        count: u64,
        /// What they were.
        what: &'static str,
    },
    /// The input left something open, and this is how it was read.
    Reading {
        /// Where.
        place: Place,
        /// How.
        how: &'static str,
    },
    /// The input was not in order of start and has been sorted.
    Sorted {
        /// The input.
        file: String,
        /// Whether that needed temporary files.
        spilled: bool,
    },
    /// A thread died, by its own record.
    ThreadAborted {
        /// Where it says so.
        place: Place,
        /// Which thread.
        thread: Value,
        /// What killed it, such as a signal.
        reason: Value,
    },
    /// A synchronisation that retiming was told about contradicts the timeboxes.
    Contradiction {
        /// The operation that cannot have started so early.
        place: Place,
        /// Its name.
        op: Name,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut { place, reason } => {
                write!(f, "{place}: cut off here: {reason}; everything before was read")
            }
            Self::Skipped { file, count, what } => write!(f, "{file}: skipped {count} {what}"),
            Self::Reading { place, how } => write!(f, "{place}: {how}"),
            Self::Sorted { file, spilled: false } => write!(f, "{file}: was not in order of start; sorted"),
            Self::Sorted { file, spilled: true } => {
                write!(
                    f,
                    "{file}: was not in order of start; sorted through temporary files"
                )
            }
            Self::ThreadAborted {
                place,
                thread,
                reason,
            } => {
                write!(f, "{place}: thread {thread} died ({reason})")
            }
            Self::Contradiction { place, op } => {
                write!(
                    f,
                    "{place}: {op} ends before something it is known to have waited for; left as it is"
                )
            }
        }
    }
}

/// Where the parts of a reader leave their notes.
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
