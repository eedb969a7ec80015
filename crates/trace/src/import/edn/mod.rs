//! EDN, the notation of Clojure and Jepsen, read into values.
//!
//! Keywords, symbols and characters become strings (keywords without their colon), `nil` becomes the model value `null`,
//! vectors and lists become tuples, maps functions. Tags are dropped; the tagged form stays. A number that is not a 64-bit
//! integer becomes an opaque value: see [`Value::number`](omnilink_value::Value::number).

mod cursor;
mod error;
mod number;
mod text;

pub(super) use cursor::EdnCursor;
pub use error::{EdnError, EdnProblem};
