//! Weak consistency: axioms over program order, happens-before, linearization and visibility, for any model.
//!
//! Many objects promise less than linearizability on purpose: an iterator may miss what is added while it runs, a
//! replica may lag behind. What they promise instead is stated with two relations. The *linearization* is one order
//! of all operations; *visibility* says which earlier operations each operation sees. A criterion is a set of axioms
//! about the two, and a history satisfies it if there is a linearization and a visibility that satisfy the axioms,
//! such that every return follows from what the operation sees.
//!
//! The decision of this crate is that **complete visibility is tried first** (every operation sees everything before
//! it: linearizability). Only where that fails are visibilities enumerated, and only minimal ones. The engine's
//! strategies find linearizations; to them, placing an operation is the step of a model. The price: a history that is
//! searched has at most [`OpSet::CAPACITY`] operations. Longer histories ([`LongHistory`]) are decided where they are
//! linearizable, or where they are reads and writes of registers whose reads-from relation is determined.

mod any_history;
mod audit;
mod axioms;
mod check;
mod check_recorded;
mod complete;
mod confirmation;
mod constraints;
mod criterion;
mod decode;
mod evidence;
mod guarantee;
mod happens_before;
mod history;
mod infer;
mod level;
mod linearize;
mod long_check;
mod long_history;
mod method_levels;
mod minimise;
pub mod naive;
mod options;
mod outcome;
mod partial_explanation;
mod refusal;
mod registers;
mod relation;
mod relation_matrices;
mod search;
mod step_table;
mod timeline;
mod visibility_candidates;
mod weak_error;

pub use any_history::AnyHistory;
pub use axioms::{AxiomError, AxiomProblem, parse_axioms};
pub use check::{WeakChecker, check_history};
pub use check_recorded::{RecordedCheckError, check_recorded, infer_recorded};
pub use confirmation::confirm;
pub use criterion::{Axiom, Claim, Criterion, CriterionError, Ret, UnknownRet};
pub use decode::Decoder;
pub use evidence::unread;
pub use guarantee::{Guarantee, UnknownConsistency};
pub use history::{History, HistoryOp};
pub use infer::{Inferred, infer};
pub use level::{ConsistencyLevel, UnknownLevel};
pub use long_check::{LongConclusion, LongViolation, LongWitness};
pub use long_history::LongHistory;
pub use method_levels::{MethodLevels, MethodLevelsError, known_methods};
pub use omnilink_history::{
    HistoryError, HistoryProblem, OpSet, Order, OrderError, OrderSource, RecordedHistory, read_histories,
};
pub use options::{WeakOptions, WeakReductions};
pub use outcome::{CandidateVisibility, Explanation, UnexplainedReturn, WeakFigures, WeakOutcome};
pub use relation::{Filter, Relation};
pub use weak_error::WeakError;
