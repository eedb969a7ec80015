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
//! - `Validation`: inputs against a TLA+ specification (feature `tla`).
//! - `mc`: the states of a TLA+ specification (feature `mc`).
//! - `WeakCheck`: inputs at weak consistency levels and isolation levels (feature `weak`).
//! - `LineupSubject`: what explains the histories of a Line-Up test (feature `lineup`).
//! - [`check_all`]: several inputs in parallel.

#[cfg(feature = "tla")]
mod algorithm_run;
mod batch;
mod check_run;
mod detail;
mod error;
#[cfg(feature = "tla")]
mod exercise;
#[cfg(feature = "tla")]
mod explanation;
#[cfg(feature = "mc")]
mod exploration;
#[cfg(feature = "tla")]
mod findings;
#[cfg(all(feature = "tla", feature = "weak"))]
mod folder_contents;
#[cfg(any(feature = "tla", feature = "weak"))]
mod followed_file;
mod history;
mod initial_state;
mod input;
mod keyed;
mod limits;
#[cfg(feature = "lineup")]
mod lineup_subject;
#[cfg(feature = "tla")]
mod linked_specs;
#[cfg(feature = "tla")]
mod log_validation;
mod model_check;
#[cfg(feature = "tla")]
mod mutation;
mod new_file;
mod places;
mod progress;
#[cfg(feature = "tla")]
mod recheck;
#[cfg(feature = "tla")]
mod score;
#[cfg(all(feature = "tla", feature = "weak"))]
mod spec_subject;
#[cfg(feature = "tla")]
mod specification;
mod spool;
#[cfg(feature = "weak")]
mod subject;
#[cfg(feature = "tla")]
mod trace_checker;
#[cfg(feature = "mc")]
mod trace_spec;
mod unlike_values;
#[cfg(feature = "tla")]
mod validation;
#[cfg(feature = "weak")]
mod weak;
mod witness;

#[cfg(feature = "tla")]
pub use algorithm_run::tell_as_algorithm;
pub use batch::check_all;
pub use check_run::{CheckEvent, CheckRequest, check_input, check_observed};
pub use detail::Detail;
pub use error::VerifyError;
#[cfg(feature = "tla")]
pub use exercise::Exercise;
#[cfg(feature = "mc")]
pub use exploration::{McAnswer, McError, McRequest, mc, variable_names};
#[cfg(all(feature = "tla", feature = "weak"))]
pub use folder_contents::{FolderContents, FoundHistory, HistoryKind, Project, recording_beside};
pub use history::{DecodeOp, decode_native};
pub use input::Input;
pub use keyed::Keyed;
pub use limits::{after_reading, limit_text, opened};
#[cfg(feature = "lineup")]
pub use lineup_subject::LineupSubject;
#[cfg(feature = "tla")]
pub use log_validation::LogValidation;
pub use model_check::ModelCheck;
#[cfg(feature = "tla")]
pub use mutation::Mutation;
pub use new_file::NewFile;
#[cfg(feature = "tla")]
pub use omnilink_log_link::{LineReader, LogSurvey, is_log, log_files};
pub use progress::ProgressCounter;
#[cfg(feature = "tla")]
pub use recheck::{Recheck, SharedOperations, is_spec};
#[cfg(feature = "tla")]
pub use score::score;
#[cfg(all(feature = "tla", feature = "weak"))]
pub use spec_subject::SpecSubject;
#[cfg(feature = "tla")]
pub use specification::{BuiltSpec, RefusedSpec, SpecSource};
#[cfg(feature = "weak")]
pub use subject::{NamedModel, NativeSubject};
#[cfg(feature = "tla")]
pub use trace_checker::TraceChecker;
#[cfg(feature = "mc")]
pub use trace_spec::TraceSpec;
#[cfg(feature = "tla")]
pub use validation::{Scrutiny, Validation, collect};
#[cfg(feature = "weak")]
pub use weak::{
    Deliver, Following, IsolationTask, WeakCheck, WeakTask, holds_histories, holds_transactions,
    holds_workload, tells_its_own_order,
};
