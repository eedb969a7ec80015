//! The direct serialization graph: who depends on whom, and by what.

use omnilink_history::order_graph::{EdgeReason, OrderEdge};
use omnilink_trace::Time;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::reads_from::{ReadsFrom, Writer};
use crate::transaction::{Fate, Id, Transactions};

/// Why a transaction depends on another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DependencyKind {
    /// Version order.
    Ww,
    /// Reads-from.
    Wr,
    /// Anti-dependency.
    Rw,
    /// Session order.
    Session,
    /// Real time.
    RealTime,
}

impl DependencyKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Ww => "ww",
            Self::Wr => "wr",
            Self::Rw => "rw",
            Self::Session => "session",
            Self::RealTime => "realtime",
        }
    }
}

/// An edge: the second transaction depends on the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub from: usize,
    pub to: usize,
    pub kind: DependencyKind,
    /// The key, where there is one.
    pub key: Id,
    /// Whether the key was missed by a read of a range.
    pub by_predicate: bool,
}

impl Dependency {
    /// The same for a check of single edges.
    pub fn edge(&self) -> OrderEdge {
        OrderEdge {
            from: Some(self.from),
            to: Some(self.to),
            reason: match self.kind {
                DependencyKind::Ww => EdgeReason::WroteOver(self.key),
                DependencyKind::Wr => EdgeReason::ReadFrom(self.key),
                DependencyKind::Rw => EdgeReason::ReadBefore(self.key),
                DependencyKind::Session => EdgeReason::Session,
                DependencyKind::RealTime => EdgeReason::RealTime,
            },
        }
    }
}

/// The graph for one order of versions.
#[derive(Debug)]
pub(crate) struct Dependencies {
    /// The edges that leave each transaction.
    pub out: Vec<Vec<Dependency>>,
    /// The writers of each key, in the order of versions.
    pub versions: Vec<Vec<usize>>,
    /// Reads: reader, key, writer.
    pub reads: Vec<(usize, Id, Writer)>,
    /// Readers with keys that ranges did not show them.
    absences: FxHashSet<(usize, Id)>,
}

/// Up to this many transactions, real time is a relation between all pairs.
const PAIRS_MAX: usize = 64;

impl Dependencies {
    /// The graph in which versions are in this order.
    pub fn new(transactions: &Transactions, reads: &ReadsFrom, versions: Vec<Vec<usize>>) -> Self {
        let mut graph = Self {
            out: vec![Vec::new(); transactions.all.len()],
            versions,
            reads: Vec::new(),
            absences: transactions.marks.absences.clone(),
        };
        for read in &reads.reads {
            let is_own = transactions.all[read.reader].after_own.contains(&read.position);
            if let ([writer], false) = (&read.writers[..], is_own) {
                graph.reads.push((read.reader, read.key, *writer));
            }
        }
        graph.add_versions();
        graph.add_reads();
        graph.add_overtaken(transactions, reads);
        graph.add_sessions(transactions, reads);
        graph.add_real_time(transactions, reads);
        graph
    }

    fn add(&mut self, from: usize, to: usize, kind: DependencyKind, key: Id) {
        let edge = Dependency {
            from,
            to,
            kind,
            key,
            by_predicate: kind == DependencyKind::Rw && self.absences.contains(&(from, key)),
        };
        if from != to && !self.out[from].contains(&edge) {
            self.out[from].push(edge);
        }
    }

    fn add_versions(&mut self) {
        for key in 0..self.versions.len() {
            for at in 1..self.versions[key].len() {
                let (first, second) = (self.versions[key][at - 1], self.versions[key][at]);
                self.add(first, second, DependencyKind::Ww, key as Id);
            }
        }
    }

    fn add_reads(&mut self) {
        let mut place: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for (key, writers) in self.versions.iter().enumerate() {
            place.extend(
                writers
                    .iter()
                    .enumerate()
                    .map(|(at, writer)| ((key, *writer), at)),
            );
        }
        for (reader, key, writer) in self.reads.clone() {
            let next = match writer {
                Some(writer) => {
                    self.add(writer, reader, DependencyKind::Wr, key);
                    place.get(&(key as usize, writer)).map(|at| at + 1)
                }
                None => Some(0),
            };
            let next = next
                .and_then(|next| self.versions[key as usize].get(next))
                .copied();
            if let Some(next) = next {
                self.add(reader, next, DependencyKind::Rw, key);
            }
        }
    }

    /// Who read a list up to an element of a transaction that aborted read it before the next element was appended.
    fn add_overtaken(&mut self, transactions: &Transactions, reads: &ReadsFrom) {
        if transactions.overtaken.is_empty() {
            return;
        }
        let mut next: FxHashMap<(Id, Id), Id> = FxHashMap::default();
        next.extend({ transactions.overtaken.iter() }.map(|one| ((one.key, one.previous), one.value)));
        for &reader in &reads.included {
            for (key, value) in &transactions.all[reader].reads {
                let follower = next.get(&(*key, *value));
                let is_it = |writer: &&usize| transactions.all[**writer].written(*key).as_ref() == follower;
                let writer = follower.and_then(|_| self.versions[*key as usize].iter().find(is_it));
                if let Some(writer) = writer.copied() {
                    self.add(reader, writer, DependencyKind::Rw, *key);
                }
            }
        }
    }

    fn add_sessions(&mut self, transactions: &Transactions, reads: &ReadsFrom) {
        let mut last: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for &one in &reads.included {
            let earlier = last.entry(transactions.all[one].session).or_default();
            let kept = if transactions.all.len() <= PAIRS_MAX {
                PAIRS_MAX
            } else {
                1
            };
            let from = earlier.len().saturating_sub(kept);
            for first in &earlier[from..] {
                self.add(*first, one, DependencyKind::Session, 0);
            }
            if transactions.all[one].fate == Fate::Committed {
                earlier.push(one);
            }
        }
    }

    /// Real time: all pairs of a few transactions, and of many only those with none between.
    fn add_real_time(&mut self, transactions: &Transactions, reads: &ReadsFrom) {
        let is_small = transactions.all.len() <= PAIRS_MAX;
        let boxed = |one: &usize| transactions.all[*one].timebox.map(|timebox| (*one, timebox));
        let mut starts: Vec<(usize, omnilink_trace::Timebox)> =
            reads.included.iter().filter_map(boxed).collect();
        starts.sort_by_key(|(_, timebox)| timebox.start);
        // The earliest end among this one and those that start later.
        let mut earliest: Vec<Time> = vec![Time::MAX; starts.len() + 1];
        for at in (0..starts.len()).rev() {
            earliest[at] = earliest[at + 1].min(starts[at].1.end.unwrap_or(Time::MAX));
        }
        for (first, timebox) in &starts {
            let Some(end) = timebox.end else { continue };
            let from = starts.partition_point(|(_, other)| other.start <= end);
            for (second, other) in &starts[from..] {
                // What starts after another one of these ended is after that one.
                if !is_small && other.start > earliest[from] {
                    break;
                }
                self.add(*first, *second, DependencyKind::RealTime, 0);
            }
        }
    }
}
