//! The definition of a criterion as code, without optimisations.
//!
//! Every linearization of a small history is tried with every visibility. The search is tested against this; they
//! share only the types.

use omnilink_engine::{Model, successors};

use crate::criterion::{Claim, Criterion, Ret};
use crate::history::History;
use crate::outcome::Explanation;
use crate::relation::Relation;
use crate::relation_matrices::RelationMatrices;

/// Finds a linearization and a visibility that satisfy `criterion`, by trying all of them.
///
/// # Panics
/// If the history has more than 8 operations: it would not end.
pub fn explain<M: Model>(
    model: &M,
    history: &History<M::Op>,
    criterion: &Criterion,
    ret: Ret,
) -> Option<Explanation> {
    assert!(history.len() <= 8, "the naive checker is for small histories");
    let is_complete = criterion
        .axioms()
        .iter()
        .any(|axiom| axiom.scope.is_none() && axiom.claim == Claim::VisContains(Relation::Lin));
    let ret = if is_complete { Ret::All } else { ret };
    let count = history.len();
    let optional: Vec<usize> = (0..count).filter(|op| history.ops()[*op].optional).collect();
    // Every subset of the pending operations.
    (0..1_usize << optional.len()).find_map(|choice| {
        let left_out = |op: usize| {
            optional
                .iter()
                .position(|other| *other == op)
                .is_some_and(|at| choice >> at & 1 == 0)
        };
        let happened: Vec<usize> = (0..count).filter(|op| !left_out(*op)).collect();
        let mut order = Vec::new();
        permutations(&happened, &mut order, &mut |order| {
            explain_order(model, history, criterion, ret, order)
        })
    })
}

fn permutations<T>(
    ops: &[usize],
    order: &mut Vec<usize>,
    found: &mut impl FnMut(&[usize]) -> Option<T>,
) -> Option<T> {
    if order.len() == ops.len() {
        return found(order);
    }
    for op in ops {
        if !order.contains(op) {
            order.push(*op);
            let answer = permutations(ops, order, found);
            order.pop();
            if answer.is_some() {
                return answer;
            }
        }
    }
    None
}

fn explain_order<M: Model>(
    model: &M,
    history: &History<M::Op>,
    criterion: &Criterion,
    ret: Ret,
    order: &[usize],
) -> Option<Explanation> {
    let count = history.len();
    let mut matrices = RelationMatrices::new(history);
    for (at, a) in order.iter().enumerate() {
        matrices.happened[*a] = true;
        for b in &order[at + 1..] {
            matrices.lin[*a][*b] = true;
        }
    }
    if criterion.keeps_hb() && !matrices.contains(&matrices.lin, &matrices.hb, None) {
        return None;
    }
    // Per operation, every set of earlier operations from which its return follows.
    let sets: Vec<Vec<usize>> = order
        .iter()
        .enumerate()
        .map(|(position, op)| {
            (0..1_usize << position)
                .filter(|set| {
                    let seen = (0..position).filter(|at| set >> at & 1 == 1).map(|at| order[at]);
                    follows(model, history, ret, seen, *op)
                })
                .collect()
        })
        .collect();
    let mut chosen = Vec::new();
    choose(
        model,
        history,
        criterion,
        order,
        &sets,
        &mut chosen,
        &mut matrices,
    )
    .then(|| Explanation {
        linearization: order.to_vec(),
        visible: (0..count)
            .map(|op| (0..count).filter(|seen| matrices.vis[*seen][op]).collect())
            .collect(),
    })
}

fn choose<M: Model>(
    model: &M,
    history: &History<M::Op>,
    criterion: &Criterion,
    order: &[usize],
    sets: &[Vec<usize>],
    chosen: &mut Vec<usize>,
    matrices: &mut RelationMatrices,
) -> bool {
    let position = chosen.len();
    if position == order.len() {
        return matrices.satisfy(criterion, model, history);
    }
    sets[position].iter().any(|set| {
        for (at, seen) in order[..position].iter().enumerate() {
            matrices.vis[*seen][order[position]] = set >> at & 1 == 1;
        }
        chosen.push(*set);
        let is_found = choose(model, history, criterion, order, sets, chosen, matrices);
        chosen.pop();
        is_found
    })
}

/// Whether the return of an operation follows from what it sees.
pub(crate) fn follows<M: Model>(
    model: &M,
    history: &History<M::Op>,
    ret: Ret,
    seen: impl Iterator<Item = usize>,
    op: usize,
) -> bool {
    let mut states = model.initial();
    for seen in seen {
        let seen = &history.ops()[seen];
        let seen = if ret == Ret::Own { &seen.effect } else { &seen.op };
        states = states
            .iter()
            .flat_map(|state| successors(model, state, seen))
            .collect();
    }
    states
        .iter()
        .any(|state| !successors(model, state, &history.ops()[op].op).is_empty())
}
