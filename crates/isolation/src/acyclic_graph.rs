//! An acyclic graph with a topological order, under insertion and removal of edges.
//!
//! The order is maintained as edges are added (Pearce and Kelly): only nodes between the ends of a new edge that
//! contradicts the order are visited. Removing edges needs no work: the order is still topological.

use std::ops::RangeInclusive;

use omnilink_history::order_graph::{Graph, GraphNode};
use omnilink_sorting::sort_by_key;

const NONE: u32 = u32::MAX;

/// The cause of an edge: a literal of the solver, or [`ALWAYS`].
pub(crate) type Cause = u32;
/// The cause of edges that always hold.
pub(crate) const ALWAYS: Cause = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: GraphNode,
    to: GraphNode,
    next_out: u32,
    next_in: u32,
    cause: Cause,
}

/// The graph and a topological order of it.
#[derive(Debug)]
pub(crate) struct AcyclicGraph {
    edges: Vec<Edge>,
    first_out: Vec<u32>,
    first_in: Vec<u32>,
    /// The position of each node, and the node at each position.
    pub position: Vec<u32>,
    pub order: Vec<GraphNode>,
    /// The number of the last search that reached each node, and the edge by which it did.
    came_by: Vec<(u32, u32)>,
    searches: u32,
    /// The number of nodes that searches visited.
    pub work: u64,
}

/// A cycle that a new edge would close: its edges, each with its cause.
#[derive(Debug)]
pub(crate) struct Cycle {
    pub edges: Vec<(GraphNode, GraphNode, Cause)>,
}

impl AcyclicGraph {
    /// The edges of `graph`, of which `order` is a topological order.
    pub fn new(graph: &Graph, order: Vec<GraphNode>) -> Self {
        let mut position = vec![0; order.len()];
        for (place, node) in order.iter().enumerate() {
            position[*node as usize] = place as u32;
        }
        let mut acyclic = Self {
            edges: Vec::new(),
            first_out: vec![NONE; order.len()],
            first_in: vec![NONE; order.len()],
            position,
            came_by: vec![(0, NONE); order.len()],
            order,
            searches: 0,
            work: 0,
        };
        for (from, to) in graph.edges() {
            acyclic.insert(from, to, ALWAYS);
        }
        acyclic
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Removes the newest edges until `count` are left.
    pub fn truncate(&mut self, count: usize) {
        while self.edges.len() > count {
            if let Some(edge) = self.edges.pop() {
                self.first_out[edge.from as usize] = edge.next_out;
                self.first_in[edge.to as usize] = edge.next_in;
            }
        }
    }

    fn insert(&mut self, from: GraphNode, to: GraphNode, cause: Cause) {
        let number = self.edges.len() as u32;
        self.edges.push(Edge {
            from,
            to,
            next_out: self.first_out[from as usize],
            next_in: self.first_in[to as usize],
            cause,
        });
        self.first_out[from as usize] = number;
        self.first_in[to as usize] = number;
    }

    /// Adds an edge.
    ///
    /// # Errors
    /// The cycle that it would close; then it is not added.
    pub fn add(&mut self, from: GraphNode, to: GraphNode, cause: Cause) -> Result<(), Cycle> {
        let (low, high) = (self.position[to as usize], self.position[from as usize]);
        if from == to {
            return Err(Cycle {
                edges: vec![(from, to, cause)],
            });
        }
        if low < high {
            let after = self
                .reachable::<true>(to, Some(from), 0..=high)
                .map_err(|mut cycle| {
                    cycle.edges.push((from, to, cause));
                    cycle
                })?;
            let before = self.reachable::<false>(from, None, low..=u32::MAX)?;
            self.reorder(before, after);
        }
        self.insert(from, to, cause);
        Ok(())
    }

    /// The nodes at positions in `within` that are reachable from `start`, or, backwards, from which it is reachable.
    ///
    /// # Errors
    /// If `target` is among them: the path to it.
    fn reachable<const FORWARD: bool>(
        &mut self,
        start: GraphNode,
        target: Option<GraphNode>,
        within: RangeInclusive<u32>,
    ) -> Result<Vec<GraphNode>, Cycle> {
        self.searches += 1;
        let search = self.searches;
        self.came_by[start as usize] = (search, NONE);
        let mut found = vec![start];
        let mut at = 0;
        while let Some(&node) = found.get(at) {
            at += 1;
            self.work += 1;
            let first = if FORWARD { &self.first_out } else { &self.first_in };
            let mut number = first[node as usize];
            while number != NONE {
                let edge = self.edges[number as usize];
                let (next, end) = if FORWARD {
                    (edge.next_out, edge.to)
                } else {
                    (edge.next_in, edge.from)
                };
                let this = std::mem::replace(&mut number, next);
                let is_known = self.came_by[end as usize].0 == search;
                if is_known || !within.contains(&self.position[end as usize]) {
                    continue;
                }
                self.came_by[end as usize] = (search, this);
                if target == Some(end) {
                    return Err(self.path(start, end));
                }
                found.push(end);
            }
        }
        Ok(found)
    }

    /// A path from `start` to `target`, if there is one.
    pub fn path_between(&mut self, start: GraphNode, target: GraphNode) -> Option<Cycle> {
        let last = self.position[target as usize];
        self.reachable::<true>(start, Some(target), 0..=last).err()
    }

    /// The edges by which the last forward search reached `target`.
    fn path(&self, start: GraphNode, target: GraphNode) -> Cycle {
        let mut edges = Vec::new();
        let mut at = target;
        while at != start {
            let edge = self.edges[self.came_by[at as usize].1 as usize];
            edges.push((edge.from, edge.to, edge.cause));
            at = edge.from;
        }
        edges.reverse();
        Cycle { edges }
    }

    /// Puts all of `before` before all of `after`, at the positions that they occupy now.
    fn reorder(&mut self, mut before: Vec<GraphNode>, mut after: Vec<GraphNode>) {
        sort_by_key(&mut before, |node| self.position[*node as usize]);
        sort_by_key(&mut after, |node| self.position[*node as usize]);
        before.append(&mut after);
        let mut places: Vec<u32> = before.iter().map(|node| self.position[*node as usize]).collect();
        places.sort_unstable();
        for (node, place) in before.into_iter().zip(places) {
            self.position[node as usize] = place;
            self.order[place as usize] = node;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use omnilink_history::order_graph::Wiring;

    fn without_edges(nodes: usize) -> AcyclicGraph {
        AcyclicGraph::new(
            &Graph::new(nodes, Wiring::Serial),
            (0..nodes as GraphNode).collect(),
        )
    }

    #[test]
    fn the_order_stays_topological_and_a_cycle_has_its_causes() {
        let mut graph = without_edges(4);
        graph.add(3, 1, 7).unwrap();
        graph.add(1, 0, 8).unwrap();
        assert!(graph.position[3] < graph.position[1] && graph.position[1] < graph.position[0]);
        let cycle = graph.add(0, 3, 9).unwrap_err();
        assert_eq!(cycle.edges, [(3, 1, 7), (1, 0, 8), (0, 3, 9)]);
        assert_eq!(graph.edge_count(), 2);
    }

    #[test]
    fn a_removed_edge_closes_no_cycle() {
        let mut graph = without_edges(3);
        graph.add(0, 1, ALWAYS).unwrap();
        graph.add(1, 2, ALWAYS).unwrap();
        graph.truncate(1);
        graph.add(2, 0, ALWAYS).unwrap();
        assert!(graph.add(1, 2, ALWAYS).is_err());
    }
}
