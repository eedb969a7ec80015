//! The search for a serial order.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::transaction::{Fate, Id, NIL, TransactionError, Transactions};
use super::verdict::{Anomaly, IsolationVerdict};
use crate::budget::Budget;
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

struct Search<'a, 'b> {
    field: Field<'a>,
    budget: &'b mut Budget,
    visited: HashSet<(OpSet, Store), FxBuildHasher>,
    order: Vec<usize>,
    furthest: Option<(Vec<usize>, OpSet, Store)>,
}

/// Searches for a serial order in which each transaction comes after `before` it.
pub(super) fn search(
    transactions: &Transactions,
    before: &[Vec<usize>],
    budget: &mut Budget,
) -> Result<IsolationVerdict, TransactionError> {
    let field = Field::new(transactions, before)?;
    let store = field.empty_store();
    let mut search = Search {
        field,
        budget,
        visited: HashSet::default(),
        order: Vec::new(),
        furthest: None,
    };
    if search.extend(OpSet::EMPTY, store) {
        return Ok(IsolationVerdict::Valid(search.field.labels(&search.order)));
    }
    if let Some(limit) = search.budget.exhausted() {
        return Ok(IsolationVerdict::Unknown(limit));
    }
    let (order, placed, store) = search
        .furthest
        .unwrap_or_else(|| (Vec::new(), OpSet::EMPTY, search.field.empty_store()));
    let explained = search.field.labels(&order);
    let blocked = search.field.blocked(placed, &store);
    Ok(IsolationVerdict::Violation(Anomaly::NoOrder {
        explained,
        blocked,
    }))
}

impl Search<'_, '_> {
    fn extend(&mut self, mut placed: OpSet, store: Store) -> bool {
        let entered = self.order.len();
        // Who only reads, and reads what is there, disturbs nobody.
        while let Some(reader) = self.field.readers.minus(placed).iter().find(|at| {
            self.field.before[*at].is_within(placed) && self.field.contradiction(*at, &store).is_none()
        }) {
            placed = placed.with(reader);
            self.order.push(reader);
        }
        if self.field.required.is_within(placed) {
            return true;
        }
        if !self.budget.configuration() && self.visited.insert((placed, store.clone())) {
            if self
                .furthest
                .as_ref()
                .is_none_or(|(order, ..)| order.len() < self.order.len())
            {
                self.furthest = Some((self.order.clone(), placed, store.clone()));
            }
            for at in OpSet::first(self.field.members.len()).minus(placed).iter() {
                if self.field.before[at].is_within(placed) && self.field.contradiction(at, &store).is_none() {
                    self.order.push(at);
                    if self.extend(placed.with(at), self.field.apply(at, &store)) {
                        return true;
                    }
                    self.order.pop();
                }
                if self.budget.exhausted().is_some() {
                    break;
                }
            }
        }
        self.order.truncate(entered);
        false
    }
}
