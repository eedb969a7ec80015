//! Decoding of calls on a Java collection.

use omnilink_trace::Args;
use omnilink_value::Value;

use super::call::JavaCollectionError;
use super::methods::METHODS;
use super::op::JavaCollectionOp;
use super::{ElementOrder, JavaCollection};
use crate::call_reader::CallReader;
use crate::decode::Decode;
use crate::decode_error::{DecodeError, THE_RESULT};
use crate::entry::ModelEntry;
use crate::native_model::NativeModel;
use crate::options::{ModelOptions, ModelSpecError};

/// The names of arguments, in their order.
const NAMES: [&str; 8] = [
    "index",
    "from",
    "element",
    "value",
    "to",
    "inclusive",
    "elements",
    "most",
];

impl Decode for JavaCollection {
    const ENTRY: &'static ModelEntry = METHODS;

    fn decode_call(&self, call: &CallReader<'_>) -> Result<JavaCollectionOp, DecodeError> {
        let arguments: Vec<Value> = match call.args() {
            Args::Positional(tuple) => tuple.as_tuple().unwrap_or_default().to_vec(),
            Args::Named(record) => NAMES
                .iter()
                .filter_map(|name| record.field(name))
                .cloned()
                .collect(),
        };
        let void = Value::str("void");
        // A method that returns nothing and has returned did what it says, or it would have thrown.
        let is_void = matches!(call.op(), "addFirst" | "addLast");
        let result = match call.result(&[], arguments.len()) {
            None if is_void && !call.operation().timebox.is_pending() => Some(&void),
            result => result,
        };
        JavaCollectionOp::new(call.op(), &arguments, result).map_err(|error| match error {
            JavaCollectionError::Arguments { expected, found, .. } => {
                call.wrong("its arguments", &found, expected)
            }
            JavaCollectionError::Result { expected, found, .. } => call.wrong(THE_RESULT, &found, expected),
            JavaCollectionError::UnknownMethod { .. } => {
                call.wrong("the method", &Value::str(call.op()), "one of the list")
            }
        })
    }
}

impl NativeModel for JavaCollection {
    fn from_options(options: &mut ModelOptions) -> Result<Self, ModelSpecError> {
        let orders = [
            ("insertion", ElementOrder::Insertion),
            ("sorted", ElementOrder::Sorted),
        ];
        let switches = [("yes", true), ("true", true), ("no", false), ("false", false)];
        let order = options.choice("order", &orders, "insertion or sorted")?;
        let has_duplicates = options.choice("duplicates", &switches, "yes or no")?;
        let capacity = options.integer("capacity", 1, "a number of at least 1")?;
        Ok(Self {
            order: order.unwrap_or(ElementOrder::Insertion),
            has_duplicates: has_duplicates.unwrap_or(true),
            capacity: capacity.map(|capacity| usize::try_from(capacity).unwrap_or(usize::MAX)),
        })
    }
}
