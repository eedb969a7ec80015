//! The search for snapshots: every transaction begins, reading all it reads at once, and commits later.
//!
//! Two transactions that are open at the same time must not write the same key. Within a session, a transaction begins
//! after the one before it has committed.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::serial::{Field, Store};
use super::transaction::{TransactionError, Transactions};
use super::verdict::{Anomaly, IsolationVerdict};
use crate::budget::Budget;
use crate::op_set::OpSet;

struct Search<'a, 'b> {
    field: Field<'a>,
    /// Who writes a key that each writes.
    rivals: Vec<OpSet>,
    budget: &'b mut Budget,
    visited: HashSet<(OpSet, OpSet, Store), FxBuildHasher>,
    commits: Vec<usize>,
    furthest: Option<(Vec<usize>, OpSet, Store)>,
}

/// Searches for an order of beginnings and commits.
pub(super) fn search(
    transactions: &Transactions,
    before: &[Vec<usize>],
    budget: &mut Budget,
) -> Result<IsolationVerdict, TransactionError> {
    let field = Field::new(transactions, before)?;
    let count = field.members.len();
    let one = |at: usize| &transactions.all[field.members[at]];
    let are_rivals = |a: usize, b: usize| {
        a != b
            && one(a)
                .writes
                .iter()
                .any(|(key, _)| one(b).written(*key).is_some())
    };
    let rivals = (0..count)
        .map(|a| (0..count).filter(|b| are_rivals(a, *b)).collect())
        .collect();
    let store = field.empty_store();
    let visited = HashSet::default();
    let mut search = Search {
        field,
        rivals,
        budget,
        visited,
        commits: Vec::new(),
        furthest: None,
    };
    if search.extend(OpSet::EMPTY, OpSet::EMPTY, store) {
        return Ok(IsolationVerdict::Valid(search.field.labels(&search.commits)));
    }
    if let Some(limit) = search.budget.exhausted() {
        return Ok(IsolationVerdict::Unknown(limit));
    }
    let (commits, begun, store) = search
        .furthest
        .unwrap_or_else(|| (Vec::new(), OpSet::EMPTY, search.field.empty_store()));
    let explained = search.field.labels(&commits);
    let blocked = search.field.blocked(begun, &store);
    Ok(IsolationVerdict::Violation(Anomaly::NoOrder {
        explained,
        blocked,
    }))
}

impl Search<'_, '_> {
    fn extend(&mut self, mut begun: OpSet, mut committed: OpSet, store: Store) -> bool {
        let entered = self.commits.len();
        while let Some(reader) = self
            .field
            .readers
            .minus(begun)
            .iter()
            .find(|at| self.may_begin(*at, begun, committed, &store))
        {
            begun = begun.with(reader);
            committed = committed.with(reader);
            self.commits.push(reader);
        }
        if self.field.required.is_within(committed) {
            return true;
        }
        if !self.budget.configuration() && self.visited.insert((begun, committed, store.clone())) {
            if self
                .furthest
                .as_ref()
                .is_none_or(|(commits, ..)| commits.len() < self.commits.len())
            {
                self.furthest = Some((self.commits.clone(), begun, store.clone()));
            }
            for at in OpSet::first(self.field.members.len()).minus(committed).iter() {
                if begun.has(at) {
                    self.commits.push(at);
                    if self.extend(begun, committed.with(at), self.field.apply(at, &store)) {
                        return true;
                    }
                    self.commits.pop();
                } else if self.may_begin(at, begun, committed, &store)
                    && self.extend(begun.with(at), committed, store.clone())
                {
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

    fn may_begin(&self, at: usize, begun: OpSet, committed: OpSet, store: &Store) -> bool {
        self.field.before[at].is_within(committed)
            && self.rivals[at].and(begun).is_within(committed)
            && self.field.contradiction(at, store).is_none()
    }
}
