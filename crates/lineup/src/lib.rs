//! Line-Up: finds concurrency bugs without a specification.
//!
//! Give a component and a list of calls. First all of its serial runs are made, one call after the other: they are the only
//! deterministic specification that the component could have. Then concurrent runs are made. A history that no serial run explains
//! is a bug, whatever the specification: results that fit no order, calls that are stuck where they never are in serial runs,
//! crashes. The method is that of Burckhardt, Dern, Musuvathi and Tan, "Line-Up: A Complete and Automatic Linearizability Checker"
//! (PLDI 2010).
//!
//! This crate **runs nothing itself**: a [`MatrixExecutor`] does, be it the instrumented scheduler ([`Scheduled`]), native threads
//! ([`NativeThreads`]) or a state machine of a test; it returns calls and returns. And it does not search: the serial histories are a
//! [model](omnilink_engine::Model) that the engine searches. What is left is here: which [matrices](Matrices) to check, what
//! [blocking](Blocking) means, how failing matrices are shrunk.
//!
//! What it gives up: a component that is nondeterministic on purpose can only be checked against a [`Specification`].
//!
//! - [`check_matrix`] is the paper's `Check(X, m)`, [`run_campaign`] its `RandomCheck` and `AutoCheck`;
//! - [`CampaignSubject::evidence`] makes the evidence of a [`Summary`];
//! - [`SerialObservation`] stores serial behaviour, to be compared with another version.

mod alphabet;
mod automaton;
mod call_id;
mod campaign;
mod campaign_coverage;
mod check;
mod concurrent_phase;
mod confirmation;
mod contention;
mod description;
mod diagnosis;
mod evidence;
mod execution;
mod executor;
mod explanation;
mod failing_matrix;
mod harness;
mod history;
mod lineup_error;
mod matrices;
mod matrix;
#[cfg(target_os = "linux")]
mod native;
mod nearest_serial;
mod notation;
mod observation;
mod options;
mod played_roles;
mod request;
mod role;
mod sample;
mod scheduled;
mod scope;
mod seen_steps;
mod serial;
mod serial_phase;
mod shrink;
mod slot;
mod specification;
mod step_words;
mod translation;
mod verdict;
mod witness;
mod words;

pub use alphabet::{Alphabet, AlphabetError};
pub use call_id::CallId;
pub use campaign::{Summary, run_campaign, run_schedule};
pub use campaign_coverage::{PartCoverage, PassCoverage};
pub use check::{check_matrix, check_schedule};
pub use description::{Description, DescriptionError};
pub use diagnosis::Diagnosis;
pub use evidence::CampaignSubject;
pub use execution::{
    Cut, Located, MatrixRun, RaceReport, RunAccess, RunEnding, RunEvent, StackFrame, StuckKind, Switch,
};
pub use executor::{Allowance, ExecutorError, MatrixExecutor, RunCoverage, RunPlan, Visit};
pub use failing_matrix::FailingMatrix;
pub use harness::{HarnessCommand, HarnessError};
pub use history::{CallHistory, HistoryEnding, HistoryEvent, ResultId, Results};
pub use lineup_error::LineupError;
pub use matrices::Matrices;
pub use matrix::{Matrix, MatrixError};
#[cfg(target_os = "linux")]
pub use native::NativeThreads;
pub use observation::{
    ObservationError, ObservedSerial, SerialObservation, behavioural_diff, read_observations,
    write_observations, write_xml,
};
pub use omnilink_sched::{MemoryModel, Schedule, ScheduleError, StopConditions};
pub use options::{Blocking, LineupOptions, RunSelection, SerialCriterion};
pub use request::{Request, Tick};
pub use role::{Role, RoleError};
pub use scheduled::{Scheduled, ScheduledOptions};
pub use scope::{Scope, opaque_libraries};
pub use serial::{CallOutcome, Nondeterminism, NotSerial, SerialHistories, SerialStep};
pub use slot::{CallSlot, Lane};
pub use specification::{
    CorrectnessCondition, ModelSpecification, Requests, Specification, SpecificationError,
    SpecificationResult, calls_as_operations, explain_by,
};
pub use verdict::{CheckedMatrix, MatrixVerdict, PhaseFigures, RunViolation, StuckCall, Undecided, Why};
pub use witness::Witnesses;
pub use words::Words;

/// The header for C++ harnesses, `lineup.hpp`.
pub const CPP_HEADER: &str = include_str!("../cpp/lineup.hpp");
