//! The search for an order of beginnings and commits.
//!
//! Two levels are decided by it. Under *snapshot isolation* a transaction begins, reading all it reads at once, and
//! commits later; of two that are open at the same time none writes a key that the other writes. A *serial* order is one in
//! which every transaction commits right where it begins, so that nothing is ever open. In both, a transaction begins
//! after those that come before it have committed.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::field::{Field, Store};
use super::transaction::{TransactionError, Transactions};
use super::verdict::{Anomaly, IsolationVerdict};
use crate::budget::Budget;
use crate::op_set::OpSet;

/// When transactions commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Commit {
    /// Right where they begin.
    AtOnce,
    /// Any time after they began.
    Later,
}

/// How far a search has come.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Point {
    begun: OpSet,
    committed: OpSet,
    store: Store,
}

struct Search<'a, 'b> {
    field: Field<'a>,
    commit: Commit,
    /// Who writes a key that each writes.
    rivals: Vec<OpSet>,
    budget: &'b mut Budget,
    visited: HashSet<Point, FxBuildHasher>,
    commits: Vec<usize>,
    /// The most commits, and the point they led to.
    furthest: Option<(Vec<usize>, Point)>,
}

/// Searches for an order in which each transaction begins after those `before` it have committed.
pub(super) fn search(
    transactions: &Transactions,
    before: &[Vec<usize>],
    commit: Commit,
    budget: &mut Budget,
) -> Result<IsolationVerdict, TransactionError> {
    let field = Field::new(transactions, before)?;
    let start = Point {
        begun: OpSet::EMPTY,
        committed: OpSet::EMPTY,
        store: field.empty_store(),
    };
    let mut search = Search {
        rivals: field.rivals(),
        field,
        commit,
        budget,
        visited: HashSet::default(),
        commits: Vec::new(),
        furthest: None,
    };
    if search.extend(start.clone()) {
        return Ok(IsolationVerdict::Valid(search.field.labels(&search.commits)));
    }
    if let Some(limit) = search.budget.exhausted() {
        return Ok(IsolationVerdict::Unknown(limit));
    }
    let (commits, point) = search.furthest.unwrap_or_else(|| (Vec::new(), start));
    Ok(IsolationVerdict::Violation(Anomaly::NoOrder {
        explained: search.field.labels(&commits),
        blocked: search.field.blocked(point.begun, &point.store),
    }))
}

impl Search<'_, '_> {
    fn extend(&mut self, mut point: Point) -> bool {
        let entered = self.commits.len();
        // Who only reads, and reads what is there, disturbs nobody.
        while let Some(reader) = self
            .field
            .readers
            .minus(point.begun)
            .iter()
            .find(|at| self.may_begin(*at, &point))
        {
            point.begun = point.begun.with(reader);
            point.committed = point.committed.with(reader);
            self.commits.push(reader);
        }
        if self.field.required.is_within(point.committed) {
            return true;
        }
        if !self.budget.configuration() && self.visited.insert(point.clone()) {
            let best = self.furthest.as_ref().map(|(commits, _)| commits.len());
            if best.is_none_or(|best| best < self.commits.len()) {
                self.furthest = Some((self.commits.clone(), point.clone()));
            }
            let left = OpSet::first(self.field.members.len()).minus(point.committed);
            for at in left.iter() {
                if self.advance(at, &point) {
                    return true;
                }
                if self.budget.exhausted().is_some() {
                    break;
                }
            }
        }
        self.commits.truncate(entered);
        false
    }

    /// Goes on with the next step of one transaction, if it can take it.
    fn advance(&mut self, at: usize, point: &Point) -> bool {
        let is_open = point.begun.has(at);
        if !is_open && !self.may_begin(at, point) {
            return false;
        }
        if !is_open && self.commit == Commit::Later {
            return self.extend(Point {
                begun: point.begun.with(at),
                ..point.clone()
            });
        }
        self.commits.push(at);
        let is_found = self.extend(Point {
            begun: point.begun.with(at),
            committed: point.committed.with(at),
            store: self.field.apply(at, &point.store),
        });
        if !is_found {
            self.commits.pop();
        }
        is_found
    }

    fn may_begin(&self, at: usize, point: &Point) -> bool {
        self.field.before[at].is_within(point.committed)
            && self.rivals[at].and(point.begun).is_within(point.committed)
            && self.field.contradiction(at, &point.store).is_none()
    }
}
