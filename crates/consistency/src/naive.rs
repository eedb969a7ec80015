//! The definition of a criterion as code, without optimisations.
//!
//! Every linearization of a small history is tried with every visibility. The search is tested against this; they
//! share only the types.

use omnilink_engine::{Model, successors};

use crate::criterion::{Claim, Criterion, Ret};
use crate::history::{History, HistoryOp};
use crate::outcome::Explanation;
use crate::relation::{Filter, Relation};

/// A relation, as a matrix: `[a][b]` is "a before b".
type Matrix = Vec<Vec<bool>>;

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
    let mut matrices = Matrices {
        po: matrix(count, |a, b| history.program_order().before(b).has(a)),
        hb: matrix(count, |a, b| history.happens_before().before(b).has(a)),
        lin: matrix(count, |_, _| false),
        vis: matrix(count, |_, _| false),
        happened: order.to_vec(),
    };
    for (at, a) in order.iter().enumerate() {
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
    matrices: &mut Matrices,
) -> bool {
    let position = chosen.len();
    if position == order.len() {
        return criterion.axioms().iter().all(|axiom| {
            let relation = matrices.relation(axiom.claim.relation(), model, history);
            let scope = axiom.scope.as_ref().map(|filter| {
                let is_in = |op: &usize| lets_through(filter, model, &history.ops()[*op]);
                (0..history.len()).filter(is_in).collect::<Vec<_>>()
            });
            match axiom.claim {
                Claim::LinContains(_) => matrices.contains(&matrices.lin, &relation, scope.as_deref()),
                Claim::VisContains(_) => matrices.contains(&matrices.vis, &relation, scope.as_deref()),
            }
        });
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

fn follows<M: Model>(
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

struct Matrices {
    po: Matrix,
    hb: Matrix,
    lin: Matrix,
    vis: Matrix,
    happened: Vec<usize>,
}

fn matrix(count: usize, holds: impl Fn(usize, usize) -> bool) -> Matrix {
    (0..count)
        .map(|a| (0..count).map(|b| holds(a, b)).collect())
        .collect()
}

fn compose(a: &Matrix, b: &Matrix) -> Matrix {
    matrix(a.len(), |from, to| {
        (0..a.len()).any(|via| a[from][via] && b[via][to])
    })
}

fn either(a: &Matrix, b: &Matrix) -> Matrix {
    matrix(a.len(), |from, to| a[from][to] || b[from][to])
}

impl Matrices {
    /// Whether `larger` contains every pair of distinct operations that happened and that `smaller` contains.
    fn contains(&self, larger: &Matrix, smaller: &Matrix, later: Option<&[usize]>) -> bool {
        self.happened.iter().all(|a| {
            self.happened.iter().all(|b| {
                a == b || !smaller[*a][*b] || larger[*a][*b] || later.is_some_and(|ops| !ops.contains(b))
            })
        })
    }

    fn relation<M: Model>(&self, relation: &Relation, model: &M, history: &History<M::Op>) -> Matrix {
        let inner = |part: &Relation| self.relation(part, model, history);
        let count = history.len();
        match relation {
            // Operations that did not happen are on no path.
            Relation::Po => matrix(count, |a, b| self.both(a, b) && self.po[a][b]),
            Relation::Hb => matrix(count, |a, b| self.both(a, b) && self.hb[a][b]),
            Relation::Lin => self.lin.clone(),
            Relation::Vis => self.vis.clone(),
            Relation::Only(filter) => matrix(count, |a, b| {
                a == b && lets_through(filter, model, &history.ops()[a])
            }),
            Relation::Compose(a, b) => compose(&inner(a), &inner(b)),
            Relation::Union(a, b) => either(&inner(a), &inner(b)),
            Relation::Optional(a) => either(&inner(a), &matrix(count, |a, b| a == b)),
            Relation::Plus(a) => closure(inner(a)),
            Relation::Star(a) => either(&closure(inner(a)), &matrix(count, |a, b| a == b)),
        }
    }

    fn both(&self, a: usize, b: usize) -> bool {
        self.happened.contains(&a) && self.happened.contains(&b)
    }
}

fn closure(mut relation: Matrix) -> Matrix {
    loop {
        let next = either(&relation, &compose(&relation, &relation));
        if next == relation {
            return relation;
        }
        relation = next;
    }
}

fn lets_through<M: Model>(filter: &Filter, model: &M, op: &HistoryOp<M::Op>) -> bool {
    match filter {
        Filter::Methods(names) => names.contains(&op.method),
        Filter::OtherThan(names) => !names.contains(&op.method),
        Filter::Readers => model.is_pure(&op.effect),
        Filter::Writers => !model.is_pure(&op.effect),
    }
}
