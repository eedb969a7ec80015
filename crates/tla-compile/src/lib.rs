//! Compiled TLA+: actions and formulas as code of a register machine over hash-consed words.
//!
//! - [`Word`] and [`Store`]: values in 64 bits; equal values have equal words.
//! - [`Layout`]: how the variables are spread over cells, learned from some states.
//! - [`Code`], made by [`compile_action`] and [`compile_formula`] from the nodes that the evaluator walks.
//! - [`Machine`]: runs code.
//!
//! **Compiled code never has the last word on anything unusual.** A type error, an argument outside a domain, a value that does not fit
//! the layout, an expression that is not compiled: each is a [`Trap`], and the evaluator decides for this state. So compiled code has to
//! be right only where it does not trap, and error messages, coverage and explanations are those of the evaluator.

mod code;
mod compile;
mod layout;
mod machine;
mod trap;
mod values;

pub use code::{Code, Instruction};
pub use compile::{NotCompiled, compile_action, compile_formula};
pub use layout::{Exploded, Form, Layout, LayoutNode, NodeId};
pub use machine::{Machine, Successor};
pub use trap::Trap;
pub use values::{Store, Word, WordContent};
