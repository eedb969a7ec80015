//! The path of each configuration: the order in which it placed operations.
//!
//! Paths share prefixes, so they form a tree. Once all configurations of the frontier share a prefix, that prefix is
//! *settled*: it is removed from the tree and replayed. So the tree holds a window of the trace.

use std::collections::BTreeSet;

use crate::op_table::OpRef;

/// A node of the tree: the path from the root to it.
pub(crate) type PathId = u32;

/// The empty path.
pub(crate) const START: PathId = u32::MAX;

/// The tree of unsettled paths.
#[derive(Debug)]
pub(crate) struct Paths {
    nodes: Vec<(PathId, OpRef)>,
    enabled: bool,
    /// The number of nodes from which on settling is attempted.
    settle_threshold: usize,
}

impl Paths {
    const SETTLE_THRESHOLD_MIN: usize = 1 << 10;
    /// 2^23 nodes of 8 bytes. Beyond that, paths are dropped: a verdict without a witness is better than none.
    const NODES_MAX: usize = 1 << 23;

    pub fn new(enabled: bool) -> Self {
        Self {
            nodes: Vec::new(),
            enabled,
            settle_threshold: Self::SETTLE_THRESHOLD_MIN,
        }
    }

    /// Whether paths are recorded.
    pub fn enabled(&self) -> bool {
        self.enabled
    }

    #[inline]
    pub fn extend(&mut self, path: PathId, op: OpRef) -> PathId {
        if !self.enabled {
            return START;
        }
        self.nodes.push((path, op));
        (self.nodes.len() - 1) as PathId
    }

    /// Whether no path has a node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.nodes.len() > self.settle_threshold
    }

    /// Drops the nodes that no path in `live` needs, moves the prefix that all of them share to `settled`, and updates
    /// the ids in `live`.
    pub fn settle<'a>(&mut self, live: impl Iterator<Item = &'a mut PathId>, settled: &mut Vec<OpRef>) {
        let mut live: Vec<&mut PathId> = live.collect();
        const DEAD: u32 = 0;
        const SHARED: u32 = 2;
        // Children come after their parents, so one pass from the back marks every ancestor.
        let mut children = vec![DEAD; self.nodes.len()];
        let mut is_end = vec![false; self.nodes.len()];
        let mut from_start = 0;
        let mut ends_at_start = live.is_empty();
        for path in &live {
            match **path {
                START => ends_at_start = true,
                node => is_end[node as usize] = true,
            }
        }
        for node in (0..self.nodes.len()).rev() {
            if is_end[node] || children[node] != DEAD {
                match self.nodes[node].0 {
                    START => from_start = SHARED.min(from_start + 1),
                    parent => children[parent as usize] = SHARED.min(children[parent as usize] + 1),
                }
            }
        }
        let alive = |node: usize, children: &[u32]| is_end[node] || children[node] != DEAD;
        let mut map = vec![START; self.nodes.len()];
        let mut kept = 0;
        // A node that every path goes through is settled. `trunk` is the last such node.
        let mut trunk = (from_start == 1 && !ends_at_start).then_some(START);
        for node in 0..self.nodes.len() {
            if !alive(node, &children) {
                continue;
            }
            let (parent, op) = self.nodes[node];
            if trunk == Some(parent) {
                settled.push(op);
                trunk = (children[node] == 1 && !is_end[node]).then_some(node as PathId);
                continue;
            }
            let parent = if parent == START {
                START
            } else {
                map[parent as usize]
            };
            self.nodes[kept] = (parent, op);
            map[node] = kept as PathId;
            kept += 1;
        }
        self.nodes.truncate(kept);
        for path in &mut live {
            if **path != START {
                **path = map[**path as usize];
            }
        }
        self.settle_threshold = Self::SETTLE_THRESHOLD_MIN.max(self.nodes.len() * 2);
        if self.nodes.len() > Self::NODES_MAX {
            self.nodes = Vec::new();
            self.enabled = false;
            for path in live {
                *path = START;
            }
        }
    }

    /// The last node that all of these paths go through.
    pub fn common_ancestor(&self, ends: impl Iterator<Item = PathId>) -> PathId {
        let mut ends: BTreeSet<PathId> = ends.collect();
        // Children come after their parents, so the last node is no ancestor of another. `START` is the largest id.
        while ends.len() > 1
            && let Some(last) = ends.pop_last()
        {
            if last == START {
                return START;
            }
            ends.insert(self.nodes[last as usize].0);
        }
        ends.pop_last().unwrap_or(START)
    }

    /// The last operations of `path` after the settled prefix, at most `limit`, oldest first.
    pub fn tail(&self, mut path: PathId, limit: usize) -> Vec<OpRef> {
        let mut ops = Vec::new();
        while path != START && ops.len() < limit {
            let (parent, op) = self.nodes[path as usize];
            ops.push(op);
            path = parent;
        }
        ops.reverse();
        ops
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<(PathId, OpRef)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_prefix_is_settled_and_the_rest_kept() {
        let mut paths = Paths::new(true);
        let a = paths.extend(START, 1);
        let b = paths.extend(a, 2);
        let dead = paths.extend(a, 9);
        let mut c = paths.extend(b, 3);
        let d = paths.extend(b, 4);
        let mut e = paths.extend(d, 5);
        let _ = paths.extend(dead, 9);
        let mut settled = Vec::new();
        paths.settle([&mut c, &mut e].into_iter(), &mut settled);
        assert_eq!(settled, [1, 2]);
        assert_eq!(paths.tail(c, 9), [3]);
        assert_eq!(paths.tail(e, 9), [4, 5]);
        assert_eq!(paths.tail(e, 1), [5]);
        paths.settle([&mut e].into_iter(), &mut settled);
        assert_eq!(settled, [1, 2, 4, 5]);
        assert_eq!((e, paths.nodes.len()), (START, 0));
    }

    #[test]
    fn the_common_ancestor_is_the_last_node_of_all_paths() {
        let mut paths = Paths::new(true);
        let a = paths.extend(START, 1);
        let b = paths.extend(a, 2);
        let c = paths.extend(b, 3);
        let d = paths.extend(b, 4);
        let other = paths.extend(START, 9);
        let ancestor = |ends: &[PathId]| paths.common_ancestor(ends.iter().copied());
        assert_eq!(ancestor(&[c, d]), b);
        assert_eq!(ancestor(&[c, b]), b);
        assert_eq!(ancestor(&[c]), c);
        assert_eq!(ancestor(&[c, a, d]), a);
        assert_eq!(ancestor(&[c, other]), START);
        assert_eq!(ancestor(&[c, START]), START);
        assert_eq!(ancestor(&[]), START);
    }

    #[test]
    fn a_path_that_ends_early_limits_the_settled_prefix() {
        let mut paths = Paths::new(true);
        let mut a = paths.extend(START, 1);
        let mut b = paths.extend(a, 2);
        let mut settled = Vec::new();
        paths.settle([&mut a, &mut b].into_iter(), &mut settled);
        assert_eq!(settled, [1]);
        assert_eq!((a, paths.tail(b, 9)), (START, vec![2]));
        let mut nothing = START;
        paths.settle([&mut nothing, &mut b].into_iter(), &mut settled);
        assert_eq!(settled, [1]);
    }
}
