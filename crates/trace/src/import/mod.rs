//! stub
use crate::input::Input;
use crate::note::Notes;
use crate::records::Records;
use crate::*;
use omnilink_value::Value;
use thiserror::Error;
/// x
#[derive(Debug, Error)]
#[error("x")]
pub struct EdnError;
pub(crate) fn open(
    _: Format,
    input: &Input,
    _: Option<Value>,
    _: &OpenOptions,
    _: &Notes,
) -> Result<Box<dyn Records>, TraceError> {
    Err(TraceError::new(Place::whole(&input.name), Problem::UnknownFormat))
}
pub(crate) fn is_fastlin_title(_: &[u8]) -> bool {
    false
}
pub(crate) fn is_jepsen_line(_: &[u8]) -> bool {
    false
}
pub(crate) fn is_porcupine_key(_: &str) -> bool {
    false
}
