//! The compiler: from the nodes of a program to code.

mod access;
mod action;
mod assignment;
mod branching;
mod call;
mod compiler;
mod condition;
mod enabled;
mod expression;
mod loops;
mod membership;
mod native;
mod operation;
mod procedure;
mod refutation;
mod remembering;
mod scope;
mod selection;
mod sequence_search;

pub use compiler::NotCompiled;
pub use operation::{Operation, Purpose, compile};
