//! Levels that say which transactions a reader must have seen, where reads-from is determined: a graph decides.
//!
//! The axiom of all of them: if a reader of a key must have seen a writer of it, and read the key from another one, then the
//! first is committed before the other. The levels differ in who must have been seen:
//!
//! | family | must have been seen by `t` |
//! |---|---|
//! | read uncommitted, read committed | nobody |
//! | monotonic atomic view | from whom `t` read before |
//! | read atomic | from whom `t` read, and what precedes it in its scope (`so`) |
//! | read your writes | `so` |
//! | monotonic reads | `wr;so` |
//! | monotonic writes | `so;wr` |
//! | writes follow reads | `wr;so?;wr` |
//! | PRAM | `so?;wr;so? ∪ so` |
//! | causal | `(so ∪ wr)⁺` |
//!
//! The order of commits contains scope order, reads-from (not for read uncommitted) and what lists show of the version order. Every
//! demand is an edge, so there is such an order exactly if the graph has no cycle.

use omnilink_history::Budget;
use omnilink_history::order_graph::{EdgeReason, Graph, OrderEdge, Wiring};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::base_order;
use crate::chains::{ChainWriters, Chains, Clocks, Reach};
use crate::level::{Isolation, IsolationFamily, IsolationScope};
use crate::reads_from::{ExternalRead, ReadsFrom};
use crate::real_time::EndedWriters;
use crate::transaction::{Id, Succession, Transactions};

/// How many chains have clocks at a time.
const CLOCKS_WIDTH: usize = 64;

/// The graph of a level.
///
/// # Errors
/// A cycle, if a transaction would have to come before the initial state, or before what it read from.
pub(crate) fn graph(
    transactions: &Transactions,
    reads: &ReadsFrom,
    isolation: Isolation,
    budget: &mut Budget,
) -> Result<Graph, Vec<OrderEdge>> {
    let mut graph = base(transactions, reads, isolation);
    let mut edges: Vec<(usize, usize, EdgeReason)> = Vec::new();
    for_each_demand(transactions, reads, isolation, budget, &mut |seen, read| {
        let reason = EdgeReason::SeenBy {
            reader: read.reader as u32,
            key: read.key,
        };
        match read.writers[0] {
            Some(writer) => edges.push((seen, writer, reason)),
            None => {
                let step = |from, to, reason| OrderEdge { from, to, reason };
                return Err(vec![
                    step(Some(seen), None, reason),
                    step(None, Some(seen), EdgeReason::Beginning),
                ]);
            }
        }
        Ok(())
    })?;
    for (first, second, reason) in edges {
        graph.add(graph.commit(first), graph.commit(second), reason);
    }
    add_versions(&mut graph, transactions, reads);
    Ok(graph)
}

/// IsolationScope order and reads-from.
fn base(transactions: &Transactions, reads: &ReadsFrom, isolation: Isolation) -> Graph {
    let mut graph = Graph::new(transactions.all.len(), Wiring::Serial);
    base_order::scope(&mut graph, transactions, reads, isolation.scope());
    if isolation.family() > IsolationFamily::ReadUncommitted {
        base_order::known_reads(&mut graph, reads);
    }
    graph
}

/// Calls `demand` for reads with writers of their key that must be committed before the one that was read from. Demands
/// that follow from others and from the order of the scope may be left out.
///
/// # Errors
/// That of `demand`, or a cycle of scope order and reads-from.
pub(crate) fn for_each_demand(
    transactions: &Transactions,
    reads: &ReadsFrom,
    isolation: Isolation,
    budget: &mut Budget,
    demand: &mut dyn FnMut(usize, &ExternalRead) -> Demanded,
) -> Demanded {
    let mut demands = Demands {
        transactions,
        reads,
        budget,
        demand,
    };
    match isolation.family() {
        IsolationFamily::ReadUncommitted
        | IsolationFamily::ReadCommitted
        | IsolationFamily::CursorStability => Ok(()),
        IsolationFamily::MonotonicAtomicView => demands.read_from(false),
        IsolationFamily::ReadAtomic => {
            demands.read_from(true)?;
            demands.scope(isolation.scope())
        }
        IsolationFamily::ReadYourWrites => demands.scope(IsolationScope::Session),
        IsolationFamily::MonotonicWrites => demands.chains(&mut |reads, chains, reader, seen| {
            let writers = reads.of(reader).iter().filter_map(|read| read.writers[0]);
            seen.extend(writers.map(|writer| chains.before(writer)));
        }),
        IsolationFamily::Pram => {
            let mut known: FxHashMap<u32, FxHashMap<u32, u32>> = FxHashMap::default();
            demands.chains(&mut |reads, chains, reader, seen| {
                let mut own = known
                    .get(&transactions.all[reader].session)
                    .cloned()
                    .unwrap_or_default();
                let writers = reads.of(reader).iter().filter_map(|read| read.writers[0]);
                let read = writers.flat_map(|writer| [chains.up_to(writer), chains.before(writer)]);
                for (chain, count) in read.chain([chains.before(reader)]) {
                    let known = own.entry(chain).or_default();
                    *known = (*known).max(count);
                }
                seen.extend(own.iter().map(|(chain, count)| (*chain, *count)));
                // The session did not wait for a transaction of unknown outcome.
                if transactions.is_committed(reader) {
                    known.insert(transactions.all[reader].session, own);
                }
            })
        }
        IsolationFamily::MonotonicReads => demands.session_reads(),
        IsolationFamily::WritesFollowReads => demands.followed_reads(),
        _ => demands.causal_past(&base(transactions, reads, isolation)),
    }
}

/// Where lists show the version order, commits follow it: each version after the one before, and versions in no list
/// after all others.
pub(crate) fn add_versions(graph: &mut Graph, transactions: &Transactions, reads: &ReadsFrom) {
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
                graph.writing(second),
                EdgeReason::WroteOver(*key),
            );
        }
        is_shown.insert((*key, *value));
        last.extend(writer.map(|writer| (*key, writer)));
    }
    for &one in &reads.included {
        for write in &transactions.all[one].writes {
            if let Some(last) = last.get(&write.0).filter(|_| !is_shown.contains(write)) {
                graph.add(
                    graph.commit(*last),
                    graph.writing(one),
                    EdgeReason::WroteOver(write.0),
                );
            }
        }
    }
}

/// Finds the demands of a level.
struct Demands<'a> {
    transactions: &'a Transactions,
    reads: &'a ReadsFrom,
    budget: &'a mut Budget,
    demand: &'a mut dyn FnMut(usize, &ExternalRead) -> Demanded,
}

/// Adds the parts of chains that a reader must have seen.
type SeenBy<'a> = dyn FnMut(&ReadsFrom, &Chains, usize, &mut Vec<Reach>) + 'a;

/// Nothing, or a cycle.
pub(crate) type Demanded = Result<(), Vec<OrderEdge>>;

impl Demands<'_> {
    /// The reader saw `seen`, which wrote the key of `read`: it comes before the writer that was read from.
    fn add(&mut self, seen: usize, read: &ExternalRead) -> Demanded {
        if read.writers[0] == Some(seen) {
            Ok(())
        } else {
            (self.demand)(seen, read)
        }
    }

    /// From whom a transaction read: at all, or before.
    fn read_from(&mut self, is_atomic: bool) -> Demanded {
        for &reader in &self.reads.included {
            let own = self.reads.of(reader);
            if self.budget.works(own.len() as u64) {
                return Ok(());
            }
            for (seen, read) in seen_writers(self.transactions, own, is_atomic) {
                self.add(seen, read)?;
            }
        }
        Ok(())
    }

    /// What precedes a transaction in its scope.
    fn scope(&mut self, scope: IsolationScope) -> Demanded {
        if scope >= IsolationScope::Session {
            self.chains(&mut |_, chains, reader, seen| seen.push(chains.before(reader)))?;
        }
        if scope >= IsolationScope::RealTime {
            let ended = EndedWriters::new(self.transactions, &self.reads.included);
            for read in &self.reads.reads {
                for seen in ended.between(self.transactions, read) {
                    if self.budget.work() {
                        return Ok(());
                    }
                    self.add(seen, read)?;
                }
            }
        }
        Ok(())
    }

    /// Parts of chains. Of each part only the last writer of a key is asked for: the others are before it anyway.
    fn chains(&mut self, seen_by: &mut SeenBy<'_>) -> Demanded {
        let chains = Chains::new(self.transactions, self.reads);
        let writers = ChainWriters::new(self.transactions, self.reads, &chains);
        let mut seen: Vec<Reach> = Vec::new();
        for &reader in &self.reads.included {
            seen.clear();
            seen_by(self.reads, &chains, reader, &mut seen);
            for read in self.reads.of(reader) {
                if self.budget.works(seen.len() as u64) {
                    return Ok(());
                }
                for reach in &seen {
                    let last = writers.last(read.key, *reach).filter(|last| *last != reader);
                    if let Some(last) = last {
                        self.add(last, read)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// From whom earlier transactions of the session read.
    ///
    /// After a read of a key from `w`, all that were seen before are before `w`, so that of them only `w` is remembered.
    fn session_reads(&mut self) -> Demanded {
        let mut seen: FxHashMap<(u32, Id), Vec<usize>> = FxHashMap::default();
        for &reader in &self.reads.included {
            let session = self.transactions.all[reader].session;
            let own = self.reads.of(reader);
            for read in own {
                let known = seen.get(&(session, read.key)).map_or(&[][..], Vec::as_slice);
                if self.budget.works(known.len() as u64) {
                    return Ok(());
                }
                for one in known.iter().copied() {
                    self.add(one, read)?;
                }
            }
            if !self.transactions.is_committed(reader) {
                continue;
            }
            for read in own {
                seen.remove(&(session, read.key));
            }
            let mut writers: Vec<usize> = own.iter().filter_map(|read| read.writers[0]).collect();
            writers.sort_unstable();
            writers.dedup();
            for writer in writers {
                for (key, _) in &self.transactions.all[writer].writes {
                    let known = seen.entry((session, *key)).or_default();
                    if !known.contains(&writer) {
                        known.push(writer);
                    }
                }
            }
        }
        Ok(())
    }

    /// From whom those from whom a transaction read had read, they or their sessions before.
    fn followed_reads(&mut self) -> Demanded {
        // For each session and key: the reader, and a writer of the key from which it read.
        let mut seen: FxHashMap<(u32, Id), Vec<(usize, usize)>> = FxHashMap::default();
        for &reader in &self.reads.included {
            for writer in self.reads.of(reader).iter().filter_map(|read| read.writers[0]) {
                for (key, _) in &self.transactions.all[writer].writes {
                    let known = seen
                        .entry((self.transactions.all[reader].session, *key))
                        .or_default();
                    known.push((reader, writer));
                }
            }
        }
        for &reader in &self.reads.included {
            let own = self.reads.of(reader);
            for through in own.iter().filter_map(|read| read.writers[0]) {
                let session = self.transactions.all[through].session;
                for read in own {
                    let known = seen.get(&(session, read.key)).map_or(&[][..], Vec::as_slice);
                    for (by, writer) in known {
                        if self.budget.work() {
                            return Ok(());
                        }
                        // A session did not wait for a transaction of unknown outcome.
                        let is_before = *by < through && self.transactions.is_committed(*by);
                        if (*by == through || is_before) && *writer != reader {
                            self.add(*writer, read)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// All that comes before a transaction by scope and reads-from. A demand that these imply is left out.
    fn causal_past(&mut self, base: &Graph) -> Demanded {
        let order = base.topological(&base_order::priorities(base, self.transactions))?;
        let chains = Chains::new(self.transactions, self.reads);
        let writers = ChainWriters::new(self.transactions, self.reads, &chains);
        for start in (0..chains.count).step_by(CLOCKS_WIDTH) {
            let range = start..(start + CLOCKS_WIDTH).min(chains.count);
            let clocks = Clocks::new(base, &order, &chains, range.clone());
            for read in &self.reads.reads {
                if self.budget.work() {
                    return Ok(());
                }
                let reader = base.commit(read.reader);
                let (own, count) = chains.up_to(read.reader);
                let reach = |chain: usize| {
                    if chain == own as usize {
                        clocks.reach(reader, chain).min(count - 1)
                    } else {
                        clocks.reach(reader, chain)
                    }
                };
                for (seen, (chain, count)) in writers.last_of_each(read.key, &range, reach) {
                    let is_implied =
                        |writer: usize| clocks.reach(base.commit(writer), chain as usize) >= count;
                    if read.writers[0].is_none_or(|writer| !is_implied(writer)) {
                        self.add(seen, read)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Reads together with the writers of their key that the same transaction read from: at all, or before.
///
/// For each writer, the shorter one of its writes and the reads is scanned.
fn seen_writers<'a>(
    transactions: &Transactions,
    own: &'a [ExternalRead],
    is_atomic: bool,
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
        // Nothing that one read shows is later than the rest of it.
        let is_seen = |read: &ExternalRead| {
            is_atomic || position <= transactions.all[read.reader].moment(read.position)
        };
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
