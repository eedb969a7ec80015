//! The compiler: from the nodes of a program to code.

mod access;
mod action;
mod assignment;
mod branching;
mod call;
mod compiler;
mod condition;
mod expression;
mod loops;
mod membership;
mod native;
mod procedure;
mod remembering;
mod scope;
mod selection;

pub use compiler::{NotCompiled, compile_action, compile_formula};
