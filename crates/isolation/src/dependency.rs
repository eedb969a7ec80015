//! The direct serialization graph: who depends on whom, and by what.

use omnilink_history::order_graph::{EdgeReason, OrderEdge};
use omnilink_sorting::sort_by_key;
use omnilink_trace::Time;
use rustc_hash::FxHashMap;

use crate::reads_from::{ReadsFrom, Writer};
use crate::transaction::{Fate, Id, NIL, Transactions};

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
    /// Of an anti-dependency, the version that was read, and whether a range did not show the key.
    pub read: Option<(Id, bool)>,
}

impl Dependency {
    pub fn is_by_predicate(&self) -> bool {
        self.read.is_some_and(|(_, is_absent)| is_absent)
    }

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

/// A read whose writer is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownRead {
    pub reader: usize,
    pub key: Id,
    pub writer: Writer,
    /// Whether it is of a key that a range did not show.
    pub is_absent: bool,
}

/// The graph for one order of versions.
#[derive(Debug)]
pub(crate) struct Dependencies {
    /// The edges that leave each transaction.
    pub out: Vec<Vec<Dependency>>,
    /// The writers of each key, in the order of versions.
    pub versions: Vec<Vec<usize>>,
    pub reads: Vec<KnownRead>,
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
        };
        for read in &reads.reads {
            let reader = &transactions.all[read.reader];
            if let ([writer], false) = (&read.writers[..], reader.is_after_own(read.position)) {
                graph.reads.push(KnownRead {
                    reader: read.reader,
                    key: read.key,
                    writer: *writer,
                    is_absent: reader.is_absent(read.position),
                });
            }
        }
        graph.add_versions();
        graph.add_reads(transactions);
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
            read: None,
        };
        self.add_edge(edge);
    }

    fn add_edge(&mut self, edge: Dependency) {
        let has_it = |other: &Dependency| {
            (other.to, other.kind, other.key, other.is_by_predicate())
                == (edge.to, edge.kind, edge.key, edge.is_by_predicate())
        };
        if edge.from != edge.to && !self.out[edge.from].iter().any(has_it) {
            self.out[edge.from].push(edge);
        }
    }

    fn add_anti_dependency(&mut self, (from, to): (usize, usize), key: Id, (version, is_absent): (Id, bool)) {
        self.add_edge(Dependency {
            from,
            to,
            kind: DependencyKind::Rw,
            key,
            read: Some((version, is_absent)),
        });
    }

    fn add_versions(&mut self) {
        for key in 0..self.versions.len() {
            for at in 1..self.versions[key].len() {
                let (first, second) = (self.versions[key][at - 1], self.versions[key][at]);
                self.add(first, second, DependencyKind::Ww, key as Id);
            }
        }
    }

    fn add_reads(&mut self, transactions: &Transactions) {
        let mut place: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for (key, writers) in self.versions.iter().enumerate() {
            place.extend(
                writers
                    .iter()
                    .enumerate()
                    .map(|(at, writer)| ((key, *writer), at)),
            );
        }
        for read in self.reads.clone() {
            let KnownRead {
                reader, key, writer, ..
            } = read;
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
                let version = writer.and_then(|writer| transactions.all[writer].written(key));
                self.add_anti_dependency((reader, next), key, (version.unwrap_or(NIL), read.is_absent));
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
                    self.add_anti_dependency((reader, writer), *key, (*value, false));
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
        sort_by_key(&mut starts, |(_, timebox)| timebox.start);
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
