//! The intermediate form: what is left of a spec when every name has become a number.
//!
//! A [`Program`] is trees of [`Node`]s. Names are gone: a variable is a slot of the state, a bound name or parameter a
//! slot of the frame, a definition an index into [`Program::operators`]. Instances are gone too: a definition used through
//! an instance is a copy with the substitutions put in, made once for each. What the configuration overrides has been
//! replaced.
//!
//! **Trees, interpreted.** The nodes are plain enums walked by a recursive function. Closures compiled from nodes were
//! considered and left: an enum can also be read by the successor generator, by explanations ("which conjunct was
//! false") and by the analysis of what an action reads and writes, and calls through pointers cannot be inlined either.
//!
//! Every node knows what it uses ([`Uses`]): nothing but constants, the current state, the next state, which frame slots. From
//! that follow the two caches: what uses nothing is evaluated once ([`Kind::Once`]), what uses only the current state once
//! per state ([`Kind::PerState`]).

mod analysis;
mod error_class;
pub mod lower;
pub mod native;
mod node;
mod program;
mod traversal;
mod unshared;

pub use error_class::ErrorClass;
pub use node::*;
pub use program::*;
pub use unshared::unshared;
