//! Decoding of recorded operations for a model.
//!
//! A history needs two forms of each operation: with its result, and with its result forgotten, which is its effect
//! on operations that see it in the `own` reading. Models forget results in different ways: shipped models represent
//! an operation without a result as a pending call, a specification lets an unknown parameter range over a set.

use std::fmt::Display;

use omnilink_trace::{Operation, Timebox};

/// Makes operations of a model out of recorded ones. `None` leaves an operation out: it had no effect.
///
/// A function of an operation is a decoder: it receives the call as pending where the result is forgotten.
pub trait Decoder<O> {
    /// The error for an operation that the model does not have.
    type Error: Display;

    /// The operation with the result that it returned.
    ///
    /// # Errors
    /// If the model does not have it.
    fn returned(&self, operation: &Operation) -> Result<Option<O>, Self::Error>;

    /// The operation with its result forgotten: it may have returned anything.
    ///
    /// # Errors
    /// If the model does not have it.
    fn effect(&self, operation: &Operation) -> Result<Option<O>, Self::Error> {
        self.returned(&never_returned(operation))
    }
}

impl<O, E: Display, F: Fn(&Operation) -> Result<Option<O>, E>> Decoder<O> for F {
    type Error = E;

    fn returned(&self, operation: &Operation) -> Result<Option<O>, E> {
        self(operation)
    }
}

/// The operation as a pending call.
fn never_returned(operation: &Operation) -> Operation {
    let mut open = operation.clone();
    open.ret = None;
    open.timebox = Timebox::pending(operation.timebox.start);
    open
}
