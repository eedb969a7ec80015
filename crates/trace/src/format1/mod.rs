//! Trace format 1: one map per operation, as lines of JSON, as a JSON array or as concatenated MessagePack.

mod call_cache;
mod field;
mod json;
mod msgpack;
mod ndjson;
mod record;

use call_cache::CallCache;
pub(crate) use field::{Field, nearest};
pub(crate) use json::JsonReader;
pub(crate) use msgpack::{MsgpackReader, decode_record};
pub(crate) use ndjson::NdjsonReader;
pub(crate) use record::{RawRecord, RecordDefaults};
