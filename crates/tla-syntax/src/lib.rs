//! TLA+ syntax: tokens, operators, the tree, the parser and the printer; source texts and diagnostics.
//!
//! Three decisions: the lexer works on bytes; the parser climbs precedence *ranges* and reads junction lists by column; trees
//! are flat arrays. The printer's output parses to the same tree. Errors are [`diagnostic::Diagnostic`]s with a source span
//! and advice, several per run, and no input makes the parser panic.

pub mod ast;
pub mod deep_stack;
pub mod diagnostic;
mod lexer;
pub mod names;
pub mod operators;
pub mod parser;
pub mod printer;
pub mod source;
pub mod token;

pub use lexer::{find_module, tokenize, tokenize_fragment};
