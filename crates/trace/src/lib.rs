//! Traces of concurrent systems: operations with timeboxes, read as streams, checked, merged and written.
//!
//! The key decision of this crate: **a trace is a stream in order of start**, whether it comes from a file, a directory of
//! one file per thread, a pipe or another tool's log, sorted or not. Memory does not grow with the trace; an input that
//! cannot be streamed is sorted through temporary files. The price is random access: a consumer that needs an operation
//! later keeps it.
//!
//! Bad input is expected. A [`TraceError`] names the file, the line or byte, the operation and the remedy. The output of a
//! recorder that crashed is read up to the cut, and a [`Note`] reports the cut.
//!
//! | folder | contents |
//! |---|---|
//! | `open` | files and directories, detection of the format |
//! | `input` | bytes: decompression, buffering, framing of text, JSON and MessagePack |
//! | `format1` | readers of trace format 1 (`docs/trace-format.md`) |
//! | `import` | readers of other tools' formats: Jepsen, Knossos, Elle, Porcupine, fastlin, LiMo, OmniLink, OpenTelemetry, Jaeger, Zipkin, Chrome |
//! | `order` | sorting and merging in constant memory |
//! | `retime` | correction of times |
//! | `write` | writers of trace format 1 |

mod cached_trace;
mod error;
mod fifo_cache;
mod format;
mod format1;
mod header;
mod import;
mod input;
mod location;
mod name;
mod note;
mod open;
mod operation;
mod order;
mod retime;
mod statistics;
mod stream;
mod thread_check;
mod timebox;
mod trace;
mod write;

pub use cached_trace::CachedTrace;
pub use error::{Problem, TraceError};
pub use fifo_cache::FifoCache;
pub use format::{Format, UnknownFormat};
pub use header::Header;
pub use import::{EdnError, EdnProblem, SpanErrors, SpanOrder, SpanRuleError, SpanRules, SpanThreads};
pub use input::Compression;
pub use location::Location;
pub use name::OperationName;
pub use note::Note;
pub use open::{OpenOptions, holds_spans};
pub use operation::{Args, Call, Operation};
pub use order::InputOrder;
pub use retime::{RetimeRule, RetimeRuleError, RetimeScope};
pub use statistics::{LongestOperation, NameStatistics, Statistics};
pub use timebox::{Time, Timebox};
pub use trace::Trace;
pub use write::{Encoding, TraceWriter, WriteOptions, encode_json, msgpack_record};
