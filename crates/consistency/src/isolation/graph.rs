//! Who must be committed before whom, and why.

use super::transaction::Transactions;

/// Why a transaction must be committed before another. A position of `None` is the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The first is the beginning.
    Beginning,
    /// They are of one session.
    Session,
    /// One was over before the other began.
    RealTime,
    /// The second read this key from the first.
    ReadFrom(u32),
    /// The reader of this key saw the first, but read what the second wrote.
    SeenBy { reader: usize, key: u32 },
    /// The first read this key before the second wrote it.
    ReadBefore(u32),
    /// The second wrote this key over what the first wrote.
    WroteOver(u32),
    /// One snapshot contains the first, and the second wrote over what it shows of this key.
    SnapshotBefore(u32),
}

/// An edge of the graph.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub why: Why,
}

/// A graph over transactions; the last node is the beginning.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    edges: Vec<Vec<Edge>>,
}

impl Graph {
    pub fn new(transactions: usize) -> Self {
        Self {
            edges: vec![Vec::new(); transactions + 1],
        }
    }

    /// The node that stands for the beginning.
    pub fn beginning(&self) -> usize {
        self.edges.len() - 1
    }

    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Adds an edge. Nothing comes before the beginning, so such an edge is a cycle on its own.
    pub fn add(&mut self, from: usize, to: usize, why: Why) {
        self.edges[from].push(Edge { from, to, why });
    }

    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().flatten()
    }

    /// A cycle, if there is one.
    pub fn cycle(&self) -> Option<Vec<Edge>> {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut mark = vec![NEW; self.len()];
        for root in 0..self.len() {
            if mark[root] != NEW {
                continue;
            }
            mark[root] = OPEN;
            // The path from the root: a node and how many of its edges were followed.
            let mut path = vec![(root, 0_usize)];
            while let Some((node, followed)) = path.last_mut() {
                let Some(edge) = self.edges[*node].get(*followed) else {
                    mark[*node] = DONE;
                    path.pop();
                    continue;
                };
                *followed += 1;
                match mark[edge.to] {
                    NEW => {
                        mark[edge.to] = OPEN;
                        path.push((edge.to, 0));
                    }
                    OPEN => {
                        let from = path.iter().position(|(node, _)| *node == edge.to).unwrap_or(0);
                        let taken =
                            |(node, followed): &(usize, usize)| self.edges[*node].get(followed - 1).cloned();
                        return Some(path[from..].iter().filter_map(taken).collect());
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// The nodes of `present` in an order that follows all edges, given that there is no cycle.
    pub fn topological(&self, present: &[usize]) -> Vec<usize> {
        let mut incoming = vec![0_usize; self.len()];
        for edge in self.edges() {
            incoming[edge.to] += 1;
        }
        let mut ready: Vec<usize> = (0..self.len())
            .rev()
            .filter(|node| incoming[*node] == 0)
            .collect();
        let mut order = Vec::with_capacity(present.len());
        while let Some(node) = ready.pop() {
            order.push(node);
            for edge in &self.edges[node] {
                incoming[edge.to] -= 1;
                if incoming[edge.to] == 0 {
                    ready.push(edge.to);
                }
            }
        }
        order.retain(|node| present.contains(node));
        order
    }

    /// Which nodes each node comes before, as bits.
    pub fn reach(&self) -> Reach {
        let words = self.len().div_ceil(64);
        let mut rows = vec![vec![0_u64; words]; self.len()];
        for edge in self.edges() {
            rows[edge.from][edge.to / 64] |= 1 << (edge.to % 64);
        }
        for via in 0..self.len() {
            let through = rows[via].clone();
            for row in &mut rows {
                if row[via / 64] >> (via % 64) & 1 == 1 {
                    row.iter_mut()
                        .zip(&through)
                        .for_each(|(word, more)| *word |= more);
                }
            }
        }
        Reach { rows }
    }
}

/// The transitive closure of a graph.
#[derive(Debug)]
pub(super) struct Reach {
    rows: Vec<Vec<u64>>,
}

impl Reach {
    pub fn has(&self, from: usize, to: usize) -> bool {
        self.rows[from][to / 64] >> (to % 64) & 1 == 1
    }
}

impl Transactions {
    /// A cycle in words.
    pub(super) fn describe(&self, cycle: &[Edge]) -> Vec<String> {
        let name = |node: usize| {
            self.all
                .get(node)
                .map_or("the beginning", |one| one.label.as_str())
        };
        cycle
            .iter()
            .map(|Edge { from, to, why }| {
                let reason = match why {
                    Why::Beginning => "nothing comes before it".to_owned(),
                    Why::Session => "earlier in the same session".to_owned(),
                    Why::RealTime => "it was over before the other began".to_owned(),
                    Why::ReadFrom(key) => format!("the other read {} from it", self.key(*key)),
                    Why::SeenBy { reader, key } => {
                        let (reader, key) = (name(*reader), self.key(*key));
                        format!("{reader} sees both, and read {key} from the other, not from it")
                    }
                    Why::ReadBefore(key) => format!("it read {} before the other wrote it", self.key(*key)),
                    Why::WroteOver(key) => format!("the other wrote {} over what it wrote", self.key(*key)),
                    Why::SnapshotBefore(key) => {
                        format!(
                            "a snapshot contains it and shows {} before the other wrote it",
                            self.key(*key)
                        )
                    }
                };
                format!("{} before {}: {reason}", name(*from), name(*to))
            })
            .collect()
    }
}
