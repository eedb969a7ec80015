//! The compiler: from the nodes of a program to code.

mod access;
mod action;
mod assignment;
mod available;
mod bound_operator;
mod branching;
mod call;
mod compiler;
mod condition;
mod enabled;
mod expression;
mod interpreted;
mod leading;
mod loops;
mod membership;
mod native;
mod procedure;
mod refutation;
mod remembering;
mod scope;
mod selection;
mod sequence_search;
mod unequal;

pub(crate) use bound_operator::compile_operation;
pub use bound_operator::{BoundOperator, Purpose, compile};
pub use compiler::NotCompiled;
