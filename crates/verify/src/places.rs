//! Where operations are in an input: found by reading it again, once an answer names them.

use std::collections::BTreeSet;
use std::time::Duration;

use omnilink_engine::{Limit, LimitWatch, Limits};

use crate::error::VerifyError;
use crate::history::{DecodeOp, History};
use crate::input::Input;
use crate::limits::CHECK_INTERVAL;

/// The search for places may take this long even if the check has used up its time.
const PLACES_TIME: Duration = Duration::from_millis(500);

/// Reads an input for some of its operations, by position.
pub(crate) fn each_of<O: Clone>(
    decode: &DecodeOp<'_, O>,
    input: &Input,
    wanted: &BTreeSet<u64>,
    mut found: impl FnMut(u64, &omnilink_trace::Operation),
) -> Result<(), VerifyError> {
    let Some(last) = wanted.last() else { return Ok(()) };
    let mut history = History::open(decode, input)?;
    let mut watch = LimitWatch::new(Limits {
        time: Some(PLACES_TIME),
        ..Limits::default()
    });
    for id in 0..=*last {
        if id.is_multiple_of(CHECK_INTERVAL) && watch.reached() == Some(Limit::Time) {
            break;
        }
        let Some(read) = history.next()? else { break };
        // The operation that marks the end of the trace is not in the input.
        if wanted.contains(&id) && input.end != Some(read.observed.name.as_str()) {
            found(id, &read.observed);
        }
    }
    Ok(())
}
