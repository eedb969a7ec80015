//! Decoding: operations of a trace as operations of a model.
//!
//! Traces come from many tools, and each has its own format for the same operation: arguments by name or by position,
//! results beside the arguments or among them, `{"op":2,"arg1":3}` or `[:cas [3 4]]`. A model names its arguments, and
//! [`CallReader`](crate::call_reader::CallReader) finds them in all of these formats. Anything else is an error with the
//! place and the expectation. Nothing is guessed, and nothing is skipped.

use std::cell::RefCell;

use omnilink_engine::{Decoded, Model};
use omnilink_trace::{Args, Operation};

use crate::call_reader::{CallReader, PAYLOAD, RESULT, is_empty_result};
use crate::decode_error::DecodeError;
use crate::entry::{ModelEntry, is_similar};

/// A model that decodes operations of a trace.
pub trait Decode: Model {
    /// The name, the operations and the options of the model.
    const ENTRY: &'static ModelEntry;

    /// Decodes a call that the system did not abort.
    ///
    /// # Errors
    /// If an argument or a result is missing or has the wrong type.
    fn decode_call(&self, call: &CallReader<'_>) -> Result<Self::Op, DecodeError>;

    /// Decodes a call that the system reported as failed. By default, it did not happen.
    ///
    /// # Errors
    /// As [`Decode::decode_call`].
    fn decode_aborted(&self, call: &CallReader<'_>) -> Result<Decoded<Self::Op>, DecodeError> {
        let _ = call;
        Ok(Decoded::DidNotHappen)
    }

    /// The arguments of an operation that the model has no use for; of one that it does not decode, none.
    fn unused_arguments(&self, operation: &Operation) -> Vec<String> {
        let asked = RefCell::new(Asked::default());
        let Ok(call) = CallReader::new(operation, Self::ENTRY) else {
            return Vec::new();
        };
        let call = call.recording(&asked);
        let decoded = match operation.aborted {
            true => self.decode_aborted(&call).map(drop),
            false => self.decode_call(&call).map(drop),
        };
        // What did not happen, or cannot be decoded, is not asked for all of its arguments.
        match decoded {
            Ok(()) if !operation.aborted => asked.borrow().unused(operation),
            _ => Vec::new(),
        }
    }

    /// Decodes an operation of a trace.
    ///
    /// # Errors
    /// If the model has no such operation, or if an argument or a result is missing or has the wrong type.
    fn decode(&self, operation: &Operation) -> Result<Decoded<Self::Op>, DecodeError> {
        let call = CallReader::new(operation, Self::ENTRY)?;
        if operation.aborted {
            self.decode_aborted(&call)
        } else {
            self.decode_call(&call).map(Decoded::Once)
        }
    }
}

/// The names of arguments that a model asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) names: Vec<String>,
    /// Whether it takes all there are.
    pub(crate) is_all: bool,
}

impl Asked {
    /// The arguments of an operation that say something and were not asked for.
    pub(crate) fn unused(&self, operation: &Operation) -> Vec<String> {
        let fields = match &operation.args {
            Args::Named(record) if !self.is_all => record.as_record(),
            _ => None,
        };
        let is_asked = |field: &str| {
            let names = self.names.iter().map(String::as_str);
            names
                .chain(RESULT.iter().chain(PAYLOAD).copied())
                .any(|name| is_similar(name, field))
        };
        let unused = fields.into_iter().flat_map(|fields| fields.iter());
        let unused = unused.filter(|(field, value)| !is_empty_result(value) && !is_asked(field));
        unused.map(|(field, _)| field.to_owned()).collect()
    }
}
