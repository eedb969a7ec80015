//! Partial-order reduction under a preemption bound.
//!
//! Two executions are *equivalent* if they differ only in the order of adjacent independent steps
//! ([`SchedulerStep::depends_on`]); they then have the same history. One execution of each equivalence class is enough, but
//! under a preemption bound it must be one with few preemptions. Everything here follows from one sentence:
//!
//! > An execution is redundant if an equivalent one comes earlier in the order of the search and has at most as many
//! > preemptions.
//!
//! The first execution of its class within the bound is then never redundant, whatever the bound is. The order of the search is
//! fixed: at each decision the current thread comes first if it can go on, then the others in circular order ([`rank`]). Two
//! rules find redundant executions.
//!
//! ```text
//! s      a decision at which t is a candidate that comes before u in the order of the search, but u was chosen
//! u … w  steps of threads other than t
//! T      a turn of t: one or more steps
//! v      a step of another thread
//! ```
//!
//! * **The turn rule.** If no step of T depends on any of u … w, then `T u … w v` is equivalent and earlier. It has at most as
//!   many preemptions: the switch from T is one if it was one before, the switch to T at `s` is one only if the switch to u was
//!   one, and the switch from w to T is gone. The rule applies when the turn ends, because a longer turn could reach a step that
//!   depends on u … w.
//! * **The step rule.** If t was running at `s` and could have gone on, u preempted it. If the first step of T does not depend on
//!   u … w, it could have come before u, with at most as many preemptions whatever follows, so that the rest of the turn need not
//!   be known. Without a preemption bound this holds for every t that comes before u.
//!
//! **Weak memory.** Independent steps leave each other the same stores to choose from, so that the equivalent execution makes
//! the same choices and has as many stale reads. That needs more dependence: of sequentially consistent loads of one location,
//! which must see what an earlier one has read (the runtime marks them as writing), and of sequentially consistent fences, which
//! depend on everything. What a thread must see of calls that have returned changes only with the order of a return and a call,
//! which depend on each other.
//!
//! **Yields.** Neither rule moves steps over a decision at which a thread yielded: a thread that yields is no candidate until something
//! changes, so the steps that follow are what it waited for. A thread goes on past its yield only at such decisions, and yields at
//! each of its steps until it does something else: none of these steps is moved, nor is another one moved over them. So the
//! equivalent execution goes on past the same yields, and as often. Between two such decisions, whether a thread yields
//! depends on what it loads and on its own changes, which are the same.

use crate::{SchedulerStep, ThreadId};

/// The rank of a thread in the order in which the search tries the candidates of a decision.
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

/// Derives an execution from one that was made, without running it.
///
/// In `next`, a thread t preempts the current thread u at the decision after `decision`. If t had preempted u one step earlier,
/// it would have done the same, provided that none of its steps depends on that one step and the step changed no candidates. The
/// result has the turn of t and then the step of u: an execution that is redundant by the step rule, with all the decisions that
/// lead to others.
pub(crate) fn moved_before(next: &[SchedulerStep], decision: usize) -> Option<Vec<SchedulerStep>> {
    let (step, switch) = (next.get(decision)?, next.get(decision + 1)?);
    let turn = next
        .get(decision + 1..)?
        .iter()
        .take_while(|other| other.chosen == switch.chosen);
    let turn: Vec<&SchedulerStep> = turn.collect();
    let after = next.get(decision + 1 + turn.len())?;
    let is_preempted = step.preemptible && step.current == Some(step.chosen) && switch.is_preemption();
    let is_independent = turn
        .iter()
        .all(|other| !other.depends_on(step) && !other.yielding);
    let same_candidates = (step.candidates, step.yielded) == (switch.candidates, switch.yielded)
        && step.yielding == switch.yielding;
    let can_go_on = after.candidates & (1 << step.chosen) != 0 && !after.yielding;
    if !(is_preempted && is_independent && same_candidates && can_go_on && switch.current == step.current) {
        return None;
    }
    let made_by = |decided: &SchedulerStep, made: &SchedulerStep| SchedulerStep {
        chosen: made.chosen,
        calls: made.calls,
        returns: made.returns,
        access: made.access,
        chosen_code: made.chosen_code,
        stores: made.stores,
        store: made.store,
        values: made.values,
        ..*decided
    };
    let mut steps = next.get(..decision)?.to_vec();
    steps.push(made_by(step, switch));
    steps.extend(turn.iter().skip(1).map(|step| **step));
    steps.push(made_by(after, step));
    Some(steps)
}

/// Goes through the steps of one execution and finds which of its continuations and alternatives are redundant.
pub(crate) struct Reduction<'a> {
    steps: &'a [SchedulerStep],
    bounded: bool,
    /// The last step of each thread, as its index plus 1.
    last: [usize; 32],
    /// The last decision at which a thread yielded; if one went on there, the next decision.
    yielded: usize,
    /// The current turn.
    turn: Option<Turn>,
}

#[derive(Clone, Copy)]
struct Turn {
    /// Its first step.
    begin: usize,
    /// The earliest step before which the turn can be moved.
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

    /// Adds the next step, `index`. True if every execution that begins with the steps up to and including it is redundant.
    pub(crate) fn is_redundant_after(&mut self, index: usize) -> bool {
        let Some(step) = self.steps.get(index) else {
            return false;
        };
        let goes_on = self
            .turn
            .is_some_and(|turn| self.chosen(turn.begin) == Some(step.chosen));
        let mut is_redundant = !goes_on && self.is_turn_redundant();
        if step.yielding {
            self.yielded = index;
        }
        if step.goes_on {
            // Others could have run here, but the thread that went on might then not have been allowed to.
            self.yielded = index + 1;
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
            is_redundant |= self.can_begin_earlier(turn.reach..index, step.chosen);
        }
        self.turn = Some(turn);
        if let Some(last) = self.last.get_mut(usize::from(step.chosen)) {
            *last = index + 1;
        }
        is_redundant
    }

    /// Whether every execution in which the current turn ends here is redundant.
    pub(crate) fn is_turn_redundant(&self) -> bool {
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

    /// Whether the execution is redundant in which `thread` takes its next step at `index` instead of the thread that did.
    /// `later` is that step as it was made later in this execution, if it was.
    pub(crate) fn is_alternative_redundant(
        &self,
        index: usize,
        thread: ThreadId,
        later: Option<&SchedulerStep>,
    ) -> bool {
        let (Some(decision), Some(later)) = (self.steps.get(index), later) else {
            return false;
        };
        // Made now, the step may have other effects, and may return.
        if decision.yielding || later.access.second != 0 || later.access.opaque {
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

    /// The first index, not before `reach`, from which on `step` depends on no step before `begin`.
    fn reach(&self, step: &SchedulerStep, begin: usize, reach: usize) -> usize {
        let between = self.steps.get(reach..begin).unwrap_or_default();
        match between.iter().rposition(|other| step.depends_on(other)) {
            Some(found) => reach + found + 1,
            None => reach,
        }
    }

    /// The step rule: whether a step of `thread` could have come at one of these decisions.
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

/// Whether a thread comes before the chosen one in the order of the search.
fn could_have_run(step: &SchedulerStep, thread: ThreadId) -> bool {
    step.candidates & (1 << thread) != 0 && rank(step, thread) < rank(step, step.chosen)
}
