//! The laws of values: what holds for every one of them.

mod arbitrary;
mod canonical;
mod json;
mod msgpack;
mod order;
mod printing;
