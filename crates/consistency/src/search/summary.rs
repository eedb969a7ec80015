//! Summaries of the placed operations, for criteria in which no operation depends on what others see.
//!
//! An unplaced operation chooses a set of placed operations to see, together with those that they require. All that
//! matters later is the state that the set leads to, and which unplaced operations may still be added to it (those
//! whose requirements among the placed ones are met). Call such a pair a *projection*. Two orders with the same
//! projections for every unplaced operation have the same continuations:
//!
//! Let `u` see, after the first order, the set `A` of placed and `B` of unplaced operations. `A` leads to some state
//! and allows `B`. The second order has a set `A'` that leads to the same state and allows at least `B`. `A' ∪ B`
//! contains all that `u` must see (every set considered does), and all that its members require: those of `A'` by
//! construction, those of `B` among the placed operations because `A'` allows them, and among the unplaced ones
//! because `B` contained that before. And it leads to the state that `A ∪ B` leads to. ∎
//!
//! So states are distinguished by their projections instead of the order, of which there are far more. A projection
//! that allows less than another with the same state is dropped.

use hashbrown::HashMap;
use omnilink_history::OpSet;
use rustc_hash::FxBuildHasher;

use super::place::Search;
use crate::constraints::{Constraints, Influence};
use crate::partial_explanation::PartialExplanation;
use crate::step_table::{DEAD, StateSet};

/// Which operations must be visible together, where that does not depend on what others see.
#[derive(Debug)]
pub(super) struct Dependencies {
    /// For each operation and each operation that it sees: what it then sees as well.
    of: Vec<Vec<OpSet>>,
    /// For each operation the first one with the same dependencies.
    like: Vec<usize>,
}

impl Dependencies {
    /// The dependencies of a criterion whose axioms do not depend on what others see; `None` for other criteria, and
    /// where there are no such axioms.
    pub(super) fn of(constraints: &Constraints) -> Option<Self> {
        let is_fixed = constraints.influence == Influence::None && !constraints.mentions_lin;
        if !is_fixed || constraints.dynamic_axioms.is_empty() {
            return None;
        }
        let nothing = vec![OpSet::EMPTY; constraints.count];
        let all = PartialExplanation {
            constraints,
            placed: OpSet::first(constraints.count),
            order: &[],
            visible: &nothing,
        };
        let visibility = |op: usize| -> Vec<OpSet> {
            (0..constraints.count)
                .map(|seen| {
                    all.closed_under_axioms(op, OpSet::one(seen))
                        .without(op)
                        .without(seen)
                })
                .collect()
        };
        let of: Vec<Vec<OpSet>> = (0..constraints.count).map(visibility).collect();
        let like = (0..constraints.count)
            .map(|op| (0..op).find(|first| of[*first] == of[op]).unwrap_or(op))
            .collect();
        Some(Self { of, like })
    }
}

/// A set of placed operations: the state it leads to, and the operations that may still be added to it.
#[derive(Clone, Copy, Debug)]
struct Projection {
    state: StateSet,
    takes: OpSet,
    free: OpSet,
}

/// Adds a projection, unless another one with the same state allows as much; removes those that allow less.
fn add(projections: &mut HashMap<StateSet, Vec<Projection>, FxBuildHasher>, projection: Projection) {
    let known = projections.entry(projection.state).or_default();
    if !known.iter().any(|more| projection.free.is_within(more.free)) {
        known.retain(|less| !less.free.is_within(projection.free));
        known.push(projection);
    }
}

impl Search<'_> {
    /// The best projections for operations that have the dependencies of `like` and must see `must_see`, in a fixed
    /// order.
    fn projections(&mut self, dependencies: &[OpSet], must_see: OpSet) -> Vec<Projection> {
        let unplaced = OpSet::first(self.constraints.count).minus(self.at.placed);
        let sequence: OpSet = self.at.sequence.iter().copied().collect();
        let mut projections: HashMap<StateSet, Vec<Projection>, FxBuildHasher> = HashMap::default();
        let start = Projection {
            state: self.at.base,
            takes: must_see,
            free: OpSet::EMPTY,
        };
        projections.insert(self.at.base, vec![start]);
        let mut passed = OpSet::EMPTY;
        for at in 0..self.at.sequence.len() {
            let seen = self.at.sequence[at];
            passed = passed.with(seen);
            let class = self.classes.seen[seen];
            let rest: OpSet = self.at.sequence[at + 1..].iter().copied().collect();
            let later = rest.or(unplaced);
            // The operations that may still be added, judged by the sequence up to here.
            let free = |takes: OpSet| -> OpSet {
                later
                    .iter()
                    .filter(|other| dependencies[*other].and(passed).is_within(takes))
                    .collect()
            };
            let mut next_projections = HashMap::default();
            for projection in projections.into_values().flatten() {
                if self.budget.visibility() {
                    return Vec::new();
                }
                let is_taken = projection.takes.has(seen);
                if !is_taken {
                    add(
                        &mut next_projections,
                        Projection {
                            free: free(projection.takes),
                            ..projection
                        },
                    );
                }
                // A required operation that comes later in the sequence, which commuting operations allow, is added
                // when the loop reaches it.
                let needed = dependencies[seen].and(sequence);
                if is_taken || needed.and(passed).is_within(projection.takes) {
                    let takes = projection.takes.with(seen).or(needed);
                    let state = self.steps.step(projection.state, class);
                    if state != DEAD {
                        add(
                            &mut next_projections,
                            Projection {
                                state,
                                takes,
                                free: free(takes),
                            },
                        );
                    }
                }
            }
            projections = next_projections;
        }
        let mut projections: Vec<Projection> = projections.into_values().flatten().collect();
        projections.sort_unstable_by_key(|projection| (projection.state, projection.free.bits()));
        projections
    }

    /// A set that contains `least`, satisfies the axioms and explains the return of `op`.
    pub(super) fn any_visibility(
        &mut self,
        op: usize,
        least: OpSet,
        dependencies: &Dependencies,
    ) -> Option<OpSet> {
        let own = self.classes.own[op];
        let projections = self.projections(&dependencies.of[op], least);
        let found = projections
            .into_iter()
            .filter(|projection| self.steps.step(projection.state, own) != DEAD);
        let smallest = found
            .map(|projection| projection.takes)
            .min_by_key(|takes| takes.len())?;
        Some(self.partial().closed_under_axioms(op, smallest))
    }

    /// The projections of all unplaced operations, as part of a key.
    pub(super) fn summary(&mut self, dependencies: &Dependencies) -> Vec<u128> {
        let unplaced = OpSet::first(self.constraints.count).minus(self.at.placed);
        let mut kinds: Vec<(usize, OpSet)> = Vec::new();
        for op in unplaced.iter() {
            let must_see = if self.constraints.complete.has(op) {
                self.at.placed
            } else {
                self.partial().least_visible(op)
            };
            let kind = (dependencies.like[op], must_see);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let mut written = Vec::new();
        for (like, must_see) in kinds {
            for projection in self.projections(&dependencies.of[like], must_see) {
                written.push(u128::from(projection.state));
                written.push(projection.free.bits());
            }
            // The mark is no state: it ends a list.
            written.push(u128::MAX);
        }
        written
    }
}
