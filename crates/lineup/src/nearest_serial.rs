//! The serial runs that come nearest to a run that none of them explains.

use std::cmp::Reverse;

use omnilink_evidence::{FailingRun, SerialCall, SerialRun};

use crate::history::{CallHistory, HistoryEnding, HistoryEvent};
use crate::serial::{CallOutcome, SerialHistories, SerialStep};
use crate::slot::CallSlot;
use crate::words::Words;

/// The serial runs nearest to a history: first those that keep the order of calls that did not overlap, and among these the ones with the
/// most equal outcomes.
pub(crate) fn nearest(words: Words<'_>, serial: &SerialHistories, history: &CallHistory) -> Vec<SerialRun> {
    let observed = ObservedCalls::of(history);
    let mut ranked: Vec<(bool, usize, Vec<SerialStep>)> = serial
        .histories()
        .into_iter()
        .map(|steps| {
            let same = steps.iter().filter(|step| observed.is_same(step)).count();
            (observed.keeps_order(&steps), same, steps)
        })
        .collect();
    ranked.sort_by_key(|(keeps_order, same, _)| (!keeps_order, Reverse(*same)));
    ranked.truncate(FailingRun::SERIAL_RUNS_MAX);
    let call = |step: &SerialStep| SerialCall {
        op: observed.position(step.slot).map(|at| at as u64),
        thread: step.slot.lane.thread_name(),
        text: words.step(step),
        same: observed.is_same(step),
    };
    ranked
        .into_iter()
        .map(|(keeps_order, _, steps)| SerialRun {
            keeps_order,
            calls: steps.iter().map(call).collect(),
        })
        .collect()
}

/// The calls of a history, in the order in which they were made, with the moments at which they began and returned.
struct ObservedCalls<'h> {
    history: &'h CallHistory,
    calls: Vec<(CallSlot, usize, Option<usize>)>,
    pending: Vec<CallSlot>,
}

impl<'h> ObservedCalls<'h> {
    fn of(history: &'h CallHistory) -> Self {
        let mut calls: Vec<(CallSlot, usize, Option<usize>)> = Vec::new();
        for (now, event) in history.events.iter().enumerate() {
            match *event {
                HistoryEvent::Call(slot) => calls.push((slot, now, None)),
                HistoryEvent::Return(slot, _) => {
                    if let Some((_, _, end)) = calls.iter_mut().find(|(other, ..)| *other == slot) {
                        *end = Some(now);
                    }
                }
            }
        }
        Self {
            history,
            calls,
            pending: history.pending(),
        }
    }

    fn position(&self, slot: CallSlot) -> Option<usize> {
        self.calls.iter().position(|(other, ..)| *other == slot)
    }

    /// Whether the call came out here as it does in a serial run.
    fn is_same(&self, step: &SerialStep) -> bool {
        match step.outcome {
            CallOutcome::Returned(result) => self.history.result(step.slot) == Some(result),
            CallOutcome::Stuck => {
                self.history.ending == HistoryEnding::Stuck && self.pending.contains(&step.slot)
            }
            CallOutcome::Crashed(reason) => self.history.ending == HistoryEnding::Crashed(step.slot, reason),
        }
    }

    /// Whether no call comes before one that had returned when it began.
    fn keeps_order(&self, steps: &[SerialStep]) -> bool {
        let mut last_began = 0;
        steps.iter().all(|step| {
            let Some((_, began, returned)) = self.position(step.slot).map(|at| self.calls[at]) else {
                return true;
            };
            let is_late = returned.is_some_and(|returned| returned < last_began);
            last_began = last_began.max(began);
            !is_late
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Results;

    /// Two calls on two threads, the first one over before the second began.
    #[test]
    fn order_and_outcomes_are_compared() {
        let mut results = Results::default();
        let (one, two) = (results.id("1"), results.id("2"));
        let (first, second) = (CallSlot::of_thread(0, 0), CallSlot::of_thread(1, 0));
        let history = CallHistory {
            events: vec![
                HistoryEvent::Call(first),
                HistoryEvent::Return(first, one),
                HistoryEvent::Call(second),
                HistoryEvent::Return(second, one),
            ],
            ending: HistoryEnding::Finished,
        };
        let observed = ObservedCalls::of(&history);
        let step = |slot, result| SerialStep {
            slot,
            outcome: CallOutcome::Returned(result),
        };
        assert!(observed.keeps_order(&[step(first, one), step(second, two)]));
        assert!(!observed.keeps_order(&[step(second, one), step(first, two)]));
        assert!(observed.is_same(&step(first, one)) && !observed.is_same(&step(second, two)));
        let stuck = SerialStep {
            slot: second,
            outcome: CallOutcome::Stuck,
        };
        assert!(!observed.is_same(&stuck));
        assert_eq!(observed.position(second), Some(1));
    }
}
