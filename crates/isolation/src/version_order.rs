//! The search for a version order, where reads-from is determined.
//!
//! A topological order of what is determined, by time where there is a choice, is a good first guess. Where it
//! interleaves two chains of a key, one of their two orders may be ruled out because it closes a cycle; then the
//! other one is forced. This is repeated until no chains are interleaved, or nothing more is forced. A search that
//! starts from that order decides the rest.
//!
//! *Sufficient*: if in an order each chain of a key ends before the next one starts, then all edges between adjacent
//! chains can be added and the order is still topological. By transitivity so can those between all chains, so there
//! is a version order for which the graph is acyclic.
//!
//! *Ruled out*: an edge closes a cycle if its start is reachable from its end. Of two chains of one key one comes
//! first, so if one order is impossible, every solution has the other.
//!
//! *Probes*: some levels forbid walks that are no cycles of the graph ([`Graph::probes`]). Whether there is one depends on
//! the order of all chains, so there the order of every two adjacent chains is a choice of its own, and a walk that is found when
//! all choices are made refuses the choices that its edges come from.

use omnilink_engine::Limit;
use omnilink_history::Budget;
use omnilink_history::order_graph::{EdgeReason, Graph, GraphNode, OrderEdge};
use omnilink_sorting::sort_by_key;
use rustc_hash::FxHashSet;

use crate::acyclic_graph::{AcyclicGraph, Cycle};
use crate::base_order;
use crate::reachability;
use crate::solver::{Remaining, Solved, Solver};
use crate::transaction::{Id, Transactions};
use crate::version_chains::VersionChain;

/// The outcome of a search for an order.
#[derive(Debug)]
pub(crate) enum OrderOutcome {
    /// The nodes in order.
    Order(Vec<GraphNode>),
    /// There is none, because of this.
    Cycle(Vec<OrderEdge>),
    /// There is none: all version orders of these keys were ruled out.
    NoOrder(Vec<Id>),
    Limit(Limit),
    /// The search reached its number of conflicts.
    TooHard,
}

/// The number of following chains of its key with which a chain is compared in one round.
const NEIGHBOURS: usize = 8;

/// Searches for a topological order of the graph that does not interleave chains of one key.
pub(crate) fn decide(
    mut graph: Graph,
    mut keys: Vec<Vec<VersionChain>>,
    transactions: &Transactions,
    conflicts_max: u64,
    budget: &mut Budget,
) -> (Graph, OrderOutcome) {
    let priorities = base_order::priorities(&graph, transactions);
    loop {
        let order = match graph.topological(&priorities) {
            Ok(order) => order,
            Err(cycle) => return (graph, OrderOutcome::Cycle(cycle)),
        };
        let mut position = vec![0; graph.nodes()];
        for (place, node) in order.iter().enumerate() {
            position[*node as usize] = place as u32;
        }
        let mixed = mixed(&graph, &mut keys, &position, NEIGHBOURS, budget);
        if let Some(limit) = budget.exhausted() {
            return (graph, OrderOutcome::Limit(limit));
        }
        let is_probed = graph.probes().next().is_some();
        if keys.is_empty() && is_probed {
            let decided = probed(&graph, order, &position, budget);
            return (graph, decided);
        }
        if mixed.is_empty() && !is_probed {
            return (graph, OrderOutcome::Order(order));
        }
        let is_more_known = add_forced(&mut graph, &order, &position, &mixed, budget);
        if !is_more_known {
            let decided = search(&graph, keys, order, conflicts_max, budget);
            return (graph, decided);
        }
    }
}

/// The order, if no probe finds a forbidden walk.
fn probed(graph: &Graph, order: Vec<GraphNode>, position: &[u32], budget: &mut Budget) -> OrderOutcome {
    let probes: Vec<(GraphNode, GraphNode)> = graph.probes().collect();
    let answers = reachability::answer(graph, &order, position, &probes, budget);
    if let Some(limit) = budget.exhausted() {
        return OrderOutcome::Limit(limit);
    }
    let found = probes.iter().zip(answers).filter(|(_, is_reached)| *is_reached);
    let walks = found
        .take(WALKS_MAX)
        .map(|((from, to), _)| graph.walk(*from, *to));
    match walks.min_by_key(Vec::len) {
        Some(walk) => OrderOutcome::Cycle(walk),
        None => OrderOutcome::Order(order),
    }
}

/// How many forbidden walks are compared, to show a short one.
const WALKS_MAX: usize = 32;

/// Pairs of chains of one key that an order interleaves, the one that starts first in front.
fn mixed(
    graph: &Graph,
    keys: &mut [Vec<VersionChain>],
    position: &[u32],
    neighbours: usize,
    budget: &mut Budget,
) -> Vec<(VersionChain, VersionChain)> {
    let at = |node: GraphNode| position[node as usize];
    let mut pairs = Vec::new();
    for chains in keys {
        sort_by_key(chains, |chain| at(graph.commit(chain.head)));
        for (place, first) in chains.iter().enumerate() {
            for second in chains[place + 1..].iter().take(neighbours) {
                if budget.work() {
                    return pairs;
                }
                let edges = first.edges_before(second, graph);
                if edges.iter().all(|(from, to)| at(*from) < at(*to)) {
                    break;
                }
                pairs.push((*first, *second));
            }
        }
    }
    pairs
}

/// Adds the forced orders of chains. Returns whether there were any.
fn add_forced(
    graph: &mut Graph,
    order: &[GraphNode],
    position: &[u32],
    pairs: &[(VersionChain, VersionChain)],
    budget: &mut Budget,
) -> bool {
    let mut queries = Vec::new();
    let mut ends = Vec::with_capacity(pairs.len());
    for (first, second) in pairs {
        let back = |(from, to): (GraphNode, GraphNode)| (to, from);
        queries.extend(first.edges_before(second, graph).into_iter().map(back));
        let middle = queries.len();
        queries.extend(second.edges_before(first, graph).into_iter().map(back));
        ends.push((middle, queries.len()));
    }
    let answers = reachability::answer(graph, order, position, &queries, budget);
    let mut from = 0;
    let mut is_more_known = false;
    for ((first, second), (middle, to)) in pairs.iter().zip(ends) {
        // If both orders are ruled out, both are added, and the next topological sort finds the cycle.
        if answers[from..middle].contains(&true) {
            add_order(graph, second, first);
            is_more_known = true;
        }
        if answers[middle..to].contains(&true) {
            add_order(graph, first, second);
            is_more_known = true;
        }
        from = to;
    }
    is_more_known
}

/// Adds that one chain comes before another, as the opposite is ruled out.
fn add_order(graph: &mut Graph, first: &VersionChain, second: &VersionChain) {
    let key = first.key;
    let reason = match second.end {
        Some(end) => EdgeReason::Forced {
            key,
            head: first.head as u32,
            end,
        },
        None => EdgeReason::WroteOver(key),
    };
    for (from, to) in first.edges_before(second, graph) {
        graph.add(from, to, reason);
    }
}

/// Decides the order of the remaining chains by search.
fn search(
    graph: &Graph,
    mut keys: Vec<Vec<VersionChain>>,
    order: Vec<GraphNode>,
    conflicts_max: u64,
    budget: &mut Budget,
) -> OrderOutcome {
    let mut solver = Solver::new(AcyclicGraph::new(graph, order));
    // The two chains that each variable orders.
    let mut ordered: Vec<(VersionChain, VersionChain)> = Vec::new();
    let probes: Vec<(GraphNode, GraphNode)> = graph.probes().collect();
    let mut is_chosen: FxHashSet<(Id, usize, usize)> = FxHashSet::default();
    let mut add_mixed = |solver: &mut Solver, budget: &mut Budget| {
        // Only adjacent chains: it is sufficient that each chain ends before the next one starts.
        let mut pairs = mixed(graph, &mut keys, &solver.graph.position, 1, budget);
        if pairs.is_empty() && !probes.is_empty() {
            let adjacent = keys.iter().flat_map(|chains| chains.windows(2));
            pairs.extend(adjacent.map(|pair| (pair[0], pair[1])));
            pairs.retain(|(first, second)| {
                let heads = (first.head.min(second.head), first.head.max(second.head));
                is_chosen.insert((first.key, heads.0, heads.1))
            });
        }
        for (first, second) in &pairs {
            solver.variable(
                first.edges_before(second, graph),
                second.edges_before(first, graph),
            );
            ordered.push((*first, *second));
        }
        if !pairs.is_empty() {
            return Remaining::Variables;
        }
        for (from, to) in &probes {
            if let Some(walk) = solver.graph.path_between(*from, *to) {
                return Remaining::Forbidden(walk);
            }
            let work = std::mem::take(&mut solver.graph.work);
            if budget.works(work) {
                break;
            }
        }
        Remaining::Nothing
    };
    add_mixed(&mut solver, budget);
    match solver.solve(budget, conflicts_max, &mut add_mixed) {
        Solved::Yes => OrderOutcome::Order(solver.graph.order),
        Solved::Limit(limit) => OrderOutcome::Limit(limit),
        Solved::TooHard => OrderOutcome::TooHard,
        Solved::No(Some(cycle)) => OrderOutcome::Cycle(steps(graph, &cycle, &ordered)),
        Solved::No(None) => {
            let mut keys: Vec<Id> = ordered.iter().map(|(chain, _)| chain.key).collect();
            keys.sort_unstable();
            keys.dedup();
            OrderOutcome::NoOrder(keys)
        }
    }
}

/// The edges of a cycle that remained when all choices were ruled out.
fn steps(graph: &Graph, cycle: &Cycle, ordered: &[(VersionChain, VersionChain)]) -> Vec<OrderEdge> {
    let hop = |(from, to, cause): &(GraphNode, GraphNode, u32)| {
        let reason = match ordered.get(*cause as usize / 2) {
            Some((chain, _)) => EdgeReason::OnlyOrder(chain.key),
            None => graph.reason(*from, *to),
        };
        (*from, *to, reason)
    };
    graph.steps_between(cycle.edges.iter().map(hop).collect())
}
