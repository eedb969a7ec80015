//! Minimal counterexamples: a part of a history that is not isolated, and would be without any one of its transactions.
//!
//! A part of an isolated history is isolated (`confirmation`), if with a transaction go all reads that it may have written. So as long
//! as the rest is not isolated, a transaction is not needed for the proof. What was blamed is tried first; if that is not enough, what it read
//! from in turn.

use std::collections::BTreeSet;

use omnilink_evidence::Conclusion;
use omnilink_history::Budget;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::level::Isolation;
use crate::level_outcome::{Blame, IsolationConclusion};
use crate::transaction::{Id, NIL, Succession, Transactions};
use crate::transaction_error::TransactionError;
use crate::writers_of::WritersOf;

/// The most transactions from which some are left out one by one.
const TRIED_MAX: usize = 48;

/// A part of a history that is not isolated.
#[derive(Debug)]
pub(crate) struct MinimalPart {
    pub transactions: Transactions,
    /// The position of each of its transactions in the whole.
    pub origin: Vec<usize>,
    pub conclusion: IsolationConclusion,
    pub blame: Blame,
}

impl Transactions {
    /// A minimal part that is not isolated; `None` if what was blamed is too much, or a limit was reached.
    ///
    /// # Errors
    /// If an order was found that does not replay, which is a bug.
    pub(crate) fn minimal(
        &self,
        isolation: Isolation,
        blame: &Blame,
        budget: &mut Budget,
    ) -> Result<Option<MinimalPart>, TransactionError> {
        if self.readings.is_some() {
            // Without an increment, reads have another sum.
            return Ok(None);
        }
        let writers = WritersOf::new(self);
        let parts = [
            self.named_part(isolation, &blame.named, &writers),
            self.closed_part(&blame.named, &writers),
        ];
        for part in parts {
            if part.len() > TRIED_MAX {
                break;
            }
            let Some(mut found) = self.violated_part(&part, isolation, budget)? else {
                continue;
            };
            let mut at = 0;
            while at < found.origin.len() {
                let rest = (0..found.origin.len()).filter(|one| *one != at);
                let rest = rest.map(|one| (one, true)).collect();
                match found.transactions.violated_part(&rest, isolation, budget)? {
                    Some(smaller) => {
                        let origin = smaller.origin.iter().map(|one| found.origin[*one]).collect();
                        found = MinimalPart { origin, ..smaller };
                        // What was needed before may not be needed now.
                        at = 0;
                    }
                    None => at += 1,
                }
            }
            return Ok(budget.exhausted().is_none().then_some(found));
        }
        Ok(None)
    }

    /// A part, if it is not isolated.
    fn violated_part(
        &self,
        kept: &BTreeSet<(usize, bool)>,
        isolation: Isolation,
        budget: &mut Budget,
    ) -> Result<Option<MinimalPart>, TransactionError> {
        let (transactions, origin) = self.restricted(kept);
        let (conclusion, blame) = transactions.check_within(isolation, budget)?;
        let is_violated = matches!(conclusion, Conclusion::Violation(_));
        Ok(is_violated.then_some(MinimalPart {
            transactions,
            origin,
            conclusion,
            blame,
        }))
    }

    /// Some transactions, each with or without its reads, as a history of their own. Reads that another one may have written are left
    /// out; of the order of versions that lists show, that of the remaining ones is kept.
    pub(crate) fn restricted(&self, kept: &BTreeSet<(usize, bool)>) -> (Self, Vec<usize>) {
        let origin: Vec<usize> = kept.iter().map(|(one, _)| *one).collect();
        let is_kept: FxHashSet<usize> = origin.iter().copied().collect();
        let asked: FxHashSet<(Id, Id)> = { origin.iter().flat_map(|one| &self.all[*one].reads) }
            .copied()
            .collect();
        // What was written by those that stay, and what was read of it and written by others as well.
        let mut written: FxHashSet<(Id, Id)> = FxHashSet::default();
        let mut lost: FxHashSet<(Id, Id)> = FxHashSet::default();
        for (one, transaction) in self.all.iter().enumerate() {
            for write in &transaction.writes {
                if is_kept.contains(&one) {
                    written.insert(*write)
                } else {
                    asked.contains(write) && lost.insert(*write)
                };
            }
        }
        let mut names = Renumbering::default();
        let mut part = Self {
            all: Vec::with_capacity(origin.len()),
            successions: Vec::new(),
            overtaken: Vec::new(),
            read_anomalies: Vec::new(),
            cursors: None,
            initial: FxHashMap::default(),
            notes: Vec::new(),
            readings: None,
            keys: Vec::new(),
            values: Vec::new(),
        };
        for (one, keeps_reads) in kept {
            let mut transaction = self.all[*one].clone();
            transaction.broken = None;
            transaction.keep_reads(|_, read| {
                let is_known = written.contains(read) || read.1 == NIL;
                *keeps_reads && is_known && !lost.contains(read)
            });
            for accesses in [
                &mut transaction.reads,
                &mut transaction.writes,
                &mut transaction.overwritten,
            ] {
                accesses
                    .iter_mut()
                    .for_each(|access| *access = names.both(*access));
            }
            transaction.writes.sort_unstable();
            part.all.push(transaction);
        }
        let mut last: FxHashMap<Id, Id> = FxHashMap::default();
        for succession in &self.successions {
            if written.contains(&(succession.key, succession.value)) {
                let (key, value) = names.both((succession.key, succession.value));
                let previous = last.insert(key, value).unwrap_or(NIL);
                part.successions.push(Succession { key, previous, value });
            }
        }
        part.cursors = self.cursors_of(&origin, |key| names.known_keys.get(&key).copied());
        for (key, value) in &self.initial {
            if let Some(key) = names.known_keys.get(key).copied() {
                part.initial.insert(key, names.value(*value));
            }
        }
        part.keys = { names.keys.iter() }
            .map(|key| self.keys[*key as usize].clone())
            .collect();
        part.values = { names.values.iter() }
            .map(|value| self.values[*value as usize].clone())
            .collect();
        (part, origin)
    }
}

/// Keys and values of a part, by new numbers: a small part of a long history is small.
struct Renumbering {
    keys: Vec<Id>,
    values: Vec<Id>,
    known_keys: FxHashMap<Id, Id>,
    known_values: FxHashMap<Id, Id>,
}

impl Default for Renumbering {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            values: vec![NIL],
            known_keys: FxHashMap::default(),
            known_values: FxHashMap::from_iter([(NIL, NIL)]),
        }
    }
}

impl Renumbering {
    fn value(&mut self, value: Id) -> Id {
        self.both((NIL, value)).1
    }

    fn both(&mut self, (key, value): (Id, Id)) -> (Id, Id) {
        let number = |one: Id, known: &mut FxHashMap<Id, Id>, all: &mut Vec<Id>| {
            *known.entry(one).or_insert_with(|| {
                all.push(one);
                all.len() as Id - 1
            })
        };
        (
            number(key, &mut self.known_keys, &mut self.keys),
            number(value, &mut self.known_values, &mut self.values),
        )
    }
}
