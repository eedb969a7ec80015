//! Calls that may fail because of contention: `try_lock`, a weak compare-and-swap.
//!
//! If such a call overlaps another one and fails, it has no effect: the history is explained if the rest of it is, by serial runs
//! that do not make the call. The failure of a call that no other one overlaps is a result like any other.

use std::ops::ControlFlow;

use crate::execution::MatrixRun;
use crate::executor::{MatrixExecutor, RunPlan};
use crate::explanation::explain;
use crate::history::{CallHistory, HistoryEnding, HistoryEvent, Results};
use crate::lineup_error::LineupError;
use crate::matrix::Matrix;
use crate::request::Request;
use crate::serial::SerialHistories;
use crate::slot::{CallSlot, Lane};
use crate::verdict::{CheckedMatrix, RunViolation};
use crate::words::Words;

/// The calls of a history that may have failed because of contention.
pub(crate) fn failed_calls(history: &CallHistory, words: Words<'_>) -> Vec<CallSlot> {
    let may_fail = |slot: &CallSlot| {
        let call = words.matrix.call(*slot);
        call.is_some_and(|call| words.alphabet.may_fail(call))
    };
    let failed = history.events.iter().filter_map(|event| match event {
        HistoryEvent::Return(slot, result) if is_failure(words.results.text(*result)) => Some(*slot),
        _ => None,
    });
    failed
        .filter(may_fail)
        .filter(|slot| overlaps(history, *slot))
        .collect()
}

/// Whether a result in Rust or C++ means failure.
fn is_failure(result: &str) -> bool {
    matches!(result, "None" | "false") || result.starts_with("Err(")
}

/// Whether another call was open at some event between the call of `slot` and its return.
fn overlaps(history: &CallHistory, slot: CallSlot) -> bool {
    let mut open = 0;
    let mut is_inside = false;
    for event in &history.events {
        match *event {
            HistoryEvent::Call(other) if other == slot => is_inside = true,
            HistoryEvent::Return(other, _) if other == slot => return open > 0,
            HistoryEvent::Call(_) => open += 1,
            HistoryEvent::Return(..) if is_inside => return true,
            HistoryEvent::Return(..) => open -= 1,
        }
        if is_inside && open > 0 {
            return true;
        }
    }
    open > 0
}

/// The first of these that is not explained even without the calls that failed.
pub(crate) fn first_unexplained(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &mut CheckedMatrix,
    contended: Vec<RunViolation>,
) -> Result<Option<RunViolation>, LineupError> {
    let mut known: Vec<(Vec<CallSlot>, ReducedMatrix)> = Vec::new();
    for violation in contended {
        let words = Words {
            alphabet: request.alphabet,
            matrix: &checked.matrix,
            results: &checked.results,
        };
        let failed = failed_calls(&violation.history, words);
        let at = match known.iter().position(|(slots, _)| *slots == failed) {
            Some(at) => at,
            None => {
                let rest =
                    ReducedMatrix::make(executor, request, &checked.matrix, &failed, &mut checked.results)?;
                known.push((failed, rest));
                known.len() - 1
            }
        };
        let Some((failed, rest)) = known.get(at) else {
            continue;
        };
        if !rest.explains(request, &checked.results, &violation.history, failed)? {
            if let Some(phase) = checked.phases.get_mut(violation.execution.preemptions as usize) {
                phase.unexplained += 1;
            }
            return Ok(Some(violation));
        }
    }
    Ok(None)
}

/// A matrix without some of its calls, and its serial runs.
struct ReducedMatrix {
    matrix: Matrix,
    serial: SerialHistories,
    /// Whether all serial runs were made. If not, every history counts as explained.
    is_complete: bool,
}

impl ReducedMatrix {
    fn make(
        executor: &mut dyn MatrixExecutor,
        request: Request<'_>,
        matrix: &Matrix,
        failed: &[CallSlot],
        results: &mut Results,
    ) -> Result<Self, LineupError> {
        let mut rest = Self {
            matrix: without(matrix, failed),
            serial: SerialHistories::default(),
            is_complete: true,
        };
        if request.specification.is_some() || rest.matrix.threads.iter().all(Vec::is_empty) {
            return Ok(rest);
        }
        let serial = &mut rest.serial;
        let mut is_complete = true;
        let visit = &mut |execution: MatrixRun| {
            let history = CallHistory::of(&execution, results);
            is_complete &= history.is_some_and(|history| serial.insert(&history).is_ok());
            ControlFlow::Continue(())
        };
        let coverage = executor.explore(
            &rest.matrix,
            RunPlan::Serial { environment: 0 },
            request.options.serial_allowance(0),
            visit,
        )?;
        if let Some(limit) = coverage.limit {
            return Err(LineupError::Limit(limit));
        }
        rest.is_complete = is_complete && coverage.is_complete;
        Ok(rest)
    }

    fn explains(
        &self,
        request: Request<'_>,
        results: &Results,
        history: &CallHistory,
        failed: &[CallSlot],
    ) -> Result<bool, LineupError> {
        if !self.is_complete {
            return Ok(true);
        }
        let moved = |slot: CallSlot| moved(slot, failed);
        let events: Vec<HistoryEvent> = history
            .events
            .iter()
            .filter_map(|event| match *event {
                HistoryEvent::Call(slot) => moved(slot).map(HistoryEvent::Call),
                HistoryEvent::Return(slot, result) => {
                    moved(slot).map(|slot| HistoryEvent::Return(slot, result))
                }
            })
            .collect();
        if events.is_empty() {
            return Ok(true);
        }
        let ending = match history.ending {
            HistoryEnding::Crashed(slot, reason) => {
                HistoryEnding::Crashed(moved(slot).unwrap_or(CallSlot::OUTSIDE), reason)
            }
            ending => ending,
        };
        let words = Words {
            alphabet: request.alphabet,
            matrix: &self.matrix,
            results,
        };
        let history = CallHistory { events, ending };
        Ok(explain(request, &self.serial, words, &history)?.is_none())
    }
}

/// A matrix without some calls. Threads keep their numbers, even where nothing is left of them.
fn without(matrix: &Matrix, failed: &[CallSlot]) -> Matrix {
    let left = |lane: Lane| {
        let calls = matrix.lane(lane).iter().enumerate();
        calls
            .filter(|(index, _)| {
                !failed.contains(&CallSlot {
                    lane,
                    index: *index as u8,
                })
            })
            .map(|(_, call)| *call)
            .collect()
    };
    Matrix {
        initial: left(Lane::Initial),
        threads: (0..matrix.threads.len())
            .map(|thread| left(Lane::Thread(thread as u8)))
            .collect(),
        finals: left(Lane::Final),
    }
}

/// The slot of a call in the reduced matrix; `None` for a call that failed.
fn moved(slot: CallSlot, failed: &[CallSlot]) -> Option<CallSlot> {
    let before = failed
        .iter()
        .filter(|other| other.lane == slot.lane && other.index < slot.index)
        .count();
    (!failed.contains(&slot)).then(|| CallSlot {
        index: slot.index - before as u8,
        ..slot
    })
}
