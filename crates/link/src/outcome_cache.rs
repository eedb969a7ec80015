//! A cache of the outcomes of one instance, by the contents of the cells that it touches.
//!
//! An instance with complete effects reads and writes its own cells only. So where these cells hold what they held in an earlier
//! state, its outcome is the same: it is refused, changes nothing, or writes the same values. A trace meets the same few
//! contents in states that differ elsewhere, and a few comparisons are cheaper than evaluating the action.
//!
//! Cells that may be written count as read: a branch that does not write one leaves its value as it is.
//!
//! The outcome is a function of the instance, which owns the cache, and of what its cells hold, which is the key. It is none of the VIEW:
//! steps to states with equal views are one step, and whether views are equal depends on all of the state. So a specification with a VIEW has
//! no such cache.

use std::cell::RefCell;

use omnilink_tla::eval::{Cell, Effects, Left, State, Write};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::known_step::KnownStep;
use crate::mutant::{Mutant, mutated};
use crate::state::SpecState;

/// The outcomes of one instance.
#[derive(Debug)]
pub(crate) struct OutcomeCache {
    /// The cells that it touches; those that it may write come first.
    cells: Box<[Cell]>,
    writes: usize,
    known: RefCell<Known>,
}

/// The contents of the cells, and the outcome for each. Contents are scanned at every step and are kept apart from outcomes, so that
/// those of thousands of instances fit the processor's caches.
#[derive(Debug, Default)]
struct Known {
    /// The contents of all cells, one entry after another; `None` for a cell that is not there.
    held: Vec<Option<Value>>,
    outcomes: Vec<Outcome>,
}

#[derive(Debug)]
enum Outcome {
    Refused,
    Unchanged,
    /// What it changes.
    Written(Box<[Write]>),
}

/// Instances that touch more cells meet the same contents too rarely.
const CELLS_MAX: usize = 4;
/// Entries kept: scanning more takes longer than evaluating.
const KNOWN_MAX: usize = 24;

impl OutcomeCache {
    /// For an instance with these effects; `None` if it touches more than a few cells.
    pub(crate) fn of(effects: &Effects) -> Option<Self> {
        if !effects.is_complete {
            return None;
        }
        let mut cells: Vec<Cell> = Vec::new();
        for write in &effects.writes {
            add(&mut cells, &write.cell)?;
        }
        let writes = cells.len();
        for read in effects.reads.iter().filter(|_| !mutated(Mutant::OutcomeByWrites)) {
            add(&mut cells, read)?;
        }
        // Cells inside others would be written one over the other.
        let are_apart = |(at, cell): (usize, &Cell)| cells[..at].iter().all(|other| !other.overlaps(cell));
        if !cells.iter().enumerate().all(are_apart) {
            return None;
        }
        (cells.len() <= CELLS_MAX).then(|| Self {
            cells: cells.into(),
            writes,
            known: RefCell::default(),
        })
    }

    /// The outcome in a state, if it is cached.
    #[inline]
    pub(crate) fn get(&self, state: &SpecState) -> Option<KnownStep> {
        let known = self.known.borrow();
        let at = match &*self.cells {
            [cell] => {
                let held = cell.held(state.values());
                known.held.iter().position(|known| *known == held)?
            }
            cells => {
                let held = held(cells, state.values());
                (0..known.outcomes.len()).find(|at| {
                    let known = known.held.iter().skip(at * cells.len());
                    known.zip(&held).all(|(known, held)| known == held)
                })?
            }
        };
        let outcome = known.outcomes.get(at)?;
        Some(match outcome {
            Outcome::Refused => KnownStep::Refused,
            Outcome::Unchanged => KnownStep::Next(state.clone()),
            Outcome::Written(writes) => KnownStep::Next(state.with(writes)?),
        })
    }

    /// Whether another entry fits.
    fn has_room(&self) -> bool {
        self.known.borrow().outcomes.len() < KNOWN_MAX
    }

    /// Adds the outcome in a state, unless it has several successors. Equal states have equal values: there is no VIEW.
    pub(crate) fn insert(&self, state: &SpecState, next: &[SpecState]) {
        if !self.has_room() {
            return;
        }
        let mut known = self.known.borrow_mut();
        let outcome = match next {
            [] => Outcome::Refused,
            [next] => {
                let cells = self.cells.iter().take(self.writes);
                let writes = cells.filter_map(|cell| {
                    let (before, after) = (cell.held(state.values()), cell.held(next.values()));
                    let left = after.clone().map_or(Left::Removed, Left::Put);
                    (before != after).then(|| Write {
                        cell: cell.clone(),
                        left,
                    })
                });
                let writes: Box<[Write]> = writes.collect();
                if writes.is_empty() {
                    Outcome::Unchanged
                } else {
                    Outcome::Written(writes)
                }
            }
            _ => return,
        };
        known.held.extend(held(&self.cells, state.values()));
        known.outcomes.push(outcome);
    }
}

/// What cells hold.
fn held(cells: &[Cell], state: &State) -> SmallVec<[Option<Value>; CELLS_MAX]> {
    cells.iter().map(|cell| cell.held(state)).collect()
}

/// Adds a known part of a variable; `None` for any other cell.
fn add(cells: &mut Vec<Cell>, cell: &Cell) -> Option<()> {
    if cell.path.is_empty() || !cell.is_known() {
        return None;
    }
    if !cells.contains(cell) {
        cells.push(cell.clone());
    }
    Some(())
}
