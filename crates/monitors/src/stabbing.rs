//! Which intervals contain a position.

use std::ops::Range;

use crate::operation::Rank;

/// Intervals of positions, from which those that contain a position are taken out, each once, in O(log n).
#[derive(Debug)]
pub(crate) struct Stabbing {
    leaves: usize,
    /// The beginnings, in order within each range that is asked for.
    begins: Vec<Rank>,
    /// The greatest end below each node of a binary tree in an array, the root at 1; 0 for what was taken out.
    ends: Vec<Rank>,
}

impl Stabbing {
    /// Intervals in order of their beginnings, or in groups that each are.
    pub fn new(intervals: impl ExactSizeIterator<Item = Range<Rank>>) -> Self {
        let leaves = intervals.len().next_power_of_two();
        let mut begins = Vec::with_capacity(intervals.len());
        let mut ends = vec![0; 2 * leaves];
        for (index, interval) in intervals.enumerate() {
            begins.push(interval.start);
            ends[leaves + index] = interval.end;
        }
        for node in (1..leaves).rev() {
            ends[node] = ends[2 * node].max(ends[2 * node + 1]);
        }
        Self { leaves, begins, ends }
    }

    /// Takes out an interval that contains the position, of those with the given indices.
    pub fn take(&mut self, among: Range<usize>, position: Rank) -> Option<usize> {
        let begins = self.begins.get(among.clone())?;
        let end = among.start + begins.partition_point(|begin| *begin <= position);
        let index = self.find(1, 0..self.leaves, &(among.start..end), position)?;
        self.remove(index);
        Some(index)
    }

    /// Takes out the interval with this index.
    pub fn remove(&mut self, index: usize) {
        let mut node = self.leaves + index;
        self.ends[node] = 0;
        while node > 1 {
            node >>= 1;
            self.ends[node] = self.ends[2 * node].max(self.ends[2 * node + 1]);
        }
    }

    fn find(&self, node: usize, below: Range<usize>, among: &Range<usize>, position: Rank) -> Option<usize> {
        let is_apart = below.end <= among.start || among.end <= below.start;
        if is_apart || self.ends[node] <= position {
            return None;
        }
        if node >= self.leaves {
            return Some(below.start);
        }
        let middle = below.start + below.len() / 2;
        self.find(2 * node, below.start..middle, among, position)
            .or_else(|| self.find(2 * node + 1, middle..below.end, among, position))
    }
}
