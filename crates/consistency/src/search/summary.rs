//! What the operations placed can be to those that are still to come, where nobody is affected by what others see.
//!
//! Then all that an operation to come has of those placed is this: which of them it takes, with what they need taken too,
//! leads it to some state, and leaves it free to take certain operations later. Two orders that offer the same pairs of
//! state and freedom to everyone have the same continuations:
//!
//! Let `u` see, after the first order, `A` of those placed and `B` of those to come. `A` leads to a state and leaves `B` free.
//! The second order offers `A'` with the same state and at least that freedom. `A'` with `B` contains all that `u` must see (every
//! set counted here does), and all that its members need: those of `A'` by themselves, those of `B` among the placed because
//! they are free, and among the others because they had it before. And it leads where `A` with `B` led. ∎
//!
//! So points are told apart by these pairs instead of by the order, of which there are far more. A pair that leaves less
//! freedom than another with the same state offers nothing.

use hashbrown::HashMap;
use omnilink_engine::Model;
use rustc_hash::FxBuildHasher;

use super::place::Search;
use crate::constraints::{Constraints, Influence};
use crate::op_set::OpSet;
use crate::partial_explanation::PartialExplanation;
use crate::step_table::{DEAD, StateSet};

/// What operations need that are seen, whatever others see.
#[derive(Debug)]
pub(super) struct Dependencies {
    /// By who sees and what it sees: what it then sees as well.
    of: Vec<Vec<OpSet>>,
    /// For each operation the first one with the same dependencies.
    like: Vec<usize>,
}

impl Dependencies {
    /// The dependencies of a constraints in which they depend on nothing else; `None` where they do, or where there are none.
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

/// A projection through the operations placed: the state it leads to, what it takes, and what it leaves free.
#[derive(Clone, Copy, Debug)]
struct Projection {
    state: StateSet,
    takes: OpSet,
    free: OpSet,
}

/// Adds a projection, unless another leads to the same state and leaves as much; takes out those that leave less.
fn add(projections: &mut HashMap<StateSet, Vec<Projection>, FxBuildHasher>, projection: Projection) {
    let known = projections.entry(projection.state).or_default();
    if !known.iter().any(|more| projection.free.is_within(more.free)) {
        known.retain(|less| !less.free.is_within(projection.free));
        known.push(projection);
    }
}

impl<M: Model> Search<'_, '_, M> {
    /// What those who have the dependencies of `like`, and must see `must_see`, can take of the operations placed: the projections that
    /// offer most, in a fixed order.
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
            // What can be taken later, as far as that is decided by what has been passed.
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
                // What is needed and comes later, in an order of operations that commute, is taken when it is its turn.
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

    /// The operations placed as those to come have them, written down.
    pub(super) fn summary(&mut self, dependencies: &Dependencies) -> Vec<u128> {
        let unplaced = OpSet::first(self.constraints.count).minus(self.at.placed);
        let mut kinds: Vec<(usize, OpSet)> = Vec::new();
        for op in unplaced.iter() {
            let must_see = match self.constraints.complete.has(op) {
                true => self.at.placed,
                false => self.partial().least_visible(op),
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
            // No state: no list is the beginning of another.
            written.push(u128::MAX);
        }
        written
    }
}
