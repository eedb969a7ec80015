//! Values as MessagePack, and back: the same maps as JSON.
//!
//! `nil` is the model value `null`; a map whose only key is `$set`, `$fn` or `$model` has the same meaning as in JSON. Other
//! maps may have keys of any kind and become functions. Floats and unsigned integers beyond signed 64 bits are opaque numbers, as
//! in JSON; binary data and extension types denote no value.

mod cursor;
mod error;
mod write;

pub use cursor::MsgpackCursor;
pub use error::{MsgpackError, MsgpackProblem};
pub use write::{write_int, write_map_len, write_str, write_value};
