//! The relations of an explanation as matrices, and axioms evaluated by their definition.

use omnilink_engine::Model;

use crate::criterion::{Claim, Criterion};
use crate::history::{History, HistoryOp};
use crate::relation::{Filter, Relation};

/// A relation: `[a][b]` is "a before b".
pub(crate) type Matrix = Vec<Vec<bool>>;

/// The relations over the operations of a history that happened.
#[derive(Debug)]
pub(crate) struct RelationMatrices {
    po: Matrix,
    pub hb: Matrix,
    pub lin: Matrix,
    pub vis: Matrix,
    /// Operations that did not happen are in no relation.
    pub happened: Vec<bool>,
}

impl RelationMatrices {
    /// The orders of a history of which nothing has happened yet.
    pub fn new<O>(history: &History<O>) -> Self {
        let count = history.len();
        Self {
            po: matrix(count, |a, b| history.program_order().before(b).has(a)),
            hb: matrix(count, |a, b| history.happens_before().before(b).has(a)),
            lin: matrix(count, |_, _| false),
            vis: matrix(count, |_, _| false),
            happened: vec![false; count],
        }
    }

    /// Whether all axioms of a criterion hold.
    pub fn satisfy<M: Model>(&self, criterion: &Criterion, model: &M, history: &History<M::Op>) -> bool {
        criterion.axioms().iter().all(|axiom| {
            let relation = self.relation(axiom.claim.relation(), model, history);
            let scope = axiom.scope.as_ref();
            let is_in =
                |op: usize| scope.is_none_or(|filter| lets_through(filter, model, &history.ops()[op]));
            let scope: Vec<bool> = (0..history.len()).map(is_in).collect();
            match axiom.claim {
                Claim::LinContains(_) => self.contains(&self.lin, &relation, Some(&scope)),
                Claim::VisContains(_) => self.contains(&self.vis, &relation, Some(&scope)),
            }
        })
    }

    /// Whether `larger` contains every pair of distinct operations that happened and that `smaller` contains; only pairs whose second
    /// operation is in `scope` count.
    pub fn contains(&self, larger: &Matrix, smaller: &Matrix, scope: Option<&[bool]>) -> bool {
        self.pairs(smaller)
            .all(|(a, b)| larger[a][b] || scope.is_some_and(|scope| !scope[b]))
    }

    /// The pairs of distinct operations that happened and are in a relation.
    pub fn pairs<'m>(&'m self, relation: &'m Matrix) -> impl Iterator<Item = (usize, usize)> + 'm {
        let count = self.happened.len();
        let all = (0..count).flat_map(move |a| (0..count).map(move |b| (a, b)));
        all.filter(move |(a, b)| a != b && relation[*a][*b] && self.both(*a, *b))
    }

    /// The pairs that an expression relates.
    pub fn relation<M: Model>(&self, relation: &Relation, model: &M, history: &History<M::Op>) -> Matrix {
        let inner = |part: &Relation| self.relation(part, model, history);
        let count = history.len();
        match relation {
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
        self.happened[a] && self.happened[b]
    }
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

/// The transitive closure of a relation.
pub(crate) fn closure(mut relation: Matrix) -> Matrix {
    loop {
        let next = either(&relation, &compose(&relation, &relation));
        if next == relation {
            return relation;
        }
        relation = next;
    }
}

pub(crate) fn lets_through<M: Model>(filter: &Filter, model: &M, op: &HistoryOp<M::Op>) -> bool {
    match filter {
        Filter::Methods(names) => names.contains(&op.method),
        Filter::OtherThan(names) => !names.contains(&op.method),
        Filter::Readers => model.is_pure(&op.effect),
        Filter::Writers => !model.is_pure(&op.effect),
    }
}
