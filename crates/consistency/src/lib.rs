//! Weak consistency: axioms over program order, happens-before, linearization and visibility, for any model.
//!
//! Many objects promise less than linearizability on purpose: an iterator that may miss what is added while it runs, a
//! replica that lags behind. What they promise instead is said with two relations. The *linearization* is one order of all
//! operations; *visibility* says which earlier operations each operation sees. A criterion is a set of axioms about the
//! two, and a history satisfies it if there is a linearization and a visibility that satisfy the axioms, such that every
//! return follows from what the operation sees.
//!
//! The decision of this crate is that **a history is checked for the strongest explanation first** (everyone sees
//! everything before them: linearizability), and only where there is none are visibilities enumerated, minimal ones
//! only, with everything that led nowhere remembered. Linearizations are found by the engine's strategies, to which
//! placing an operation is the step of a model. What was given up: a history that is searched has at most
//! [`OpSet::CAPACITY`] operations.

mod audit;
mod axioms;
mod budget;
mod check;
mod vector_clocks;
mod complete;
mod criterion;
mod decoder;
mod partial_explanation;
mod history;
mod infer;
pub mod isolation;
mod check_recorded;
mod judgement;
mod level;
mod linearize;
mod long_history;
mod method_levels;
mod minimise;
pub mod naive;
mod op_set;
mod order;
mod outcome;
mod constraints;
mod guarantee;
mod recorded_history;
mod refusal;
mod relation;
mod visibility_candidates;
mod search;
mod step_table;
mod timeline;

pub use axioms::{AxiomError, AxiomProblem, parse_axioms};
pub use check::{WeakChecker, WeakError, WeakOptions, check_history};
pub use vector_clocks::Clocks;
pub use criterion::{Axiom, Claim, Criterion, CriterionError, Ret, UnknownReading};
pub use decoder::Decoder;
pub use history::{History, Observed};
pub use infer::{Inferred, infer};
pub use isolation::{
    Anomaly, Isolation, IsolationVerdict, TransactionError, Transactions, check_transactions,
};
pub use check_recorded::{JudgeError, judge, judge_together, judge_transactions};
pub use judgement::{Answer, Inference, Judgement, ShownOp};
pub use level::{Level, UnknownLevel};
pub use long_history::LongVerdict;
pub use method_levels::{MethodLevels, MethodLevelsError, known_methods};
pub use op_set::OpSet;
pub use order::{Order, OrderError};
pub use outcome::{Candidate, Explanation, Refutation, Unfinished, WeakFigures, WeakOutcome, WeakVerdict};
pub use guarantee::{Question, UnknownConsistency};
pub use recorded_history::{KnownOrder, Recorded, RecordedError, RecordedProblem, is_history_line, read_histories};
pub use relation::{Filter, Relation};
pub use search::Reductions;
