//! What an operation of a recording means to a model.
//!
//! A history needs two answers about each operation: the operation with its result, and the same with its result
//! forgotten, which is what it does to whoever sees it in the `own` reading. How a result is forgotten is the model's
//! affair: shipped models know an operation without a result as a pending call, a specification lets an unknown
//! parameter range over a set.

use std::fmt::Display;

use omnilink_trace::{Operation, Timebox};

/// Makes operations of a model out of recorded ones. `None` leaves an operation out: it had no effect.
///
/// A function of an operation is a decoder: the result is then forgotten by asking for the same call, never returned.
pub trait Decoder<O> {
    /// What it says where it cannot.
    type Error: Display;

    /// The operation with the result that it returned.
    ///
    /// # Errors
    /// If the model cannot make sense of it.
    fn returned(&self, operation: &Operation) -> Result<Option<O>, Self::Error>;

    /// The operation with its result forgotten: it may have returned anything.
    ///
    /// # Errors
    /// If the model cannot make sense of it.
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

/// The operation as it would be known if it had not returned.
fn never_returned(operation: &Operation) -> Operation {
    let mut open = operation.clone();
    open.ret = None;
    open.timebox = Timebox::pending(operation.timebox.start);
    open
}
