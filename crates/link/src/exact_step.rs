//! The step of an instance whose effects are exact, computed without evaluating the action.
//!
//! The demands of the effects are compared with the cells of the state, and the writes are applied. Why that is right is argued
//! where effects are found to be exact, in `omnilink_tla::eval`.

use omnilink_tla::eval::{CellPart, Effects, equal_values};
use smallvec::SmallVec;

use crate::state::{SpecState, Write};

/// The step of an instance.
#[derive(Debug)]
pub(crate) enum ExactStep<'e> {
    /// It is refused.
    Refused,
    /// It writes these values and changes nothing else.
    Writes(SmallVec<[Write<'e>; 2]>),
}

/// The step of an instance with these effects in a state; `None` if the action has to be evaluated: the effects are not exact, a
/// cell does not exist, or its value cannot be compared with the demanded one.
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
