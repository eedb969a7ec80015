//! Trace format 1: one map per operation, as lines of JSON or as concatenated MessagePack.

mod call_cache;
mod field;
mod json;
mod msgpack;
mod ndjson;
mod record;

use call_cache::CallCache;
pub(crate) use field::{Field, nearest};
pub(crate) use json::JsonRecords;
pub(crate) use msgpack::{MsgpackRecords, decode_fields};
pub(crate) use ndjson::NdjsonRecords;
pub(crate) use record::{Defaults, Fields};
