//! Evaluation of expressions and enumeration of successors.
//!
//! An [`Evaluator`] walks the nodes of a [`Program`](omnilink_tla_ir::Program). It belongs to one worker: frames, caches and lazy
//! values are its own, so there are no locks. Registers, output and statistics are shared through a [`Session`].
//!
//! The semantics is TLC's, errors included: what TLC refuses to evaluate is a [`Failure`](error::Failure) here. One exception: TLC
//! orders strings by their first occurrence, this evaluator orders them alphabetically.

mod access;
mod analysis;
mod arithmetic;
mod assignment;
mod common_prefix;
mod comparison;
mod composition;
mod comprehension;
mod construction;
pub mod datum;
mod elements;
mod equality;
pub mod error;
mod evaluator;
mod explain;
mod expression;
mod flow;
mod frame;
mod function;
mod function_step;
mod materialize;
mod membership;
mod memo;
mod mutant;
pub mod native;
mod passage;
mod print;
mod quantified_step;
mod refutation;
mod session;
mod sets;
mod slot;

mod step;
mod successors;
mod unequal;

pub use analysis::{
    Cell, CellStep, Condition, Content, Direction, EffectTemplates, Effects, Enumeration, Few, Layout, Left,
    PartialElement, Path, Selector, Sum, Tally, Write,
};
pub use equality::equal_values;
pub use evaluator::{EvaluationCounts, Evaluator, State};
pub use explain::{BranchCondition, FalseSubformula};
pub use flow::Flow;
pub use passage::{StepSearch, WatchedDefinition, WatchedSteps};
pub use session::{Session, SilentSession, no_counter_example, revision};
pub use successors::{SuccessorSink, TakenAction};
