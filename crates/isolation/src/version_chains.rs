//! Version chains: parts of the version order that reads determine.
//!
//! A transaction that reads a key and then writes it (a read-modify-write) leaves the version right after the one
//! that it read. If another writer came between the two, the transaction would have an anti-dependency (`rw`) to that
//! writer, and that writer a write dependency (`ww`) to the transaction: a cycle at both levels that use this. So the
//! versions of a key form *chains*, whose inner order is known, and every version order has each chain in one piece.
//! The chain of the initial version comes first. Open is the order of the other chains: their first versions were
//! written without reading the key.
//!
//! Prefix consistency allows that cycle (it has no reads-from before the anti-dependency), so there every version is a chain of its own,
//! except where lists show what follows it.
//!
//! With a version order for every key, transactions are serializable if session order, reads-from (`wr`), version
//! order (`ww`) and anti-dependencies (`rw`) have no cycle together. For snapshot isolation, begins and commits are
//! different nodes: the first three lead from a commit to a begin, the last from a begin to a commit. A cycle there
//! is one of `(so ∪ wr ∪ ww) ; rw?`, as Cerone and Gotsman characterise it. The other levels differ in how edges are
//! attached ([`Wiring`](omnilink_history::order_graph::Wiring)). In all cases it is enough to order each version and its readers
//! with the next version: the other edges follow.

use omnilink_history::order_graph::{EdgeReason, Graph, GraphNode, OrderEdge};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::level::IsolationFamily;
use crate::reads_from::ReadsFrom;
use crate::transaction::{Id, NIL, Transactions};

/// A chain whose position among the other chains of its key is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionChain {
    pub key: Id,
    /// The writers of its first and its last version.
    pub head: usize,
    pub last: usize,
    /// A node after all transactions that read the last version without writing the key; `None` if there are none.
    pub end: Option<GraphNode>,
}

impl VersionChain {
    /// The edges that put this chain before `other`.
    pub fn edges_before(&self, other: &Self, graph: &Graph) -> SmallVec<[(GraphNode, GraphNode); 2]> {
        let versions = (graph.commit(self.last), graph.writing(other.head));
        let reads = self.end.map(|end| (end, graph.commit(other.head)));
        std::iter::once(versions).chain(reads).collect()
    }
}

/// A version: a transaction's last write of a key, or the initial value.
type Version = usize;

struct Versions<'a> {
    transactions: &'a Transactions,
    /// The first version of each transaction; the initial versions come last, by key.
    offset: Vec<usize>,
    writer: Vec<Option<usize>>,
    next: Vec<Option<Version>>,
    previous: Vec<Option<Version>>,
    /// The transactions that read each version and do not write the next one.
    readers: Vec<SmallVec<[u32; 2]>>,
}

/// Adds the determined part of the version order to the graph. Returns, for each key with several, the chains whose
/// order is open.
///
/// # Errors
/// A cycle, if two versions would have to be adjacent to the same one.
pub(crate) fn add(
    graph: &mut Graph,
    transactions: &Transactions,
    reads: &ReadsFrom,
    family: IsolationFamily,
) -> Result<Vec<Vec<VersionChain>>, Vec<OrderEdge>> {
    let mut versions = Versions::new(transactions, reads);
    versions.link_reads(reads, family != IsolationFamily::Prefix)?;
    versions.link_successions(graph)?;
    let mut open: Vec<Vec<VersionChain>> = vec![Vec::new(); transactions.key_count()];
    let first_of_keys = versions.writer.len() - transactions.key_count();
    for &one in &reads.included {
        for (at, (key, _)) in transactions.all[one].writes.iter().enumerate() {
            let version = versions.offset[one] + at;
            versions.add_overwritten_reads(graph, version, *key);
            if versions.previous[version].is_none() {
                let (last, end) = versions.end(graph, version, *key);
                open[*key as usize].push(VersionChain {
                    key: *key,
                    head: one,
                    last: last.unwrap_or(one),
                    end,
                });
            }
        }
    }
    for (key, chains) in open.iter().enumerate() {
        let initial = first_of_keys + key;
        versions.add_overwritten_reads(graph, initial, key as Id);
        if chains.is_empty() {
            continue;
        }
        // The chain of the initial version comes before all others.
        let (last, end) = versions.end(graph, initial, key as Id);
        for chain in chains {
            if let Some(last) = last {
                graph.add(
                    graph.commit(last),
                    graph.writing(chain.head),
                    EdgeReason::WroteOver(key as Id),
                );
            }
            if let Some(end) = end {
                graph.add(end, graph.commit(chain.head), EdgeReason::ReadBefore(key as Id));
            }
        }
    }
    open.retain(|chains| chains.len() > 1);
    Ok(open)
}

impl<'a> Versions<'a> {
    fn new(transactions: &'a Transactions, reads: &ReadsFrom) -> Self {
        let mut offset = vec![0; transactions.all.len()];
        let mut writer = Vec::new();
        for &one in &reads.included {
            offset[one] = writer.len();
            writer.extend(transactions.all[one].writes.iter().map(|_| Some(one)));
        }
        writer.extend((0..transactions.key_count()).map(|_| None));
        Self {
            transactions,
            offset,
            next: vec![None; writer.len()],
            previous: vec![None; writer.len()],
            readers: vec![SmallVec::new(); writer.len()],
            writer,
        }
    }

    fn version(&self, writer: Option<usize>, key: Id) -> Option<Version> {
        let Some(writer) = writer else {
            return Some(self.writer.len() - self.transactions.key_count() + key as usize);
        };
        let writes = &self.transactions.all[writer].writes;
        let at = writes.binary_search_by_key(&key, |(written, _)| *written).ok()?;
        Some(self.offset[writer] + at)
    }

    /// Links reads with the versions they read, and with those that they were overwritten by if no update may be lost.
    fn link_reads(&mut self, reads: &ReadsFrom, keeps_updates: bool) -> Result<(), Vec<OrderEdge>> {
        let mut done: SmallVec<[(Id, Version); 8]> = SmallVec::new();
        let mut at = 0;
        while let Some(first) = reads.reads.get(at) {
            let reader = first.reader;
            let own = reads.of(reader);
            at += own.len();
            done.clear();
            for read in own {
                if let Some(version) = self.version(read.writers[0], read.key) {
                    done.push((read.key, version));
                }
            }
            done.sort_unstable();
            done.dedup();
            if let Some(pair) = done.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(self.both_seen(reader, pair[0].0, pair[0].1, pair[1].1));
            }
            for (key, version) in &done {
                match self.version(Some(reader), *key) {
                    None => self.readers[*version].push(reader as u32),
                    Some(_) if !keeps_updates => self.readers[*version].push(reader as u32),
                    Some(next) => self.link(*version, next, *key, EdgeReason::ReadBefore(*key))?,
                }
            }
        }
        Ok(())
    }

    fn link_successions(&mut self, graph: &mut Graph) -> Result<(), Vec<OrderEdge>> {
        if self.transactions.successions.is_empty() {
            return Ok(());
        }
        let mut by_value: FxHashMap<(Id, Id), Version> = FxHashMap::default();
        for (version, writer) in self.writer.iter().enumerate() {
            if let Some(writer) = writer {
                let write = self.transactions.all[*writer].writes[version - self.offset[*writer]];
                by_value.insert(write, version);
            }
        }
        for succession in &self.transactions.successions {
            let key = succession.key;
            let previous = match succession.previous {
                NIL => self.version(None, key),
                value => by_value.get(&(key, value)).copied(),
            };
            let next = by_value.get(&(key, succession.value)).copied();
            if let (Some(previous), Some(next)) = (previous, next) {
                if let (Some(first), Some(second)) = (self.writer[previous], self.writer[next]) {
                    graph.add(
                        graph.commit(first),
                        graph.writing(second),
                        EdgeReason::WroteOver(key),
                    );
                }
                self.link(previous, next, key, EdgeReason::WroteOver(key))?;
            }
        }
        Ok(())
    }

    /// One version directly after another. If two versions have the same predecessor or successor, each would have to
    /// be before the other.
    fn link(
        &mut self,
        version: Version,
        next: Version,
        key: Id,
        reason: EdgeReason,
    ) -> Result<(), Vec<OrderEdge>> {
        let rival = self.next[version].filter(|other| *other != next);
        if let Some(rival) = rival {
            return Err(self.opposed(rival, next, reason));
        }
        let rival = self.previous[next].filter(|other| *other != version);
        if let Some(rival) = rival {
            return Err(self.opposed(rival, version, EdgeReason::WroteOver(key)));
        }
        self.next[version] = Some(next);
        self.previous[next] = Some(version);
        Ok(())
    }

    fn opposed(&self, first: Version, second: Version, reason: EdgeReason) -> Vec<OrderEdge> {
        let step = |from: Version, to: Version| OrderEdge {
            from: self.writer[from],
            to: self.writer[to],
            reason,
        };
        vec![step(first, second), step(second, first)]
    }

    /// A transaction read two versions of one key: each writer would have to be before the other.
    fn both_seen(&self, reader: usize, key: Id, first: Version, second: Version) -> Vec<OrderEdge> {
        let reader = reader as u32;
        self.opposed(first, second, EdgeReason::SeenBy { reader, key })
    }

    /// Anti-dependencies: the readers of a version come before the writer of the next one.
    fn add_overwritten_reads(&self, graph: &mut Graph, version: Version, key: Id) {
        if let Some(next) = self.next[version].and_then(|next| self.writer[next]) {
            for reader in self.readers[version]
                .iter()
                .filter(|reader| **reader as usize != next)
            {
                graph.add(
                    graph.reading(*reader as usize),
                    graph.commit(next),
                    EdgeReason::ReadBefore(key),
                );
            }
        }
    }

    /// The end of the chain that starts with a version: the writer of its last version, and a node after all readers
    /// of that.
    fn end(&self, graph: &mut Graph, head: Version, key: Id) -> (Option<usize>, Option<GraphNode>) {
        let mut last = head;
        while let Some(next) = self.next[last] {
            last = next;
        }
        let readers = &self.readers[last];
        let end = (!readers.is_empty()).then(|| graph.auxiliary());
        for (reader, end) in readers.iter().zip(end.iter().cycle()) {
            graph.add(graph.reading(*reader as usize), *end, EdgeReason::ReadBefore(key));
        }
        (self.writer[last], end)
    }
}
