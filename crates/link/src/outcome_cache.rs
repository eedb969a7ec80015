//! What an instance did before, by what it found in the cells that it touches.
//!
//! An instance whose effects are understood looks at its own cells and at nothing else, and changes nothing else. So where
//! these cells hold what they held once before, it does what it did then: refuse, leave everything as it is, or write
//! the same values. A trace meets the same few contents again and again in states that differ everywhere else, and this
//! costs a few comparisons where evaluation costs a walk through the action.
//!
//! The cells that may be written count as looked at: what a branch does not write must stay what it is, whatever that was.
//! A cell that is not there (no such key) is none of this module's business: evaluation says what is wrong.

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

/// What the cells held, and what the instance did then. The former is gone through at every step and lies together, apart
/// from the latter: a trace has thousands of instances, and what they know should fit the processor's caches.
#[derive(Debug, Default)]
struct Known {
    /// One content of all cells after the other.
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

/// InstanceCache that touch more cells meet the same contents too rarely.
const CELLS_MAX: usize = 4;
/// Contents remembered: more would take longer to go through than to evaluate.
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

    /// What the instance does in a state, if it met the same before.
    #[inline]
    pub(crate) fn find(&self, state: &SpecState) -> Option<KnownStep> {
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

    /// Whether what is met next is remembered.
    pub(crate) fn has_room(&self) -> bool {
        self.known.borrow().outcomes.len() < KNOWN_MAX
    }

    /// Remembers what the instance did in a state, if it is one thing or nothing.
    pub(crate) fn learn(&self, state: &SpecState, next: &[SpecState]) {
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
