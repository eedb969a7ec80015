//! The rule `clip`: intersects a timebox with an interval from the recorder.
//!
//! Sound: the effect lies in the timebox and, by assumption, in the interval of the field, hence in the intersection. An
//! operation that never returned may have had no effect, and an end would claim that it had one: only its start is clipped.

use omnilink_value::Value;

use crate::{Operation, Problem, Time, TraceError};

pub(super) fn clip(operation: &mut Operation, field: &str) -> Result<(), TraceError> {
    let Some(found) = operation.meta.as_ref().and_then(|meta| meta.field(field)) else {
        return Ok(());
    };
    let clipped = interval(found).ok_or_else(|| Problem::WrongMeta {
        op: operation.name.clone(),
        field: field.to_owned(),
        expected: "a time or a pair of times",
        found: found.clone(),
    });
    let clipped = clipped.and_then(|(earliest, latest)| {
        let start = operation.timebox.start.max(earliest);
        let end = operation.timebox.end.map(|end| end.min(latest));
        if end.is_some_and(|end| end < start) || latest < start {
            Err(Problem::EmptyClip {
                op: operation.name.clone(),
                field: field.to_owned(),
                earliest,
                latest,
            })
        } else {
            Ok((start, end))
        }
    });
    match clipped {
        Ok((start, end)) => {
            operation.timebox.start = start;
            operation.timebox.end = end;
            Ok(())
        }
        Err(problem) => Err(TraceError::new(operation.location.clone(), problem)),
    }
}

fn interval(value: &Value) -> Option<(Time, Time)> {
    match (value.as_int(), value.as_tuple()) {
        (Some(time), _) => Some((time, time)),
        (_, Some([earliest, latest])) => Some((earliest.as_int()?, latest.as_int()?)),
        _ => None,
    }
}
