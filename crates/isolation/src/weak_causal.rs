//! Causal consistency without convergence: each transaction orders its causal past in a way of its own.
//!
//! Let `hb` be the closure of scope order and reads-from. A transaction `t` needs an order of its past that contains `hb` and
//! explains its own reads: each writer of a key in the past, other than the one that `t` read the key from, comes before that
//! one. Such an order exists exactly if `hb` and these demands have no cycle.
//!
//! It is enough to demand it of the last writer of the key in each chain: earlier ones are `hb`-before the last, so a cycle through one
//! of them leads through the last as well. And a cycle passes demands alternately with steps of `hb`, so it is enough to look at the
//! writers that were read from: does the demand on one start at or after another?
//!
//! A list shows which writers of its key come before the one that was read from, and in which order. So a writer of the key in the past that is
//! not in the list cannot come before that one, as it must; and those that are, follow each other as in the list. Where `hb` and the
//! order of all lists have no cycle together, a reader of nothing but lists is explained by that order; otherwise, what follows what in a list
//! is demanded one by one.

use omnilink_engine::Limit;
use omnilink_history::Budget;
use omnilink_history::order_graph::{EdgeReason, Graph, OrderEdge, Wiring};
use rustc_hash::FxHashMap;

use crate::base_order;
use crate::chains::{ChainWriters, Chains, Clocks};
use crate::level::Isolation;
use crate::reads_from::{ExternalRead, ReadsFrom, Writer};
use crate::transaction::{Id, Transactions};
use crate::version_order::OrderOutcome;
use crate::visibility;

/// The largest table of clocks, in entries.
const CLOCKS_MAX: usize = 400_000_000;

/// A demand of a read: this writer of its key comes before another one.
struct Demand<'a> {
    seen: usize,
    /// That from which the key was read, or which follows in the list that was read.
    later: Writer,
    read: &'a ExternalRead,
}

/// The order of the writers in the longest list of each key.
struct ListPlaces {
    writers: FxHashMap<Id, Vec<usize>>,
    places: FxHashMap<(Id, usize), u32>,
}

/// The place of a writer that is in no list.
const UNLISTED: u32 = u32::MAX;

impl ListPlaces {
    fn new(transactions: &Transactions, reads: &ReadsFrom) -> Self {
        let mut found = Self {
            writers: FxHashMap::default(),
            places: FxHashMap::default(),
        };
        if transactions.successions.is_empty() {
            return found;
        }
        let mut by_value: FxHashMap<(Id, Id), usize> = FxHashMap::default();
        for &one in &reads.included {
            by_value.extend(transactions.all[one].writes.iter().map(|write| (*write, one)));
        }
        for shown in &transactions.successions {
            let writers = found.writers.entry(shown.key).or_default();
            if let Some(writer) = by_value.get(&(shown.key, shown.value)) {
                found.places.insert((shown.key, *writer), writers.len() as u32);
                writers.push(*writer);
            }
        }
        found
    }

    fn place(&self, key: Id, writer: usize) -> u32 {
        self.places.get(&(key, writer)).copied().unwrap_or(UNLISTED)
    }

    /// The writers that a read of a list shows, the one that it read from last.
    fn shown(&self, read: &ExternalRead) -> Option<&[usize]> {
        let place = self.places.get(&(read.key, read.writers[0]?))?;
        self.writers.get(&read.key)?.get(..=*place as usize)
    }
}

/// Decides causal consistency without convergence. The order that is found contains `hb`; every transaction has another one
/// for its past.
pub(crate) fn decide(
    transactions: &Transactions,
    reads: &ReadsFrom,
    isolation: Isolation,
    budget: &mut Budget,
) -> (Graph, OrderOutcome) {
    let mut graph = Graph::new(transactions.all.len(), Wiring::Serial);
    base_order::scope(&mut graph, transactions, reads, isolation.scope());
    base_order::known_reads(&mut graph, reads);
    let order = match graph.topological(&base_order::priorities(&graph, transactions)) {
        Ok(order) => order,
        Err(cycle) => return (graph, OrderOutcome::Cycle(cycle)),
    };
    let chains = Chains::new(transactions, reads);
    if graph.nodes().saturating_mul(chains.count) > CLOCKS_MAX {
        return (graph, OrderOutcome::Limit(Limit::Memory));
    }
    let writers = ChainWriters::new(transactions, reads, &chains);
    let lists = ListPlaces::new(transactions, reads);
    let farthest = writers.farthest(|key, writer| {
        if lists.writers.contains_key(&key) {
            lists.place(key, writer)
        } else {
            0
        }
    });
    let are_lists_ordered = {
        let mut ordered = graph.clone();
        visibility::add_versions(&mut ordered, transactions, reads);
        ordered.topological(&[]).is_ok()
    };
    let clocks = Clocks::new(&graph, &order, &chains, 0..chains.count);
    let is_before = |first: usize, second: usize| {
        let (chain, count) = chains.up_to(first);
        first == second || clocks.reach(graph.commit(second), chain as usize) >= count
    };
    for &reader in &reads.included {
        let own = reads.of(reader);
        let mut demands: Vec<Demand<'_>> = Vec::new();
        let is_list = |read: &ExternalRead| lists.writers.contains_key(&read.key);
        let is_by_lists = are_lists_ordered && own.iter().all(is_list);
        for read in own {
            let (chain, count) = chains.up_to(reader);
            let reach = |other: usize| {
                if other == chain as usize {
                    clocks.reach(graph.commit(reader), other).min(count - 1)
                } else {
                    clocks.reach(graph.commit(reader), other)
                }
            };
            let later = read.writers[0];
            if let Some(shown) = lists.shown(read) {
                let place = shown.len() as u32 - 1;
                if let Some(missed) = writers.first_beyond(&farthest, (read.key, place), reach) {
                    return (graph, OrderOutcome::Cycle(missing(missed, read)));
                }
                if is_by_lists {
                    continue;
                }
                // What is at the reader or in its past.
                let is_past = |one: usize| {
                    let (chain, count) = chains.up_to(one);
                    one != reader && reach(chain as usize) >= count
                };
                let past: Vec<usize> = shown.iter().copied().filter(|one| is_past(*one)).collect();
                if budget.works(shown.len() as u64) {
                    break;
                }
                let pairs = past.windows(2);
                demands.extend(pairs.map(|pair| Demand {
                    seen: pair[0],
                    later: Some(pair[1]),
                    read,
                }));
            }
            let seen = writers.last_of_each(read.key, &(0..chains.count), reach);
            let others = seen.filter(|(seen, _)| read.writers[0] != Some(*seen));
            demands.extend(others.map(|(seen, _)| Demand { seen, later, read }));
            if budget.works(1 + demands.len() as u64) {
                let limit = budget.exhausted().unwrap_or(Limit::Time);
                return (graph, OrderOutcome::Limit(limit));
            }
        }
        if let Some(cycle) = cycle(&graph, &demands, &is_before) {
            return (graph, OrderOutcome::Cycle(cycle));
        }
    }
    (graph, OrderOutcome::Order(order))
}

/// A writer of a list that a reader has in its past and that is not in the list that it read.
fn missing(missed: usize, read: &ExternalRead) -> Vec<OrderEdge> {
    let (missed, shown) = (Some(missed), read.writers[0]);
    let step = |from, to, reason| OrderEdge { from, to, reason };
    let (reader, key) = (read.reader as u32, read.key);
    vec![
        step(missed, shown, EdgeReason::SeenBy { reader, key }),
        step(shown, missed, EdgeReason::WroteOver(key)),
    ]
}

/// A cycle of demands and `hb`.
fn cycle(
    graph: &Graph,
    demands: &[Demand<'_>],
    is_before: &dyn Fn(usize, usize) -> bool,
) -> Option<Vec<OrderEdge>> {
    let step = |demand: &Demand<'_>| OrderEdge {
        from: Some(demand.seen),
        to: demand.later,
        reason: if demand.later == demand.read.writers[0] {
            EdgeReason::SeenBy {
                reader: demand.read.reader as u32,
                key: demand.read.key,
            }
        } else {
            EdgeReason::WroteOver(demand.read.key)
        },
    };
    if let Some(demand) = demands.iter().find(|demand| demand.later.is_none()) {
        let back = OrderEdge {
            from: None,
            to: Some(demand.seen),
            reason: EdgeReason::Beginning,
        };
        return Some(vec![step(demand), back]);
    }
    // Which demand may follow which: it starts where the first one ends, or after that. A breadth-first search from each.
    let follows = |first: &Demand<'_>, second: &Demand<'_>| {
        let end = first.later;
        end.is_some_and(|end| is_before(end, second.seen))
    };
    let has_next: Vec<usize> = (0..demands.len())
        .filter(|at| demands.iter().any(|next| follows(&demands[*at], next)))
        .collect();
    let mut best: Option<Vec<usize>> = None;
    for &start in &has_next {
        let mut came_from: Vec<Option<usize>> = vec![None; demands.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        'search: while let Some(at) = queue.pop_front() {
            for &next in &has_next {
                if came_from[next].is_some() || !follows(&demands[at], &demands[next]) {
                    continue;
                }
                came_from[next] = Some(at);
                if next == start {
                    let mut found = vec![start];
                    let mut back = at;
                    while back != start {
                        found.push(back);
                        back = came_from[back].unwrap_or(start);
                    }
                    found.reverse();
                    if best.as_ref().is_none_or(|best| found.len() < best.len()) {
                        best = Some(found);
                    }
                    break 'search;
                }
                queue.push_back(next);
            }
        }
    }
    let best = best?;
    let mut steps = Vec::new();
    for (at, &demand) in best.iter().enumerate() {
        let next = &demands[best[(at + 1) % best.len()]];
        steps.push(step(&demands[demand]));
        if let Some(end) = demands[demand].later.filter(|end| *end != next.seen) {
            steps.extend(graph.walk(graph.commit(end), graph.commit(next.seen)));
        }
    }
    Some(steps)
}
