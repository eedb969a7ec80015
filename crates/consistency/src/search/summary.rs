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
use crate::partial_explanation::SoFar;
use crate::op_set::OpSet;
use crate::constraints::{Influence, Plan};
use crate::step_table::{DEAD, StateSet};

/// What operations need that are seen, whatever others see.
#[derive(Debug)]
pub(super) struct Needs {
    /// By who sees and what it sees: what it then sees as well.
    of: Vec<Vec<OpSet>>,
    /// For each operation the first one with the same needs.
    like: Vec<usize>,
}

impl Needs {
    /// The needs of a plan in which they depend on nothing else; `None` where they do, or where there are none.
    pub(super) fn of(plan: &Plan) -> Option<Self> {
        let is_fixed = plan.influence == Influence::None && !plan.looks_at_lin;
        if !is_fixed || plan.demands.is_empty() {
            return None;
        }
        let nothing = vec![OpSet::EMPTY; plan.count];
        let all = SoFar {
            plan,
            placed: OpSet::first(plan.count),
            order: &[],
            rows: &nothing,
        };
        let row = |op: usize| -> Vec<OpSet> {
            (0..plan.count)
                .map(|seen| all.demanded(op, OpSet::one(seen)).without(op).without(seen))
                .collect()
        };
        let of: Vec<Vec<OpSet>> = (0..plan.count).map(row).collect();
        let like = (0..plan.count)
            .map(|op| (0..op).find(|first| of[*first] == of[op]).unwrap_or(op))
            .collect();
        Some(Self { of, like })
    }
}

/// A way through the operations placed: the state it leads to, what it takes, and what it leaves free.
#[derive(Clone, Copy, Debug)]
struct Way {
    state: StateSet,
    takes: OpSet,
    free: OpSet,
}

/// Adds a way, unless another leads to the same state and leaves as much; takes out those that leave less.
fn add(ways: &mut HashMap<StateSet, Vec<Way>, FxBuildHasher>, way: Way) {
    let known = ways.entry(way.state).or_default();
    if !known.iter().any(|more| way.free.is_within(more.free)) {
        known.retain(|less| !less.free.is_within(way.free));
        known.push(way);
    }
}

impl<M: Model> Search<'_, '_, M> {
    /// What those who have the needs of `like`, and must see `must_see`, can take of the operations placed: the ways that
    /// offer most, in a fixed order.
    fn ways(&mut self, needs: &[OpSet], must_see: OpSet) -> Vec<Way> {
        let unplaced = OpSet::first(self.plan.count).minus(self.at.placed);
        let sequence: OpSet = self.at.sequence.iter().copied().collect();
        let mut ways: HashMap<StateSet, Vec<Way>, FxBuildHasher> = HashMap::default();
        let start = Way {
            state: self.at.base,
            takes: must_see,
            free: OpSet::EMPTY,
        };
        ways.insert(self.at.base, vec![start]);
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
                    .filter(|other| needs[*other].and(passed).is_within(takes))
                    .collect()
            };
            let mut next_ways = HashMap::default();
            for way in ways.into_values().flatten() {
                if self.budget.visibility() {
                    return Vec::new();
                }
                let is_taken = way.takes.has(seen);
                if !is_taken {
                    add(
                        &mut next_ways,
                        Way {
                            free: free(way.takes),
                            ..way
                        },
                    );
                }
                // What is needed and comes later, in an order of operations that commute, is taken when it is its turn.
                let needed = needs[seen].and(sequence);
                if is_taken || needed.and(passed).is_within(way.takes) {
                    let takes = way.takes.with(seen).or(needed);
                    let state = self.steps.step(way.state, class);
                    if state != DEAD {
                        add(
                            &mut next_ways,
                            Way {
                                state,
                                takes,
                                free: free(takes),
                            },
                        );
                    }
                }
            }
            ways = next_ways;
        }
        let mut ways: Vec<Way> = ways.into_values().flatten().collect();
        ways.sort_unstable_by_key(|way| (way.state, way.free.bits()));
        ways
    }

    /// A set that contains `least`, satisfies the axioms and explains the return of `op`.
    pub(super) fn any_row(&mut self, op: usize, least: OpSet, needs: &Needs) -> Option<OpSet> {
        let own = self.classes.own[op];
        let ways = self.ways(&needs.of[op], least);
        let found = ways
            .into_iter()
            .filter(|way| self.steps.step(way.state, own) != DEAD);
        let smallest = found.map(|way| way.takes).min_by_key(|takes| takes.len())?;
        Some(self.so_far().demanded(op, smallest))
    }

    /// The operations placed as those to come have them, written down.
    pub(super) fn summary(&mut self, needs: &Needs) -> Vec<u128> {
        let unplaced = OpSet::first(self.plan.count).minus(self.at.placed);
        let mut kinds: Vec<(usize, OpSet)> = Vec::new();
        for op in unplaced.iter() {
            let must_see = match self.plan.complete.has(op) {
                true => self.at.placed,
                false => self.so_far().least(op),
            };
            let kind = (needs.like[op], must_see);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let mut written = Vec::new();
        for (like, must_see) in kinds {
            for way in self.ways(&needs.of[like], must_see) {
                written.push(u128::from(way.state));
                written.push(way.free.bits());
            }
            // No state: no list is the beginning of another.
            written.push(u128::MAX);
        }
        written
    }
}
