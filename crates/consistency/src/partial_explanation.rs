//! A partial explanation, and what the axioms demand of the operation that is placed next.

use omnilink_history::OpSet;

use crate::constraints::{Constraints, union};
use crate::relation::BaseRelations;

/// A prefix of a linearization, with the visibility of its operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartialExplanation<'a> {
    pub constraints: &'a Constraints,
    /// The operations placed.
    pub placed: OpSet,
    /// The same, in order.
    pub order: &'a [usize],
    /// What each of them sees.
    pub visible: &'a [OpSet],
}

impl PartialExplanation<'_> {
    /// The least set that contains `visibility` and satisfies the axioms, if `op` is placed next and sees it.
    pub fn closed_under_axioms(&self, op: usize, mut visibility: OpSet) -> OpSet {
        loop {
            let relations = Next {
                partial: self,
                op,
                visibility,
            };
            let mut more = visibility;
            for (relation, scope) in &self.constraints.dynamic_axioms {
                if scope.has(op) {
                    more = more.or(relation.sources(OpSet::one(op), &relations));
                }
            }
            more = more.and(self.placed);
            if more == visibility {
                return visibility;
            }
            visibility = more;
        }
    }

    /// The least set that `op` sees if it is placed next.
    pub fn least_visible(&self, op: usize) -> OpSet {
        if self.constraints.complete.has(op) {
            return self.placed;
        }
        self.closed_under_axioms(op, self.always_visible(op))
    }

    /// What `op` sees regardless of what others see.
    pub fn always_visible(&self, op: usize) -> OpSet {
        self.constraints.must_see[op].and(self.placed)
    }
}

/// The relations, if `op` is placed next and sees `visibility`.
struct Next<'a> {
    partial: &'a PartialExplanation<'a>,
    op: usize,
    visibility: OpSet,
}

impl BaseRelations for Next<'_> {
    fn po(&self, to: OpSet) -> OpSet {
        union(&self.partial.constraints.po, to)
    }

    fn hb(&self, to: OpSet) -> OpSet {
        union(&self.partial.constraints.hb, to)
    }

    fn lin(&self, to: OpSet) -> OpSet {
        if to.has(self.op) {
            return self.partial.placed;
        }
        let order = self.partial.order;
        let last = order.iter().rposition(|op| to.has(*op)).unwrap_or(0);
        order[..last].iter().copied().collect()
    }

    fn vis(&self, to: OpSet) -> OpSet {
        let own = if to.has(self.op) {
            self.visibility
        } else {
            OpSet::EMPTY
        };
        own.or(union(self.partial.visible, to.and(self.partial.placed)))
    }
}
