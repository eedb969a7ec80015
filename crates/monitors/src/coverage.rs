//! Which positions are covered by intervals.

use std::ops::Range;

use crate::answer::{Answer, Rule};
use crate::lives::{Life, Lives, violation};
use crate::operation::{Operation, Rank};

/// Positions of which some are covered. Covering and looking up are nearly constant (union-find with path halving).
#[derive(Debug)]
pub(crate) struct Cover {
    /// For a covered position one further to the right, on the way to the next that is not covered.
    right: Vec<Rank>,
    /// The same to the left, with numbers one greater: 0 says that there is none.
    left: Vec<Rank>,
}

impl Cover {
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

    /// The first position from `at` on that is not covered; the number of positions if there is none.
    pub fn next_free(&mut self, at: Rank) -> Rank {
        Self::find(&mut self.right, at)
    }

    /// The last position before `at` that is not covered.
    pub fn last_free_before(&mut self, at: Rank) -> Option<Rank> {
        Self::find(&mut self.left, at).checked_sub(1)
    }

    /// The first position in a range that is not covered.
    pub fn free_in(&mut self, positions: Range<Rank>) -> Option<Rank> {
        let free = self.next_free(positions.start);
        (free < positions.end).then_some(free)
    }

    /// Covers positions.
    pub fn cover(&mut self, positions: Range<Rank>) {
        let mut at = self.next_free(positions.start);
        while at < positions.end {
            self.right[at as usize] = at + 1;
            self.left[at as usize + 1] = at;
            at = self.next_free(at + 1);
        }
    }
}

/// Where the operations that found nothing can take effect, by their order in [`Lives::empties`]: positions at which no
/// value is surely inside. A violation, if there is none for one of them.
///
/// # Why this is all there is to check
/// Necessary: a value is inside at each position of its critical interval in every linearization. Sufficient, together
/// with a linearization of the other operations: each monitor proves that it has one in which the collection is empty
/// at all these positions at once.
pub(crate) fn place_empties(operations: &[Operation], lives: &Lives) -> Result<Vec<Rank>, Answer> {
    if lives.empties.is_empty() {
        return Ok(Vec::new());
    }
    let mut cover = Cover::new(lives.position_count());
    for life in lives.lives.iter().filter(|life| life.is_critical()) {
        cover.cover(life.first..life.last);
    }
    let place = |empty: &usize| {
        let positions = lives.positions(&operations[*empty]);
        cover
            .free_in(positions)
            .ok_or_else(|| never_empty(operations, lives, *empty))
    };
    lives.empties.iter().map(place).collect()
}

/// The values that are inside one after the other while an operation found nothing.
fn never_empty(operations: &[Operation], lives: &Lives, empty: usize) -> Answer {
    let cover = fewest_that_cover(&lives.lives, lives.positions(&operations[empty]));
    let involved = cover.into_iter().flat_map(|life| lives.bounds(operations, life));
    violation(Rule::NeverEmpty, operations, involved.chain([empty]))
}

/// The fewest values whose critical intervals cover these positions, if all together do.
pub(crate) fn fewest_that_cover(lives: &[Life], positions: Range<Rank>) -> Vec<&Life> {
    let mut by_first: Vec<&Life> = lives
        .iter()
        .filter(|life| life.is_critical() && life.first < positions.end && life.last > positions.start)
        .collect();
    by_first.sort_unstable_by_key(|life| life.first);
    let mut rest = by_first.into_iter().peekable();
    let mut cover = Vec::new();
    let mut covered = positions.start;
    let mut furthest: Option<&Life> = None;
    while covered < positions.end {
        while let Some(life) = rest.next_if(|life| life.first <= covered) {
            if furthest.is_none_or(|known| known.last < life.last) {
                furthest = Some(life);
            }
        }
        let Some(life) = furthest.filter(|life| life.last > covered) else {
            break;
        };
        cover.push(life);
        covered = life.last;
    }
    cover
}
