//! The axiom language: criteria as text.
//!
//! ```text
//! # one axiom a line; Ret, lin >= vis and lin >= hb are always there
//! drop lin >= hb              # unless dropped
//! lin >= po
//! vis >= (po | vis)+          # or, in Unicode: vis ⊇ (po ∪ vis)⁺
//! get|size: vis = lin         # only for who sees: operations of these methods
//! vis >= [put|remove];po;vis  # through operations of these methods only
//! ```
//!
//! Pairs of an operation with itself are never demanded: `lin` and `vis` have none.

mod error;
mod lexer;
mod parser;

pub use error::{AxiomError, AxiomProblem};
pub use parser::parse_axioms;
