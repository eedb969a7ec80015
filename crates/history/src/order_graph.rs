//! A precedence graph over the transactions or operations of a history: each edge has a reason.
//!
//! A transaction is one node where it reads and commits at one point (serial orders), and two where it begins first and
//! commits later (snapshots). Then a write that must be visible leads from a commit to a begin, and an anti-dependency (`rw`)
//! from a begin to a commit. How edges are attached decides which cycles of dependencies are cycles of the graph: see
//! [`Wiring`]. Auxiliary nodes stand for no transaction: they keep the number of edges linear.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use omnilink_trace::{Time, Timebox};

/// A node: where a transaction begins or commits, or an auxiliary point.
pub type GraphNode = u32;

/// A key or a value, interned.
pub type Id = u32;

/// Why a node comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeReason {
    /// The first is the initial state.
    Beginning,
    /// A transaction commits after it began.
    Same,
    /// They are of one session or thread.
    Session,
    /// One happened before the other.
    RealTime,
    /// The second read this key from the first.
    ReadFrom(Id),
    /// The reader of this key sees both, and read what the second wrote.
    SeenBy {
        /// The reader.
        reader: u32,
        /// The key.
        key: Id,
    },
    /// Anti-dependency: the first read this key before the second wrote it.
    ReadBefore(Id),
    /// Version order: the second overwrote what the first wrote to this key.
    WroteOver(Id),
    /// Every other order of the writers of this key leads to a contradiction.
    OnlyOrder(Id),
    /// The second cannot come first: from the writer `head` a transaction is reachable that read the second's
    /// version, before the node `end`.
    Forced {
        /// The key.
        key: Id,
        /// The writer from which it is reachable.
        head: u32,
        /// The node that the reader comes before.
        end: GraphNode,
    },
}

/// To which nodes of its transactions an edge is attached. `dep` are reads-from, versions, sessions and real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wiring {
    /// One node: every cycle of dependencies is a cycle.
    Serial,
    /// Dependencies lead from a commit to a begin, `rw` from a begin to a commit, and a begin to its commit. So a cycle has no two
    /// adjacent `rw`: after one the walk is at a commit.
    Snapshots,
    /// The same, but version order leads from a commit to a commit. So what comes before an `rw` is neither `rw` nor version
    /// order.
    Prefixes,
    /// Dependencies lead from commit to commit, and `rw` leaves a begin, which no edge enters: cycles have no `rw`. A walk
    /// from a begin to its own commit has one `rw`; it is forbidden, too, and [`Graph::probes`] are where such walks start.
    OneAntiDependency,
    /// As [`Wiring::Serial`] for transactions that write. `rw` of one that only reads leaves a begin of its own, which no edge
    /// enters, as above: a forbidden walk passes one such transaction.
    OneReader,
}

/// An edge between transactions; `None` is the initial state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderEdge {
    /// The first transaction; none if it is the initial state or an auxiliary point.
    pub from: Option<usize>,
    /// The second.
    pub to: Option<usize>,
    /// Why the first comes first.
    pub reason: EdgeReason,
}

/// A graph over transactions or operations. Each node has a linked list of its edges, newest first.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The number of transactions.
    transactions: usize,
    wiring: Wiring,
    /// For [`Wiring::OneReader`], the transactions that write.
    writes: Vec<bool>,
    from: Vec<GraphNode>,
    to: Vec<GraphNode>,
    reason: Vec<EdgeReason>,
    /// The newest edge of each node, and after each edge the next of the same node.
    first: Vec<u32>,
    next: Vec<u32>,
}

/// No edge.
const NONE: u32 = u32::MAX;

impl Graph {
    /// A graph in which transactions commit after they began, and that has no other edges.
    pub fn new(transactions: usize, wiring: Wiring) -> Self {
        let is_apart = wiring != Wiring::Serial;
        let nodes = if is_apart { 2 * transactions } else { transactions };
        let mut graph = Self {
            transactions,
            wiring,
            writes: Vec::new(),
            from: Vec::new(),
            to: Vec::new(),
            reason: Vec::new(),
            first: vec![NONE; nodes],
            next: Vec::new(),
        };
        if matches!(wiring, Wiring::Snapshots | Wiring::Prefixes) {
            for one in 0..transactions {
                graph.add(graph.begin(one), graph.commit(one), EdgeReason::Same);
            }
        }
        graph
    }

    /// A graph over transactions of which some write.
    pub fn with_readers(writes: Vec<bool>) -> Self {
        Self {
            writes: writes.clone(),
            ..Self::new(writes.len(), Wiring::OneReader)
        }
    }

    fn is_apart(&self) -> bool {
        self.wiring != Wiring::Serial
    }

    /// The node that edges from what a transaction must have seen enter: reads-from, sessions, real time.
    pub fn seeing(&self, transaction: usize) -> GraphNode {
        match self.wiring {
            Wiring::Serial | Wiring::Snapshots | Wiring::Prefixes => self.begin(transaction),
            Wiring::OneAntiDependency | Wiring::OneReader => self.commit(transaction),
        }
    }

    /// The node that edges from earlier versions enter.
    pub fn writing(&self, transaction: usize) -> GraphNode {
        match self.wiring {
            Wiring::Serial | Wiring::Snapshots => self.begin(transaction),
            _ => self.commit(transaction),
        }
    }

    /// The node that anti-dependencies leave.
    pub fn reading(&self, transaction: usize) -> GraphNode {
        match self.wiring {
            Wiring::OneReader if self.writes[transaction] => self.commit(transaction),
            _ => self.begin(transaction),
        }
    }

    /// Pairs of nodes of which the second must not be reachable from the first, although that is no cycle.
    pub fn probes(&self) -> impl Iterator<Item = (GraphNode, GraphNode)> {
        let is_probed = move |one: &usize| match self.wiring {
            Wiring::OneAntiDependency => true,
            Wiring::OneReader => !self.writes[*one],
            _ => false,
        };
        let all = (0..self.transactions).filter(is_probed);
        all.map(|one| (self.begin(one), self.commit(one)))
    }

    /// The node at which a transaction begins.
    pub fn begin(&self, transaction: usize) -> GraphNode {
        if self.is_apart() {
            2 * transaction as GraphNode
        } else {
            transaction as GraphNode
        }
    }

    /// The node at which a transaction commits.
    pub fn commit(&self, transaction: usize) -> GraphNode {
        if self.is_apart() {
            2 * transaction as GraphNode + 1
        } else {
            transaction as GraphNode
        }
    }

    /// The transaction of a node; auxiliary nodes have none.
    pub fn transaction(&self, node: GraphNode) -> Option<usize> {
        let one = if self.is_apart() {
            node as usize / 2
        } else {
            node as usize
        };
        (one < self.transactions).then_some(one)
    }

    /// Whether a transaction commits at this node.
    pub fn is_commit(&self, node: GraphNode) -> bool {
        self.transaction(node).is_some_and(|one| self.commit(one) == node)
    }

    /// Adds an auxiliary node.
    pub fn auxiliary(&mut self) -> GraphNode {
        self.first.push(NONE);
        (self.first.len() - 1) as GraphNode
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.first.len()
    }

    /// Adds an edge.
    pub fn add(&mut self, from: GraphNode, to: GraphNode, reason: EdgeReason) {
        let edge = self.from.len() as u32;
        self.from.push(from);
        self.to.push(to);
        self.reason.push(reason);
        self.next.push(self.first[from as usize]);
        self.first[from as usize] = edge;
    }

    /// Adds real-time order: a node that ended before another began comes first.
    ///
    /// Pairs would be quadratic in number. Instead there is a chain of auxiliary *instants*: a transaction leads to the first
    /// instant after its end, and an instant leads to every transaction that begins at or after it. An instant is added before a
    /// begin only if a transaction ended since the last one, so there are at most as many instants as transactions.
    ///
    /// *Exact*: let `a` end before `b` begins. When `b`'s begin is reached, in order of time, `a` has ended, so it leads to the
    /// last instant or to one before it, and the last instant leads to `b`. Conversely, what leads to an instant has ended
    /// before the begin for which the instant was added, and what that instant or a later one leads to begins no earlier. ∎
    pub fn add_real_time(&mut self, timeboxes: impl Iterator<Item = (usize, Timebox)> + Clone) {
        let mut starts: Vec<(Time, usize)> = timeboxes
            .clone()
            .map(|(one, timebox)| (timebox.start, one))
            .collect();
        let mut ends: Vec<(Time, usize)> = timeboxes
            .filter_map(|(one, timebox)| timebox.end.map(|end| (end, one)))
            .collect();
        starts.sort_unstable();
        ends.sort_unstable();
        let mut ended = ends.into_iter().peekable();
        let mut instant = None;
        for (start, one) in starts {
            let mut next = None;
            while let Some((_, first)) = ended.next_if(|(end, _)| *end < start) {
                let to = *next.get_or_insert_with(|| self.auxiliary());
                self.add(self.commit(first), to, EdgeReason::RealTime);
            }
            if let Some(next) = next {
                if let Some(instant) = instant {
                    self.add(instant, next, EdgeReason::RealTime);
                }
                instant = Some(next);
            }
            if let Some(instant) = instant {
                self.add(instant, self.seeing(one), EdgeReason::RealTime);
            }
        }
    }

    /// All edges, by their ends.
    pub fn edges(&self) -> impl Iterator<Item = (GraphNode, GraphNode)> {
        self.from.iter().copied().zip(self.to.iter().copied())
    }

    /// The numbers of the edges that leave a node.
    fn leaving(&self, node: GraphNode) -> impl Iterator<Item = usize> {
        let mut edge = self.first[node as usize];
        std::iter::from_fn(move || {
            let found = (edge != NONE).then_some(edge as usize)?;
            edge = self.next[found];
            Some(found)
        })
    }

    /// The reason of an edge.
    pub fn reason(&self, from: GraphNode, to: GraphNode) -> EdgeReason {
        let found = self.leaving(from).find(|edge| self.to[*edge] == to);
        found.map_or(EdgeReason::Same, |edge| self.plain(edge))
    }

    /// The successors of a node.
    pub fn successors(&self, node: GraphNode) -> impl Iterator<Item = GraphNode> {
        self.leaving(node).map(|edge| self.to[edge])
    }

    /// A topological order, nodes with a small priority first where there is a choice.
    ///
    /// # Errors
    /// A short cycle, if there is one.
    pub fn topological(&self, priority: &[i64]) -> Result<Vec<GraphNode>, Vec<OrderEdge>> {
        let mut incoming = vec![0_u32; self.nodes()];
        self.to.iter().for_each(|to| incoming[*to as usize] += 1);
        let key = |node: GraphNode| Reverse((priority.get(node as usize).copied().unwrap_or(i64::MIN), node));
        let mut ready: BinaryHeap<_> = (0..self.nodes() as GraphNode)
            .filter(|node| incoming[*node as usize] == 0)
            .map(key)
            .collect();
        let mut order = Vec::with_capacity(self.nodes());
        while let Some(Reverse((_, node))) = ready.pop() {
            order.push(node);
            for to in self.successors(node) {
                incoming[to as usize] -= 1;
                if incoming[to as usize] == 0 {
                    ready.push(key(to));
                }
            }
        }
        if order.len() == self.nodes() {
            Ok(order)
        } else {
            Err(self.cycle(&incoming))
        }
    }

    /// A short cycle among the nodes with unprocessed predecessors.
    fn cycle(&self, left: &[u32]) -> Vec<OrderEdge> {
        let is_left = |node: GraphNode| left[node as usize] > 0;
        // Each of these nodes has a predecessor among them: following predecessors ends in a cycle.
        let mut predecessor = vec![NONE; self.nodes()];
        for (from, to) in self.edges().filter(|(from, _)| is_left(*from)) {
            predecessor[to as usize] = from;
        }
        let Some(mut node) = (0..self.nodes() as GraphNode).find(|node| is_left(*node)) else {
            return Vec::new();
        };
        let mut is_passed = vec![false; self.nodes()];
        while !std::mem::replace(&mut is_passed[node as usize], true) {
            node = predecessor[node as usize];
        }
        let mut around = vec![node];
        let mut at = predecessor[node as usize];
        while at != node {
            around.push(at);
            at = predecessor[at as usize];
        }
        // The shortest cycle through one of its nodes is often much shorter.
        let tried = around.iter().take(Self::CYCLE_STARTS);
        let found = tried.filter_map(|node| self.shortest_cycle(*node, &is_left));
        let shortest = found.min_by_key(Vec::len).unwrap_or_default();
        self.steps(&shortest)
    }

    /// The number of nodes of a cycle from which a shorter one is searched.
    const CYCLE_STARTS: usize = 32;

    /// A shortest walk from a node to another one, as edges between transactions.
    pub fn walk(&self, start: GraphNode, target: GraphNode) -> Vec<OrderEdge> {
        let edges = self.shortest_walk(start, target, &|_| true);
        self.steps(&edges.unwrap_or_default())
    }

    /// The edges of a shortest cycle through a node.
    fn shortest_cycle(&self, start: GraphNode, is_left: &impl Fn(GraphNode) -> bool) -> Option<Vec<usize>> {
        self.shortest_walk(start, start, is_left)
    }

    /// The edges of a shortest walk between nodes.
    fn shortest_walk(
        &self,
        start: GraphNode,
        target: GraphNode,
        is_left: &impl Fn(GraphNode) -> bool,
    ) -> Option<Vec<usize>> {
        let mut came_by = vec![NONE; self.nodes()];
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for edge in self.leaving(node) {
                let to = self.to[edge];
                if !is_left(to) || came_by[to as usize] != NONE {
                    continue;
                }
                came_by[to as usize] = edge as u32;
                if to == target {
                    let mut edges = vec![edge];
                    let mut at = self.from[edge];
                    while at != start {
                        let edge = came_by[at as usize] as usize;
                        edges.push(edge);
                        at = self.from[edge];
                    }
                    edges.reverse();
                    return Some(edges);
                }
                queue.push_back(to);
            }
        }
        None
    }

    /// A cycle of edges between transactions.
    fn steps(&self, cycle: &[usize]) -> Vec<OrderEdge> {
        let hops = cycle
            .iter()
            .map(|edge| (self.from[*edge], self.to[*edge], self.plain(*edge)));
        self.steps_between(hops.collect())
    }

    /// The reason of an edge. Of a forced one, with the reader that forces it.
    fn plain(&self, edge: usize) -> EdgeReason {
        let EdgeReason::Forced { key, head, end } = self.reason[edge] else {
            return self.reason[edge];
        };
        // Only earlier edges: they are numbered in order of insertion.
        let mut is_reached = vec![false; self.nodes()];
        let mut reached = vec![self.begin(head as usize), self.commit(head as usize)];
        while let Some(node) = reached.pop() {
            if std::mem::replace(&mut is_reached[node as usize], true) {
                continue;
            }
            let known = self.leaving(node).filter(|known| *known < edge);
            reached.extend(known.map(|known| self.to[known]));
        }
        let into_end = self
            .edges()
            .filter(|(from, to)| *to == end && is_reached[*from as usize]);
        let mut readers = into_end.filter_map(|(from, _)| self.transaction(from));
        readers
            .next()
            .map_or(EdgeReason::WroteOver(key), |reader| EdgeReason::SeenBy {
                reader: reader as u32,
                key,
            })
    }

    /// A cycle of edges between transactions. A path through auxiliary nodes is one edge: it has the reason of its
    /// first edge if that is an anti-dependency, and otherwise of its last.
    pub fn steps_between(&self, mut hops: Vec<(GraphNode, GraphNode, EdgeReason)>) -> Vec<OrderEdge> {
        let starts_at = |hop: &(GraphNode, GraphNode, EdgeReason)| self.transaction(hop.0).is_some();
        let Some(first) = hops.iter().position(starts_at) else {
            return Vec::new();
        };
        hops.rotate_left(first);
        let mut steps = Vec::new();
        let mut open: Option<(usize, EdgeReason)> = None;
        for (from, to, reason) in hops {
            if let Some(one) = self.transaction(from) {
                open = Some((one, reason));
            }
            if let (Some(second), Some((first, first_reason))) = (self.transaction(to), open) {
                if first != second {
                    let reason = if matches!(first_reason, EdgeReason::ReadBefore(_)) {
                        first_reason
                    } else {
                        reason
                    };
                    steps.push(OrderEdge {
                        from: Some(first),
                        to: Some(second),
                        reason,
                    });
                }
                open = None;
            }
        }
        steps
    }
}
