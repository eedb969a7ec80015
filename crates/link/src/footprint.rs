//! Footprints: which parts of the state an instance touches, in the engine's terms.
//!
//! A cell `f[k]` gets a key of its own. A variable that no action ever takes apart has one key for all of it. Where some
//! actions touch `f[k]` and others `f` as a whole, the latter touch every key there is: the engine knows keys, not
//! containment.

use omnilink_engine::{Footprint, Keys};
use omnilink_tla::eval::{Cell, CellPart, Effects};
use omnilink_value::Value;

use crate::state::SpecState;

/// The variables of a spec that actions access cell by cell.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// For each variable, whether some action touches `f[k]` or `DOMAIN f`. `None`: nothing is taken apart.
    apart: Option<Vec<bool>>,
}

impl Cells {
    /// The state is one cell.
    pub(crate) fn tied() -> Self {
        Self { apart: None }
    }

    /// From the effects of all actions, for any arguments. If one of them is not understood, any variable may turn out
    /// to be taken apart.
    pub(crate) fn found(variables: usize, effects: &[Effects]) -> Self {
        let mut apart = vec![effects.iter().any(|effects| !effects.is_complete); variables];
        for effects in effects {
            let cells = effects
                .reads
                .iter()
                .chain(effects.writes.iter().map(|write| &write.cell));
            for cell in cells.filter(|cell| cell.part != CellPart::Whole) {
                if let Some(apart) = apart.get_mut(cell.variable as usize) {
                    *apart = true;
                }
            }
        }
        Self { apart: Some(apart) }
    }

    fn key(&self, apart: &[bool], cell: &Cell) -> Option<u64> {
        let is_apart = apart.get(cell.variable as usize).copied().unwrap_or(true);
        let salt = u64::from(cell.variable).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match &cell.part {
            CellPart::Whole if is_apart => None,
            CellPart::Whole => Some(spread(salt)),
            CellPart::Domain => Some(spread(salt ^ 1)),
            // Small integers never collide: most keys are small integers.
            CellPart::At(value) => Some(match value.as_int() {
                Some(int) => spread(salt).wrapping_add(int as u64),
                None => spread(salt ^ value.hash64()),
            }),
        }
    }

    fn keys<'c>(&self, apart: &[bool], cells: impl Iterator<Item = &'c Cell>) -> Keys {
        let mut keys = smallvec::SmallVec::new();
        for cell in cells {
            match self.key(apart, cell) {
                Some(key) if keys.contains(&key) => {}
                Some(key) => keys.push(key),
                None => return Keys::All,
            }
        }
        Keys::Only(keys)
    }

    /// The footprint of an instance with these effects.
    pub(crate) fn footprint(&self, effects: &Effects) -> Footprint {
        let Some(apart) = self.apart.as_deref().filter(|_| effects.is_complete) else {
            if effects.is_pure() {
                return Footprint::reads(Keys::All);
            }
            return Footprint::everything();
        };
        Footprint {
            reads: self.keys(apart, effects.reads.iter()),
            writes: self.keys(apart, effects.writes.iter().map(|write| &write.cell)),
        }
    }

    /// Whether something demanded of a single cell does not hold in `state`.
    pub(crate) fn is_demand_unmet(&self, state: &SpecState, refused: &Effects) -> bool {
        refused.demands.iter().any(|demand| is_unmet(state, demand))
    }

    /// Whether what `refused` waits for may be done by `helper`.
    ///
    /// A demand `f[k] = v` that `state` does not meet is met only after something has left `v` at `f[k]`: the last to change
    /// it did. If no demand says why it is refused, it stays refused until something that it reads changes. The first
    /// to change any of that finds it as it is in `state`: so it writes something else there, and demands nothing else.
    pub(crate) fn may_enable(&self, state: &SpecState, refused: &Effects, helper: &Effects) -> bool {
        if !refused.is_complete || !helper.is_complete {
            return true;
        }
        match refused.demands.iter().find(|demand| is_unmet(state, demand)) {
            Some((cell, value)) => helper.writes.iter().any(|write| {
                touches(&write.cell, cell) && write.value.as_ref().is_none_or(|left| left == value)
            }),
            None => {
                let is_read = |cell: &Cell| refused.reads.iter().any(|read| touches(cell, read));
                let changes = helper.writes.iter().any(|write| {
                    let same = write
                        .value
                        .as_ref()
                        .is_some_and(|left| held(state, &write.cell) == Some(left));
                    !same && is_read(&write.cell)
                });
                let is_read_there = |cell: &Cell| refused.reads.contains(cell);
                changes
                    && !helper
                        .demands
                        .iter()
                        .any(|demand| is_read_there(&demand.0) && is_unmet(state, demand))
            }
        }
    }
}

fn is_unmet(state: &SpecState, (cell, value): &(Cell, Value)) -> bool {
    held(state, cell).is_some_and(|held| held != value)
}

/// The value of a cell of the form `f[k]`.
fn held<'s>(state: &'s SpecState, cell: &Cell) -> Option<&'s Value> {
    let CellPart::At(key) = &cell.part else {
        return None;
    };
    state.values().get(cell.variable as usize)?.apply(key)
}

/// Whether a change of `written` may be a change of `read`.
fn touches(written: &Cell, read: &Cell) -> bool {
    written.variable == read.variable
        && match (&written.part, &read.part) {
            (CellPart::At(written), CellPart::At(read)) => written == read,
            (CellPart::At(_), CellPart::Domain) => false,
            _ => true,
        }
}

fn spread(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    word ^ (word >> 29)
}
