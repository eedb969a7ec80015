//! Does a serial history explain a concurrent one?
//!
//! The definition is that of generalised linearizability. A history in which every call came back needs a serial history of
//! the same calls and results that keeps the order of those that did not overlap. A history that is stuck needs, **for
//! each** call that did not come back, a serial history of the calls that did, followed by this one being stuck: a
//! call may be stuck only where it would have been stuck on its own.
//!
//! A crash is the end of a history as being stuck is. The calls that were open beside it may or may not have taken effect.

use omnilink_engine::{CheckError, Conclusion, Consistency, Counterexample, Operation, Options, check};
use omnilink_trace::{Time, Timebox};

use crate::automaton::{Automaton, Observed};
use crate::history::{Close, History, Moment};
use crate::serial::{Fate, SerialHistories};
use crate::slot::Slot;
use crate::verdict::Why;
use crate::words::Words;

/// A call that is stuck although no serial run is stuck there.
#[derive(Clone, Debug)]
pub struct StuckCall {
    /// Which call.
    pub slot: Slot,
    /// What serial runs do instead.
    pub counterexample: Box<Counterexample>,
}

/// Explains concurrent histories by serial ones.
#[derive(Debug)]
pub struct Witnesses<'a> {
    automaton: Automaton<'a>,
    options: Options,
}

impl<'a> Witnesses<'a> {
    /// Explains by these.
    pub fn new(serial: &'a SerialHistories, words: Words<'a>, consistency: Consistency) -> Self {
        Self {
            automaton: Automaton { serial, words },
            options: Options {
                consistency,
                ..Options::default()
            },
        }
    }

    /// Why nothing explains `history`, or `None` if something does.
    ///
    /// # Errors
    /// When the check itself fails, which would be a bug here.
    pub fn explain(&self, history: &History) -> Result<Option<Why>, CheckError> {
        match history.close {
            Close::Finished => Ok(self.search(history, None)?.map(Why::Results)),
            Close::Crashed(slot, reason) => {
                // A thread of the component's own may have died for any of the calls that were open.
                let pending = history.pending();
                let others = pending.iter().copied().filter(|_| slot == Slot::OUTSIDE);
                let mut first = None;
                for slot in std::iter::once(slot).chain(others) {
                    let last = Observed {
                        slot,
                        fate: Some(Fate::Crashed(reason)),
                    };
                    let Some(counterexample) = self.search(history, Some(last))? else {
                        return Ok(None);
                    };
                    first.get_or_insert(counterexample);
                }
                Ok(first.map(|counterexample| Why::Crash(slot, counterexample)))
            }
            Close::Stuck => {
                let mut stuck = Vec::new();
                for slot in history.pending() {
                    let last = Observed {
                        slot,
                        fate: Some(Fate::Stuck),
                    };
                    let counterexample = self.search(history, Some(last))?;
                    stuck.extend(counterexample.map(|counterexample| StuckCall { slot, counterexample }));
                }
                Ok((!stuck.is_empty()).then_some(Why::Stuck(stuck)))
            }
        }
    }

    /// Searches for a serial history of what came back, followed by `last`.
    fn search(
        &self,
        history: &History,
        last: Option<Observed>,
    ) -> Result<Option<Box<Counterexample>>, CheckError> {
        let operations = self.operations(history, last);
        match check(&self.automaton, operations, self.options)?.conclusion {
            Conclusion::Violation(counterexample) => Ok(Some(counterexample)),
            // There is no limit that could leave it undecided.
            Conclusion::Valid(_) | Conclusion::Unknown(_) => Ok(None),
        }
    }

    fn operations(&self, history: &History, last: Option<Observed>) -> Vec<Operation<Observed>> {
        let never = history.moments.len() as Time;
        let is_crash = matches!(history.close, Close::Crashed(..));
        let mut operations: Vec<Operation<Observed>> = Vec::new();
        for (now, moment) in (0..).zip(&history.moments) {
            match *moment {
                Moment::Call(slot) => operations.push(Operation {
                    op: Observed { slot, fate: None },
                    thread: slot.lane.number(),
                    timebox: Timebox::pending(now),
                    optional: true,
                }),
                Moment::Return(slot, result) => {
                    let open = operations
                        .iter_mut()
                        .rev()
                        .find(|operation| operation.op.slot == slot);
                    if let Some(operation) = open {
                        operation.op.fate = Some(Fate::Returned(result));
                        operation.timebox.end = Some(now);
                        operation.optional = false;
                    }
                }
            }
        }
        if let Some(last) = last {
            let slot = last.slot;
            let mut operation = Operation::new(slot.lane.number(), last, Timebox::new(never, never));
            let open = operations.iter().position(|operation| operation.op.slot == slot);
            if let Some(open) = open {
                operation.timebox.start = operations.remove(open).timebox.start;
            }
            operations.push(operation);
            operations.sort_by_key(|operation| operation.timebox.start);
        }
        // The calls open beside a stuck one play no part in the definition; those beside a crash may have done anything.
        operations.retain(|operation| is_crash || operation.op.fate.is_some());
        operations
    }
}
