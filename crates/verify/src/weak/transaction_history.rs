//! Histories of transactions: those of a trace are grouped while it is read, and its operations are not kept.

use std::cell::RefCell;

use omnilink_engine::{LimitWatch, Limits};
use omnilink_evidence::Evidence;
use omnilink_isolation::{
    InitialValues, RecordedHistory, TransactionOptions, TransactionTrace, VisitOperation,
    check_recorded_transactions, infer_recorded_transactions,
};

use super::IsolationTask;
use super::histories::{Histories, Reading, histories, holds_histories};
use super::judge_factory::weak_error;
use crate::error::VerifyError;
use crate::input::Input;
use crate::limits::{after_reading, opened};

/// A history of transactions.
pub(super) enum TransactionHistory<'i> {
    Recorded(RecordedHistory),
    /// The transactions of a trace, and where to read it again for the report.
    Trace(Box<TransactionTrace>, &'i Input),
}

/// The histories of one input.
pub(super) fn transaction_histories<'i>(
    input: &'i Input,
    reading: Reading,
    initial: &InitialValues,
) -> Result<Histories<'i, TransactionHistory<'i>>, VerifyError> {
    if !holds_histories(input)
        && let Some((notes, is_silent, trace)) = grouped(input, reading.limits, initial)?
    {
        let history = TransactionHistory::Trace(Box::new(trace), input);
        return Ok(Histories {
            notes,
            is_silent,
            each: Box::new(std::iter::once(Ok(history))),
        });
    }
    let Histories {
        notes,
        is_silent,
        each,
    } = histories(input, reading)?;
    Ok(Histories {
        notes,
        is_silent,
        each: Box::new(each.map(|recorded| Ok(TransactionHistory::Recorded(recorded?)))),
    })
}

/// The transactions of a trace, with notes about it and whether nothing returned; `None` if it has to be recorded as a whole, because it gives its order otherwise.
fn grouped(
    input: &Input,
    limits: Limits,
    initial: &InitialValues,
) -> Result<Option<(Vec<String>, bool, TransactionTrace)>, VerifyError> {
    let _limits = limits.begin();
    let mut trace = opened(input.open_once())?;
    let mut watch = LimitWatch::new(limits);
    let mut count = 0;
    let mut transactions = TransactionTrace::new(&input.name, initial.clone());
    let mut has_returned = false;
    for read in trace.by_ref() {
        let operation = after_reading(read, &mut count, &mut watch)?;
        if TransactionTrace::is_beyond(&operation) {
            return Ok(None);
        }
        has_returned |= !operation.aborted && !operation.timebox.is_pending();
        transactions.take(&operation).map_err(weak_error)?;
    }
    let notes: Vec<String> = trace.notes().iter().map(ToString::to_string).collect();
    if count == 0 {
        return Err(VerifyError::empty(&input.name, &notes));
    }
    Ok(Some((notes, !has_returned, transactions)))
}

impl TransactionHistory<'_> {
    /// The answer.
    pub(super) fn judge(
        self,
        task: IsolationTask,
        options: TransactionOptions,
    ) -> Result<Evidence, VerifyError> {
        let limits = options.limits;
        let (transactions, input) = match self {
            Self::Trace(transactions, input) => (transactions, input),
            Self::Recorded(recorded) => {
                let judged = match task {
                    IsolationTask::Level(level) => check_recorded_transactions(&recorded, level, options),
                    IsolationTask::AllLevels => infer_recorded_transactions(&recorded, options),
                };
                return judged.map_err(weak_error);
            }
        };
        let failed: RefCell<Option<VerifyError>> = RefCell::default();
        let each = |visit: &mut VisitOperation<'_>| {
            if let Err(error) = visit_all(input, visit) {
                failed.replace(Some(error));
            }
        };
        let judged = match task {
            IsolationTask::Level(level) => transactions.check(level, limits, &each),
            IsolationTask::AllLevels => transactions.infer(limits, &each),
        };
        match failed.take() {
            Some(error) => Err(error),
            None => judged.map_err(weak_error),
        }
    }
}

/// Reads a trace again.
fn visit_all(input: &Input, visit: &mut VisitOperation<'_>) -> Result<(), VerifyError> {
    for operation in input.open_once()? {
        let operation = operation?;
        let group = operation.meta.as_ref().and_then(|meta| meta.field("txn"));
        if visit(&operation, group).is_break() {
            break;
        }
    }
    Ok(())
}
