//! What the levels' axioms make of who read from whom, before any search.

use super::Isolation;
use super::graph::{Edge, Graph, Why};
use super::reads_from::{Assignment, Assignments, ExternalRead};
use super::transaction::{Fate, Transactions};

/// What a graph knows about the serial order.
#[derive(Debug)]
pub(super) enum Order {
    /// There is none.
    Cycle(Vec<Edge>),
    /// This is one.
    Total(Vec<usize>),
    /// Each transaction comes after these, and more is not known.
    Partial(Vec<Vec<usize>>),
}

/// The reads that took effect, with the node that each read from.
fn effective<'a>(
    reads: &'a Assignments,
    assignment: &'a Assignment,
    beginning: usize,
) -> impl Iterator<Item = (&'a ExternalRead, usize)> {
    let is_present = |read: &ExternalRead| assignment.present.contains(&read.reader);
    let assigned = reads.reads.iter().zip(&assignment.writers);
    assigned
        .filter(move |(read, _)| is_present(read))
        .map(move |(read, writer)| (read, writer.unwrap_or(beginning)))
}

/// The order of sessions, of real time if asked for, and of who read from whom.
fn base(transactions: &Transactions, reads: &Assignments, assignment: &Assignment, is_strict: bool) -> Graph {
    let all = &transactions.all;
    let mut graph = Graph::new(all.len());
    let beginning = graph.beginning();
    for (position, &second) in assignment.present.iter().enumerate() {
        graph.add(beginning, second, Why::Beginning);
        let earlier = &assignment.present[..position];
        let previous = earlier.iter().rev().find(|first| {
            all[**first].session == all[second].session && all[**first].fate == Fate::Committed
        });
        if let Some(&first) = previous {
            graph.add(first, second, Why::Session);
        }
        if is_strict {
            for &first in &assignment.present {
                if let (Some(a), Some(b)) = (all[first].timebox, all[second].timebox)
                    && a.precedes(&b)
                {
                    graph.add(first, second, Why::RealTime);
                }
            }
        }
    }
    for (read, writer) in effective(reads, assignment, beginning) {
        graph.add(writer, read.reader, Why::ReadFrom(read.key));
    }
    graph
}

/// The graph of read committed or read atomic: who a reader saw was committed before whom it read from.
pub(super) fn visible_writers(
    transactions: &Transactions,
    reads: &Assignments,
    assignment: &Assignment,
    isolation: Isolation,
) -> Graph {
    let all = &transactions.all;
    let mut graph = base(transactions, reads, assignment, false);
    let beginning = graph.beginning();
    let known: Vec<(&ExternalRead, usize)> = effective(reads, assignment, beginning).collect();
    let mut by_reader: Vec<Vec<(&ExternalRead, usize)>> = vec![Vec::new(); all.len()];
    for (read, writer) in &known {
        by_reader[read.reader].push((read, *writer));
    }
    for &reader in &assignment.present {
        for (read, writer) in &by_reader[reader] {
            let mut seen: Vec<usize> = by_reader[reader]
                .iter()
                .filter(|(other, _)| isolation == Isolation::ReadAtomic || other.position < read.position)
                .map(|(_, writer)| *writer)
                .collect();
            if isolation == Isolation::ReadAtomic {
                let in_session = |first: &usize| {
                    *first < reader
                        && all[*first].session == all[reader].session
                        && all[*first].fate == Fate::Committed
                };
                seen.extend(assignment.present.iter().copied().filter(in_session));
            }
            for other in seen {
                let wrote = all.get(other).is_some_and(|one| one.written(read.key).is_some());
                if other != *writer && wrote {
                    graph.add(
                        other,
                        *writer,
                        Why::SeenBy {
                            reader,
                            key: read.key,
                        },
                    );
                }
            }
        }
    }
    graph
}

/// The writers of `key` among those that took effect.
fn writers_of(transactions: &Transactions, assignment: &Assignment, key: u32) -> Vec<usize> {
    let wrote = |one: &usize| transactions.all[*one].written(key).is_some();
    assignment.present.iter().copied().filter(wrote).collect()
}

/// What serializability demands: a reader comes before whoever writes after the one it read from.
///
/// If `t3` reads a key from `t1`, every other writer of the key comes before `t1` or after `t3`. Where one of the two is
/// ruled out by what is known, the other is known too; this is repeated until nothing changes. If in the end the
/// place of every other writer is known, every order that follows the graph is serial.
pub(super) fn serial(
    transactions: &Transactions,
    reads: &Assignments,
    assignment: &Assignment,
    is_strict: bool,
) -> Order {
    let mut graph = base(transactions, reads, assignment, is_strict);
    let beginning = graph.beginning();
    let known: Vec<(&ExternalRead, usize)> = effective(reads, assignment, beginning).collect();
    loop {
        if let Some(cycle) = graph.cycle() {
            return Order::Cycle(cycle);
        }
        let reach = graph.reach();
        let (mut is_stable, mut is_resolved) = (true, true);
        for (read, writer) in &known {
            for other in writers_of(transactions, assignment, read.key) {
                if other == *writer || other == read.reader {
                    continue;
                }
                let is_before = reach.has(other, *writer);
                let is_after = reach.has(read.reader, other);
                if is_before || is_after {
                    continue;
                }
                if reach.has(other, read.reader) {
                    graph.add(
                        other,
                        *writer,
                        Why::SeenBy {
                            reader: read.reader,
                            key: read.key,
                        },
                    );
                    is_stable = false;
                } else if reach.has(*writer, other) {
                    graph.add(read.reader, other, Why::ReadBefore(read.key));
                    is_stable = false;
                } else {
                    is_resolved = false;
                }
            }
        }
        if !is_stable {
            continue;
        }
        if is_resolved {
            return Order::Total(graph.topological(&assignment.present));
        }
        let before = |second: usize| {
            (0..transactions.all.len())
                .filter(|first| *first != second && reach.has(*first, second))
                .collect()
        };
        return Order::Partial((0..transactions.all.len()).map(before).collect());
    }
}

/// The graph of snapshot isolation, if the history determines the order of versions: every key has at most one writer,
/// or all its writers read it first, each from another.
///
/// With `D` = sessions, reads-from and versions, and `RW` = "read before the next version", snapshot isolation holds if
/// and only if `D ∪ D;RW` has no cycle.
pub(super) fn snapshot_by_versions(
    transactions: &Transactions,
    reads: &Assignments,
    assignment: &Assignment,
) -> Option<Graph> {
    let mut graph = base(transactions, reads, assignment, false);
    let beginning = graph.beginning();
    let known: Vec<(&ExternalRead, usize)> = effective(reads, assignment, beginning).collect();
    let mut next_version = Vec::new();
    for key in 0..transactions.key_count() as u32 {
        let writers = writers_of(transactions, assignment, key);
        let mut replaced = Vec::new();
        for &writer in &writers {
            let found = known
                .iter()
                .find(|(read, _)| read.reader == writer && read.key == key);
            let previous = match found {
                Some((_, previous)) => *previous,
                None if writers.len() == 1 => beginning,
                None => return None,
            };
            if replaced.contains(&previous) {
                return None;
            }
            replaced.push(previous);
            next_version.push((key, previous, writer));
        }
    }
    for (key, previous, writer) in &next_version {
        graph.add(*previous, *writer, Why::WroteOver(*key));
    }
    let mut anti = Vec::new();
    for (read, writer) in &known {
        for (key, previous, next) in &next_version {
            if *key == read.key && previous == writer && *next != read.reader {
                anti.push((read.reader, *next, *key));
            }
        }
    }
    let known_before: Vec<(usize, usize)> = graph.edges().map(|edge| (edge.from, edge.to)).collect();
    for (first, reader) in known_before {
        for (_, next, key) in anti.iter().filter(|(from, _, _)| *from == reader) {
            graph.add(first, *next, Why::SnapshotBefore(*key));
        }
    }
    Some(graph)
}
