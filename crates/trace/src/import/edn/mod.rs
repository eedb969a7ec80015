//! EDN, the notation of Clojure and Jepsen, read into values.
//!
//! Keywords, symbols and characters become strings (keywords without their colon), `nil` the model value `null`,
//! vectors and lists tuples, maps functions. Tags are dropped and what they mark is kept. Numbers must be 64-bit
//! integers: a float, ratio or larger number is an error, because rounding one would change what was observed.

mod error;
mod number;
mod reader;
mod text;

pub use error::{EdnError, EdnProblem};
pub(super) use reader::EdnReader;
