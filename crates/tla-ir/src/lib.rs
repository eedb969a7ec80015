//! The intermediate representation of a spec, with all names resolved to indices.
//!
//! A [`Program`] consists of trees of [`Node`]s. A variable is a slot of the state, a bound name or parameter a slot of the frame, a
//! definition an index into [`Program::operators`]. A definition used through an instance is a copy with the substitutions made, one
//! per instance. Replacements by the configuration have been made.
//!
//! **Trees, interpreted.** Nodes are plain enums, evaluated by a recursive function. Closures compiled from nodes were considered and
//! rejected: the successor generator, explanations ("which conjunct was false") and static analysis also read the enums, and calls
//! through pointers cannot be inlined either.
//!
//! Every node records what it depends on ([`Uses`]): the current state, the next state, frame slots, side effects. A node that depends
//! on nothing is evaluated once ([`Kind::Once`]), one that depends only on the current state once per state ([`Kind::PerState`]).
//!
//! [`lower`] makes programs. Static analysis that needs no evaluator is in `analysis/`.

mod analysis;
mod error_class;
pub mod lower;
pub mod native;
mod node;
mod program;
pub mod temporal;
mod traversal;
mod unshared;

pub use error_class::ErrorClass;
pub use node::*;
pub use program::*;
