//! The explanation of a valid history, as a trace.
//!
//! A witness is written as the same operations one after the other, the n-th at time n. So it needs no format of its
//! own and no trust in the search: any checker, including this one, can check that it is a history of the
//! model. Where an operation stood in the original is kept under `meta`.

use std::path::Path;
use std::sync::Arc;

use omnilink_engine::{Interrupt, Linearization};
use omnilink_trace::{Header, Operation, Time, Timebox, TraceWriter, WriteOptions};
use omnilink_value::Value;

use crate::error::VerifyError;
use crate::history::{DecodeOp, History};
use crate::input::Input;

pub(crate) fn write<O: Clone>(
    decode: &DecodeOp<'_, O>,
    input: &Input,
    witness: &Linearization,
    file: &Path,
    interrupt: Option<Interrupt>,
) -> Result<(), VerifyError> {
    let Some(order) = &witness.order else {
        let message = format!(
            "{}: no order was kept, because the search that decided does not keep one; try --strategy depth-first",
            input.name
        );
        return Err(VerifyError::Usage(message));
    };
    let mut history = History::open(decode, input)?;
    let mut operations: Vec<Operation> = Vec::new();
    while let Some(read) = history.next()? {
        operations.push(Arc::unwrap_or_clone(read.observed));
    }
    let options = WriteOptions::for_path(file)
        .with_header(Header::new([("witness_of", Value::str(&input.name))]))
        .with_sorted(true);
    let mut writer = TraceWriter::create(file, &options)?;
    for (rank, placement) in order.iter().enumerate() {
        let Some(operation) = operations.get(placement.op as usize) else {
            continue;
        };
        if interrupt.is_some_and(Interrupt::is_raised) {
            return Err(VerifyError::Interrupted);
        }
        writer.write(&placed(operation, rank as Time, placement.at))?;
    }
    Ok(writer.finish()?)
}

/// The operation as the one that took effect at `rank`. A pending one stays pending: it still has no result.
fn placed(operation: &Operation, rank: Time, at: Time) -> Operation {
    let Timebox { start, end } = operation.timebox;
    let meta = Value::record([
        ("start", Value::int(start)),
        ("end", end.map_or_else(Value::null, Value::int)),
        ("at", Value::int(at)),
        ("place", Value::str(&operation.location.to_string())),
    ]);
    let mut placed = operation.clone();
    placed.timebox = match end {
        Some(_) => Timebox::new(rank, rank),
        None => Timebox::pending(rank),
    };
    placed.meta = Some(meta);
    placed
}
