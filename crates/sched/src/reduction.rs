//! Which executions show nothing that another one does not show.
//!
//! Two executions are equal up to the order of neighbouring steps that do not depend on each other
//! ([`SchedulerStep::depends_on`]) show the same history. Of each such class it is enough to make one, but under a
//! preemption bound it has to be one with few preemptions. Everything here follows from one sentence:
//!
//! > An execution may be left out if an equal one comes earlier in the order of the search and has no more
//! > preemptions.
//!
//! The first of its class among those within the bound is then never left out, whatever the bound is.
//! The order of the search is fixed: at each decision the current thread comes first if it can go on, then the
//! others in circular order ([`rank`]). Two rules find executions that may be left out.
//!
//! ```text
//! s      a decision at which t could run, in the order of the search before u, which was chosen
//! u … w  steps of other threads
//! T      then t runs: one or more steps, a turn
//! v      then another thread
//! ```
//!
//! * **The turn rule.** If no step of T depends on any of u … w, then `T u … w v` is equal and earlier. Its
//!   switches cost no more: the one from T costs what it cost before, the one into T at `s` costs no more than
//!   the one to u, and the one from w to T is gone. It applies when the turn ends, because a longer turn could
//!   come to a step that does depend on u … w.
//! * **The step rule.** If t was running at `s` and could have gone on, u preempted it. If the first step of T
//!   does not depend on u … w, then that step could have come before u: one preemption less or as many,
//!   whatever comes after, so that the rest of the turn need not be known. Without a bound on preemptions this
//!   holds for every t that comes before u.
//!
//! Neither rule moves steps over a decision at which a thread yielded: who yields is no candidate until something
//! changes, so that the steps that follow are what it waited for.

use crate::{SchedulerStep, ThreadId};

/// The place of a thread in the order in which the search tries the candidates of a decision.
pub(crate) fn rank(step: &SchedulerStep, thread: ThreadId) -> u8 {
    let has = |id: u8| step.candidates & 1_u32.checked_shl(id.into()).unwrap_or(0) != 0;
    let first = match step.current {
        Some(current) if has(current) => current,
        Some(current) => (1..=32)
            .map(|away| (current + away) % 32)
            .find(|&id| has(id))
            .unwrap_or(0),
        None => step.candidates.trailing_zeros() as u8 % 32,
    };
    (thread + 32 - first) % 32
}

/// The candidates of a decision in the order of the search.
pub(crate) fn candidates_in_order(step: &SchedulerStep) -> Vec<ThreadId> {
    let mut threads: Vec<ThreadId> = (0..32).filter(|id| step.candidates & (1 << id) != 0).collect();
    threads.sort_by_key(|&thread| rank(step, thread));
    threads
}

/// Foresees an execution from one that was made.
///
/// In `next`, a thread t preempts the current thread u at the decision after `decision`. Had it preempted u one step
/// earlier, it would have done the same, if nothing that it does depends on that one step and the step changed
/// nobody's candidacy. The result has the turn of t and then the step of u: an execution
/// that the step rule leaves out, with all the decisions that lead to others.
pub(crate) fn moved_before(next: &[SchedulerStep], decision: usize) -> Option<Vec<SchedulerStep>> {
    let (step, switch) = (next.get(decision)?, next.get(decision + 1)?);
    let turn = next
        .get(decision + 1..)?
        .iter()
        .take_while(|other| other.chosen == switch.chosen);
    let turn: Vec<&SchedulerStep> = turn.collect();
    let after = next.get(decision + 1 + turn.len())?;
    let is_preempted = step.preemptible && step.current == Some(step.chosen) && switch.is_preemption();
    let stays_apart = turn
        .iter()
        .all(|other| !other.depends_on(step) && !other.yielding);
    let same_candidates = step.candidates == switch.candidates && step.yielding == switch.yielding;
    let can_go_on = after.candidates & (1 << step.chosen) != 0 && !after.yielding;
    if !(is_preempted && stays_apart && same_candidates && can_go_on && switch.current == step.current) {
        return None;
    }
    let made_by = |decided: &SchedulerStep, made: &SchedulerStep| SchedulerStep {
        chosen: made.chosen,
        calls: made.calls,
        returns: made.returns,
        touch: made.touch,
        chosen_code: made.chosen_code,
        ..*decided
    };
    let mut steps = next.get(..decision)?.to_vec();
    steps.push(made_by(step, switch));
    steps.extend(turn.iter().skip(1).map(|step| **step));
    steps.push(made_by(after, step));
    Some(steps)
}

/// Walks through the steps of one execution and tells what of its surroundings may be left out.
pub(crate) struct Reduction<'a> {
    steps: &'a [SchedulerStep],
    bounded: bool,
    /// The last step of each thread, as its index plus 1.
    last: [usize; 32],
    /// The last decision at which a thread yielded.
    yielded: usize,
    /// The turn that is going on.
    turn: Option<Turn>,
}

#[derive(Clone, Copy)]
struct Turn {
    /// Its first step.
    begin: usize,
    /// The turn cannot be moved before this step.
    reach: usize,
}

impl<'a> Reduction<'a> {
    pub(crate) fn new(steps: &'a [SchedulerStep], bounded: bool) -> Self {
        Self {
            steps,
            bounded,
            last: [0; 32],
            yielded: 0,
            turn: None,
        }
    }

    /// Takes the next step, `index`, into account. True if the execution up to and with it may be left out.
    pub(crate) fn leaves_out_after(&mut self, index: usize) -> bool {
        let Some(step) = self.steps.get(index) else {
            return false;
        };
        let goes_on = self
            .turn
            .is_some_and(|turn| self.chosen(turn.begin) == Some(step.chosen));
        let mut leave_out = !goes_on && self.leaves_out_turn();
        if step.yielding {
            self.yielded = index;
        }
        let mut turn = match self.turn {
            Some(turn) if goes_on => turn,
            _ => Turn {
                begin: index,
                reach: self.last_step_of(step.chosen),
            },
        };
        turn.reach = self.reach(step, turn.begin, turn.reach.max(self.yielded));
        if !goes_on {
            leave_out |= self.can_begin_earlier(turn.reach..index, step.chosen);
        }
        self.turn = Some(turn);
        if let Some(last) = self.last.get_mut(usize::from(step.chosen)) {
            *last = index + 1;
        }
        leave_out
    }

    /// Whether every execution may be left out in which the turn that is going on ends here.
    pub(crate) fn leaves_out_turn(&self) -> bool {
        let Some(turn) = self.turn else {
            return false;
        };
        let Some(thread) = self.chosen(turn.begin) else {
            return false;
        };
        self.steps
            .get(turn.reach..turn.begin)
            .unwrap_or_default()
            .iter()
            .any(|step| could_have_run(step, thread))
    }

    /// Whether the execution may be left out in which `thread` takes its next step at `index` instead of the
    /// thread that did. `later` is that step as it was made later in this execution, where it was.
    pub(crate) fn leaves_out_alternative(
        &self,
        index: usize,
        thread: ThreadId,
        later: Option<&SchedulerStep>,
    ) -> bool {
        let (Some(decision), Some(later)) = (self.steps.get(index), later) else {
            return false;
        };
        // What else the step changes, and whether it returns, may be different if it is made now.
        if decision.yielding || later.touch.second != 0 || later.touch.opaque {
            return false;
        }
        let now = SchedulerStep {
            returns: true,
            ..*later
        };
        let reach = self.reach(&now, index, self.last_step_of(thread).max(self.yielded));
        self.can_begin_earlier(reach..index, thread)
    }

    /// The index after the last step of a thread.
    fn last_step_of(&self, thread: ThreadId) -> usize {
        self.last.get(usize::from(thread)).copied().unwrap_or(0)
    }

    fn chosen(&self, index: usize) -> Option<ThreadId> {
        self.steps.get(index).map(|step| step.chosen)
    }

    /// The first step, not before `reach`, from which on nothing until `begin` matters to `step`.
    fn reach(&self, step: &SchedulerStep, begin: usize, reach: usize) -> usize {
        let between = self.steps.get(reach..begin).unwrap_or_default();
        match between.iter().rposition(|other| step.depends_on(other)) {
            Some(found) => reach + found + 1,
            None => reach,
        }
    }

    /// The step rule: whether a step of `thread` could have been made at one of these decisions.
    fn can_begin_earlier(&self, decisions: std::ops::Range<usize>, thread: ThreadId) -> bool {
        let preempted = |step: &SchedulerStep| step.is_preemption() && step.current == Some(thread);
        let could_have_run = |step: &SchedulerStep| could_have_run(step, thread);
        let decisions = self.steps.get(decisions).unwrap_or_default();
        if self.bounded {
            decisions.iter().any(preempted)
        } else {
            decisions.iter().any(could_have_run)
        }
    }
}

/// Whether a thread was tried at a decision before the one that was chosen.
fn could_have_run(step: &SchedulerStep, thread: ThreadId) -> bool {
    step.candidates & (1 << thread) != 0 && rank(step, thread) < rank(step, step.chosen)
}
