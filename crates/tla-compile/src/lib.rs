//! Compiled TLA+: actions and formulas as code of a register machine over hash-consed words.
//!
//! - [`ValueWord`] and [`ValueStore`]: values in 64 bits; equal values have equal words.
//! - [`CellLayout`]: how the variables are spread over cells, learned from some states.
//! - [`Code`], made by [`compile`] from the nodes that the evaluator walks.
//! - [`Machine`]: runs code.
//! - [`CompiledSteps`]: steps of operations with arguments, on states that are given as values.
//!
//! **Compiled code never reports an error.** A type error, an argument outside a domain, a value that does not fit the layout, an expression that
//! is not compiled: each is a [`Trap`], and the evaluator decides for this state. So error messages, coverage and explanations are those of the
//! evaluator. Where code does not trap it has to be right, and a [`Sample`] of what it finds is compared with the evaluator in every run.

mod code;
mod compile;
mod compiled_steps;
mod evaluators;
mod layout;
mod machine;
mod sample;
mod trap;
mod values;

pub use code::{Code, Instruction};
pub use compile::{BoundOperator, NotCompiled, Purpose, compile};
pub use compiled_steps::CompiledSteps;
pub use evaluators::Evaluators;
pub use layout::{CellLayout, Exploded, Form, LayoutNode, LayoutNodeId};
pub use machine::{Machine, Successor};
pub use sample::Sample;
pub use trap::Trap;
pub use values::{ValueStore, ValueWord, WordContent};
