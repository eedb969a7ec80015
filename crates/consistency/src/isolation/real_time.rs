//! Real-time order between transactions, and the reads that it rules out.

use omnilink_trace::Time;

use super::reads_from::Writer;
use super::transaction::{Fate, Id, Transactions};
use crate::order_graph::Graph;

/// Adds real-time order among `included` to a graph.
pub(super) fn add(graph: &mut Graph, transactions: &Transactions, included: &[usize]) {
    let boxed = |one: &usize| transactions.all[*one].timebox.map(|timebox| (*one, timebox));
    graph.add_real_time(included.iter().filter_map(boxed));
}

/// Writes that were overwritten before a transaction began.
#[derive(Debug)]
pub(super) struct Overwrites {
    /// For each key the committed writers by their start, each with the earliest end among it and those that start later.
    by_key: Vec<Vec<(Time, Time)>>,
}

impl Overwrites {
    pub fn new(transactions: &Transactions) -> Self {
        let mut by_key: Vec<Vec<(Time, Time)>> = vec![Vec::new(); transactions.key_count()];
        let committed = transactions.all.iter().filter(|one| one.fate == Fate::Committed);
        for transaction in committed {
            if let Some((start, end)) = transaction
                .timebox
                .and_then(|timebox| Some((timebox.start, timebox.end?)))
            {
                for (key, _) in &transaction.writes {
                    by_key[*key as usize].push((start, end));
                }
            }
        }
        for writers in &mut by_key {
            writers.sort_unstable();
            let mut earliest = Time::MAX;
            for (_, end) in writers.iter_mut().rev() {
                earliest = earliest.min(*end);
                *end = earliest;
            }
        }
        Self { by_key }
    }

    /// Whether real time allows that `reader` read `key` from `writer`.
    ///
    /// It does not if the reader ended before the writer began, nor if a third transaction wrote the key after the
    /// writer ended, and itself ended before the reader began: in every order that keeps real time the third is
    /// between the two.
    pub fn allow(&self, transactions: &Transactions, reader: usize, key: Id, writer: Writer) -> bool {
        let Some(reading) = transactions.all[reader].timebox else {
            return true;
        };
        let overwritten_by = |from: usize| {
            let earliest = self.by_key[key as usize].get(from);
            earliest.is_some_and(|(_, end)| *end < reading.start)
        };
        let Some(writer) = writer else {
            return !overwritten_by(0);
        };
        let Some(writing) = transactions.all[writer].timebox else {
            return true;
        };
        let is_too_late = reading.precedes(&writing);
        let is_overwritten = writing.end.is_some_and(|end| {
            overwritten_by(self.by_key[key as usize].partition_point(|(start, _)| *start <= end))
        });
        !is_too_late && !is_overwritten
    }
}
