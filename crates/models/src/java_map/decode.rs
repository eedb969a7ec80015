//! Decoding of calls on a Java map.

use omnilink_trace::Args;
use omnilink_value::Value;

use super::JavaMap;
use super::call::{JavaMapError, JavaMapOp};
use super::methods::METHODS;
use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::{DecodeError, THE_RESULT};
use crate::entry::ModelEntry;
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};

/// The names of arguments, in their order.
const NAMES: [&str; 7] = ["key", "from", "value", "to", "inclusive", "map", "entries"];

impl Decode for JavaMap {
    const ENTRY: &'static ModelEntry = METHODS;

    fn decode_call(&self, call: &CallReader<'_>) -> Result<JavaMapOp, DecodeError> {
        let arguments: Vec<Value> = match call.args() {
            Args::Positional(tuple) => tuple.as_tuple().unwrap_or_default().to_vec(),
            Args::Named(record) => NAMES
                .iter()
                .filter_map(|name| record.field(name))
                .cloned()
                .collect(),
        };
        let result = call.result(&[], arguments.len());
        JavaMapOp::new(call.op(), &arguments, result).map_err(|error| match error {
            JavaMapError::Arguments { expected, found, .. } => call.wrong("its arguments", &found, expected),
            JavaMapError::Result { expected, found, .. } => call.wrong(THE_RESULT, &found, expected),
            JavaMapError::UnknownMethod { .. } => {
                call.wrong("the method", &Value::str(call.op()), "one of the list")
            }
        })
    }
}

impl NativeModel for JavaMap {
    fn from_options(_: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        Ok(Self)
    }
}
