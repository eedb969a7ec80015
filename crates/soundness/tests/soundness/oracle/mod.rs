//! Small specifications with a meaning of their own: an interpreter, and a search for explanations of traces. Nothing of the product is used.

pub mod action;
pub mod eval;
pub mod explain;
pub mod helper;
pub mod log;
pub mod spec;
pub mod term;
pub mod timed_call;
pub mod value;
