//! Lookahead: is there an operation that nothing can explain any more?
//!
//! The order of the placed operations restricts what the others can see. Where one of them is left with no visibility
//! that explains its return, the search would notice only after placing everything in between, in every order. So the
//! lookahead asks of each unplaced operation: is there any sequence that ends with it, made of placed operations in
//! their order and of unplaced ones in any order that a linearization may have? It ignores what those unplaced
//! operations would have to see, and uses only the axioms that hold regardless: a `no` is certain, a `yes` is not.
//!
//! A lookahead costs more than placing an operation, so a short search never uses it.

use std::collections::VecDeque;

use hashbrown::HashMap;
use omnilink_history::OpSet;
use rustc_hash::FxBuildHasher;

use super::place::Search;
use crate::constraints::Constraints;
use crate::partial_explanation::PartialExplanation;
use crate::step_table::{DEAD, StateSet};

/// Sets tried for one operation before the answer is taken to be `yes`. Where the answer is `no`, few sets show it;
/// otherwise the search itself decides.
const SETS_TRIED_MAX: usize = 512;

/// The largest number of configurations between two lookaheads without a result, unless the lookahead itself took
/// long.
const WAIT_MAX: u64 = 255;

/// Operations that must see more unplaced operations than this are skipped: it is too early to tell.
const MUST_SEE_MAX: usize = 6;

/// When to look ahead, and the static requirements.
#[derive(Debug, Default)]
pub(super) struct Lookahead {
    known: Option<StaticRequirements>,
    /// The configuration at which to look ahead again. A lookahead without a result makes the next one wait longer.
    next: u64,
    wait: u64,
}

/// Which operations must be visible together, in every explanation.
#[derive(Debug)]
struct StaticRequirements {
    /// For each operation and each operation that it sees: what it then sees as well, in every explanation. Empty
    /// where an axiom mentions the linearization.
    dependencies: Vec<Vec<OpSet>>,
    /// What each operation sees in every explanation.
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
        // Every operation sees at least `must_see`. The axioms are monotone in visibility, so this is a lower bound.
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

/// States that were reached: the part of the visible set that matters, the model's state, and the smallest sets that
/// lead there.
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

impl Search<'_> {
    /// Whether a lookahead is due.
    pub(super) fn is_lookahead_due(&self) -> bool {
        let now = self.points;
        let after = self.reductions.lookahead_after;
        after.is_some_and(|after| now > after) && now >= self.lookahead.next
    }

    /// A required operation that nothing can explain any more.
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
            // A lookahead without a result must not cost much more than continuing the search.
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
        // Where visible operations require others, an operation that changes no state may be required, too.
        let useful = if requirements.dependencies.is_empty() {
            self.mutators
        } else {
            self.observable
        };
        let choices = useful.and(unplaced).or(must_see).minus(later);
        let mut known = Known::default();
        // Small sets first: they represent larger ones that lead to the same state.
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
                // A required operation that every linearization has before this one can only be added before it.
                let before = needed(other).and(self.constraints.lin_before[other]);
                let is_late = seen
                    .iter()
                    .any(|first| self.constraints.lin_before[first].has(other));
                if is_late || !before.is_within(seen) {
                    continue;
                }
                let more = seen.with(other);
                let next = self.steps.step(state, self.classes.seen[other]);
                // A smaller set can be extended in more ways, unless visible operations require others.
                let counts = if requirements.dependencies.is_empty() {
                    more.and(must_see)
                } else {
                    more
                };
                if next != DEAD && known.is_new(counts, next, more) {
                    open.push_back((more, next));
                }
            }
        }
        false
    }

    /// The states that the placed operations that `op` may see can lead to.
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
