//! The step of an instance whose effects are exact, computed without evaluating the action.
//!
//! The demands and tallies of the effects are compared with the cells of the state, and the writes are applied. Why that is right is argued
//! where effects are found to be exact, in `omnilink_tla::eval`.

use omnilink_tla::eval::{Content, Effects, Write, equal_values};

use crate::state::SpecState;

/// The step of an instance.
#[derive(Debug)]
pub(crate) enum ExactStep<'e> {
    /// It is refused.
    Refused,
    /// It makes these writes and changes nothing else.
    Writes(&'e [Write]),
}

/// The step of an instance with these effects in a state; `None` if the action has to be evaluated: the effects are not exact, a
/// cell does not exist, or its value cannot be compared with the demanded one.
#[inline]
pub(crate) fn exact_step<'e>(effects: &'e Effects, state: &SpecState) -> Option<ExactStep<'e>> {
    if !effects.is_exact {
        return None;
    }
    // First, because a conjunct that fails may stand before a demand that is not met.
    let mut is_refused = false;
    for tally in &effects.tallies {
        is_refused |= !tally.holds(state.values())?;
    }
    for (cell, content) in &effects.demands {
        let is_met = match (content, cell.held(state.values())) {
            (Content::Is(value), Some(held)) => equal_values(&held, value).ok()?,
            (Content::Is(_), None) => return None,
            (Content::Present, held) => held.is_some(),
            (Content::Missing, held) => held.is_none(),
        };
        if !is_met {
            return Some(ExactStep::Refused);
        }
    }
    Some(if is_refused {
        ExactStep::Refused
    } else {
        ExactStep::Writes(&effects.writes)
    })
}
