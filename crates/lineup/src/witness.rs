//! Serial witnesses: does a serial history explain a concurrent one?
//!
//! The definition is that of generalised linearizability in the Line-Up paper. A history in which every call returned needs a
//! serial history of the same calls and results that keeps the order of calls that did not overlap. A stuck history needs, **for
//! each** pending call, a serial history of the calls that returned, followed by this call being stuck: a call may be stuck only
//! where it would be stuck in a serial run.
//!
//! A crash ends a history as being stuck does. The other pending calls may or may not have taken effect.

use omnilink_engine::{Conclusion, Consistency, Counterexample, Limits, Options, TimedOp, check};
use omnilink_trace::{Time, Timebox};

use crate::automaton::{Automaton, Observed};
use crate::history::{CallHistory, HistoryEnding, HistoryEvent};
use crate::lineup_error::LineupError;
use crate::serial::{CallOutcome, SerialHistories};
use crate::slot::CallSlot;
use crate::verdict::{StuckCall, Why};
use crate::words::Words;

/// Explains concurrent histories by serial ones.
#[derive(Debug)]
pub struct Witnesses<'a> {
    automaton: Automaton<'a>,
    options: Options,
}

impl<'a> Witnesses<'a> {
    /// Explains by these serial histories.
    pub fn new(
        serial: &'a SerialHistories,
        words: Words<'a>,
        consistency: Consistency,
        limits: Limits,
    ) -> Self {
        Self {
            automaton: Automaton { serial, words },
            options: Options {
                consistency,
                limits,
                ..Options::default()
            },
        }
    }

    /// Why nothing explains `history`, or `None` if something does.
    ///
    /// # Errors
    /// When a limit ends the search.
    pub fn explain(&self, history: &CallHistory) -> Result<Option<Why>, LineupError> {
        match history.ending {
            HistoryEnding::Finished => Ok(self.search(history, None)?.map(Why::Results)),
            HistoryEnding::Crashed(slot, reason) => {
                // A thread that the component created may have crashed because of any pending call.
                let pending = history.pending();
                let others = pending.iter().copied().filter(|_| slot == CallSlot::OUTSIDE);
                let mut first = None;
                for slot in std::iter::once(slot).chain(others) {
                    let last = Observed {
                        slot,
                        outcome: Some(CallOutcome::Crashed(reason)),
                    };
                    let Some(counterexample) = self.search(history, Some(last))? else {
                        return Ok(None);
                    };
                    first.get_or_insert(counterexample);
                }
                Ok(first.map(|counterexample| Why::Crash(slot, counterexample)))
            }
            HistoryEnding::Stuck => {
                let mut stuck = Vec::new();
                for slot in history.pending() {
                    let last = Observed {
                        slot,
                        outcome: Some(CallOutcome::Stuck),
                    };
                    let counterexample = self.search(history, Some(last))?;
                    stuck.extend(counterexample.map(|counterexample| StuckCall { slot, counterexample }));
                }
                Ok((!stuck.is_empty()).then_some(Why::Stuck(stuck)))
            }
        }
    }

    /// Searches for a serial history of the calls that returned, followed by `last`.
    fn search(
        &self,
        history: &CallHistory,
        last: Option<Observed>,
    ) -> Result<Option<Box<Counterexample>>, LineupError> {
        let operations = self.operations(history, last);
        match check(&self.automaton, operations, self.options)?.conclusion {
            Conclusion::Violation(counterexample) => Ok(Some(counterexample)),
            Conclusion::Valid(_) => Ok(None),
            Conclusion::Unknown(unfinished) => Err(LineupError::Limit(unfinished.limit)),
        }
    }

    fn operations(&self, history: &CallHistory, last: Option<Observed>) -> Vec<TimedOp<Observed>> {
        let never = history.events.len() as Time;
        let is_crash = matches!(history.ending, HistoryEnding::Crashed(..));
        let mut operations: Vec<TimedOp<Observed>> = Vec::new();
        for (now, event) in (0..).zip(&history.events) {
            match *event {
                HistoryEvent::Call(slot) => operations.push(TimedOp {
                    op: Observed { slot, outcome: None },
                    thread: slot.lane.number(),
                    timebox: Timebox::pending(now),
                    optional: true,
                }),
                HistoryEvent::Return(slot, result) => {
                    let open = operations
                        .iter_mut()
                        .rev()
                        .find(|operation| operation.op.slot == slot);
                    if let Some(operation) = open {
                        operation.op.outcome = Some(CallOutcome::Returned(result));
                        operation.timebox.end = Some(now);
                        operation.optional = false;
                    }
                }
            }
        }
        if let Some(last) = last {
            let slot = last.slot;
            let mut operation = TimedOp::new(slot.lane.number(), last, Timebox::new(never, never));
            let open = operations.iter().position(|operation| operation.op.slot == slot);
            if let Some(open) = open {
                operation.timebox.start = operations.remove(open).timebox.start;
            }
            operations.push(operation);
            operations.sort_by_key(|operation| operation.timebox.start);
        }
        // Other pending calls play no part in the definition of stuck histories; those of a crash may have taken effect.
        operations.retain(|operation| is_crash || operation.op.outcome.is_some());
        operations
    }
}
