//! Writing traces in format 1, and as events for viewers.

mod chrome;
mod encode;
mod sink;
mod writer;

pub(crate) use encode::encode_msgpack;
pub use encode::{encode_json, msgpack_record};
pub use writer::{Encoding, TraceWriter, WriteOptions};
