//! The answer of every command, as data: a verdict and the evidence for it.
//!
//! The decision of this crate is that **there is one form of an answer**. The engine, the consistency checks, the model
//! checker and Line-Up all return these types; reports are rendered from them and from nothing else; and their JSON form
//! is derived, so that what was written is read back as an equal value. `docs/evidence.md` describes every field.
//!
//! - [`Verdict`] is the answer in one word, [`Conclusion`] the same with what supports it;
//! - [`Evidence`] is everything there is to say about one input: what `--json` prints;
//! - [`ReportedOperation`] is a call that was observed, [`BehaviourState`] a state of a specification, [`Alternative`] one way to explain what
//!   came before a violation;
//! - [`Violation`] says why the answer is no: a [`Counterexample`], a [`VisibilityRefutation`], an [`Anomaly`], a [`Behaviour`], a
//!   [`FailingRun`] or a [`FailingTest`]; [`Confirmation`] says whether a second search agrees.
//!
//! What was given up: states of models are text here, because each model has a state type of its own.

mod algorithm_run;
mod alternative;
mod behaviour;
mod bindings;
mod checked_trace;
mod conclusion;
mod confirmation;
mod counterexample;
mod evidence;
mod exploration;
mod failing_test;
mod figures;
mod findings;
mod history_window;
mod inference;
mod limit;
mod lineup_coverage;
mod log_coverage;
mod log_findings;
mod operation;
mod reading;
mod schedule;
mod state_graph;
mod system_difference;
mod thread_names;
mod transactions;
mod unknown;
mod verdict;
mod violation;
mod visibility;
mod witness;

pub use algorithm_run::{AlgorithmRun, AlgorithmStep, WaitingProcess};
pub use alternative::{Alternative, Candidate, Continuation, RefusalReason, Step};
pub use behaviour::{ActionTaken, Behaviour, BehaviourState, FalsePart, LassoReason, PropertyKind};
pub use bindings::Bindings;
pub use checked_trace::CheckedTrace;
pub use conclusion::Conclusion;
pub use confirmation::Confirmation;
pub use counterexample::{AgreedPrefix, AgreedStep, BrokenRule, Counterexample, LastWriter, MinimalHistory};
pub use evidence::{Command, Evidence, EvidenceError, KeyVerdict, Subject, VERSION};
pub use exploration::{
    ActionSteps, BehaviourLengths, Compared, DefinitionUse, Exploration, UncheckedProperty,
};
pub use failing_test::{FailingTest, FailureNeed, TestCoverage, TestDecision, WaitingThread};
pub use figures::{Decider, Figures};
pub use findings::{
    AbstractStateFindings, ActionFindings, BranchFindings, InvariantFindings, LongOperation, MutantFindings,
    MutationFindings, SpecFindings, VacuityFindings,
};
pub use history_window::HistoryWindow;
pub use inference::InferredLevels;
pub use limit::Limit;
pub use lineup_coverage::{LineupCoverage, LineupScope, PlainAccesses, RunMemory, RunPhase, UndecidedMatrix};
pub use log_coverage::{LogActionCoverage, LogCoverage};
pub use log_findings::{LogActionFindings, LogEnding, LogFindings};
pub use operation::{ReportedOperation, ThreadName};
pub use schedule::{
    FailingRun, MatrixLane, ScheduleEnding, ScheduleEvent, SerialCall, SerialContradiction, SerialRun,
    StuckOperation, ThreadAccess, ThreadSwitch, Unexplained,
};
pub use state_graph::{GraphState, GraphStep, StateGraph};
pub use system_difference::{DrivenRun, SystemDifference};
pub use thread_names::ThreadNames;
pub use transactions::{
    Anomaly, DependencyEdge, IsolationFindings, LevelVerdict, NamedAnomaly, ReportedTransaction,
};
pub use unknown::Unknown;
pub use verdict::{UnknownVerdict, Verdict};
pub use violation::Violation;
pub use visibility::{ExplainedOrder, PlacedOperation, VisibilityRefutation, VisibleSet};
pub use witness::{Linearization, Placement, Witness};
