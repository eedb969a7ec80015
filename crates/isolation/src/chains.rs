//! Chains of transactions, and vector clocks over them.
//!
//! The committed transactions of a session are a chain: what comes after one of them comes after all before it. A transaction of
//! unknown outcome is after its session's earlier ones and before none, so if others follow it, it is a chain of its own. What a
//! transaction has in its past is then one number for each chain.

use std::ops::Range;

use omnilink_history::order_graph::{Graph, GraphNode};
use omnilink_sorting::sort_by_key;
use rustc_hash::FxHashMap;

use crate::reads_from::ReadsFrom;
use crate::transaction::{Fate, Id, Transactions};

/// A chain and how many of its transactions are meant, from its start.
pub(crate) type Reach = (u32, u32);

/// The chains of the included transactions.
#[derive(Debug)]
pub(crate) struct Chains {
    /// The chain of each transaction, and the number of transactions before it there.
    place: Vec<Reach>,
    /// What its session had committed before each transaction.
    before: Vec<Reach>,
    /// The number of chains.
    pub count: usize,
}

impl Chains {
    pub fn new(transactions: &Transactions, reads: &ReadsFrom) -> Self {
        let all = &transactions.all;
        let mut last: FxHashMap<u32, usize> = FxHashMap::default();
        for &one in &reads.included {
            last.insert(all[one].session, one);
        }
        let mut chains: FxHashMap<u32, Reach> = FxHashMap::default();
        let mut place = vec![(0, 0); all.len()];
        let mut before = vec![(0, 0); all.len()];
        let mut count = 0_u32;
        for &one in &reads.included {
            let chain = chains.entry(all[one].session).or_insert_with(|| {
                count += 1;
                (count - 1, 0)
            });
            before[one] = *chain;
            if all[one].fate == Fate::Committed || last.get(&all[one].session) == Some(&one) {
                place[one] = *chain;
                chain.1 += 1;
            } else {
                place[one] = (count, 0);
                count += 1;
            }
        }
        Self {
            place,
            before,
            count: count as usize,
        }
    }

    /// The transaction and those before it in its chain.
    pub fn up_to(&self, one: usize) -> Reach {
        let (chain, index) = self.place[one];
        (chain, index + 1)
    }

    /// What its session had committed before a transaction.
    pub fn before(&self, one: usize) -> Reach {
        self.before[one]
    }
}

/// A transaction that writes a key.
#[derive(Clone, Copy, Debug, Default)]
struct ChainWriter {
    chain: u32,
    /// The number of transactions before it in its chain.
    index: u32,
    transaction: u32,
}

/// The writers of each key, by chain. A read asks for the last writer of its key in every chain, so the writers of a key lie side by side.
#[derive(Debug)]
pub(crate) struct ChainWriters {
    /// By key, then by chain, then in the order of the chain.
    writers: Vec<ChainWriter>,
    /// Where the writers of each key begin, and where the last ones end.
    bounds: Vec<u32>,
    /// Where the writers of each key in each chain begin, and where the last ones end: a read looks at every chain, and must not look at every
    /// writer for that.
    runs: Vec<u32>,
    /// Where the runs of each key begin, and where the last ones end.
    run_bounds: Vec<u32>,
}

impl ChainWriters {
    pub fn new(transactions: &Transactions, reads: &ReadsFrom, chains: &Chains) -> Self {
        let written = || {
            let each = reads.included.iter();
            each.flat_map(|&one| {
                transactions.all[one]
                    .writes
                    .iter()
                    .map(move |(key, _)| (*key, one))
            })
        };
        let mut bounds = vec![0_u32; transactions.key_count() + 1];
        for (key, _) in written() {
            bounds[key as usize + 1] += 1;
        }
        for key in 1..bounds.len() {
            bounds[key] += bounds[key - 1];
        }
        let mut next = bounds.clone();
        let mut writers = vec![ChainWriter::default(); bounds.last().map_or(0, |count| *count as usize)];
        for (key, one) in written() {
            let (chain, index) = chains.place[one];
            let at = &mut next[key as usize];
            writers[*at as usize] = ChainWriter {
                chain,
                index,
                transaction: one as u32,
            };
            *at += 1;
        }
        let mut runs = Vec::new();
        let mut run_bounds = Vec::with_capacity(bounds.len());
        for bound in bounds.windows(2) {
            run_bounds.push(runs.len() as u32);
            let of_key = &mut writers[bound[0] as usize..bound[1] as usize];
            sort_by_key(of_key, |writer| (writer.chain, writer.index));
            let mut from = bound[0];
            for run in of_key.chunk_by(|one, next| one.chain == next.chain) {
                runs.push(from);
                from += run.len() as u32;
            }
        }
        run_bounds.push(runs.len() as u32);
        runs.push(writers.len() as u32);
        Self {
            writers,
            bounds,
            runs,
            run_bounds,
        }
    }

    /// The writers of a key by chain, each run with where it begins.
    fn runs(&self, key: Id) -> impl Iterator<Item = (usize, &[ChainWriter])> {
        let key = key as usize;
        let runs = self.run_bounds[key] as usize..self.run_bounds[key + 1] as usize;
        runs.map(|run| {
            let (from, to) = (self.runs[run] as usize, self.runs[run + 1] as usize);
            (from, &self.writers[from..to])
        })
    }

    fn of(&self, key: Id) -> &[ChainWriter] {
        let key = key as usize;
        &self.writers[self.bounds[key] as usize..self.bounds[key + 1] as usize]
    }

    /// The last writer of a key in a part of a chain.
    pub fn last(&self, key: Id, (chain, count): Reach) -> Option<usize> {
        let all = self.of(key);
        let end = all.partition_point(|writer| (writer.chain, writer.index) < (chain, count));
        let last = all[..end].last().filter(|last| last.chain == chain)?;
        Some(last.transaction as usize)
    }

    /// The last writers of a key in parts of chains: those of `chains`, as far as `reach` goes.
    pub fn last_of_each<'a>(
        &'a self,
        key: Id,
        chains: &Range<usize>,
        reach: impl Fn(usize) -> u32 + 'a,
    ) -> impl Iterator<Item = (usize, Reach)> + 'a {
        let chains = chains.clone();
        let runs = self.runs(key);
        let of_chains = runs.filter(move |(_, writers)| chains.contains(&(writers[0].chain as usize)));
        of_chains.filter_map(move |(_, writers)| {
            let count = reach(writers[0].chain as usize);
            let at = writers.partition_point(|writer| writer.index < count);
            let last = writers[..at].last()?;
            Some((last.transaction as usize, (last.chain, last.index + 1)))
        })
    }
}

impl ChainWriters {
    /// For each writer, the greatest place among it and those of its key before it in its chain.
    pub fn farthest(&self, place: impl Fn(Id, usize) -> u32) -> Vec<u32> {
        let mut farthest = vec![0_u32; self.writers.len()];
        for key in 0..self.bounds.len().saturating_sub(1) {
            let from = self.bounds[key] as usize;
            for (at, writer) in self.of(key as Id).iter().enumerate() {
                let own = place(key as Id, writer.transaction as usize);
                let is_first = at == 0 || self.writers[from + at - 1].chain != writer.chain;
                farthest[from + at] = match is_first {
                    true => own,
                    false => own.max(farthest[from + at - 1]),
                };
            }
        }
        farthest
    }

    /// A writer of a key whose place is beyond another one, as far as `reach` goes into each chain.
    pub fn first_beyond(
        &self,
        farthest: &[u32],
        (key, place): (Id, u32),
        reach: impl Fn(usize) -> u32,
    ) -> Option<usize> {
        for (from, chain) in self.runs(key) {
            let farthest = &farthest[from..from + chain.len()];
            let at = farthest.partition_point(|other| *other <= place);
            let first = chain
                .get(at)
                .filter(|first| first.index < reach(first.chain as usize));
            if let Some(first) = first {
                return Some(first.transaction as usize);
            }
        }
        None
    }
}

/// For each node of an acyclic graph, how many transactions of each of some chains come before it or are it.
#[derive(Debug)]
pub(crate) struct Clocks {
    chains: Range<usize>,
    rows: Vec<u32>,
}

impl Clocks {
    /// The clocks of `chains`. `order` is a topological order of `graph`, which contains the order of every chain.
    pub fn new(graph: &Graph, order: &[GraphNode], chains: &Chains, range: Range<usize>) -> Self {
        let width = range.len();
        let mut rows = vec![0_u32; graph.nodes() * width];
        let mut row = vec![0_u32; width];
        for &node in order {
            let from = node as usize * width;
            if let Some(one) = graph.transaction(node) {
                let (chain, count) = chains.up_to(one);
                if range.contains(&(chain as usize)) {
                    let own = &mut rows[from + chain as usize - range.start];
                    *own = (*own).max(count);
                }
            }
            row.copy_from_slice(&rows[from..from + width]);
            for next in graph.successors(node) {
                let next = next as usize * width;
                let known = rows[next..next + width].iter_mut().zip(&row);
                known.for_each(|(known, more)| *known = (*known).max(*more));
            }
        }
        Self { chains: range, rows }
    }

    /// How much of a chain comes before a node or is it.
    pub fn reach(&self, node: GraphNode, chain: usize) -> u32 {
        self.rows[node as usize * self.chains.len() + chain - self.chains.start]
    }
}
