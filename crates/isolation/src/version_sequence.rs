//! Orders of versions by which cycles are named.
//!
//! Lists show the order of versions. Where they do not, there are several, and each has its own cycles. What is named is what remains at the
//! best: the anomalies of an order that has as few of them as possible. Of a history with few orders all are tried; of others, the order of
//! commits of the strongest level that holds is taken.

use rustc_hash::FxHashMap;

use crate::transaction::{Id, Transactions};

/// The writers of each key in the order of versions.
#[derive(Clone, Debug)]
pub(crate) struct VersionSequence {
    pub writers: Vec<Vec<usize>>,
    /// How many of them lists show, for each key; the others may come in any order.
    shown: Vec<usize>,
}

/// Up to this many transactions, and this many orders, all orders are tried.
const TRANSACTIONS_MAX: usize = 32;
const ORDERS_MAX: usize = 1_024;

impl VersionSequence {
    /// The order that lists show, then that of commits.
    pub fn of_commits(transactions: &Transactions, commits: &[usize]) -> Self {
        let mut versions: Vec<Vec<usize>> = vec![Vec::new(); transactions.key_count()];
        let mut writers: FxHashMap<(Id, Id), usize> = FxHashMap::default();
        for &one in commits {
            writers.extend(transactions.all[one].writes.iter().map(|write| (*write, one)));
        }
        let mut is_shown: FxHashMap<(Id, Id), usize> = FxHashMap::default();
        for succession in &transactions.successions {
            if let Some(writer) = writers.get(&(succession.key, succession.value)) {
                versions[succession.key as usize].push(*writer);
                is_shown.insert((succession.key, succession.value), *writer);
            }
        }
        let shown = versions.iter().map(Vec::len).collect();
        for &one in commits {
            for write in &transactions.all[one].writes {
                if !is_shown.contains_key(write) {
                    versions[write.0 as usize].push(one);
                }
            }
        }
        Self {
            writers: versions,
            shown,
        }
    }

    /// All orders of a history, if there are few: this one first.
    pub fn all(&self, transactions: &Transactions) -> Vec<Vec<Vec<usize>>> {
        let mut count = 1_usize;
        for (writers, shown) in self.writers.iter().zip(&self.shown) {
            let open = (1..=writers.len() - shown).try_fold(count, |count, factor| count.checked_mul(factor));
            count = open.unwrap_or(usize::MAX);
        }
        let mut all = vec![self.writers.clone()];
        if count > ORDERS_MAX || transactions.all.len() > TRANSACTIONS_MAX {
            return all;
        }
        for (key, shown) in self.shown.iter().enumerate() {
            for at in *shown..self.writers[key].len() {
                // Each order so far, with every writer that is still open at this place.
                let longer = all.into_iter().flat_map(|order| {
                    (at..order[key].len()).map(move |other| {
                        let mut order = order.clone();
                        order[key][at..=other].rotate_right(1);
                        order
                    })
                });
                all = longer.collect();
            }
        }
        all
    }
}
