//! EDN, the notation of Clojure and Jepsen, read into values.
//!
//! Keywords, symbols and characters become strings (keywords without their colon), `nil` the model value `null`,
//! vectors and lists tuples, maps functions. Tags are dropped and what they mark is kept. A number that is no 64-bit integer
//! is an opaque value: see [`Value::number`](omnilink_value::Value::number).

mod error;
mod number;
mod reader;
mod text;

pub use error::{EdnError, EdnProblem};
pub(super) use reader::EdnReader;
