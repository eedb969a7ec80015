//! Footprints: which parts of the state an instance touches, in the engine's terms.
//!
//! A cell `f[k]` gets a key of its own. A variable that no action ever takes apart has one key for all of it. Where some
//! actions touch `f[k]` and others `f` as a whole, the latter touch every key there is: the engine knows keys, not
//! containment.

use omnilink_engine::{Footprint, Keys};
use omnilink_tla::eval::{Cell, CellPart, Effects};

use crate::state::SpecState;

/// How the variables of a spec are taken apart.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// For each variable, whether some action touches `f[k]` or `DOMAIN f`. `None`: nothing is taken apart.
    apart: Option<Vec<bool>>,
}

impl Cells {
    /// The state is one.
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
            // Small integers are told apart for certain: they are what keys mostly are.
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

    /// What an instance with these effects touches.
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

    /// Whether what `refused` waits for may be done by `helper`. A demand `f[k] = v` that `state` does not meet is met only
    /// after something has left `v` at `f[k]`: the last to change it did.
    pub(crate) fn may_enable(&self, state: &SpecState, refused: &Effects, helper: &Effects) -> bool {
        if !refused.is_complete || !helper.is_complete {
            return true;
        }
        let is_met = |(cell, value): &&(Cell, omnilink_value::Value)| {
            let CellPart::At(key) = &cell.part else {
                return true;
            };
            let function = state.values().get(cell.variable as usize);
            function.and_then(|function| function.apply(key)) == Some(value)
        };
        let Some((cell, value)) = refused.demands.iter().find(|demand| !is_met(demand)) else {
            return true;
        };
        helper.writes.iter().any(|write| {
            write.cell.variable == cell.variable
                && match &write.cell.part {
                    CellPart::At(key) => {
                        CellPart::At(key.clone()) == cell.part
                            && write.value.as_ref().is_none_or(|left| left == value)
                    }
                    CellPart::Whole | CellPart::Domain => true,
                }
        })
    }
}

fn spread(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    word ^ (word >> 29)
}
