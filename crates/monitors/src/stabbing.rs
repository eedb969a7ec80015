//! An interval tree for stabbing queries: the intervals that contain a position.

use std::ops::Range;

use crate::action::Rank;

/// A set of intervals. Removing one that contains a given position takes O(log n).
#[derive(Debug)]
pub(crate) struct Stabbing {
    leaves: usize,
    /// The starts of the intervals, ascending within each range that is queried.
    starts: Vec<Rank>,
    /// The greatest end below each node of a binary tree in an array with the root at 1; 0 for removed intervals.
    ends: Vec<Rank>,
}

impl Stabbing {
    /// A set of intervals, sorted by start, or in groups that are each sorted by start.
    pub fn new(intervals: impl ExactSizeIterator<Item = Range<Rank>>) -> Self {
        let leaves = intervals.len().next_power_of_two();
        let mut starts = Vec::with_capacity(intervals.len());
        let mut ends = vec![0; 2 * leaves];
        for (index, interval) in intervals.enumerate() {
            starts.push(interval.start);
            ends[leaves + index] = interval.end;
        }
        for node in (1..leaves).rev() {
            ends[node] = ends[2 * node].max(ends[2 * node + 1]);
        }
        Self { leaves, starts, ends }
    }

    /// Removes an interval that contains the position, among those with the given indices.
    pub fn take(&mut self, among: Range<usize>, position: Rank) -> Option<usize> {
        let starts = self.starts.get(among.clone())?;
        let end = among.start + starts.partition_point(|start| *start <= position);
        let index = self.find(1, 0..self.leaves, &(among.start..end), position)?;
        self.remove(index);
        Some(index)
    }

    /// Removes the interval with this index.
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
