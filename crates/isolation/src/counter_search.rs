//! Searches for what reads of counters have seen.

use std::collections::{BTreeMap, BTreeSet};

use omnilink_sorting::sort_by_key;
use omnilink_trace::Time;

/// The number of steps of a search for subsets, and of one for a serial order.
const SUBSET_STEPS_MAX: u64 = 20_000;
const ORDER_STEPS_MAX: u64 = 2_000_000;
/// The most increments of which a read may have seen any, beyond those that it must have seen.
const OPEN_MAX: usize = 12;

/// Sets of transactions whose amounts have this sum, no more than one above the limit, and whether these are all.
pub(crate) fn subsets_with_sum(
    amounts: &[(usize, i64)],
    sum: i64,
    found_max: usize,
) -> (Vec<Vec<usize>>, bool) {
    let mut amounts = amounts.to_vec();
    // Large ones first: then what is left tells early whether the sum can still be reached.
    amounts.sort_by_key(|(one, amount)| (std::cmp::Reverse(amount.unsigned_abs()), *one));
    let mut reach = vec![(0_i64, 0_i64); amounts.len() + 1];
    for at in (0..amounts.len()).rev() {
        let (least, most) = reach[at + 1];
        let amount = amounts[at].1;
        reach[at] = (
            least.saturating_add(amount.min(0)),
            most.saturating_add(amount.max(0)),
        );
    }
    let mut search = SubsetSearch {
        amounts: &amounts,
        reach: &reach,
        found_max,
        chosen: Vec::new(),
        found: Vec::new(),
        steps: 0,
    };
    search.extend(0, sum);
    let is_complete = search.steps <= SUBSET_STEPS_MAX && search.found.len() <= found_max;
    (search.found, is_complete)
}

struct SubsetSearch<'a> {
    amounts: &'a [(usize, i64)],
    /// The least and the greatest sum of those from a position on.
    reach: &'a [(i64, i64)],
    found_max: usize,
    chosen: Vec<usize>,
    found: Vec<Vec<usize>>,
    steps: u64,
}

impl SubsetSearch<'_> {
    fn extend(&mut self, at: usize, left: i64) {
        self.steps += 1;
        let (least, most) = self.reach[at];
        let is_over = self.steps > SUBSET_STEPS_MAX || self.found.len() > self.found_max;
        if is_over || left < least || left > most {
            return;
        }
        let Some((one, amount)) = self.amounts.get(at) else {
            self.found.push(self.chosen.clone());
            return;
        };
        self.chosen.push(*one);
        self.extend(at + 1, left.saturating_sub(*amount));
        self.chosen.pop();
        self.extend(at + 1, left);
    }
}

/// A transaction for the search of a serial order.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    one: usize,
    span: (Time, Time),
    /// Counters with what was added, and with what others had added that was read.
    pub changes: Vec<(usize, i64)>,
    pub reads: Vec<(usize, i64)>,
}

impl Step {
    pub fn new(one: usize, span: (Time, Time)) -> Self {
        Self {
            one,
            span,
            changes: Vec::new(),
            reads: Vec::new(),
        }
    }
}

/// Where a reader may be in a serial order: at states that were there, or after increments that it must have seen and some of others.
#[derive(Debug)]
struct Placement {
    reader: usize,
    states: Vec<usize>,
    must: Vec<usize>,
    open: Vec<usize>,
    masks: Vec<usize>,
    /// How much had been done before.
    before: usize,
}

/// A search for a serial order that keeps real time. Reads are placed in the order in which they ended: at a state that was there, or after some more
/// increments.
#[derive(Debug)]
pub(crate) struct SerialGuess {
    steps: Vec<Step>,
    /// The steps that read, by their ends.
    readers: Vec<usize>,
    /// Those that only change, by their ends.
    changers: Vec<usize>,
    held: Vec<i64>,
    /// What was done, in order.
    done: Vec<usize>,
    is_done: Vec<bool>,
    seen: BTreeMap<usize, BTreeSet<usize>>,
    count: u64,
}

impl SerialGuess {
    pub fn new(steps: Vec<Step>, counters: usize) -> Self {
        let by_end = |reads: bool| {
            let mut found: Vec<usize> = (0..steps.len())
                .filter(|at| steps[*at].reads.is_empty() != reads)
                .collect();
            sort_by_key(&mut found, |at| steps[*at].span.1);
            found
        };
        Self {
            readers: by_end(true),
            changers: by_end(false),
            held: vec![0; counters],
            done: Vec::new(),
            is_done: vec![false; steps.len()],
            seen: BTreeMap::new(),
            count: 0,
            steps,
        }
    }

    /// The transactions that each reader has seen.
    pub fn find(mut self) -> Option<BTreeMap<usize, BTreeSet<usize>>> {
        let mut placements: Vec<Placement> = Vec::new();
        while let Some(&reader) = self.readers.get(placements.len()) {
            placements.push(self.placement(reader));
            loop {
                let placement = placements.last_mut()?;
                while self.done.len() > placement.before {
                    self.undo();
                }
                if self.try_next(placement) {
                    break;
                }
                placements.pop();
            }
        }
        Some(self.seen)
    }

    /// Where a reader may be.
    fn placement(&self, reader: usize) -> Placement {
        let (start, end) = self.steps[reader].span;
        let (must, mut open): (Vec<usize>, Vec<usize>) = { self.changers.iter() }
            .filter(|one| !self.is_done[**one] && self.steps[**one].span.0 <= end)
            .partition(|one| self.steps[**one].span.1 < start);
        open.truncate(OPEN_MAX);
        let mut masks: Vec<usize> = (0..1 << open.len()).collect();
        sort_by_key(&mut masks, |mask| std::cmp::Reverse(mask.count_ones()));
        let is_free = must.is_empty() && self.steps[reader].changes.is_empty();
        Placement {
            reader,
            states: if is_free { self.states(reader) } else { Vec::new() },
            must,
            open,
            masks,
            before: self.done.len(),
        }
    }

    /// The states that were there since a reader began and show what it read, the newest last.
    fn states(&self, reader: usize) -> Vec<usize> {
        let (start, end) = self.steps[reader].span;
        let early = self.done.iter().position(|one| self.steps[*one].span.0 > end);
        let early = early.unwrap_or(self.done.len());
        let mut held = self.held.clone();
        let mut states = Vec::new();
        for back in (0..=self.done.len()).rev() {
            if back <= early && self.is_shown(reader, &held) {
                states.push(back);
            }
            let Some(last) = back.checked_sub(1).map(|last| self.done[last]) else {
                break;
            };
            // What had ended before the reader began was there.
            if self.steps[last].span.1 < start {
                break;
            }
            for (counter, amount) in &self.steps[last].changes {
                held[*counter] = held[*counter].saturating_sub(*amount);
            }
        }
        states.reverse();
        states
    }

    /// Tries the places that are left. What is tried first stands last.
    fn try_next(&mut self, placement: &mut Placement) -> bool {
        if let Some(state) = placement.states.pop() {
            self.see(placement.reader, state);
            return true;
        }
        while let Some(mask) = placement.masks.pop() {
            self.count += 1;
            if self.count > ORDER_STEPS_MAX {
                return false;
            }
            placement.must.iter().for_each(|one| self.apply(*one));
            let bits = placement.open.iter().enumerate();
            bits.filter(|(bit, _)| mask >> bit & 1 == 1)
                .for_each(|(_, one)| self.apply(*one));
            if self.is_shown(placement.reader, &self.held) {
                self.see(placement.reader, self.done.len());
                self.apply(placement.reader);
                return true;
            }
            while self.done.len() > placement.before {
                self.undo();
            }
        }
        false
    }

    fn see(&mut self, reader: usize, count: usize) {
        let seen = self.done[..count]
            .iter()
            .map(|one| self.steps[*one].one)
            .collect();
        self.seen.insert(self.steps[reader].one, seen);
    }

    fn is_shown(&self, reader: usize, held: &[i64]) -> bool {
        let reads = &self.steps[reader].reads;
        reads.iter().all(|(counter, sum)| held[*counter] == *sum)
    }

    fn apply(&mut self, one: usize) {
        for (counter, amount) in &self.steps[one].changes {
            self.held[*counter] = self.held[*counter].saturating_add(*amount);
        }
        self.is_done[one] = true;
        self.done.push(one);
    }

    fn undo(&mut self) {
        if let Some(one) = self.done.pop() {
            self.is_done[one] = false;
            for (counter, amount) in &self.steps[one].changes {
                self.held[*counter] = self.held[*counter].saturating_sub(*amount);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_tell_their_parts_if_amounts_are_powers_of_two() {
        let amounts: Vec<(usize, i64)> = (0..40).map(|bit| (bit, 1 << bit)).collect();
        let (found, is_complete) = subsets_with_sum(&amounts, 0b1011, 4);
        assert_eq!((found, is_complete), (vec![vec![3, 1, 0]], true));
        let equal: Vec<(usize, i64)> = (0..40).map(|one| (one, 1)).collect();
        assert!(!subsets_with_sum(&equal, 20, 100).1, "there are too many");
        assert_eq!(subsets_with_sum(&equal, 40, 100).0.len(), 1, "all of them");
        assert_eq!(subsets_with_sum(&equal, 41, 100), (Vec::new(), true));
    }
}
