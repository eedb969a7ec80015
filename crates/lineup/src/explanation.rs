//! What explains a history: the serial runs, or a specification.

use omnilink_engine::Consistency;

use crate::history::{CallHistory, HistoryEnding};
use crate::lineup_error::LineupError;
use crate::options::{Blocking, SerialCriterion, search_limits};
use crate::request::Request;
use crate::serial::SerialHistories;
use crate::verdict::Why;
use crate::witness::Witnesses;
use crate::words::Words;

/// A violation that does not depend on serial runs: the run crashes alone, blocks where nothing may block, or contradicts the
/// specification.
pub(crate) fn violation_without_serial_runs(
    request: Request<'_>,
    words: Words<'_>,
    history: &CallHistory,
    is_serial: bool,
) -> Result<Option<Why>, LineupError> {
    // No component is meant to crash, and no specification allows it.
    if let HistoryEnding::Crashed(slot, reason) = history.ending
        && (is_serial || request.specification.is_some())
    {
        return Ok(Some(Why::CrashAlone(slot, reason)));
    }
    if history.ending == HistoryEnding::Stuck && request.options.blocking == Blocking::Never {
        return Ok(Some(Why::Blocked(history.pending())));
    }
    match request.specification {
        Some(specification) => Ok(specification.explain(history, words)?),
        None => Ok(None),
    }
}

/// Why nothing explains a history of a concurrent run, or `None` if something does.
pub(crate) fn explain(
    request: Request<'_>,
    serial: &SerialHistories,
    words: Words<'_>,
    history: &CallHistory,
) -> Result<Option<Why>, LineupError> {
    let why = violation_without_serial_runs(request, words, history, false)?;
    if why.is_some() || request.specification.is_some() {
        return Ok(why);
    }
    let consistency = match request.options.criterion {
        SerialCriterion::Linearizable => Consistency::Linearizable,
        SerialCriterion::Sequential => Consistency::Sequential,
    };
    let limits = search_limits(&request.options.stop);
    Witnesses::new(serial, words, consistency, limits).explain(history)
}
