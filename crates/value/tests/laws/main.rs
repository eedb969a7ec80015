//! Laws that hold for all values.

mod arbitrary;
mod canonical;
mod json;
mod msgpack;
mod order;
mod printing;
