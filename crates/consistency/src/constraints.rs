//! A criterion applied to a history: what each operation must come after, and what it must see.

use omnilink_history::{OpSet, close};

use crate::criterion::{Claim, Criterion};
use crate::history::History;
use crate::relation::{BaseRelations, Filter, Relation, ResolvedRelation};

/// The constraints on explanations of a history.
#[derive(Debug)]
pub(crate) struct Constraints {
    pub count: usize,
    pub required: OpSet,
    pub po: Vec<OpSet>,
    pub hb: Vec<OpSet>,
    /// What each operation must be linearized after. Transitively closed.
    pub lin_before: Vec<OpSet>,
    /// What each operation must see, regardless of what others see.
    pub must_see: Vec<OpSet>,
    /// Operations that must see everything before them.
    pub complete: OpSet,
    /// Axioms that depend on the explanation: relations, and the operations that must see their sources.
    pub dynamic_axioms: Vec<(ResolvedRelation, OpSet)>,
    /// Operations to which no such axiom applies.
    pub unconstrained: OpSet,
    /// Which operations depend on what an operation sees.
    pub influence: Influence,
    /// Whether such an axiom mentions the linearization.
    pub mentions_lin: bool,
    /// Operations that have a successor in happens-before.
    pub has_successor: OpSet,
}

/// How the visibility of one operation constrains that of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Influence {
    /// Not at all.
    None,
    /// It constrains its successors in program order or happens-before.
    Successors,
    /// It constrains the operations that see it, or that see one of its successors. `direct`: also those that see no
    /// successor.
    Observers { direct: bool },
}

impl Constraints {
    /// Applies `criterion` to `history`. `members` are the operations that a filter lets through.
    pub fn new<O>(history: &History<O>, criterion: &Criterion, members: impl Fn(&Filter) -> OpSet) -> Self {
        let count = history.len();
        let all = OpSet::first(count);
        let mut constraints = Self {
            count,
            required: history.required(),
            po: history.program_order().rows().to_vec(),
            hb: history.happens_before().rows().to_vec(),
            lin_before: vec![OpSet::EMPTY; count],
            must_see: vec![OpSet::EMPTY; count],
            complete: OpSet::EMPTY,
            dynamic_axioms: Vec::new(),
            unconstrained: all,
            influence: Influence::None,
            mentions_lin: false,
            has_successor: history
                .happens_before()
                .rows()
                .iter()
                .fold(OpSet::EMPTY, |all, row| all.or(*row)),
        };
        if criterion.keeps_hb() {
            constraints.lin_before.clone_from(&constraints.hb);
        }
        for axiom in criterion.axioms() {
            let scope = axiom.scope.as_ref().map_or(all, &members);
            let relation = axiom.claim.relation();
            let bound = ResolvedRelation::new(relation, &members);
            if relation.is_static() {
                for op in scope.iter() {
                    let sources = bound.sources(OpSet::one(op), &constraints).without(op);
                    constraints.lin_before[op] = constraints.lin_before[op].or(sources);
                    if matches!(axiom.claim, Claim::VisContains(_)) {
                        constraints.must_see[op] = constraints.must_see[op].or(sources);
                    }
                }
            } else if matches!(axiom.claim, Claim::VisContains(_)) {
                if relation.surely_contains(&Relation::Lin) {
                    constraints.complete = constraints.complete.or(scope);
                    continue;
                }
                constraints.unconstrained = constraints.unconstrained.minus(scope);
                constraints.mentions_lin |= relation.mentions(&Relation::Lin);
                constraints.influence = constraints.influence.or(Influence::of(relation));
                constraints.dynamic_axioms.push((bound, scope));
            }
            // What remains, `lin >= rel` with a relation that leads forward, holds in every linearization.
        }
        // Static relations are parts of happens-before, so there is no cycle.
        close(&mut constraints.lin_before);
        constraints
    }

    /// Whether every operation must see everything before it.
    pub fn is_complete(&self) -> bool {
        OpSet::first(self.count).is_within(self.complete)
    }
}

/// Static relations are evaluated before there is an explanation.
impl BaseRelations for Constraints {
    fn po(&self, to: OpSet) -> OpSet {
        union(&self.po, to)
    }

    fn hb(&self, to: OpSet) -> OpSet {
        union(&self.hb, to)
    }

    fn lin(&self, _to: OpSet) -> OpSet {
        OpSet::EMPTY
    }

    fn vis(&self, _to: OpSet) -> OpSet {
        OpSet::EMPTY
    }
}

/// The union of the rows of `to`.
pub(crate) fn union(rows: &[OpSet], to: OpSet) -> OpSet {
    to.iter().fold(OpSet::EMPTY, |all, op| all.or(rows[op]))
}

const STATIC: u8 = 1;
const DYNAMIC: u8 = 2;

impl Influence {
    fn of(relation: &Relation) -> Self {
        let (mut next, mut later) = (0, 0);
        follow(relation, 0, &mut next);
        eventually(relation, 0, &mut later);
        if later == 0 {
            Self::None
        } else if later & DYNAMIC == 0 {
            Self::Successors
        } else {
            Self::Observers {
                direct: next & DYNAMIC != 0,
            }
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, any) | (any, Self::None) => any,
            (Self::Observers { direct }, Self::Observers { direct: other }) => Self::Observers {
                direct: direct | other,
            },
            (seers @ Self::Observers { .. }, _) | (_, seers @ Self::Observers { .. }) => seers,
            (Self::Successors, Self::Successors) => Self::Successors,
        }
    }
}

/// Collects what may come right after a `vis` in a path of `relation`, where `next` may come after the path. Returns
/// what the path may start with.
fn follow(relation: &Relation, next: u8, after_vis: &mut u8) -> u8 {
    match relation {
        Relation::Po | Relation::Hb => STATIC,
        Relation::Lin => DYNAMIC,
        Relation::Vis => {
            *after_vis |= next;
            DYNAMIC
        }
        Relation::Only(_) => next,
        Relation::Compose(a, b) => {
            let start = follow(b, next, after_vis);
            follow(a, start, after_vis)
        }
        Relation::Union(a, b) => follow(a, next, after_vis) | follow(b, next, after_vis),
        Relation::Optional(a) => next | follow(a, next, after_vis),
        Relation::Plus(a) | Relation::Star(a) => {
            let start = follow(a, next, after_vis);
            let again = follow(a, next | start, after_vis);
            if matches!(relation, Relation::Star(_)) {
                next | again
            } else {
                again
            }
        }
    }
}

/// Collects what may come anywhere after a `vis` in a path of `relation`. Returns what the path may contain.
fn eventually(relation: &Relation, later: u8, after_vis: &mut u8) -> u8 {
    match relation {
        Relation::Po | Relation::Hb => STATIC | later,
        Relation::Lin => DYNAMIC | later,
        Relation::Vis => {
            *after_vis |= later;
            DYNAMIC | later
        }
        Relation::Only(_) => later,
        Relation::Compose(a, b) => {
            let rest = eventually(b, later, after_vis);
            eventually(a, rest, after_vis)
        }
        Relation::Union(a, b) => eventually(a, later, after_vis) | eventually(b, later, after_vis),
        Relation::Optional(a) => eventually(a, later, after_vis),
        Relation::Plus(a) | Relation::Star(a) => {
            let once = eventually(a, later, after_vis);
            eventually(a, once, after_vis)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::ConsistencyLevel;

    fn influence(level: ConsistencyLevel) -> Influence {
        level
            .claims()
            .iter()
            .filter(|claim| !claim.relation().is_static())
            .map(|claim| Influence::of(claim.relation()))
            .fold(Influence::None, Influence::or)
    }

    #[test]
    fn influence_is_told_from_the_form_of_the_axioms() {
        assert_eq!(influence(ConsistencyLevel::Weak), Influence::None);
        assert_eq!(influence(ConsistencyLevel::MonotonicReads), Influence::Successors);
        assert_eq!(influence(ConsistencyLevel::MonotonicWrites), Influence::None);
        assert_eq!(
            influence(ConsistencyLevel::WritesFollowReads),
            Influence::Observers { direct: false }
        );
        assert_eq!(
            influence(ConsistencyLevel::Causal),
            Influence::Observers { direct: true }
        );
        assert_eq!(
            influence(ConsistencyLevel::CausalConvergence),
            Influence::Observers { direct: true }
        );
    }
}
