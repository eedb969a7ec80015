//! The rule `shift`: corrects a clock with a known offset.
//!
//! Sound: a timebox contains the effect on the clock it was read from; adding the offset of that clock makes it contain the
//! effect on the common clock. Overflow is an error: saturation would make distinct times equal and lose their order.

use super::RetimeScope;
use crate::{Operation, Problem, Time, TraceError};

pub(super) fn shift(operation: &mut Operation, scope: &RetimeScope, offset: Time) -> Result<(), TraceError> {
    if !is_in_scope(operation, scope) {
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
            return Err(TraceError::new(operation.location.clone(), problem));
        }
    }
    Ok(())
}

fn is_in_scope(operation: &Operation, scope: &RetimeScope) -> bool {
    match scope {
        RetimeScope::Thread(thread) => operation.thread == *thread,
        RetimeScope::Meta { field, value } => {
            operation.meta.as_ref().and_then(|meta| meta.field(field)) == Some(value)
        }
    }
}
