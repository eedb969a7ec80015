//! TLA+ values: immutable, canonical, hashed, totally ordered.
//!
//! The decision of this crate is **one canonical form**: two values that TLA+ calls equal are represented the same way.
//! TLA+ has one kind of function and three ways to write it, so a function over `1..n` is always a tuple, a function
//! over strings always a record, and only what is left is a [`Kind::Function`]; the empty function is `<<>>`. Sets are
//! sorted arrays without duplicates. Equality is then a comparison of memory, and every value that lives on the heap
//! carries a structural hash, so unequal values are told apart by one comparison.
//!
//! A [`Value`] is 16 bytes. Booleans, integers and texts of up to 14 bytes live inside it; everything else is one
//! reference-counted allocation. Nothing is interned for ever: a trace with ten million distinct strings leaves nothing
//! behind.
//!
//! What was given up: a set or function is rebuilt to be changed, and building a value that is nested `n` levels deep by
//! hand makes printing, comparing and dropping it recurse `n` levels. The readers refuse input nested deeper than
//! [`DEPTH_MAX`].
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
mod hash;
pub mod json;
pub mod msgpack;
mod number;
mod order;
mod permute;
mod serialize;
mod text;
mod value;

pub use build::DuplicateKey;
pub use edit::{Shape, position_in};
pub use permute::{Renaming, RenamingError};
pub use value::{Kind, Record, Value};

/// How deep arrays, objects and maps may nest in input. Values are walked recursively, so a hostile file must not
/// decide how much stack that takes.
pub const DEPTH_MAX: usize = 100;
