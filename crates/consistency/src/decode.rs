//! Decoding of recorded operations for a model.
//!
//! A history needs two forms of each operation: with its result, and with its result forgotten, which is its effect
//! on operations that see it in the `own` reading. Models forget results in different ways: shipped models represent
//! an operation without a result as a pending call, a specification lets an unknown parameter range over a set.

use std::collections::BTreeMap;
use std::fmt::Display;

use omnilink_history::{HistoryError, HistoryProblem, RecordedHistory, label_of};
use omnilink_trace::{Operation, Timebox};

use crate::history::HistoryOp;

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

/// Operations, decoded for a model.
pub(crate) struct DecodedOps<O> {
    pub ops: Vec<HistoryOp<O>>,
    /// The position of each in the recording.
    pub kept: Vec<usize>,
    /// The names of threads, by number.
    pub names: Vec<String>,
}

/// The operations of a recorded history, decoded for a model, without an order.
pub(crate) fn decode_ops<O>(
    recorded: &RecordedHistory,
    decoder: &impl Decoder<O>,
) -> Result<DecodedOps<O>, HistoryError> {
    let (mut threads, mut names) = (BTreeMap::new(), Vec::new());
    let mut ops = Vec::with_capacity(recorded.ops.len());
    let mut kept = Vec::with_capacity(recorded.ops.len());
    for (position, operation) in recorded.ops.iter().enumerate() {
        let label = &recorded.labels[position];
        let meaningless = |message: String| HistoryError::Bad {
            place: operation.location.clone(),
            problem: HistoryProblem::Decode {
                label: label.clone(),
                message,
            },
        };
        let op = decoder
            .returned(operation)
            .map_err(|error| meaningless(error.to_string()))?;
        let effect = decoder
            .effect(operation)
            .map_err(|error| meaningless(error.to_string()))?;
        let (Some(op), Some(effect)) = (op, effect) else {
            continue;
        };
        let next = threads.len() as u32;
        if !threads.contains_key(&operation.thread) {
            names.push(label_of(&operation.thread));
        }
        ops.push(HistoryOp {
            op,
            effect,
            method: operation.name.as_str().to_owned(),
            thread: *threads.entry(operation.thread.clone()).or_insert(next),
            optional: operation.timebox.is_pending(),
            label: label.clone(),
        });
        kept.push(position);
    }
    Ok(DecodedOps { ops, kept, names })
}
