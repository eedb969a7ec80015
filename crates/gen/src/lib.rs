//! Generates test harnesses and drivers from TLA+ specifications: a project that builds and runs as it is, in which one function per action
//! waits for the call that it stands for.
//!
//! The decision of this crate is that **what is the user's is never touched**: the folder `omnilink` of a project is rewritten
//! at each generation, and everything else is kept. The file with the calls consists of marked sections; generating again adds
//! sections for new actions and reports those that changed. So a harness follows its specification without a merge.
//!
//! - [`HarnessPlan::read`] finds the operations of a spec, with what can be seen of their parameters ([`Parameter`]);
//! - [`generate`] writes the project;
//! - [`generate_driver`] writes a driver, which does the actions of a specification as `omnilink drive` says.

mod cpp;
mod driver;
mod identifier;
mod operation;
mod parameter_type;
mod parameter_use;
mod plan;
mod project;
mod rust;
mod sections;
mod value_source;

pub use driver::{DriverAction, DriverLanguage, DriverPlan, driver_commands, generate_driver};
pub use operation::{HarnessOp, Parameter, ParameterRole};
pub use parameter_type::ParameterType;
pub use plan::{GenError, HarnessPlan, PlanOptions};
pub use project::{Generated, Language, generate};
