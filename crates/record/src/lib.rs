//! The recorder that a system under test embeds to write its operations as a trace.
//!
//! ```
//! use std::sync::Mutex;
//! use omnilink_record::{Recorder, record};
//!
//! let stack = Mutex::new(Vec::new());
//! let recorder = Recorder::in_memory()?; // or Recorder::create("traces/run-1")?
//! std::thread::scope(|scope| {
//!     for thread in 0..2 {
//!         let mut log = recorder.thread(thread).unwrap();
//!         let stack = &stack;
//!         scope.spawn(move || {
//!             for i in 0..1_000 {
//!                 record!(log, push(value = i) => stack.lock().unwrap().push(i));
//!                 record!(log, pop() => stack.lock().unwrap().pop());
//!             }
//!         });
//!     }
//! });
//! assert_eq!(recorder.finish()?.operations(), 4_000);
//! # Ok::<_, omnilink_record::RecordError>(())
//! ```
//!
//! # Design decisions
//!
//! * **Stores are durable.** Each thread writes its own file through shared memory. Stored data is in the kernel's page
//!   cache, so it survives a panic, an abort, a segmentation fault and `SIGKILL`, without a signal handler.
//! * **One byte commits.** An operation is a whole, valid, *pending* record in the file before it begins; its end is
//!   written behind it and becomes part of it by changing one byte. If the process dies at any moment, the file consists
//!   of whole records and a tail that no reader mistakes for a record.
//! * **The timebox encloses the effect.** The clock is read between fences, so that no store of the operation becomes
//!   visible after `end`; most of the cost of recording is outside the timebox.
//! * **No overlap, by type.** A call borrows its log until it ends: a thread has at most one open operation.
//! * **No allocation, no lock, no system call** per operation, and no dependency but `libc`.
//!
//! The price: a machine crash can lose data that the kernel has not yet written to the disk; and the fence that makes
//! `end` certain drains the store buffer, which hides bugs *between* two operations of a thread (see [`EndFence`]).
//!
//! # When recording stops
//!
//! If a file cannot grow (the disk is full), the clock goes back or a value is too large, recording stops **on all
//! threads**: a message goes to standard error, operations are counted instead of recorded, and [`Recorder::finish`]
//! returns [`RecordError::Stopped`]. The system continues. The recorded part is still a sound trace: no recorded end
//! depends on a missing operation, because a thread checks whether recording has stopped after its operation and before
//! it records the end. The trace is that of a run in which every thread stopped at its first missing operation or end.
//!
//! # Pending operations
//!
//! A call that is dropped without an end stays pending: it may take effect at any later time. No operation of the same
//! thread can follow it, so the log continues under a new label: thread `3` becomes `3'1`, then `3'2`.
//!
//! # Happens-before
//!
//! With [`RecordOptions::happens_before`] every operation also records which operations of other threads had ended before
//! it began, from counters instead of clocks: see `docs/record.md`.
//!
//! # Logs
//!
//! [`LogWriter`] writes the log of a node of a distributed program: events, arguments and updates of variables, with a shared counter, a Lamport
//! clock or a vector clock. `omnilink validate` checks such logs against a TLA+ specification: see `docs/logs.md`.
//!
//! # Limits
//!
//! A recorder belongs to the process that created it: a forked child must create its own, and must not use inherited
//! logs. No other program may truncate the files during the recording. On systems without shared mappings, files are
//! written by system calls, which cost microseconds for each operation.

/// Where the source of this crate is: generated harnesses carry it with them.
#[doc(hidden)]
pub const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs");

mod buffer;
mod call;
mod clock;
mod error;
mod header;
mod label;
mod log_clock;
mod log_value;
mod log_writer;
mod macros;
mod options;
mod progress_counters;
mod recorder;
mod recording;
mod storage;
mod text;
mod thread_log;
mod value;
mod value_types;

pub use call::{CallBuilder, NamedArgs, OpenCall, PositionalArgs};
pub use clock::{ClockChoice, scheduler_steps};
pub use error::RecordError;
pub use label::ThreadLabel;
pub use log_clock::{LogClock, Stamp};
pub use log_value::LogValue;
pub use log_writer::{LogWriter, VariableChange};
pub use options::{EndFence, RecordOptions};
pub use recorder::Recorder;
pub use recording::{Recording, ThreadRecording};
pub use storage::{Backing, ThreadOutput};
#[doc(hidden)]
pub use text::{lossless, lossless_wide};
pub use thread_log::ThreadLog;
pub use value::{Fields, Items, Record, ValueSlot, Written};
pub use value_types::ModelValue;
