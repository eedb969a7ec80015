//! Every order with every visibility, one operation after the other.
//!
//! It shares nothing with the search but the types: no reductions, no classes, no minimal visibilities. An order is given up as soon as an
//! axiom fails for the operations that are placed: relations lead forward (see [`crate::criterion`]), so what an axiom demands
//! of these does not depend on the operations that follow.

use omnilink_engine::Model;

use crate::criterion::{Claim, Criterion, Ret};
use crate::history::History;
use crate::naive::follows;
use crate::relation::Relation;
use crate::relation_matrices::RelationMatrices;

/// What the plain search found out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PlainAnswer {
    /// This order explains the history.
    Explained(Vec<usize>),
    /// Nothing does; this many visibilities were tried.
    Refuted(u64),
    /// There are more visibilities than may be tried.
    Unfinished,
}

/// Tries at most `most` visibilities of single operations.
pub(crate) fn search<M: Model>(
    model: &M,
    history: &History<M::Op>,
    criterion: &Criterion,
    ret: Ret,
    most: u64,
) -> PlainAnswer {
    let is_complete = criterion
        .axioms()
        .iter()
        .any(|axiom| axiom.scope.is_none() && axiom.claim == Claim::VisContains(Relation::Lin));
    let mut search = Search {
        model,
        history,
        criterion,
        ret: if is_complete { Ret::All } else { ret },
        is_complete,
        left: most,
        is_unfinished: false,
        order: Vec::new(),
        matrices: RelationMatrices::new(history),
    };
    match search.place_next() {
        true => PlainAnswer::Explained(search.order),
        false if search.is_unfinished => PlainAnswer::Unfinished,
        false => PlainAnswer::Refuted(most - search.left),
    }
}

struct Search<'a, M: Model> {
    model: &'a M,
    history: &'a History<M::Op>,
    criterion: &'a Criterion,
    ret: Ret,
    /// Whether every operation sees everything before it.
    is_complete: bool,
    left: u64,
    is_unfinished: bool,
    order: Vec<usize>,
    matrices: RelationMatrices,
}

impl<M: Model> Search<'_, M> {
    /// Whether the operations that are placed can be continued to an explanation.
    fn place_next(&mut self) -> bool {
        let ops = self.history.ops();
        let open: Vec<usize> = (0..ops.len()).filter(|op| !self.matrices.happened[*op]).collect();
        // What is pending may not have happened.
        if open.iter().all(|op| ops[*op].optional) {
            return true;
        }
        for op in open {
            let before = self.history.happens_before().before(op);
            let is_late = |earlier: usize| !self.matrices.happened[earlier];
            if self.criterion.keeps_hb() && before.iter().any(is_late) {
                continue;
            }
            if self.place(op) {
                return true;
            }
            if self.is_unfinished {
                return false;
            }
        }
        false
    }

    /// Places an operation, with every visibility. It stays placed if that leads to an explanation.
    fn place(&mut self, op: usize) -> bool {
        let earlier = self.order.clone();
        let Some(sets) = 1_u64.checked_shl(earlier.len() as u32) else {
            self.is_unfinished = true;
            return false;
        };
        self.matrices.happened[op] = true;
        self.order.push(op);
        earlier
            .iter()
            .for_each(|before| self.matrices.lin[*before][op] = true);
        let least = if self.is_complete { sets - 1 } else { 0 };
        for set in least..sets {
            if self.left == 0 {
                self.is_unfinished = true;
                break;
            }
            self.left -= 1;
            for (at, before) in earlier.iter().enumerate() {
                self.matrices.vis[*before][op] = set >> at & 1 == 1;
            }
            let seen = earlier
                .iter()
                .copied()
                .filter(|before| self.matrices.vis[*before][op]);
            if follows(self.model, self.history, self.ret, seen, op)
                && self.matrices.satisfy(self.criterion, self.model, self.history)
                && self.place_next()
            {
                return true;
            }
        }
        self.order.pop();
        self.matrices.happened[op] = false;
        for before in earlier {
            self.matrices.lin[before][op] = false;
            self.matrices.vis[before][op] = false;
        }
        false
    }
}
