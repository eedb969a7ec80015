//! Real-time order between transactions, and the reads that it rules out.

use omnilink_history::order_graph::Graph;
use omnilink_trace::Time;

use crate::reads_from::{ExternalRead, Writer};
use crate::transaction::{Fate, Id, Transactions};

/// Adds real-time order among `included` to a graph.
pub(crate) fn add(graph: &mut Graph, transactions: &Transactions, included: &[usize]) {
    let boxed = |one: &usize| transactions.all[*one].timebox.map(|timebox| (*one, timebox));
    graph.add_real_time(included.iter().filter_map(boxed));
}

/// Writes that were overwritten before a transaction began.
#[derive(Debug)]
pub(crate) struct Overwrites {
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
    /// It does not if the reader ended before the writer began, nor, if `is_fresh`, if a third transaction wrote the key after the
    /// writer ended, and itself ended before the reader began: in every order that keeps real time the third is
    /// between the two.
    pub fn allow(
        &self,
        transactions: &Transactions,
        reader: usize,
        (key, writer): (Id, Writer),
        is_fresh: bool,
    ) -> bool {
        let Some(reading) = transactions.all[reader].timebox else {
            return true;
        };
        let overwritten_by = |from: usize| {
            let earliest = self.by_key[key as usize].get(from);
            is_fresh && earliest.is_some_and(|(_, end)| *end < reading.start)
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

/// The writers of each key by the time at which they ended.
#[derive(Debug)]
pub(crate) struct EndedWriters {
    by_key: Vec<Vec<(Time, usize)>>,
}

impl EndedWriters {
    pub fn new(transactions: &Transactions, included: &[usize]) -> Self {
        let mut by_key: Vec<Vec<(Time, usize)>> = vec![Vec::new(); transactions.key_count()];
        for &one in included {
            if let Some(end) = transactions.all[one].timebox.and_then(|timebox| timebox.end) {
                for (key, _) in &transactions.all[one].writes {
                    by_key[*key as usize].push((end, one));
                }
            }
        }
        by_key.iter_mut().for_each(|writers| writers.sort_unstable());
        Self { by_key }
    }

    /// Writers of the key of a read that ended before the reader began, without those of which real time says anyway
    /// that they come before the writer that was read from.
    ///
    /// Those are the ones that ended before that writer began. Of writers that began after it had ended, one is enough: it cannot
    /// come before it.
    pub fn between(&self, transactions: &Transactions, read: &ExternalRead) -> Vec<usize> {
        let Some(reading) = transactions.all[read.reader].timebox else {
            return Vec::new();
        };
        let writers = &self.by_key[read.key as usize];
        let ended = writers.partition_point(|(end, _)| *end < reading.start);
        let Some(writer) = read.writers[0] else {
            return writers[..ended]
                .first()
                .map(|(_, one)| *one)
                .into_iter()
                .collect();
        };
        let Some(writing) = transactions.all[writer].timebox else {
            return writers[..ended].iter().map(|(_, one)| *one).collect();
        };
        let mut found = Vec::new();
        for (_, one) in writers[..ended]
            .iter()
            .rev()
            .take_while(|(end, _)| *end >= writing.start)
        {
            found.push(*one);
            let is_later = transactions.all[*one]
                .timebox
                .is_some_and(|timebox| writing.precedes(&timebox));
            if is_later && *one != writer {
                break;
            }
        }
        found
    }
}
