//! Versions of keys in chains, where it is known who read from whom.
//!
//! A transaction that reads a key and then writes it leaves the version right after the one that it read. If another writer came
//! between the two, the transaction would have read what that one overwrote, which puts it first, and would have written over it,
//! which puts it last: a cycle at both levels that use this. So the versions of a key fall into *chains*, whose inner order is known, and in
//! every order of versions each chain is in one piece. The chain of the beginning comes first. What is left open is the order of
//! the other chains: their first versions were written without reading the key.
//!
//! With an order of versions for every key, transactions are serializable if the order of sessions, of reads (`a` wrote what `b`
//! read), of versions, and of overwritten reads (`a` read what `b` wrote over) have no cycle together. For snapshot
//! isolation, beginnings and commits are different nodes: the first three lead from a commit to a beginning, the last
//! from a beginning to a commit. A cycle there is one of `(sessions ∪ reads ∪ versions) ; overwritten-reads?`, which is how Cerone
//! and Gotsman characterise it. In both it is enough to order each version with the next one and its readers with the next
//! one: all others follow.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::reads_from::ReadsFrom;
use super::transaction::{Id, NIL, Transactions};
use crate::order_graph::{EdgeReason, Graph, Node, OrderEdge};

/// A chain of versions that the history does not place among the others of its key.
#[derive(Clone, Copy, Debug)]
pub(super) struct VersionChain {
    pub key: Id,
    /// Who wrote its first and its last version.
    pub head: usize,
    pub last: usize,
    /// A node after all who read the last version without writing the key; `None` if there are none.
    pub end: Option<Node>,
}

impl VersionChain {
    /// The edges that say that this chain comes before `other`.
    pub fn edges_before(&self, other: &Self, graph: &Graph) -> SmallVec<[(Node, Node); 2]> {
        let versions = (graph.commit(self.last), graph.begin(other.head));
        let reads = self.end.map(|end| (end, graph.commit(other.head)));
        std::iter::once(versions).chain(reads).collect()
    }
}

/// A version: what a transaction left in a key, or the beginning.
type Version = usize;

struct Versions<'a> {
    transactions: &'a Transactions,
    /// Where the versions of each transaction begin; those of the beginning come last, by key.
    offset: Vec<usize>,
    writer: Vec<Option<usize>>,
    next: Vec<Option<Version>>,
    previous: Vec<Option<Version>>,
    /// Who read each version and does not write its key.
    readers: Vec<SmallVec<[u32; 2]>>,
}

/// Adds to the graph all that is known about versions. Answers, for each key for which there is more than one, the chains whose
/// order is open.
///
/// # Errors
/// A cycle, if two versions would have to be next to the same one.
pub(super) fn add(
    graph: &mut Graph,
    transactions: &Transactions,
    reads: &ReadsFrom,
) -> Result<Vec<Vec<VersionChain>>, Vec<OrderEdge>> {
    let mut versions = Versions::new(transactions, reads);
    versions.link_reads(reads)?;
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
        let beginning = first_of_keys + key;
        versions.add_overwritten_reads(graph, beginning, key as Id);
        if chains.is_empty() {
            continue;
        }
        // The chain of the beginning comes before all others.
        let (last, end) = versions.end(graph, beginning, key as Id);
        for chain in chains {
            if let Some(last) = last {
                graph.add(
                    graph.commit(last),
                    graph.begin(chain.head),
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

    fn link_reads(&mut self, reads: &ReadsFrom) -> Result<(), Vec<OrderEdge>> {
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
                        graph.begin(second),
                        EdgeReason::WroteOver(key),
                    );
                }
                self.link(previous, next, key, EdgeReason::WroteOver(key))?;
            }
        }
        Ok(())
    }

    /// One version directly after another. If two versions claim the same place, each would have to be before the other.
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

    /// A transaction read two versions of one key: the writers would have to be each before the other.
    fn both_seen(&self, reader: usize, key: Id, first: Version, second: Version) -> Vec<OrderEdge> {
        let reader = reader as u32;
        self.opposed(first, second, EdgeReason::SeenBy { reader, key })
    }

    /// Who read a version comes before who wrote the next one.
    fn add_overwritten_reads(&self, graph: &mut Graph, version: Version, key: Id) {
        if let Some(next) = self.next[version].and_then(|next| self.writer[next]) {
            for reader in &self.readers[version] {
                graph.add(
                    graph.begin(*reader as usize),
                    graph.commit(next),
                    EdgeReason::ReadBefore(key),
                );
            }
        }
    }

    /// The last version of the chain that begins with a version: who wrote it, and a node after all who read it.
    fn end(&self, graph: &mut Graph, head: Version, key: Id) -> (Option<usize>, Option<Node>) {
        let mut last = head;
        while let Some(next) = self.next[last] {
            last = next;
        }
        let readers = &self.readers[last];
        let end = (!readers.is_empty()).then(|| graph.auxiliary());
        for (reader, end) in readers.iter().zip(end.iter().cycle()) {
            graph.add(graph.begin(*reader as usize), *end, EdgeReason::ReadBefore(key));
        }
        (self.writer[last], end)
    }
}
