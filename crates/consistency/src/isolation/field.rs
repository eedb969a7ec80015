//! The transactions that a search puts in order, and what each does to a store.

use super::transaction::{Fate, Id, NIL, TransactionError, Transactions};
use crate::op_set::OpSet;

/// The transactions that are searched, numbered densely.
pub(super) struct Field<'a> {
    pub transactions: &'a Transactions,
    /// Their positions in the history.
    pub members: Vec<usize>,
    /// Those that surely took effect.
    pub required: OpSet,
    /// What comes before each, among those that surely took effect.
    pub before: Vec<OpSet>,
    /// Those that write nothing.
    pub readers: OpSet,
}

/// What every key holds.
pub(super) type Store = Box<[Id]>;

impl<'a> Field<'a> {
    pub fn new(transactions: &'a Transactions, before: &[Vec<usize>]) -> Result<Self, TransactionError> {
        let all = &transactions.all;
        let members: Vec<usize> = (0..all.len())
            .filter(|one| all[*one].fate != Fate::Aborted)
            .collect();
        let count = members.len();
        if count > OpSet::CAPACITY {
            return Err(TransactionError::TooMany { count });
        }
        let pick = |wanted: &dyn Fn(usize) -> bool| (0..count).filter(|at| wanted(members[*at])).collect();
        let required: OpSet = pick(&|one| all[one].fate == Fate::Committed);
        let readers: OpSet = pick(&|one| all[one].writes.is_empty());
        let row = |one: &usize| before[*one].as_slice();
        let before = members
            .iter()
            .map(|one| required.and(pick(&|first| row(one).contains(&first))))
            .collect();
        Ok(Self {
            transactions,
            members,
            required,
            before,
            readers: readers.and(required),
        })
    }

    pub fn empty_store(&self) -> Store {
        vec![NIL; self.transactions.key_count()].into_boxed_slice()
    }

    /// The first read of a transaction that `store` does not explain.
    pub fn contradiction(&self, at: usize, store: &[Id]) -> Option<(Id, Id)> {
        let reads = &self.transactions.all[self.members[at]].reads;
        reads
            .iter()
            .find(|(key, value)| store[*key as usize] != *value)
            .copied()
    }

    pub fn apply(&self, at: usize, store: &[Id]) -> Store {
        let mut store: Store = store.into();
        for (key, value) in &self.transactions.all[self.members[at]].writes {
            store[*key as usize] = *value;
        }
        store
    }

    /// Who writes a key that each writes.
    pub fn rivals(&self) -> Vec<OpSet> {
        let count = self.members.len();
        let one = |at: usize| &self.transactions.all[self.members[at]];
        let are_rivals = |a: usize, b: usize| {
            let mut writes = one(a).writes.iter();
            a != b && writes.any(|(key, _)| one(b).written(*key).is_some())
        };
        (0..count)
            .map(|a| (0..count).filter(|b| are_rivals(a, *b)).collect())
            .collect()
    }

    pub fn labels(&self, order: &[usize]) -> Vec<String> {
        let positions: Vec<usize> = order.iter().map(|at| self.members[*at]).collect();
        self.transactions.labels(&positions)
    }

    /// Why transactions cannot come next.
    pub fn blocked(&self, placed: OpSet, store: &[Id]) -> Vec<String> {
        let mut reasons = Vec::new();
        for at in self.required.minus(placed).iter() {
            let label = &self.transactions.all[self.members[at]].label;
            if let Some(first) = self.before[at].minus(placed).iter().next() {
                let first = &self.transactions.all[self.members[first]].label;
                reasons.push(format!("{label} must come after {first}"));
            } else if let Some((key, value)) = self.contradiction(at, store) {
                let held = self.transactions.value(store[key as usize]);
                let (key, value) = (self.transactions.key(key), self.transactions.value(value));
                reasons.push(format!("{label} read {value} from {key}, which holds {held}"));
            }
        }
        reasons
    }
}
