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
use crate::constraints::Constraints;
use crate::op_set::OpSet;
use crate::partial_explanation::PartialExplanation;
use crate::step_table::{DEAD, StateSet};

/// Sets that are tried for one operation before the answer is taken to be `yes`. Where one is hopeless, few sets tell; where
/// there is hope, the search itself finds out as well.
const SETS_TRIED_MAX: usize = 512;

/// Configurations between two looks that find nothing, at most, unless the look itself took long.
const WAIT_MAX: u64 = 255;

/// Operations that must see more than this of what is still to come are not asked about: their time is not yet.
const MUST_SEE_MAX: usize = 6;

/// When to look ahead, and what is known requirements.
#[derive(Debug, Default)]
pub(super) struct Lookahead {
    known: Option<StaticRequirements>,
    /// The configuration at which to look again. Looking that finds nothing is followed by less and less of it.
    next: u64,
    wait: u64,
}

/// What is known requirements about who must be seen with whom.
#[derive(Debug)]
struct StaticRequirements {
    /// By who sees and what it sees: what it then sees as well, whatever others see. Empty where axioms look at the
    /// linearization, of which nothing is known requirements.
    dependencies: Vec<Vec<OpSet>>,
    /// What each operation sees, whatever others see.
    least: Vec<OpSet>,
}

impl StaticRequirements {
    fn new(constraints: &Constraints) -> Self {
        if constraints.mentions_lin || constraints.dynamic_axioms.is_empty() {
            return Self {
                dependencies: Vec::new(),
                least: constraints.must_see.clone(),
            };
        }
        // Everyone sees at least what they must: as all relations only grow with that, so does what is closed_under_axioms.
        let least = PartialExplanation {
            constraints,
            placed: OpSet::first(constraints.count),
            order: &[],
            visible: &constraints.must_see,
        };
        let visibility = |op: usize| {
            let seen = |seen: usize| least.closed_under_axioms(op, OpSet::one(seen)).without(op);
            (0..constraints.count).map(seen).collect()
        };
        Self {
            dependencies: (0..constraints.count).map(visibility).collect(),
            least: (0..constraints.count)
                .map(|op| {
                    least
                        .closed_under_axioms(op, constraints.must_see[op])
                        .without(op)
                })
                .collect(),
        }
    }

    fn dependencies(&self, op: usize, seen: usize) -> OpSet {
        self.dependencies
            .get(op)
            .map_or(OpSet::EMPTY, |visibility| visibility[seen])
    }
}

/// StateModel that were reached: what counts of what is seen, the state, and the smallest sets that lead there.
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
    pub(super) fn is_lookahead_due(&self) -> bool {
        let now = self.points;
        let patience = self.reductions.lookahead_after;
        patience.is_some_and(|patience| now > patience) && now >= self.lookahead.next
    }

    /// An operation that surely happened and that nothing can explain any more.
    pub(super) fn infeasible_op(&mut self) -> Option<usize> {
        let known = self.lookahead.known.take();
        let known = known.unwrap_or_else(|| StaticRequirements::new(self.constraints));
        let open = self
            .constraints
            .required
            .minus(self.at.placed)
            .minus(self.constraints.complete);
        let tried_before = self.budget.visibilities;
        let found = open.iter().find(|op| !self.may_be_explained(*op, &known));
        self.lookahead.known = Some(known);
        self.lookahead.wait = match found {
            Some(_) => 0,
            // Looking in vain must not cost much more than going on would have.
            None => {
                let tried = self.budget.visibilities - tried_before;
                (2 * self.lookahead.wait + 1).min(WAIT_MAX).max(tried / 4)
            }
        };
        self.lookahead.next = self.points + self.lookahead.wait;
        found
    }

    /// Whether some sequence explains the return of `op`.
    fn may_be_explained(&mut self, op: usize, requirements: &StaticRequirements) -> bool {
        let own = self.classes.own[op];
        let unplaced = OpSet::first(self.constraints.count)
            .minus(self.at.placed)
            .without(op);
        let must_see = requirements.least[op].and(unplaced);
        if must_see.len() > MUST_SEE_MAX {
            return true;
        }
        let later: OpSet = unplaced
            .iter()
            .filter(|other| self.constraints.lin_before[*other].has(op))
            .collect();
        // Where something has to be seen with something else, also what changes nothing may have to be seen.
        let useful = match requirements.dependencies.is_empty() {
            true => self.mutators,
            false => self.observable,
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
            let needed = |other: usize| requirements.dependencies(op, other).and(unplaced).and(useful);
            let is_admitted = must_see.is_within(seen) && seen.iter().all(|one| needed(one).is_within(seen));
            if is_admitted && self.steps.step(state, own) != DEAD {
                return true;
            }
            for other in choices.minus(seen).iter() {
                // What is needed and comes before it in every linearization can only be added before it.
                let before = needed(other).and(self.constraints.lin_before[other]);
                let is_late = seen
                    .iter()
                    .any(|first| self.constraints.lin_before[first].has(other));
                if is_late || !before.is_within(seen) {
                    continue;
                }
                let more = seen.with(other);
                let next = self.steps.step(state, self.classes.seen[other]);
                // Who sees less is free to see more later, unless something has to be seen with something else.
                let counts = match requirements.dependencies.is_empty() {
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
        let least = self.partial().least_visible(op);
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
            } else if self.mutators.has(seen) {
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
