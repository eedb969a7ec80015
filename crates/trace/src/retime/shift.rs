//! Shifting a clock that was off.
//!
//! Sound: a timebox holds the effect on the clock it was read from; adding the offset of that clock makes it hold the
//! effect on the common clock. Times do not saturate: at the edge of the clock that would swallow order.

use super::Who;
use crate::{Operation, Problem, Time, TraceError};

pub(super) fn shift(operation: &mut Operation, who: &Who, offset: Time) -> Result<(), TraceError> {
    if !is_meant(operation, who) {
        return Ok(());
    }
    let start = operation.timebox.start.checked_add(offset);
    let end = operation.timebox.end.map(|end| end.checked_add(offset));
    match (start, end) {
        (Some(start), None) => operation.timebox.start = start,
        (Some(start), Some(Some(end))) => {
            operation.timebox.start = start;
            operation.timebox.end = Some(end);
        }
        _ => {
            let problem = Problem::TimeOverflow {
                op: operation.name.clone(),
                offset,
            };
            return Err(TraceError::new(operation.place.clone(), problem));
        }
    }
    Ok(())
}

fn is_meant(operation: &Operation, who: &Who) -> bool {
    match who {
        Who::Thread(thread) => operation.thread == *thread,
        Who::Meta { field, value } => {
            operation.meta.as_ref().and_then(|meta| meta.field(field)) == Some(value)
        }
    }
}
