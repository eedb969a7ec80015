//! A cache of the outcomes of one instance, by the contents of the cells that it touches.
//!
//! An instance with complete effects reads and writes its own cells only. So where these cells hold what they held in an earlier
//! state, its outcome is the same: it is refused, changes nothing, or writes the same values. A trace meets the same few
//! contents in states that differ elsewhere, and a few comparisons are cheaper than evaluating the action.
//!
//! Cells that may be written count as read: a branch that does not write one leaves its value as it is. A cell that does not
//! exist (no such key) is left to evaluation, which reports the error.

use std::cell::RefCell;

use omnilink_tla::eval::{Cell, CellPart, Effects, State};
use omnilink_value::Value;
use smallvec::SmallVec;

use crate::known_step::KnownStep;
use crate::state::{SpecState, Write};

/// The outcomes of one instance.
#[derive(Debug)]
pub(crate) struct OutcomeCache {
    /// Variable and key of each cell that it touches; those that it may write come first.
    cells: Box<[(u32, Value)]>,
    writes: usize,
    known: RefCell<Known>,
}

/// The contents of the cells, and the outcome for each. Contents are scanned at every step and are kept apart from outcomes, so that
/// those of thousands of instances fit the processor's caches.
#[derive(Debug, Default)]
struct Known {
    /// The contents of all cells, one entry after another.
    held: Vec<Value>,
    outcomes: Vec<Outcome>,
}

#[derive(Debug)]
enum Outcome {
    Refused,
    Unchanged,
    /// What each cell that it may write holds afterwards.
    Written(Box<[Value]>),
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
        let mut cells: Vec<(u32, Value)> = Vec::new();
        for write in &effects.writes {
            add(&mut cells, &write.cell)?;
        }
        let writes = cells.len();
        for read in &effects.reads {
            add(&mut cells, read)?;
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
            [(variable, key)] => {
                let held = state.values().get(*variable as usize)?.apply(key)?;
                known.held.iter().position(|known| known == held)?
            }
            cells => {
                let held = held(cells, state.values())?;
                (0..known.outcomes.len()).find(|at| {
                    let known = known.held.iter().skip(at * cells.len());
                    known.zip(&held).all(|(known, held)| known == *held)
                })?
            }
        };
        let outcome = known.outcomes.get(at)?;
        Some(match outcome {
            Outcome::Refused => KnownStep::Refused,
            Outcome::Unchanged => KnownStep::Next(state.clone()),
            Outcome::Written(values) => {
                let cells = self.cells.iter().zip(values);
                let writes: SmallVec<[Write<'_>; 2]> = cells
                    .map(|((variable, key), value)| Write {
                        variable: *variable,
                        key,
                        value,
                    })
                    .collect();
                KnownStep::Next(state.with(&writes)?)
            }
        })
    }

    /// Whether another entry fits.
    pub(crate) fn has_room(&self) -> bool {
        self.known.borrow().outcomes.len() < KNOWN_MAX
    }

    /// Adds the outcome in a state, unless it has several successors.
    pub(crate) fn insert(&self, state: &SpecState, next: &[SpecState]) {
        if !self.has_room() {
            return;
        }
        let mut known = self.known.borrow_mut();
        let outcome = match next {
            [] => Outcome::Refused,
            [next] if next == state => Outcome::Unchanged,
            [next] => {
                let Some(written) = held(&self.cells[..self.writes], next.values()) else {
                    return;
                };
                Outcome::Written(written.into_iter().cloned().collect())
            }
            _ => return,
        };
        if let Some(held) = held(&self.cells, state.values()) {
            known.held.extend(held.into_iter().cloned());
            known.outcomes.push(outcome);
        }
    }
}

/// What cells hold; `None` if one of them is not there.
fn held<'s>(cells: &[(u32, Value)], state: &'s State) -> Option<SmallVec<[&'s Value; CELLS_MAX]>> {
    let mut held = SmallVec::new();
    for (variable, key) in cells {
        held.push(state.get(*variable as usize)?.apply(key)?);
    }
    Some(held)
}

/// Adds a cell of the form `f[k]`; `None` for any other.
fn add(cells: &mut Vec<(u32, Value)>, cell: &Cell) -> Option<()> {
    let CellPart::At(key) = &cell.part else {
        return None;
    };
    if !cells
        .iter()
        .any(|(variable, known)| *variable == cell.variable && known == key)
    {
        cells.push((cell.variable, key.clone()));
    }
    Some(())
}
