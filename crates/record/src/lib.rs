//! What a system under test embeds to record its operations as a trace.
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
//! # What it decided
//!
//! * **A store is enough.** Each thread writes its own file through shared memory. What is stored is in the
//!   kernel's page cache, so it survives a panic, an abort, a segmentation fault and `SIGKILL`, and no signal
//!   handler is needed.
//! * **One byte commits.** An operation is a whole, valid, *pending* record in the file before it begins; its
//!   end is written behind it and becomes part of it by changing one byte. However the process dies, the file
//!   is whole records and a tail that no reader takes for one.
//! * **The timebox encloses the effect.** The clock is read between fences, so that no store of the operation
//!   becomes visible after `end`; what recording costs is outside the timebox as far as it can be.
//! * **No overlap, by type.** A call borrows its log until it ends: one thread has one operation open.
//! * **No allocation, no lock, no system call** per operation, and no dependency but `libc`.
//!
//! What it gives up: a machine crash can lose what the kernel has not yet written to the disk; the fence that
//! makes `end` certain drains the store buffer, which hides bugs *between* two operations of a thread (see
//! [`EndFence`]).
//!
//! # When recording stops
//!
//! If a file cannot grow (the disk is full), the clock goes back or a value is too large, recording stops
//! **on all threads**: a message goes to standard error, operations are counted instead of recorded, and
//! [`Recorder::finish`] returns [`RecordError::Stopped`]. The system goes on. What was recorded is still a
//! sound trace: no operation has an end that could depend on one that is missing, because a thread looks
//! whether recording has stopped after its operation and before it records the end. The trace is what would
//! have been seen if every thread had been cut off at its first missing operation or end.
//!
//! # Pending operations
//!
//! A call that is dropped without an end stays pending: it may take effect at any later time. Nothing of the
//! same thread can follow it, so the log goes on under a new label: thread `3` becomes `3'1`, then `3'2`.
//!
//! # Happens-before
//!
//! With [`Options::happens_before`] every operation also records which operations of other threads were over before it
//! began, from counters instead of clocks: see `docs/record.md`.
//!
//! # Limits
//!
//! A recorder belongs to the process that made it: a forked child must make its own, and may not use
//! inherited logs. Nobody else may shorten the files while they are recorded. On systems without shared
//! mappings, files are written by system calls, which costs microseconds for each operation.

mod buffer;
mod call;
mod clock;
mod error;
mod header;
mod label;
mod macros;
mod options;
mod progress_counters;
mod recorder;
mod recording;
mod storage;
mod thread_log;
mod value;
mod value_types;

pub use call::{Call, Named, Open, Positional};
pub use clock::ClockChoice;
pub use error::RecordError;
pub use label::Label;
pub use options::{EndFence, Options};
pub use recorder::Recorder;
pub use recording::{Recording, ThreadRecording};
pub use storage::{Backing, Output};
pub use thread_log::ThreadLog;
pub use value::{Fields, Items, Record, Slot, Written};
pub use value_types::ModelValue;
