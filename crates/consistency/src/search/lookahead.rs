//! Looking ahead: is there an operation that nothing can explain any more?
//!
//! Placing operations in an order decides what those can see that are still to come. Where that leaves one of them nothing to
//! see, the search would find out only once it has placed everything in between, in every order. So it asks, for each
//! operation that is to come: is there any sequence that ends with it, made of operations that are placed, in their order,
//! and of others in any order that a linearization may have? What the others would have to see for that is left out of
//! account, and of what the axioms demand only what can be told without it: a `no` is certain, a `yes` is not.
//!
//! Asking costs more than placing an operation, so a search that is over soon never asks.

use std::collections::VecDeque;

use hashbrown::HashMap;
use omnilink_engine::Model;
use rustc_hash::FxBuildHasher;

use super::place::Search;
use crate::partial_explanation::SoFar;
use crate::op_set::OpSet;
use crate::constraints::Plan;
use crate::step_table::{DEAD, StateSet};

/// Sets that are tried for one operation before the answer is taken to be `yes`. Where one is hopeless, few sets tell; where
/// there is hope, the search itself finds out as well.
const SETS_TRIED_MAX: usize = 512;

/// Configurations between two looks that find nothing, at most, unless the look itself took long.
const WAIT_MAX: u64 = 255;

/// Operations that must see more than this of what is still to come are not asked about: their time is not yet.
const MUST_SEE_MAX: usize = 6;

/// When to look ahead, and what is known beforehand.
#[derive(Debug, Default)]
pub(super) struct Foresight {
    known: Option<Beforehand>,
    /// The configuration at which to look again. Looking that finds nothing is followed by less and less of it.
    next: u64,
    wait: u64,
}

/// What is known beforehand about who must be seen with whom.
#[derive(Debug)]
struct Beforehand {
    /// By who sees and what it sees: what it then sees as well, whatever others see. Empty where axioms look at the
    /// linearization, of which nothing is known beforehand.
    needs: Vec<Vec<OpSet>>,
    /// What each operation sees, whatever others see.
    least: Vec<OpSet>,
}

impl Beforehand {
    fn new(plan: &Plan) -> Self {
        if plan.looks_at_lin || plan.demands.is_empty() {
            return Self {
                needs: Vec::new(),
                least: plan.must_see.clone(),
            };
        }
        // Everyone sees at least what they must: as all relations only grow with that, so does what is demanded.
        let least = SoFar {
            plan,
            placed: OpSet::first(plan.count),
            order: &[],
            rows: &plan.must_see,
        };
        let row = |op: usize| {
            let seen = |seen: usize| least.demanded(op, OpSet::one(seen)).without(op);
            (0..plan.count).map(seen).collect()
        };
        Self {
            needs: (0..plan.count).map(row).collect(),
            least: (0..plan.count)
                .map(|op| least.demanded(op, plan.must_see[op]).without(op))
                .collect(),
        }
    }

    fn needs(&self, op: usize, seen: usize) -> OpSet {
        self.needs.get(op).map_or(OpSet::EMPTY, |row| row[seen])
    }
}

/// Points that were reached: what counts of what is seen, the state, and the smallest sets that lead there.
#[derive(Debug, Default)]
struct Known {
    sets: HashMap<(OpSet, StateSet), Vec<OpSet>, FxBuildHasher>,
}

impl Known {
    fn is_new(&mut self, counts: OpSet, state: StateSet, seen: OpSet) -> bool {
        let sets = self.sets.entry((counts, state)).or_default();
        if sets.iter().any(|smaller| smaller.is_within(seen)) {
            return false;
        }
        sets.push(seen);
        true
    }
}

impl<M: Model> Search<'_, '_, M> {
    /// Whether it is time to look ahead.
    pub(super) fn looks_ahead(&self) -> bool {
        let now = self.points;
        let patience = self.reductions.foresight_after;
        patience.is_some_and(|patience| now > patience) && now >= self.foresight.next
    }

    /// An operation that surely happened and that nothing can explain any more.
    pub(super) fn hopeless(&mut self) -> Option<usize> {
        let known = self.foresight.known.take();
        let known = known.unwrap_or_else(|| Beforehand::new(self.plan));
        let open = self.plan.required.minus(self.at.placed).minus(self.plan.complete);
        let tried_before = self.budget.visibilities;
        let found = open.iter().find(|op| !self.has_hope(*op, &known));
        self.foresight.known = Some(known);
        self.foresight.wait = match found {
            Some(_) => 0,
            // Looking in vain must not cost much more than going on would have.
            None => {
                let tried = self.budget.visibilities - tried_before;
                (2 * self.foresight.wait + 1).min(WAIT_MAX).max(tried / 4)
            }
        };
        self.foresight.next = self.points + self.foresight.wait;
        found
    }

    /// Whether some sequence explains the return of `op`.
    fn has_hope(&mut self, op: usize, beforehand: &Beforehand) -> bool {
        let own = self.classes.own[op];
        let unplaced = OpSet::first(self.plan.count).minus(self.at.placed).without(op);
        let must_see = beforehand.least[op].and(unplaced);
        if must_see.len() > MUST_SEE_MAX {
            return true;
        }
        let later: OpSet = unplaced
            .iter()
            .filter(|other| self.plan.lin_before[*other].has(op))
            .collect();
        // Where something has to be seen with something else, also what changes nothing may have to be seen.
        let useful = match beforehand.needs.is_empty() {
            true => self.helpful,
            false => self.telling,
        };
        let choices = useful.and(unplaced).or(must_see).minus(later);
        let mut known = Known::default();
        // Small sets first: they stand for the larger ones that lead to the same state.
        let mut open: VecDeque<(OpSet, StateSet)> = VecDeque::new();
        for state in self.states_of_placed(op) {
            open.push_back((OpSet::EMPTY, state));
        }
        let mut tried = 0;
        while let Some((seen, state)) = open.pop_front() {
            tried += 1;
            if tried > SETS_TRIED_MAX || self.budget.visibility() {
                return true;
            }
            let needed = |other: usize| beforehand.needs(op, other).and(unplaced).and(useful);
            let is_admitted = must_see.is_within(seen) && seen.iter().all(|one| needed(one).is_within(seen));
            if is_admitted && self.steps.step(state, own) != DEAD {
                return true;
            }
            for other in choices.minus(seen).iter() {
                // What is needed and comes before it in every linearization can only be added before it.
                let before = needed(other).and(self.plan.lin_before[other]);
                let is_late = seen.iter().any(|first| self.plan.lin_before[first].has(other));
                if is_late || !before.is_within(seen) {
                    continue;
                }
                let more = seen.with(other);
                let next = self.steps.step(state, self.classes.seen[other]);
                // Who sees less is free to see more later, unless something has to be seen with something else.
                let counts = match beforehand.needs.is_empty() {
                    true => more.and(must_see),
                    false => more,
                };
                if next != DEAD && known.is_new(counts, next, more) {
                    open.push_back((more, next));
                }
            }
        }
        false
    }

    /// Where those of the placed operations can lead that `op` may see.
    fn states_of_placed(&mut self, op: usize) -> Vec<StateSet> {
        let least = self.so_far().least(op);
        let mut states = vec![self.at.base];
        for at in 0..self.at.sequence.len() {
            let seen = self.at.sequence[at];
            let class = self.classes.seen[seen];
            if least.has(seen) {
                let next: Vec<StateSet> = states
                    .iter()
                    .map(|state| self.steps.step(*state, class))
                    .collect();
                states.clear();
                for state in next {
                    if state != DEAD && !states.contains(&state) {
                        states.push(state);
                    }
                }
            } else if self.helpful.has(seen) {
                for at in 0..states.len() {
                    let next = self.steps.step(states[at], class);
                    if next != DEAD && !states.contains(&next) {
                        states.push(next);
                    }
                }
            }
        }
        states
    }
}
