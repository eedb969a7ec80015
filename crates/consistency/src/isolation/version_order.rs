//! The search for an order of versions, where it is known who read from whom.
//!
//! An order that follows all that is known, transactions by their time where there is a choice, is right or nearly so. Where it
//! puts two chains of a key into one another, their order is looked at: one of the two possible ones may be ruled out by
//! what is known, and then the other is known, too. This is repeated until the order is right, or nothing more follows. Then
//! what is left is decided by a search, which starts from that order.
//!
//! *Right*: if in an order each chain of a key ends before the next one begins, then all edges between neighbours could be
//! added and the order would still follow them. By the transitivity of the order so could those between all chains, so there is
//! an order of versions for which the graph has no cycle.
//!
//! *Ruled out*: an edge closes a cycle if its end leads to its start. The chain of one key comes before or after another of the
//! same key, so if one is impossible the other holds in every order that there is.

use omnilink_engine::Exhausted;

use super::acyclic_graph::{AcyclicGraph, Cycle};
use super::base_order;
use super::reachability;
use super::solver::{Solved, Solver};
use super::transaction::{Id, Transactions};
use super::version_chains::VersionChain;
use crate::budget::Budget;
use crate::order_graph::{EdgeReason, Graph, Node, OrderEdge};

/// What became of a search for an order.
#[derive(Debug)]
pub(super) enum OrderOutcome {
    /// The nodes in order.
    Order(Vec<Node>),
    /// There is none, because of this.
    Cycle(Vec<OrderEdge>),
    /// There is none: all orders of the versions of these keys were tried.
    NoOrder(Vec<Id>),
    Limit(Exhausted),
    /// The search took more than it was allowed.
    TooHard,
}

/// With how many of the following chains of its key the order of a chain is looked at in one round.
const NEIGHBOURS: usize = 8;

/// Searches for an order that follows the graph and keeps the chains of each key apart.
pub(super) fn decide(
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
        let mut position = vec![0; graph.len()];
        for (place, node) in order.iter().enumerate() {
            position[*node as usize] = place as u32;
        }
        let mixed = mixed(&graph, &mut keys, &position, NEIGHBOURS, budget);
        if let Some(limit) = budget.exhausted() {
            return (graph, OrderOutcome::Limit(limit));
        }
        if mixed.is_empty() {
            return (graph, OrderOutcome::Order(order));
        }
        let is_more_known = add_forced(&mut graph, &order, &position, &mixed, budget);
        if !is_more_known {
            let decided = search(&graph, keys, order, conflicts_max, budget);
            return (graph, decided);
        }
    }
}

/// Pairs of chains of one key that an order puts into one another, the one that begins first first.
fn mixed(
    graph: &Graph,
    keys: &mut [Vec<VersionChain>],
    position: &[u32],
    neighbours: usize,
    budget: &mut Budget,
) -> Vec<(VersionChain, VersionChain)> {
    let at = |node: Node| position[node as usize];
    let mut pairs = Vec::new();
    for chains in keys {
        chains.sort_unstable_by_key(|chain| at(graph.commit(chain.head)));
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

/// Adds the orders of chains that are known because the opposite is ruled out. Answers whether there were any.
fn add_forced(
    graph: &mut Graph,
    order: &[Node],
    position: &[u32],
    pairs: &[(VersionChain, VersionChain)],
    budget: &mut Budget,
) -> bool {
    let mut asked = Vec::new();
    let mut ends = Vec::with_capacity(pairs.len());
    for (first, second) in pairs {
        let back = |(from, to): (Node, Node)| (to, from);
        asked.extend(first.edges_before(second, graph).into_iter().map(back));
        let middle = asked.len();
        asked.extend(second.edges_before(first, graph).into_iter().map(back));
        ends.push((middle, asked.len()));
    }
    let answers = reachability::answer(graph, order, position, &asked, budget);
    let mut from = 0;
    let mut is_more_known = false;
    for ((first, second), (middle, to)) in pairs.iter().zip(ends) {
        // If both are ruled out, both are added, and the next order meets the cycle.
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

/// Adds that one chain comes before another, since the opposite is ruled out.
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

/// Decides the order of the chains that nothing is known about.
fn search(
    graph: &Graph,
    mut keys: Vec<Vec<VersionChain>>,
    order: Vec<Node>,
    conflicts_max: u64,
    budget: &mut Budget,
) -> OrderOutcome {
    let mut solver = Solver::new(AcyclicGraph::new(graph, order));
    // For each variable the two chains that it orders.
    let mut ordered: Vec<(VersionChain, VersionChain)> = Vec::new();
    let mut add_mixed = |solver: &mut Solver, budget: &mut Budget| {
        // Only neighbours: the order is right if each chain ends before the next begins.
        let pairs = mixed(graph, &mut keys, &solver.graph.position, 1, budget);
        for (first, second) in &pairs {
            solver.variable(
                first.edges_before(second, graph),
                second.edges_before(first, graph),
            );
            ordered.push((*first, *second));
        }
        !pairs.is_empty()
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

/// A cycle that was met when all choices left had been ruled out.
fn steps(graph: &Graph, cycle: &Cycle, ordered: &[(VersionChain, VersionChain)]) -> Vec<OrderEdge> {
    let hop = |(from, to, cause): &(Node, Node, u32)| {
        let reason = match ordered.get(*cause as usize / 2) {
            Some((chain, _)) => EdgeReason::OnlyOrder(chain.key),
            None => graph.reason(*from, *to),
        };
        (*from, *to, reason)
    };
    graph.steps_between(cycle.edges.iter().map(hop).collect())
}
