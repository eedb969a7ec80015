//! What the `omnilink` command does, as a library: open a history, bind it to a model or a specification, check it with
//! limits and progress, and assemble the evidence.
//!
//! The decision behind this crate is that an input is a *source that can be read several times*, not a vector of operations.
//! A check streams, and what a second look needs (the parts that belong together, the place of an operation, the history
//! before a violation) is read again when the answer asks for it. What is given up is a history that exists only once: a
//! pipe is copied to a temporary file while it is read.
//!
//! - [`Input`]: a file, a folder, a pipe, or operations in memory.
//! - [`ModelCheck`]: inputs against a shipped model; [`check_input`]: one input against a model of the caller.
//! - [`Validation`]: inputs against a TLA+ specification.
//! - [`WeakCheck`]: inputs at weak consistency levels and isolation levels.
//! - [`check_all`]: several inputs in parallel.

mod batch;
mod check_run;
mod error;
mod explanation;
mod findings;
mod history;
mod input;
mod keyed;
mod limits;
mod model_check;
mod mutation;
mod new_file;
mod peak_memory;
mod places;
mod progress;
mod score;
mod spool;
mod subject;
mod validation;
mod weak;
mod witness;

pub use batch::check_all;
pub use check_run::{CheckRequest, check_input};
pub use error::VerifyError;
pub use history::{Decode, Meaning, decode_native};
pub use input::Input;
pub use keyed::Keyed;
pub use limits::{after_reading, limit_text, opened};
pub use model_check::ModelCheck;
pub use mutation::Mutation;
pub use new_file::NewFile;
pub use peak_memory::peak_bytes;
pub use progress::Progress;
pub use score::score;
pub use subject::{NativeSubject, SpecSubject, Subject};
pub use validation::{Scrutiny, Validation, collect};
pub use weak::{Deliver, WeakCheck, WeakTask, holds_histories, tells_its_own_order};
