//! A graph that stays without cycles while edges come and go.
//!
//! An order that follows all edges is kept up to date as edges are added (Pearce and Kelly): only nodes between the ends
//! of a new edge that goes against the order are looked at. Taking edges away needs nothing: the order still follows the rest.

use crate::order_graph::{Graph, Node};

const NONE: u32 = u32::MAX;

/// The cause of an edge: a literal of the solver, or none for what always holds.
pub(super) type Cause = u32;
/// What always holds.
pub(super) const ALWAYS: Cause = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Node,
    to: Node,
    next_out: u32,
    next_in: u32,
    cause: Cause,
}

/// The graph and an order that follows it.
#[derive(Debug)]
pub(super) struct AcyclicGraph {
    edges: Vec<Edge>,
    first_out: Vec<u32>,
    first_in: Vec<u32>,
    /// The place of each node, and the node at each place.
    pub position: Vec<u32>,
    pub order: Vec<Node>,
    /// By which edge a search came to each node, if it was the search of this number.
    came_by: Vec<(u32, u32)>,
    searches: u32,
    /// Nodes that searches looked at.
    pub work: u64,
}

/// An edge that would close a cycle: the edges on the way back, each with its cause.
#[derive(Debug)]
pub(super) struct Cycle {
    pub edges: Vec<(Node, Node, Cause)>,
}

impl AcyclicGraph {
    /// The edges of `graph`, which `order` follows.
    pub fn new(graph: &Graph, order: Vec<Node>) -> Self {
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

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Takes the newest edges away until there are `count`.
    pub fn truncate(&mut self, count: usize) {
        while self.edges.len() > count {
            if let Some(edge) = self.edges.pop() {
                self.first_out[edge.from as usize] = edge.next_out;
                self.first_in[edge.to as usize] = edge.next_in;
            }
        }
    }

    fn insert(&mut self, from: Node, to: Node, cause: Cause) {
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
    pub fn add(&mut self, from: Node, to: Node, cause: Cause) -> Result<(), Cycle> {
        let (low, high) = (self.position[to as usize], self.position[from as usize]);
        if from == to {
            return Err(Cycle {
                edges: vec![(from, to, cause)],
            });
        }
        if low < high {
            let after = self.forward(to, from, high).map_err(|mut cycle| {
                cycle.edges.push((from, to, cause));
                cycle
            })?;
            let before = self.backward(from, low);
            self.reorder(before, after);
        }
        self.insert(from, to, cause);
        Ok(())
    }

    /// What comes after `start`, up to a place; an error if `target` does.
    fn forward(&mut self, start: Node, target: Node, high: u32) -> Result<Vec<Node>, Cycle> {
        self.searches += 1;
        let search = self.searches;
        self.came_by[start as usize] = (search, NONE);
        let mut found = vec![start];
        let mut at = 0;
        while let Some(&node) = found.get(at) {
            at += 1;
            self.work += 1;
            let mut number = self.first_out[node as usize];
            while number != NONE {
                let edge = self.edges[number as usize];
                let this = std::mem::replace(&mut number, edge.next_out);
                if self.position[edge.to as usize] > high || self.came_by[edge.to as usize].0 == search {
                    continue;
                }
                self.came_by[edge.to as usize] = (search, this);
                if edge.to == target {
                    return Err(self.way_back(start, target));
                }
                found.push(edge.to);
            }
        }
        Ok(found)
    }

    fn way_back(&self, start: Node, target: Node) -> Cycle {
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

    /// What comes before `start`, down to a place.
    fn backward(&mut self, start: Node, low: u32) -> Vec<Node> {
        self.searches += 1;
        let search = self.searches;
        self.came_by[start as usize] = (search, NONE);
        let mut found = vec![start];
        let mut at = 0;
        while let Some(&node) = found.get(at) {
            at += 1;
            self.work += 1;
            let mut number = self.first_in[node as usize];
            while number != NONE {
                let edge = self.edges[number as usize];
                number = edge.next_in;
                let is_new = self.came_by[edge.from as usize].0 != search;
                if is_new && self.position[edge.from as usize] >= low {
                    self.came_by[edge.from as usize] = (search, NONE);
                    found.push(edge.from);
                }
            }
        }
        found
    }

    /// Puts all of `before` before all of `after`, in the places that they have now.
    fn reorder(&mut self, mut before: Vec<Node>, mut after: Vec<Node>) {
        before.sort_unstable_by_key(|node| self.position[*node as usize]);
        after.sort_unstable_by_key(|node| self.position[*node as usize]);
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

    fn without_edges(nodes: usize) -> AcyclicGraph {
        AcyclicGraph::new(&Graph::new(nodes, false), (0..nodes as Node).collect())
    }

    #[test]
    fn the_order_follows_edges_as_they_come_and_a_cycle_is_told_with_its_causes() {
        let mut graph = without_edges(4);
        graph.add(3, 1, 7).unwrap();
        graph.add(1, 0, 8).unwrap();
        assert!(graph.position[3] < graph.position[1] && graph.position[1] < graph.position[0]);
        let cycle = graph.add(0, 3, 9).unwrap_err();
        assert_eq!(cycle.edges, [(3, 1, 7), (1, 0, 8), (0, 3, 9)]);
        assert_eq!(graph.edge_count(), 2);
    }

    #[test]
    fn an_edge_that_was_taken_away_closes_no_cycle() {
        let mut graph = without_edges(3);
        graph.add(0, 1, ALWAYS).unwrap();
        graph.add(1, 2, ALWAYS).unwrap();
        graph.truncate(1);
        graph.add(2, 0, ALWAYS).unwrap();
        assert!(graph.add(1, 2, ALWAYS).is_err());
    }
}
