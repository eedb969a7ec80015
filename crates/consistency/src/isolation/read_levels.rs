//! Read committed and read atomic, where reads-from is determined: a graph decides.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Isolation;
use super::base_order;
use super::reads_from::{ExternalRead, ReadsFrom};
use super::transaction::{Fate, Id, Succession, Transactions};
use crate::order_graph::{EdgeReason, Graph, OrderEdge};

/// The graph of read committed or read atomic: a writer that a reader saw comes before the one that it read from.
///
/// # Errors
/// A cycle, if a transaction would have to come before the initial state.
pub(super) fn graph(
    transactions: &Transactions,
    reads: &ReadsFrom,
    isolation: Isolation,
) -> Result<Graph, Vec<OrderEdge>> {
    let mut graph = Graph::new(transactions.all.len(), false);
    base_order::sessions(&mut graph, transactions, reads);
    base_order::known_reads(&mut graph, reads);
    add_versions(&mut graph, transactions, reads);
    let mut pasts = SessionWrites::default();
    for &reader in &reads.included {
        let own = reads.of(reader);
        for (seen, read) in seen_writers(transactions, own, isolation) {
            demand(&mut graph, seen, read)?;
        }
        if isolation == Isolation::ReadAtomic {
            for read in own {
                if let Some(seen) = pasts.last_writer(transactions, reader, read.key) {
                    demand(&mut graph, seen, read)?;
                }
            }
            pasts.pass(transactions, reader);
        }
    }
    Ok(graph)
}

/// Where lists show the version order, commits follow it: each version after the one before, and versions in no list
/// after all others.
fn add_versions(graph: &mut Graph, transactions: &Transactions, reads: &ReadsFrom) {
    if transactions.successions.is_empty() {
        return;
    }
    let mut writers: FxHashMap<(Id, Id), usize> = FxHashMap::default();
    for &one in &reads.included {
        writers.extend(transactions.all[one].writes.iter().map(|write| (*write, one)));
    }
    let mut last: FxHashMap<Id, usize> = FxHashMap::default();
    let mut is_shown: FxHashSet<(Id, Id)> = FxHashSet::default();
    for Succession { key, previous, value } in &transactions.successions {
        let writer = writers.get(&(*key, *value)).copied();
        if let (Some(first), Some(second)) = (writers.get(&(*key, *previous)), writer) {
            graph.add(
                graph.commit(*first),
                graph.begin(second),
                EdgeReason::WroteOver(*key),
            );
        }
        is_shown.insert((*key, *value));
        last.extend(writer.map(|writer| (*key, writer)));
    }
    for (write, writer) in &writers {
        if let Some(last) = last.get(&write.0).filter(|_| !is_shown.contains(write)) {
            graph.add(
                graph.commit(*last),
                graph.begin(*writer),
                EdgeReason::WroteOver(write.0),
            );
        }
    }
}

/// The reader saw `seen`, which wrote the key of `read`: it comes before the writer that was read from.
fn demand(graph: &mut Graph, seen: usize, read: &ExternalRead) -> Result<(), Vec<OrderEdge>> {
    let reason = EdgeReason::SeenBy {
        reader: read.reader as u32,
        key: read.key,
    };
    match read.writers[0] {
        Some(writer) if writer == seen => Ok(()),
        Some(writer) => {
            graph.add(graph.commit(seen), graph.commit(writer), reason);
            Ok(())
        }
        None => {
            let step = |from, to, reason| OrderEdge { from, to, reason };
            Err(vec![
                step(Some(seen), None, reason),
                step(None, Some(seen), EdgeReason::Beginning),
            ])
        }
    }
}

/// Reads together with the writers of their key that the same transaction read from: before (read committed), or at
/// all (read atomic).
///
/// For each writer, the shorter one of its writes and the reads is scanned.
fn seen_writers<'a>(
    transactions: &Transactions,
    own: &'a [ExternalRead],
    isolation: Isolation,
) -> Vec<(usize, &'a ExternalRead)> {
    // The position of the first read from each writer.
    let mut since: FxHashMap<usize, usize> = FxHashMap::default();
    for read in own {
        if let Some(writer) = read.writers[0] {
            since.entry(writer).or_insert(read.position);
        }
    }
    let mut by_key: Vec<&ExternalRead> = own.iter().collect();
    by_key.sort_unstable_by_key(|read| (read.key, read.position));
    let mut found = Vec::new();
    for (&writer, &position) in &since {
        let is_seen = |read: &ExternalRead| isolation == Isolation::ReadAtomic || position < read.position;
        let written = &transactions.all[writer];
        if written.writes.len() < own.len() {
            for (key, _) in &written.writes {
                let from = by_key.partition_point(|read| read.key < *key);
                let of_key = by_key[from..].iter().take_while(|read| read.key == *key);
                found.extend(of_key.filter(|read| is_seen(read)).map(|read| (writer, *read)));
            }
        } else {
            let reads = own
                .iter()
                .filter(|read| is_seen(read) && written.written(read.key).is_some());
            found.extend(reads.map(|read| (writer, read)));
        }
    }
    found
}

/// The last writer of each key in each session.
#[derive(Default)]
struct SessionWrites {
    last: FxHashMap<(u32, Id), usize>,
}

impl SessionWrites {
    /// The last of the session's earlier transactions that wrote a key. Session order has the earlier ones before it,
    /// so the demand on it implies that on all.
    fn last_writer(&self, transactions: &Transactions, reader: usize, key: Id) -> Option<usize> {
        self.last.get(&(transactions.all[reader].session, key)).copied()
    }

    fn pass(&mut self, transactions: &Transactions, one: usize) {
        let transaction = &transactions.all[one];
        if transaction.fate == Fate::Committed {
            for (key, _) in &transaction.writes {
                self.last.insert((transaction.session, *key), one);
            }
        }
    }
}
