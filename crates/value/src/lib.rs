//! TLA+ values: immutable, canonical, hashed, totally ordered.
//!
//! The key decision of this crate is **one canonical form**: two values that are equal in TLA+ have the same representation.
//! TLA+ has one kind of function and three ways to write it, so a function over `1..n` is always a tuple, a function over
//! strings is always a record, and only the others are a [`ValueKind::Function`]; the empty function is `<<>>`. Sets are sorted
//! arrays without duplicates. Equality is then a comparison of memory, and every value on the heap carries a structural hash,
//! so one comparison separates most unequal values.
//!
//! A [`Value`] takes 16 bytes. Booleans, integers and texts of up to 14 bytes are stored inline; everything else is one
//! reference-counted allocation. Nothing is interned: dropping a trace with ten million distinct strings frees them.
//!
//! The price: changing a shared set or function copies it, and printing, comparing and dropping recurse as deep as the value
//! is nested. The readers refuse input nested deeper than [`DEPTH_MAX`].
//!
//! ```
//! use omnilink_value::Value;
//!
//! let state = Value::record([("q", Value::tuple([1.into(), 2.into()])), ("up", true.into())]);
//! assert_eq!(state.to_string(), "[q |-> <<1, 2>>, up |-> TRUE]");
//! assert_eq!(Value::from_json(br#"{"up":true,"q":[1,2]}"#)?, state);
//! # Ok::<(), omnilink_value::json::JsonError>(())
//! ```

mod build;
mod deserialize;
mod display;
mod edit;
pub mod hash;
pub mod json;
pub mod msgpack;
mod number;
mod order;
mod renamed_hashes;
mod renaming;
mod serialize;
mod shape;
mod text;
mod value;

pub use build::DuplicateKey;
pub use edit::position_in;
pub use renamed_hashes::{ImageHashes, RenamedHashes};
pub use renaming::{Renaming, RenamingError};
pub use shape::Shape;
pub use value::{RecordFields, Value, ValueKind};

/// The maximal nesting of arrays, objects and maps in input. Values are traversed recursively, so hostile input must not
/// determine the stack depth.
pub const DEPTH_MAX: usize = 100;
