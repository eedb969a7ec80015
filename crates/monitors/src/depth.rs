//! A segment tree that counts the values inside at each position.

use std::ops::Range;

use crate::action::Rank;

/// A count for each position. Raising and lowering a range, and finding a minimum, take O(log n).
///
/// Beside the count, it keeps the sum of the numbers of the counted values. Where the count is 1, the sum is the number of
/// the only value.
#[derive(Debug)]
pub(crate) struct Depth {
    leaves: usize,
    /// A binary tree in an array with the root at 1. A count added at a node applies to all positions below it.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    added: u32,
    /// The least count below this node, including the one added here.
    least: u32,
    /// The sum of the numbers added here. It may wrap around, because only differences matter.
    numbers: u64,
}

/// The count of hidden positions.
const HIDDEN: u32 = 1 << 31;

impl Depth {
    pub fn new(positions: usize) -> Self {
        let leaves = positions.next_power_of_two();
        let mut depth = Self {
            leaves,
            nodes: vec![Node::default(); 2 * leaves],
        };
        // The tree has more leaves than there are positions.
        depth.add(positions as Rank..leaves as Rank, HIDDEN, 0);
        depth
    }

    /// One more value is inside at these positions.
    pub fn raise(&mut self, positions: Range<Rank>, number: usize) {
        self.add(positions, 1, number as u64 + 1);
    }

    /// One value fewer is inside at these positions.
    pub fn lower(&mut self, positions: Range<Rank>, number: usize) {
        self.add(positions, 1u32.wrapping_neg(), (number as u64 + 1).wrapping_neg());
    }

    /// Excludes a position from [`least`](Self::least) until it is shown again.
    pub fn hide(&mut self, position: Rank) {
        self.add(position..position + 1, HIDDEN, 0);
    }

    pub fn show(&mut self, position: Rank) {
        self.add(position..position + 1, HIDDEN.wrapping_neg(), 0);
    }

    fn add(&mut self, positions: Range<Rank>, count: u32, number: u64) {
        let (mut low, mut high) = (
            positions.start as usize + self.leaves,
            positions.end as usize + self.leaves,
        );
        let (first, last) = (low, high);
        while low < high {
            if low & 1 == 1 {
                self.add_at(low, count, number);
                low += 1;
            }
            if high & 1 == 1 {
                high -= 1;
                self.add_at(high, count, number);
            }
            low >>= 1;
            high >>= 1;
        }
        if first < last {
            self.update_above(first);
            self.update_above(last - 1);
        }
    }

    fn add_at(&mut self, node: usize, count: u32, number: u64) {
        let node = &mut self.nodes[node];
        node.added = node.added.wrapping_add(count);
        node.least = node.least.wrapping_add(count);
        node.numbers = node.numbers.wrapping_add(number);
    }

    fn update_above(&mut self, mut node: usize) {
        while node > 1 {
            node >>= 1;
            let least = self.nodes[2 * node].least.min(self.nodes[2 * node + 1].least);
            self.nodes[node].least = least.wrapping_add(self.nodes[node].added);
        }
    }

    /// A position with the least count, unless that is more than 1.
    pub fn least(&self) -> Option<Least> {
        let count = self.nodes[1].least;
        if count > 1 {
            return None;
        }
        let mut node = 1;
        let mut numbers = self.nodes[1].numbers;
        while node < self.leaves {
            let (left, right) = (2 * node, 2 * node + 1);
            node = if self.nodes[left].least <= self.nodes[right].least {
                left
            } else {
                right
            };
            numbers = numbers.wrapping_add(self.nodes[node].numbers);
        }
        Some(Least {
            position: (node - self.leaves) as Rank,
            only: (count == 1).then(|| numbers as usize - 1),
        })
    }
}

/// A position at which no value, or a single one, is certainly inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Least {
    pub position: Rank,
    /// The number of the single value; `None` if there is no value.
    pub only: Option<usize>,
}
