//! Why a trace could not be read or written.

use std::fmt;
use std::io;

use omnilink_value::Value;
use omnilink_value::json::JsonError;
use omnilink_value::msgpack::MsgpackError;
use thiserror::Error;

use crate::import::EdnError;
use crate::{Format, Name, Place, Time};

/// A trace that cannot be read or written: where, and what is wrong there.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct TraceError(Box<Located>);

#[derive(Debug, Error)]
#[error("{place}: {problem}")]
struct Located {
    place: Place,
    #[source]
    problem: Problem,
}

impl TraceError {
    /// A problem at a place.
    #[cold]
    pub fn new(place: Place, problem: impl Into<Problem>) -> Self {
        Self(Box::new(Located {
            place,
            problem: problem.into(),
        }))
    }

    /// Where.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// What.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }
}

/// What is wrong with a trace.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system or a decompressor refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Not JSON.
    #[error("not a JSON record: {0}")]
    Json(#[from] JsonError),
    /// Not MessagePack.
    #[error("not a MessagePack record: {0}")]
    Msgpack(#[from] MsgpackError),
    /// Not EDN.
    #[error("not an EDN form: {0}")]
    Edn(#[from] EdnError),
    /// No format fits.
    #[error(
        "not a trace in any known format ({}); name the format if it is one of them",
        Format::LIST
    )]
    UnknownFormat,
    /// The header asks for another version.
    #[error("trace format {0} is not known; this version reads format 1")]
    UnknownVersion(Value),
    /// A header that is not the first record.
    #[error("a header in the middle; to read several traces as one, give their files together")]
    SecondHeader,
    /// A field that every record must have.
    #[error("{}the field \"{field}\" is missing; expected {expected}", InOp(op))]
    MissingField {
        /// The operation, as far as it is known.
        op: Option<Name>,
        /// The field.
        field: &'static str,
        /// What it should hold.
        expected: &'static str,
    },
    /// A field that no record has.
    #[error(
        "unknown field \"{field}\"{}; anything of your own goes under \"meta\"",
        Suggestion(suggestion)
    )]
    UnknownField {
        /// The field.
        field: String,
        /// The known field whose name is nearest.
        suggestion: Option<&'static str>,
    },
    /// A field twice in one record.
    #[error("the field \"{0}\" occurs twice in one record")]
    RepeatedField(&'static str),
    /// A field that holds something else.
    #[error("{}the field \"{field}\" holds {found}; expected {expected}", InOp(op))]
    WrongField {
        /// The operation, as far as it is known.
        op: Option<Name>,
        /// The field.
        field: &'static str,
        /// What it should hold.
        expected: &'static str,
        /// What it holds.
        found: Value,
    },
    /// A timebox that is none.
    #[error("{op} ends at {end}, before it starts at {start}; check the clock of the recorder")]
    EndBeforeStart {
        /// The operation.
        op: Name,
        /// Its start.
        start: Time,
        /// Its end.
        end: Time,
    },
    /// Two calls of one thread at a time.
    #[error(
        "thread {thread} starts {op} at {start} while its {earlier} ({earlier_place}) {}; \
         if calls of one thread may overlap, open the trace as asynchronous",
        StillOpen(*earlier_end)
    )]
    Overlap {
        /// The thread.
        thread: Value,
        /// The operation that starts too early.
        op: Name,
        /// Its start.
        start: Time,
        /// The operation that is still open.
        earlier: Name,
        /// Its end, if it ended.
        earlier_end: Option<Time>,
        /// Where that was read.
        earlier_place: Place,
    },
    /// A call by a process whose last call is still open.
    #[error("process {process} calls {op} while its call in {earlier} is still open")]
    CallWhileOpen {
        /// The process.
        process: Value,
        /// The operation that is called.
        op: Name,
        /// Where the open call was read.
        earlier: Place,
    },
    /// A return that nothing was waiting for.
    #[error("{op} of process {process} returns, but the process has no open call")]
    ReturnWithoutCall {
        /// The process, client or call number.
        process: Value,
        /// The operation that returns.
        op: Name,
    },
    /// A return that does not say of which call.
    #[error(
        "{op} returns without saying of which process, and {}; add :process to the events",
        match candidates { 0 => "no open call fits it".to_owned(), many => format!("{many} open calls fit it") }
    )]
    UnclearReturn {
        /// The operation that returns.
        op: Name,
        /// How many open calls it may be the return of.
        candidates: usize,
    },
    /// Two returns of one call.
    #[error("call {call} returns a second time; it had already returned in {earlier}")]
    DuplicateReturn {
        /// The number of the call.
        call: Value,
        /// The first return.
        earlier: Place,
    },
    /// A return that names another operation than the call.
    #[error("process {process} returns from {returned}, but its open call is {called}")]
    MismatchedReturn {
        /// The process.
        process: Value,
        /// What was called.
        called: Name,
        /// What returns.
        returned: Name,
    },
    /// Bytes that are no record, with records behind them.
    #[error(
        "damaged: these bytes are no record ({cause}), yet records follow; repair or drop the damaged part"
    )]
    Damaged {
        /// Why the bytes cannot be read.
        cause: String,
    },
    /// An operation out of order in input that can be read only once or that claims to be sorted.
    #[error(
        "{op} starts at {start}, but a later start was already passed on; \
         the input is not in order of start: open it as unsorted"
    )]
    Late {
        /// The operation.
        op: Name,
        /// Its start.
        start: Time,
    },
    /// A line of a text format that does not follow it.
    #[error("expected {expected}, found {found:?}")]
    BadLine {
        /// What the line should be.
        expected: &'static str,
        /// What it is, shortened.
        found: String,
    },
    /// Retiming moved a time beyond what 64 bits hold.
    #[error("{op}: shifting its times by {offset} leaves the 64-bit clock")]
    TimeOverflow {
        /// The operation.
        op: Name,
        /// The shift.
        offset: Time,
    },
    /// A field of `meta` that a retiming rule cannot use.
    #[error("{op}: the field \"{field}\" of \"meta\" holds {found}; expected {expected}")]
    WrongMeta {
        /// The operation.
        op: Name,
        /// The field.
        field: String,
        /// What it should hold.
        expected: &'static str,
        /// What it holds.
        found: Value,
    },
    /// A timebox clipped to an interval outside of it.
    #[error(
        "{op}: the field \"{field}\" of \"meta\" says [{earliest}, {latest}], which is outside of the timebox"
    )]
    EmptyClip {
        /// The operation.
        op: Name,
        /// The field.
        field: String,
        /// The earliest time that it gives.
        earliest: Time,
        /// The latest.
        latest: Time,
    },
    /// Two operations that claim to have sent the same message.
    #[error(
        "the message {message} was already sent by the operation in {earlier}; give each message a name of its own"
    )]
    SentTwice {
        /// The message.
        message: Value,
        /// The first sender.
        earlier: Place,
    },
    /// A compressed file that stops before anything can be read.
    #[error("the compressed data end early, before the first record; copy the whole file again")]
    NothingUnpacked,
    /// The file that Jepsen keeps for itself.
    #[error(
        "this is Jepsen's own binary format; give the history.edn or history.txt of the same run, or write one: \
         (spit \"history.edn\" (apply str (map #(str (pr-str (into {{}} %)) \"\\n\") (:history (jepsen.store/test -1)))))"
    )]
    JepsenBinary,
    /// A folder of Jepsen's runs instead of one of them.
    #[error("a folder of Jepsen runs; give one of them, such as {}", example.display())]
    JepsenStore {
        /// One of them.
        example: std::path::PathBuf,
    },
    /// Nothing to read.
    #[error("a directory without trace files; one file per thread was expected")]
    EmptyDirectory,
}

struct InOp<'a>(&'a Option<Name>);

impl fmt::Display for InOp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(op) => write!(f, "{op}: "),
            None => Ok(()),
        }
    }
}

struct Suggestion<'a>(&'a Option<&'static str>);

impl fmt::Display for Suggestion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(field) => write!(f, " (did you mean \"{field}\"?)"),
            None => Ok(()),
        }
    }
}

struct StillOpen(Option<Time>);

impl fmt::Display for StillOpen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(end) => write!(f, "is open until {end}"),
            None => f.write_str("never returned"),
        }
    }
}
