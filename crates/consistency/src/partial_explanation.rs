//! What the axioms demand of an operation that comes next.

use crate::op_set::OpSet;
use crate::constraints::{Plan, union};
use crate::relation::Scene;

/// An explanation as far as it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoFar<'a> {
    pub plan: &'a Plan,
    /// The operations placed.
    pub placed: OpSet,
    /// The same, in order.
    pub order: &'a [usize],
    /// What each of them sees.
    pub rows: &'a [OpSet],
}

impl SoFar<'_> {
    /// The least set that contains `row` and all that the axioms demand of `op` if it comes next and sees `row`.
    pub fn demanded(&self, op: usize, mut row: OpSet) -> OpSet {
        loop {
            let scene = Next {
                so_far: self,
                op,
                row,
            };
            let mut more = row;
            for (relation, scope) in &self.plan.demands {
                if scope.has(op) {
                    more = more.or(relation.sources(OpSet::one(op), &scene));
                }
            }
            more = more.and(self.placed);
            if more == row {
                return row;
            }
            row = more;
        }
    }

    /// The least that `op` sees if it comes next.
    pub fn least(&self, op: usize) -> OpSet {
        if self.plan.complete.has(op) {
            return self.placed;
        }
        self.demanded(op, self.seen_anyway(op))
    }

    /// What `op` sees whatever others see.
    pub fn seen_anyway(&self, op: usize) -> OpSet {
        self.plan.must_see[op].and(self.placed)
    }
}

/// The relations as they are if `op` comes next and sees `row`.
struct Next<'a> {
    so_far: &'a SoFar<'a>,
    op: usize,
    row: OpSet,
}

impl Scene for Next<'_> {
    fn po(&self, to: OpSet) -> OpSet {
        union(&self.so_far.plan.po, to)
    }

    fn hb(&self, to: OpSet) -> OpSet {
        union(&self.so_far.plan.hb, to)
    }

    fn lin(&self, to: OpSet) -> OpSet {
        if to.has(self.op) {
            return self.so_far.placed;
        }
        let order = self.so_far.order;
        let last = order.iter().rposition(|op| to.has(*op)).unwrap_or(0);
        order[..last].iter().copied().collect()
    }

    fn vis(&self, to: OpSet) -> OpSet {
        let own = if to.has(self.op) { self.row } else { OpSet::EMPTY };
        own.or(union(self.so_far.rows, to.and(self.so_far.placed)))
    }
}
