//! Runs the tests that a project has under many schedules.
//!
//! A *test* is a program and the arguments with which it runs one test only ([`ScheduledTest`]); [`framework`] finds the tests of a program.
//! [`TestSession::run`] runs each test without preemptions first, and then under schedules of a [`ScheduleStrategy`], each in a process of its own. What
//! fails is repeated, its switches are shrunk to the fewest that still make it fail, and their places in the source are looked up.
//!
//! # Decisions
//!
//! * **A run is its switches.** A test may take millions of steps. What is kept of a run are the decisions that a run without preemptions
//!   would not make, each named by the thread that stops and how often it has stopped before. Leaving some of them out changes little
//!   else, so that they can be shrunk.
//! * **A failure is reported with its kind.** What fails without any preemption needs no schedule, and what cannot be repeated depends on
//!   something that the scheduler does not control: both are told apart from a failure that needs an interleaving.
#![cfg(target_os = "linux")]

mod evidence;
mod failure;
mod feedback;
pub mod framework;
mod interleaving;
mod place;
mod replay;
mod schedule_text;
mod session;
mod shrink;
mod shrinking;
mod strategy;
mod test_run;
mod waiting_points;
mod words;

pub use evidence::evidence;
pub use failure::{FailureKind, TestFailure};
pub use framework::{ListError, ScheduledTest};
pub use interleaving::Interleaving;
pub use replay::{Replay, StoppedReplay};
pub use schedule_text::{ScheduleText, ScheduleTextError};
pub use session::{SessionOptions, TestProgress, TestSession};
pub use strategy::{FirstRun, ScheduleStrategy};
pub use test_run::{FailureCause, FoundFailure, Obstacle, TestResult};
pub use waiting_points::WaitingPoints;
pub use words::headline;
