//! What an instance does in a state, where its effects say exactly that.
//!
//! Nothing has to have been met before: its demands are compared with what the state holds, and its writes are done. What
//! is claimed here is argued where effects are found to be exact, in `omnilink_tla::eval`.

use omnilink_tla::eval::{CellPart, Effects, equal_values};
use smallvec::SmallVec;

use crate::state::{SpecState, Write};

/// What an instance does.
#[derive(Debug)]
pub(crate) enum ExactStep<'e> {
    /// It is refused.
    Refused,
    /// It leaves these values behind, and everything else as it is.
    Writes(SmallVec<[Write<'e>; 2]>),
}

/// What an instance with these effects does in a state; `None` if evaluation must say: the effects are not exact, a cell is
/// not there, or it holds something that cannot be compared with what is demanded.
#[inline]
pub(crate) fn exact_step<'e>(effects: &'e Effects, state: &SpecState) -> Option<ExactStep<'e>> {
    if !effects.is_exact {
        return None;
    }
    for (cell, value) in &effects.demands {
        let CellPart::At(key) = &cell.part else {
            return None;
        };
        let held = state.values().get(cell.variable as usize)?.apply(key)?;
        if !equal_values(held, value).ok()? {
            return Some(ExactStep::Refused);
        }
    }
    let mut writes = SmallVec::new();
    for write in &effects.writes {
        let (CellPart::At(key), Some(value)) = (&write.cell.part, &write.value) else {
            return None;
        };
        writes.push(Write {
            variable: write.cell.variable,
            key,
            value,
        });
    }
    Some(ExactStep::Writes(writes))
}
