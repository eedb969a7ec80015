//! How each configuration came about: the order in which it placed operations.
//!
//! Paths share their beginnings, so they form a tree. Once all surviving configurations agree on how the story begins,
//! that beginning is settled: it is handed out (to be replayed and, on request, written down) and forgotten. So the
//! tree, too, holds a window of the trace.

use std::collections::BTreeSet;

use crate::ledger::OpRef;

/// A position in the tree.
pub(crate) type PathId = u32;

/// The empty path.
pub(crate) const START: PathId = u32::MAX;

/// The tree of unsettled paths.
#[derive(Debug)]
pub(crate) struct Paths {
    nodes: Vec<(PathId, OpRef)>,
    enabled: bool,
    /// How many nodes there may be before it is worth looking for a settled beginning.
    patience: usize,
}

impl Paths {
    const PATIENCE_MIN: usize = 1 << 10;
    /// 2^23 nodes of 8 bytes: past that the paths are given up, because an answer without a witness is
    /// better than none.
    const NODES_MAX: usize = 1 << 23;

    pub fn new(enabled: bool) -> Self {
        Self {
            nodes: Vec::new(),
            enabled,
            patience: Self::PATIENCE_MIN,
        }
    }

    /// Whether paths are kept (still).
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

    pub fn is_crowded(&self) -> bool {
        self.nodes.len() > self.patience
    }

    /// Drops what no path in `live` needs, moves the beginning they all share to `settled`, and renumbers `live`.
    pub fn settle<'a>(&mut self, live: impl Iterator<Item = &'a mut PathId>, settled: &mut Vec<OpRef>) {
        let mut live: Vec<&mut PathId> = live.collect();
        const DEAD: u32 = 0;
        const SHARED: u32 = 2;
        // Children always come after their parents, so one pass from the back marks every ancestor.
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
        // While every path goes through one node, that node is settled; `trunk` is the last such node.
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
        self.patience = Self::PATIENCE_MIN.max(self.nodes.len() * 2);
        if self.nodes.len() > Self::NODES_MAX {
            self.nodes = Vec::new();
            self.enabled = false;
            for path in live {
                *path = START;
            }
        }
    }

    /// Where the paths part that lead to these ends: the last node that all of them go through.
    pub fn fork(&self, ends: impl Iterator<Item = PathId>) -> PathId {
        let mut ends: BTreeSet<PathId> = ends.collect();
        // Children always come after their parents, so the last one is nobody's ancestor; START is the largest number.
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

    /// The operations of `path`, first to last, from where the settled beginning stops; at most the last `limit`.
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
    fn the_shared_beginning_is_settled_and_the_rest_kept() {
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
    fn paths_part_at_the_last_node_that_all_go_through() {
        let mut paths = Paths::new(true);
        let a = paths.extend(START, 1);
        let b = paths.extend(a, 2);
        let c = paths.extend(b, 3);
        let d = paths.extend(b, 4);
        let other = paths.extend(START, 9);
        let fork = |ends: &[PathId]| paths.fork(ends.iter().copied());
        assert_eq!(fork(&[c, d]), b);
        assert_eq!(fork(&[c, b]), b);
        assert_eq!(fork(&[c]), c);
        assert_eq!(fork(&[c, a, d]), a);
        assert_eq!(fork(&[c, other]), START);
        assert_eq!(fork(&[c, START]), START);
        assert_eq!(fork(&[]), START);
    }

    #[test]
    fn a_path_that_ends_early_holds_the_others_back() {
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
