//! A second opinion before a violation is reported.
//!
//! "Not linearizable" and "stuck" say that no serial run explains a history. The tree of serial histories, and the search in it, have
//! said so. Here every serial run is made once more that could explain the history, each in a process of its own, and compared call
//! by call: neither the tree nor the search has a part in it. If one explains the history after all, that is an error of ours and no
//! violation.

use crate::execution::{MatrixRun, RunEnding, RunEvent};
use crate::executor::MatrixExecutor;
use crate::history::{CallHistory, HistoryEvent};
use crate::lineup_error::LineupError;
use crate::matrix::Matrix;
use crate::options::SerialCriterion;
use crate::request::{Request, Tick};
use crate::slot::{CallSlot, Lane};
use crate::verdict::{CheckedMatrix, MatrixVerdict, RunViolation, Undecided, Why};

/// The verdict of a violation, if no serial run explains it.
///
/// # Errors
/// When one does, or when a run cannot be made.
pub(crate) fn confirmed(
    executor: &mut dyn MatrixExecutor,
    request: Request<'_>,
    checked: &CheckedMatrix,
    violation: RunViolation,
    tick: Tick<'_>,
) -> Result<MatrixVerdict, LineupError> {
    let history = &violation.history;
    let claims = match &violation.why {
        Why::Results(_) => vec![Claim::finished(&checked.matrix, history)],
        Why::Stuck(calls) => {
            let claim = |call| Claim::stuck(&checked.matrix, history, call);
            calls.iter().map(|call| claim(call.slot)).collect()
        }
        // These do not follow from the absence of a serial run.
        Why::Crash(..) | Why::CrashAlone(..) | Why::Race(_) | Why::Blocked(_) | Why::Specification(_) => {
            Vec::new()
        }
    };
    for claim in claims {
        let mut orders = Orders::new(&claim, request.options.criterion);
        while let Some(order) = orders.next_order() {
            tick();
            let Some(run) = executor.run_in_order(&claim.matrix, &order)? else {
                return Ok(MatrixVerdict::Violation(Box::new(violation)));
            };
            match &run.ending {
                // Such a run refutes nothing.
                RunEnding::Cut(cut) => return Ok(MatrixVerdict::Unknown(Undecided::SerialRunCut(*cut))),
                RunEnding::Diverged => return Ok(MatrixVerdict::Unknown(Undecided::SerialRunsDiverged)),
                RunEnding::Finished | RunEnding::Stuck(_) | RunEnding::Crashed { .. } => {}
            }
            if claim.is_explained_by(&run, checked) {
                return Err(LineupError::Explained {
                    matrix: checked.matrix.display(request.alphabet).to_string(),
                    order: claim.words(&run, request),
                });
            }
        }
    }
    Ok(MatrixVerdict::Violation(Box::new(violation)))
}

/// What a serial run would have to show: the calls that returned, with their results, and then perhaps a call that is stuck.
struct Claim<'a> {
    history: &'a CallHistory,
    /// The calls that the serial run makes.
    matrix: Matrix,
    stuck: Option<CallSlot>,
}

impl<'a> Claim<'a> {
    fn finished(matrix: &Matrix, history: &'a CallHistory) -> Self {
        Self {
            history,
            matrix: matrix.clone(),
            stuck: None,
        }
    }

    fn stuck(matrix: &Matrix, history: &'a CallHistory, stuck: CallSlot) -> Self {
        let made = |lane: Lane| {
            let calls = matrix.lane(lane).iter().enumerate();
            calls
                .filter(|(index, _)| {
                    let slot = CallSlot {
                        lane,
                        index: *index as u8,
                    };
                    slot == stuck || history.result(slot).is_some()
                })
                .map(|(_, call)| *call)
                .collect()
        };
        Self {
            history,
            matrix: Matrix {
                initial: made(Lane::Initial),
                threads: (0..matrix.threads.len())
                    .map(|thread| made(Lane::Thread(thread as u8)))
                    .collect(),
                finals: made(Lane::Final),
            },
            stuck: Some(stuck),
        }
    }

    fn is_explained_by(&self, run: &MatrixRun, checked: &CheckedMatrix) -> bool {
        let mut calls = 0;
        let mut returns = 0;
        let mut open = None;
        for event in &run.events {
            match event {
                RunEvent::Call(slot) => {
                    calls += 1;
                    open = Some(*slot);
                }
                RunEvent::Return(slot, text) => {
                    let wanted = self.history.result(*slot);
                    if wanted.is_none_or(|wanted| checked.results.text(wanted) != &**text) {
                        return false;
                    }
                    returns += 1;
                    open = None;
                }
            }
        }
        let all = self.matrix.slots().count();
        match (&run.ending, self.stuck) {
            (RunEnding::Finished, None) => returns == all,
            (RunEnding::Stuck(_), Some(stuck)) => calls == all && returns + 1 == all && open == Some(stuck),
            _ => false,
        }
    }

    fn words(&self, run: &MatrixRun, request: Request<'_>) -> String {
        let call = |event: &RunEvent| match event {
            RunEvent::Call(slot) => Some(request.alphabet.name(self.matrix.call(*slot)?).to_owned()),
            RunEvent::Return(..) => None,
        };
        run.events.iter().filter_map(call).collect::<Vec<_>>().join(", ")
    }
}

/// The orders of the threads' calls that a history allows, one after the other: those of each thread in their order, a call that
/// returned before another was called first, and a call that is stuck last.
struct Orders {
    /// For each call of each thread how many calls of each thread come before it.
    before: Vec<Vec<Vec<usize>>>,
    stuck: Option<CallSlot>,
    /// The order that was returned last.
    order: Vec<u8>,
    is_new: bool,
}

impl Orders {
    fn new(claim: &Claim<'_>, criterion: SerialCriterion) -> Self {
        let threads = &claim.matrix.threads;
        let mut before: Vec<Vec<Vec<usize>>> = threads
            .iter()
            .map(|calls| vec![vec![0; threads.len()]; calls.len()])
            .collect();
        let mut returned = vec![0; threads.len()];
        for event in &claim.history.events {
            match event {
                HistoryEvent::Call(CallSlot {
                    lane: Lane::Thread(thread),
                    index,
                }) if criterion == SerialCriterion::Linearizable => {
                    let calls = before.get_mut(usize::from(*thread));
                    if let Some(call) = calls.and_then(|calls| calls.get_mut(usize::from(*index))) {
                        call.clone_from(&returned);
                    }
                }
                HistoryEvent::Return(
                    CallSlot {
                        lane: Lane::Thread(thread),
                        ..
                    },
                    _,
                ) => {
                    if let Some(count) = returned.get_mut(usize::from(*thread)) {
                        *count += 1;
                    }
                }
                _ => {}
            }
        }
        Self {
            before,
            stuck: claim.stuck,
            order: Vec::new(),
            is_new: true,
        }
    }

    /// The next order in the order of the alphabet.
    fn next_order(&mut self) -> Option<Vec<u8>> {
        let mut placed = vec![0; self.before.len()];
        let mut first_tried = 0;
        if !std::mem::take(&mut self.is_new) {
            self.order
                .iter()
                .for_each(|thread| placed[usize::from(*thread)] += 1);
            first_tried = self.backtrack(&mut placed)?;
        }
        let all: usize = self.before.iter().map(Vec::len).sum();
        while self.order.len() < all {
            let next = (first_tried..self.before.len()).find(|thread| self.may_come(*thread, &placed, all));
            match next {
                Some(thread) => {
                    placed[thread] += 1;
                    self.order.push(thread as u8);
                    first_tried = 0;
                }
                None => first_tried = self.backtrack(&mut placed)?,
            }
        }
        Some(self.order.clone())
    }

    /// Takes the last call back. Returns the thread to be tried next in its place; `None` if there are no more orders.
    fn backtrack(&mut self, placed: &mut [usize]) -> Option<usize> {
        let last = usize::from(self.order.pop()?);
        placed[last] -= 1;
        Some(last + 1)
    }

    fn may_come(&self, thread: usize, placed: &[usize], all: usize) -> bool {
        let index = placed[thread];
        let Some(before) = self.before[thread].get(index) else {
            return false;
        };
        let is_stuck = self.stuck == Some(CallSlot::of_thread(thread as u8, index as u8));
        let is_last = self.order.len() + 1 == all;
        (!is_stuck || is_last) && before.iter().zip(placed).all(|(wanted, made)| wanted <= made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_id::CallId;
    use crate::history::{HistoryEnding, Results};

    fn call(thread: u8, index: u8) -> HistoryEvent {
        HistoryEvent::Call(CallSlot::of_thread(thread, index))
    }

    fn orders(threads: &[usize], events: Vec<HistoryEvent>, stuck: Option<CallSlot>) -> Vec<Vec<u8>> {
        let history = CallHistory {
            events,
            ending: HistoryEnding::Finished,
        };
        let matrix = Matrix {
            initial: Vec::new(),
            threads: threads.iter().map(|calls| vec![CallId(0); *calls]).collect(),
            finals: Vec::new(),
        };
        let claim = Claim {
            history: &history,
            matrix,
            stuck,
        };
        let mut orders = Orders::new(&claim, SerialCriterion::Linearizable);
        std::iter::from_fn(|| orders.next_order()).collect()
    }

    #[test]
    fn every_order_that_a_history_allows_is_made_once() {
        let mut all = orders(&[3, 3, 3], Vec::new(), None);
        assert_eq!(all.len(), 1680);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1680);
        let done = Results::default().id("()");
        let returned = |thread, index| HistoryEvent::Return(CallSlot::of_thread(thread, index), done);
        // The first call of thread 0 overlaps that of thread 1, and returns before the second one of thread 1 is called.
        let events = vec![
            call(0, 0),
            call(1, 0),
            returned(0, 0),
            returned(1, 0),
            call(1, 1),
            returned(1, 1),
        ];
        assert_eq!(orders(&[1, 2], events, None), [[0, 1, 1], [1, 0, 1]]);
        // A call that is stuck comes last.
        let stuck = CallSlot::of_thread(0, 0);
        assert_eq!(orders(&[1, 2], vec![call(0, 0)], Some(stuck)), [[1, 1, 0]]);
    }
}
