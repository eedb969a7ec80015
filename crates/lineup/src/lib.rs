//! Line-Up: finds concurrency bugs with no specification at all.
//!
//! Give a component and a list of calls. Its serial runs, one call after the other, are made first, all of them: they are the
//! only deterministic specification that the component could have. Then concurrent runs are made, and any that no serial
//! run explains is a bug, whatever the specification: results that fit no order, calls that are stuck where they never are
//! alone, crashes. The method is that of Burckhardt, Dern, Musuvathi and Tan, "Line-Up: A Complete and Automatic
//! Linearizability Checker" (PLDI 2010).
//!
//! The decision of this crate is that **it does not run anything**: an [`Executor`] does, be it the instrumented scheduler
//! ([`Scheduled`]), native threads ([`Native`]) or a step machine of a test, and what comes back is a list of calls and returns. And it does
//! not search: the serial histories are a [model](omnilink_engine::Model) that the engine searches. What is left is what is
//! told here: which [matrices](Matrices) to try, what [blocking](Blocking) means, how failures are made small.
//!
//! What was given up: a component that is nondeterministic on purpose can only be checked against a [`Specification`].
//!
//! - [`check_matrix`] is the paper's `Check(X, m)`, [`run_campaign`] its `RandomCheck` and `AutoCheck`;
//! - [`CampaignSubject::evidence`] makes the evidence of a [`Summary`];
//! - [`Observation`] keeps serial behaviour, to be compared with another version.

mod alphabet;
mod automaton;
mod campaign;
mod check;
mod contention;
mod description;
mod diagnosis;
mod evidence;
mod execution;
mod executor;
mod harness;
mod history;
mod matrix;
#[cfg(target_os = "linux")]
mod native;
mod notation;
mod observation;
mod options;
mod places;
mod sample;
mod scheduled;
mod scope;
mod serial;
mod shrink;
mod slot;
mod specification;
mod verdict;
mod witness;
mod words;

pub use alphabet::{Alphabet, AlphabetError, CallId};
pub use campaign::{Failure, Matrices, Summary, run_campaign, run_schedule};
pub use check::{LineupError, Request, Tick, check_matrix, check_schedule};
pub use description::{Description, DescriptionError};
pub use diagnosis::Diagnosis;
pub use evidence::CampaignSubject;
pub use execution::{Cut, Ending, Event, Execution, Fact, Race, Stuck, Switch};
pub use executor::{Allowance, Coverage, Executor, ExecutorError, Plan, Visit};
pub use harness::{Harness, HarnessError};
pub use history::{Close, History, Moment, ResultId, Results};
pub use matrix::{Matrix, MatrixError};
#[cfg(target_os = "linux")]
pub use native::Native;
pub use observation::{
    Observation, ObservationError, ObservedSerial, behavioural_diff, read_observations, write_observations,
    write_xml,
};
pub use omnilink_sched::{Schedule, ScheduleError};
pub use options::{Blocking, Criterion, Options, Search};
pub use scheduled::{Scheduled, ScheduledOptions};
pub use scope::Scope;
pub use serial::{Fate, Nondeterminism, NotSerial, SerialHistories, Step};
pub use slot::{Lane, Slot};
pub use specification::{
    Judged, Law, Promise, Questions, Specification, SpecificationError, calls_as_operations, explain_by,
};
pub use verdict::{Checked, Phase, Undecided, Verdict, Violation, Why};
pub use witness::{StuckCall, Witnesses};
pub use words::Words;

/// What a C++ harness includes: `lineup.hpp`.
pub const CPP_HEADER: &str = include_str!("../cpp/lineup.hpp");
