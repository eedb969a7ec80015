//! Syntax: tokens, operators, the tree, the parser and the printer.

pub mod ast;
mod lexer;
pub mod operators;
pub mod parser;
pub mod printer;
pub mod token;

pub use lexer::{find_module, tokenize, tokenize_fragment};
