//! TLA+: from text to resolved, levelled modules.

pub mod deep_stack;
pub mod diagnostic;
pub mod names;
pub mod semantics;
pub mod source;
pub mod syntax;
