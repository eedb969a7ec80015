//! Errors of reading and writing traces.

use std::fmt;
use std::io;

use omnilink_value::Value;
use omnilink_value::json::{JsonError, JsonProblem};
use omnilink_value::msgpack::{MsgpackError, MsgpackProblem};
use thiserror::Error;

use crate::import::{EdnError, EdnProblem};
use crate::input::Cancelled;
use crate::{Format, Location, OperationName, Time};

/// A trace that cannot be read or written: the problem and its location.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct TraceError(Box<Located>);

#[derive(Debug, Error)]
#[error("{location}: {problem}")]
struct Located {
    location: Location,
    #[source]
    problem: Problem,
}

impl TraceError {
    /// A problem at a location.
    #[cold]
    pub fn new(location: Location, problem: impl Into<Problem>) -> Self {
        Self(Box::new(Located {
            location,
            problem: problem.into(),
        }))
    }

    /// The location of the problem.
    pub fn location(&self) -> &Location {
        &self.0.location
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }
}

/// A problem of a trace.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// An error of the operating system or a decompressor.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// The caller cancelled the reading, or a limit was reached.
    #[error("reading was stopped, by a limit or by an interrupt")]
    Cancelled,
    /// Not JSON.
    #[error("not a JSON record: {0}")]
    Json(#[source] JsonError),
    /// Not MessagePack.
    #[error("not a MessagePack record: {0}")]
    Msgpack(#[source] MsgpackError),
    /// Not protobuf.
    #[error("not a protobuf message: {0}")]
    Protobuf(String),
    /// Not EDN.
    #[error("not an EDN form: {0}")]
    Edn(#[source] EdnError),
    /// No known format.
    #[error(
        "not a trace in any known format ({}); name the format if it is one of them, and translate a log or a table of your own \
         (docs/plain-text-log.md)",
        Format::LIST
    )]
    UnknownFormat,
    /// Text of 16-bit units.
    #[error("this is UTF-16, and a trace is UTF-8; convert it: iconv -f UTF-16 -t UTF-8")]
    Utf16,
    /// Strings in single quotes.
    #[error(
        "this has strings in single quotes, as Python prints its values; JSON has double quotes: write each record with json.dumps"
    )]
    SingleQuotes,
    /// Something behind the end of what the format can hold.
    #[error(
        "expected the end of the input, found {found}; one file holds one document, and several are given one by one"
    )]
    Follows {
        /// The beginning of it.
        found: String,
    },
    /// The header names an unknown version.
    #[error("trace format {0} is not known; this version reads format 1")]
    UnknownVersion(Value),
    /// A header behind the first record.
    #[error("a header in the middle; to read several traces as one, give their files together")]
    SecondHeader,
    /// A required field is missing.
    #[error("{}the field \"{field}\" is missing; expected {expected}", InOp(op))]
    MissingField {
        /// The operation, if it is known.
        op: Option<OperationName>,
        /// The field.
        field: &'static str,
        /// What it should hold.
        expected: &'static str,
    },
    /// An unknown field.
    #[error("unknown field \"{field}\"{}; {known}", Suggestion(suggestion))]
    UnknownField {
        /// The field.
        field: String,
        /// The known field with the most similar name or meaning.
        suggestion: Option<&'static str>,
        /// Where things go.
        known: &'static str,
    },
    /// A field occurs twice in one record.
    #[error("the field \"{0}\" occurs twice in one record")]
    RepeatedField(&'static str),
    /// A field has a value of the wrong type.
    #[error("{}the field \"{field}\" holds {found}; expected {expected}", InOp(op))]
    WrongField {
        /// The operation, if it is known.
        op: Option<OperationName>,
        /// The field.
        field: &'static str,
        /// What it should hold.
        expected: &'static str,
        /// What it holds.
        found: Value,
    },
    /// The end of a timebox is before its start.
    #[error("{op} ends at {end}, before it starts at {start}; check the clock of the recorder")]
    EndBeforeStart {
        /// The operation.
        op: OperationName,
        /// Its start.
        start: Time,
        /// Its end.
        end: Time,
    },
    /// A result of a call that did not return.
    #[error(
        "{op} has a result (\"ret\") but no \"end\"; give the time when it returned, or leave the result out if it never did"
    )]
    ResultWithoutEnd {
        /// The operation.
        op: OperationName,
    },
    /// Two calls of one thread overlap.
    #[error(
        "thread {thread} starts {op} at {start} while its {earlier} ({earlier_location}) {}; \
         if calls of one thread may overlap, open the trace as asynchronous",
        StillOpen(*earlier_end)
    )]
    Overlap {
        /// The thread.
        thread: Value,
        /// The operation that starts too early.
        op: OperationName,
        /// Its start.
        start: Time,
        /// The operation that is still open.
        earlier: OperationName,
        /// Its end, if it ended.
        earlier_end: Option<Time>,
        /// Where that was read.
        earlier_location: Location,
    },
    /// A process calls while its last call is still open.
    #[error("process {process} calls {op} while its call in {earlier} is still open")]
    CallWhileOpen {
        /// The process.
        process: Value,
        /// The operation that is called.
        op: OperationName,
        /// Where the open call was read.
        earlier: Location,
    },
    /// A return without an open call.
    #[error("{op} of process {process} returns, but the process has no open call")]
    ReturnWithoutCall {
        /// The process, client or call number.
        process: Value,
        /// The operation that returns.
        op: OperationName,
    },
    /// A return that does not identify its call.
    #[error(
        "{op} returns without saying of which process, and {}; add :process to the events",
        match candidates { 0 => "no open call fits it".to_owned(), many => format!("{many} open calls fit it") }
    )]
    AmbiguousReturn {
        /// The operation that returns.
        op: OperationName,
        /// The number of open calls that it may belong to.
        candidates: usize,
    },
    /// A second return of one call.
    #[error("call {call} returns a second time; it had already returned in {earlier}")]
    DuplicateReturn {
        /// The number of the call.
        call: Value,
        /// The first return.
        earlier: Location,
    },
    /// A return that names a different operation than the call.
    #[error("process {process} returns from {returned}, but its open call is {called}")]
    MismatchedReturn {
        /// The process.
        process: Value,
        /// The operation of the call.
        called: OperationName,
        /// The operation of the return.
        returned: OperationName,
    },
    /// Bytes that are no record, followed by records.
    #[error(
        "damaged: these bytes are no record ({cause}), yet records follow; repair or drop the damaged part"
    )]
    Damaged {
        /// Why the bytes cannot be read.
        cause: String,
    },
    /// An operation out of order in an input that can be read only once or that promises to be sorted.
    #[error(
        "{op} starts at {start}, but a later start was already passed on; \
         the input is not in order of start: open it as unsorted"
    )]
    Late {
        /// The operation.
        op: OperationName,
        /// Its start.
        start: Time,
    },
    /// An invalid line of a text format.
    #[error("expected {expected}, found {found:?}")]
    BadLine {
        /// A valid line.
        expected: &'static str,
        /// The line, shortened.
        found: String,
    },
    /// Retiming moved a time out of the range of 64 bits.
    #[error("{op}: shifting its times by {offset} leaves the 64-bit clock")]
    TimeOverflow {
        /// The operation.
        op: OperationName,
        /// The shift.
        offset: Time,
    },
    /// A field of `meta` has the wrong type for a retiming rule.
    #[error("{op}: the field \"{field}\" of \"meta\" holds {found}; expected {expected}")]
    WrongMeta {
        /// The operation.
        op: OperationName,
        /// The field.
        field: String,
        /// What it should hold.
        expected: &'static str,
        /// What it holds.
        found: Value,
    },
    /// A timebox is clipped to an interval outside of it.
    #[error(
        "{op}: the field \"{field}\" of \"meta\" says [{earliest}, {latest}], which is outside of the timebox"
    )]
    EmptyClip {
        /// The operation.
        op: OperationName,
        /// The field.
        field: String,
        /// The earliest time of that interval.
        earliest: Time,
        /// The latest time of that interval.
        latest: Time,
    },
    /// Two operations sent the same message.
    #[error(
        "the message {message} was already sent by the operation in {earlier}; give each message a name of its own"
    )]
    SentTwice {
        /// The message.
        message: Value,
        /// The first sender.
        earlier: Location,
    },
    /// Spans of several kinds, of which not all can be operations.
    #[error(
        "spans of several kinds ({kinds}), and one call may be a span of its client and another of its server; say which kind is \
         operations, with --spans kind={example}, or kind=any for all of them, or mark them with an attribute omnilink.op"
    )]
    SeveralSpanKinds {
        /// How many there are of each.
        kinds: String,
        /// One of the kinds.
        example: String,
    },
    /// An attribute that a rule about spans names is missing.
    #[error(
        "{span} has no attribute \"{attribute}\", which a rule about spans names; leave such spans out (--spans only=NAME,…)"
    )]
    MissingAttribute {
        /// The span.
        span: String,
        /// The attribute.
        attribute: String,
    },
    /// Attributes of a span were not recorded.
    #[error(
        "{op}: {count} attributes of this span were dropped when it was recorded, and they may be arguments; raise the limit \
         (OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT)"
    )]
    DroppedAttributes {
        /// The operation.
        op: OperationName,
        /// How many.
        count: u64,
    },
    /// Two spans that are operations have one identity.
    #[error(
        "the span {span} is also in {earlier}, so it is not known which of them others come after; name the kind that is operations \
         (--spans kind=client), or use times (--spans order=time)"
    )]
    SpanTwice {
        /// The identity.
        span: String,
        /// The first of them.
        earlier: Location,
    },
    /// The record of an operation in a trace event is wrong.
    #[error("not the record of an operation: {0}")]
    Record(String),
    /// A compressed file ends before the first record.
    #[error("the compressed data end early, before the first record; copy the whole file again")]
    TruncatedAtStart,
    /// A file in Jepsen's own binary format.
    #[error(
        "this is Jepsen's own binary format; give the history.edn or history.txt of the same run, or write one: \
         (spit \"history.edn\" (apply str (map #(str (pr-str (into {{}} %)) \"\\n\") (:history (jepsen.store/test -1)))))"
    )]
    JepsenBinary,
    /// A folder of Jepsen runs instead of one run.
    #[error("a folder of Jepsen runs; give one of them, such as {}", example.display())]
    JepsenStore {
        /// One of the runs.
        example: std::path::PathBuf,
    },
    /// A directory without trace files.
    #[error("a directory without trace files; one file per thread was expected")]
    EmptyDirectory,
}

impl From<JsonError> for Problem {
    fn from(error: JsonError) -> Self {
        match error.problem {
            JsonProblem::Stopped => Self::Cancelled,
            _ => Self::Json(error),
        }
    }
}

impl From<MsgpackError> for Problem {
    fn from(error: MsgpackError) -> Self {
        match error.problem {
            MsgpackProblem::Stopped => Self::Cancelled,
            _ => Self::Msgpack(error),
        }
    }
}

impl From<EdnError> for Problem {
    fn from(error: EdnError) -> Self {
        match error.problem {
            EdnProblem::Stopped => Self::Cancelled,
            _ => Self::Edn(error),
        }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        if error.get_ref().is_some_and(|inner| inner.is::<Cancelled>()) {
            Self::Cancelled
        } else {
            Self::Io(error)
        }
    }
}

/// The longest part of a line that an error quotes, in characters.
const QUOTED_MAX: usize = 60;

impl Problem {
    /// An invalid line, quoted in part.
    #[cold]
    pub(crate) fn bad_line(expected: &'static str, found: &str) -> Self {
        Self::BadLine {
            expected,
            found: found.trim().chars().take(QUOTED_MAX).collect(),
        }
    }

    /// The beginning of a text, in quotes.
    #[cold]
    pub(crate) fn quoted(found: &str) -> String {
        format!("{:?}", found.trim().chars().take(QUOTED_MAX).collect::<String>())
    }

    /// A required field is missing.
    #[cold]
    pub(crate) fn missing(op: Option<&OperationName>, field: &'static str, expected: &'static str) -> Self {
        Self::MissingField {
            op: op.cloned(),
            field,
            expected,
        }
    }

    /// A field has a value of the wrong type.
    #[cold]
    pub(crate) fn wrong(
        op: Option<&OperationName>,
        field: &'static str,
        expected: &'static str,
        found: &Value,
    ) -> Self {
        Self::WrongField {
            op: op.cloned(),
            field,
            expected,
            found: found.clone(),
        }
    }
}

struct InOp<'a>(&'a Option<OperationName>);

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
