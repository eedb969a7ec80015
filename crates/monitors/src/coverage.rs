//! Positions that are covered by intervals.

use std::ops::Range;

use omnilink_sorting::sort_by_key;

use crate::action::{Rank, TimedAction};
use crate::decision::{Decision, Rule};
use crate::mutant::{Mutant, mutated};
use crate::value_history::{ValueHistories, ValueHistory, violation};

/// A set of covered positions. Covering and lookup take nearly constant time (union-find with path halving).
#[derive(Debug)]
pub(crate) struct Coverage {
    /// For a covered position, a position further right on the way to the next free one.
    right: Vec<Rank>,
    /// The same to the left, with positions shifted by one: 0 means that there is none.
    left: Vec<Rank>,
}

impl Coverage {
    pub fn new(positions: usize) -> Self {
        Self {
            right: (0..=positions as Rank).collect(),
            left: (0..=positions as Rank).collect(),
        }
    }

    fn find(links: &mut [Rank], mut at: Rank) -> Rank {
        while links[at as usize] != at {
            let next = links[at as usize];
            links[at as usize] = links[next as usize];
            at = links[at as usize];
        }
        at
    }

    /// The first free position from `at` on; the number of positions if there is none.
    pub fn next_free(&mut self, at: Rank) -> Rank {
        Self::find(&mut self.right, at)
    }

    /// The last free position before `at`.
    pub fn last_free_before(&mut self, at: Rank) -> Option<Rank> {
        Self::find(&mut self.left, at).checked_sub(1)
    }

    /// The first free position in a range.
    pub fn free_in(&mut self, positions: Range<Rank>) -> Option<Rank> {
        let free = self.next_free(positions.start);
        (free < positions.end).then_some(free)
    }

    /// Covers positions. An empty range, such as the critical interval of a value that has none, covers nothing.
    pub fn cover(&mut self, positions: Range<Rank>) {
        let mut at = self.next_free(positions.start);
        while at < positions.end {
            self.right[at as usize] = at + 1;
            self.left[at as usize + 1] = at;
            at = self.next_free(at + 1);
        }
    }
}

/// A position for each operation in [`ValueHistories::empties`] at which no value is certainly inside; a violation if one
/// of them has none.
///
/// *Necessary*: in every linearization, a value is inside at each position of its critical interval. *Sufficient*, together
/// with a linearization of the other operations: each monitor proves that there is one in which the collection is empty at
/// all these positions.
pub(crate) fn place_empties(
    operations: &[TimedAction],
    values: &ValueHistories,
) -> Result<Vec<Rank>, Decision> {
    if values.empties.is_empty() {
        return Ok(Vec::new());
    }
    let mut cover = Coverage::new(values.position_count());
    if !mutated(Mutant::EmptyAnywhere) {
        for history in &values.histories {
            cover.cover(history.first..history.last);
        }
    }
    let place = |empty: &usize| {
        let positions = values.positions(&operations[*empty]);
        cover
            .free_in(positions)
            .ok_or_else(|| never_empty(operations, values, *empty))
    };
    values.empties.iter().map(place).collect()
}

/// The violation of an operation that found the collection empty while some value was always inside.
fn never_empty(operations: &[TimedAction], values: &ValueHistories, empty: usize) -> Decision {
    let cover = fewest_that_cover(&values.histories, values.positions(&operations[empty]));
    let involved = cover
        .into_iter()
        .flat_map(|history| values.bounds(operations, history));
    violation(Rule::NeverEmpty, operations, involved.chain([empty]))
}

/// The fewest values whose critical intervals together cover these positions.
pub(crate) fn fewest_that_cover(values: &[ValueHistory], positions: Range<Rank>) -> Vec<&ValueHistory> {
    let mut by_first: Vec<&ValueHistory> = values
        .iter()
        .filter(|history| {
            history.is_critical() && history.first < positions.end && history.last > positions.start
        })
        .collect();
    sort_by_key(&mut by_first, |history| history.first);
    let mut rest = by_first.into_iter().peekable();
    let mut cover = Vec::new();
    let mut covered = positions.start;
    let mut furthest: Option<&ValueHistory> = None;
    while covered < positions.end {
        while let Some(history) = rest.next_if(|history| history.first <= covered) {
            if furthest.is_none_or(|known| known.last < history.last) {
                furthest = Some(history);
            }
        }
        let Some(history) = furthest.filter(|history| history.last > covered) else {
            break;
        };
        cover.push(history);
        covered = history.last;
    }
    cover
}
