//! Decoding: operations of a trace as operations of a model.
//!
//! Traces come from many tools, and each has its own format for the same operation: arguments by name or by position,
//! results beside the arguments or among them, `{"op":2,"arg1":3}` or `[:cas [3 4]]`. A model names its arguments, and
//! [`CallReader`](crate::call_reader::CallReader) finds them in all of these formats. Anything else is an error with the
//! place and the expectation. Nothing is guessed, and nothing is skipped.

use omnilink_engine::{Decoded, Model};
use omnilink_trace::Operation;

use crate::call_reader::CallReader;
use crate::decode_error::DecodeError;
use crate::entry::ModelEntry;

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
