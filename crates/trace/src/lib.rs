//! Traces of concurrent systems: operations with timeboxes, streamed in, checked, merged and written.
//!
//! The decision of this crate is that **a trace is a stream in order of start**, whatever it comes from: a file, a
//! directory of one file per thread, a pipe, another tool's log, sorted or not. Memory does not grow with the trace;
//! what cannot be streamed is sorted through temporary files. What was given up: random access. A consumer that needs
//! an operation later keeps it.
//!
//! Bad input is normal input. A [`TraceError`] names the file, the line or byte, the operation and what to do about it;
//! what a recorder that crashed leaves behind is read up to the cut, and a [`Note`] says so.

mod detect;
mod directory;
mod error;
mod format;
mod format1;
mod header;
mod import;
mod input;
mod maps;
mod name;
mod note;
mod open;
mod operation;
mod order;
mod place;
mod recent;
mod records;
mod rereading;
mod resync;
mod retime;
mod statistics;
mod timebox;
mod trace;
mod validate;
mod write;

pub use error::{Problem, TraceError};
pub use format::{Format, UnknownFormat};
pub use header::Header;
pub use import::{EdnError, EdnProblem};
pub use input::Compression;
pub use name::Name;
pub use note::Note;
pub use open::OpenOptions;
pub use operation::{Args, Call, Operation};
pub use order::Order;
pub use place::Place;
pub use recent::Recent;
pub use rereading::Rereading;
pub use retime::{Rule, RuleError, Who};
pub use statistics::{LongOperation, NameStatistics, Statistics};
pub use timebox::{Time, Timebox};
pub use trace::Trace;
pub use write::{Encoding, TraceWriter, WriteOptions, encode_json, msgpack_record};
