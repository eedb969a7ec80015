//! Checks of histories in memory.

use omnilink_sorting::sort_by_key;

use crate::checker::Start;
use crate::error::CheckError;
use crate::evidence::CheckOutcome;
use crate::history_source::{HistoryInMemory, Readings};
use crate::model::Model;
use crate::operation::TimedOp;
use crate::options::Options;
use crate::portfolio::{Portfolio, check_source};

/// Checks a history in memory, given in any order.
///
/// # Errors
/// If the model fails.
pub fn check<M: Model>(
    model: &M,
    history: impl IntoIterator<Item = TimedOp<M::Op>>,
    options: Options,
) -> Result<CheckOutcome, CheckError> {
    let history = in_order_of_start(history.into_iter().collect());
    check_source(model, &HistoryInMemory(&history), options, false)
}

/// Checks a history in order of start, and returns the order that explains it.
///
/// # Errors
/// If the model fails.
pub fn check_and_keep_order<M: Model>(
    model: &M,
    history: &[TimedOp<M::Op>],
    options: Options,
) -> Result<CheckOutcome, CheckError> {
    check_source(model, &HistoryInMemory(history), options, true)
}

/// Checks a history by search alone, without monitors.
pub(crate) fn check_from<M: Model>(
    model: &M,
    initial: Vec<M::State>,
    history: Vec<TimedOp<M::Op>>,
    options: Options,
) -> Result<CheckOutcome, CheckError> {
    let history = in_order_of_start(history);
    let source = HistoryInMemory(&history);
    let readings = Readings::of(&source);
    let source = readings.erased();
    let mut portfolio = Portfolio::new(model, &source, options, false);
    portfolio.start = Start::From(initial);
    portfolio.may_ask_monitors = false;
    let answer = portfolio.check();
    answer.map_err(|end| readings.error(end))
}

fn in_order_of_start<O>(mut history: Vec<TimedOp<O>>) -> Vec<TimedOp<O>> {
    if !history.is_sorted_by_key(|operation| operation.timebox.start) {
        sort_by_key(&mut history, |operation| operation.timebox.start);
    }
    history
}
