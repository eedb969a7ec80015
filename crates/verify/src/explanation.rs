//! The operations before a violation, in one order that explains them.

use omnilink_engine::{Checker, Conclusion, Limits, Model, Options, Partitioning, Progress, TimedOp};
use omnilink_trace::{Time, Timebox};
use rustc_hash::FxHashSet;

use crate::check_run::CheckRequest;
use crate::error::VerifyError;
use crate::history::{DecodeOp, History};
use crate::input::Input;

/// Longer histories are not kept in memory for this.
const OPERATIONS_MAX: usize = 2_000_000;
/// A history that is harder than this is left alone: the verdict is known without.
const CONFIGURATIONS_MAX: u64 = 2_000_000;

/// An operation with its position in the history.
pub struct Placed<O> {
    pub shown: omnilink_evidence::ReportedOperation,
    pub op: O,
    pub timebox: Timebox,
}

/// One explanation of the beginning of a history.
pub struct ExplainedPrefix<O> {
    /// The operations in the order in which they took effect.
    pub placed: Vec<Placed<O>>,
    /// The operations that had begun and did not take effect.
    pub others: Vec<O>,
}

/// What explains everything that returned before the unexplained operation did; `None` if that cannot be found with little effort.
pub fn explanation_before<M: Model>(
    model: &M,
    decode: &DecodeOp<'_, M::Op>,
    input: &Input,
    request: &CheckRequest,
    unexplained: &omnilink_evidence::ReportedOperation,
) -> Result<Option<ExplainedPrefix<M::Op>>, VerifyError> {
    let last = unexplained.end.unwrap_or(Time::MAX);
    let mut history = History::open(decode, input)?;
    let mut ids: Vec<u64> = Vec::new();
    let mut operations: Vec<TimedOp<M::Op>> = Vec::new();
    let mut id = 0;
    while let Some(read) = history.next()? {
        let mut operation = read.operation;
        if operation.timebox.start > last || operations.len() > OPERATIONS_MAX {
            break;
        }
        if id != unexplained.id {
            // What had not returned yet may or may not have happened.
            if operation.timebox.end.is_some_and(|end| end >= last) {
                operation.timebox.end = None;
            }
            ids.push(id);
            operations.push(operation);
        }
        id += 1;
    }
    let options = Options {
        limits: Limits {
            configurations: Some(CONFIGURATIONS_MAX),
            ..request.options.limits
        },
        ..request.options
    };
    let mut checker = Checker::with_partitioning(model, options, Partitioning::Whole)
        .keep_order()
        .without_alternatives();
    for operation in &operations {
        if checker.push(operation.clone())? == Progress::Decided {
            return Ok(None);
        }
    }
    let Conclusion::Valid(witness) = checker.finish()?.conclusion else {
        return Ok(None);
    };
    let explanation = witness.order.map(|order| {
        let is_placed: FxHashSet<usize> = order.iter().map(|placement| placement.op as usize).collect();
        let others = operations.iter().enumerate();
        let others = others.filter(|(at, _)| !is_placed.contains(at));
        let others = others.map(|(_, operation)| operation.op.clone()).collect();
        let placed = order.iter().filter_map(|placement| {
            let at = placement.op as usize;
            let (operation, id) = (operations.get(at)?, *ids.get(at)?);
            let mut shown = operation.shown(id, model.describe_op(&operation.op));
            shown.thread = history.threads.name(operation.thread);
            Some(Placed {
                shown,
                op: operation.op.clone(),
                timebox: operation.timebox,
            })
        });
        let placed = placed.collect();
        ExplainedPrefix { placed, others }
    });
    Ok(explanation)
}
