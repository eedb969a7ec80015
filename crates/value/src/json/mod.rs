//! Values as JSON, and back.
//!
//! Integers, strings, booleans, arrays and objects are TLA+ integers, strings, booleans, tuples and records, and `null`
//! is the model value `null`. A number that is not a 64-bit integer is an opaque model value of that name: see
//! [`Value::number`](crate::Value::number). An object whose *only* key is `$set`, `$fn` or `$model` denotes a value that JSON
//! lacks: `{"$set":[1,2]}`, `{"$fn":[[k,v],…]}`, `{"$model":"a"}`. A record with just such a field is itself written as
//! `{"$fn":[["$set",…]]}`, so every value survives a round trip.
//!
//! The reader is written by hand over a borrowed line instead of on top of a general library: it builds values without
//! an intermediate tree, its errors are typed and carry the byte offset, and a trace line costs a few hundred nanoseconds.

mod cursor;
mod error;
mod form;
mod number;
mod string;
mod write;

pub use cursor::JsonCursor;
pub use error::{JsonError, JsonProblem};
pub use form::FormError;
pub(crate) use form::{FUNCTION, MODEL, SET, from_object, needs_function_form};
pub use write::{write_int, write_string, write_value};
