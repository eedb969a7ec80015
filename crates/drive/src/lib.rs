//! Specifications that drive the code: behaviours of a specification become tests of a system.
//!
//! The decision of this crate is that **the specification stays in the loop**. A generated behaviour says what to do and what is expected,
//! but what a system may do instead is asked of the specification, not of the file: a system that chooses otherwise, as the specification
//! allows, does not fail. All comparison and all evidence is here, once; a driver in another language only does what it is told and says
//! what it sees.
//!
//! - [`GraphExploration`] explores the states of a specification with the steps between them, and [`TestSuite`] covers these by few and
//!   short behaviours;
//! - [`Follower`] keeps the states that agree with what was observed, [`Stepper`] offers that as a conversation;
//! - [`DrivenSystem`] drives a system through a [`BehaviourTest`], and returns evidence.

mod behaviour_test;
mod cover;
mod driven;
mod driver_process;
mod exploration;
mod follower;
mod step_graph;
mod stepper;
mod suite;

pub use behaviour_test::{BehaviourTest, BehaviourTestError};
pub use cover::{Criteria, GraphPath};
pub use driven::{DriveOptions, DrivenSystem};
pub use driver_process::{DriverAnswer, DriverError, DriverProcess};
pub use exploration::{Explored, GraphExploration, GraphExtent, GraphOptions};
pub use follower::{FollowError, Follower, KnownAction, PossibleState, SeenValues};
pub use step_graph::{GraphBranch, GraphedStep, StepGraph};
pub use stepper::{EvaluateIn, Stepper};
pub use suite::{CoveredCount, TestSuite};
