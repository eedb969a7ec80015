//! The monitor for bags (multisets).
//!
//! Values are independent of each other, except for operations that found the bag empty.
//!
//! **Violation iff** an operation that found its value absent lies within the critical interval of that value, or an operation
//! that found the bag empty has no position at which no value is certainly inside (besides the rules for one value, which
//! [`ValueHistories`] checks).
//!
//! *Necessary.* A value is inside throughout its critical interval. *Sufficient.* A value with a critical interval is added just
//! before it and removed just after it: `first - 1` and `last` are positions of its addition and its removal. Its peeks take
//! effect at the nearest position in between. A value without one is added, peeked and removed at one position, one operation
//! after the other. So no value is inside at a position at which it is not certainly inside. ∎

use crate::action::{Rank, TimedAction};
use crate::coverage::place_empties;
use crate::decision::{Decision, Rule};
use crate::mutant::{Mutant, mutated};
use crate::value_history::{ValueHistories, violation};

/// The order of effects at one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EffectOrder {
    /// Values that were inside before are peeked and removed.
    Close(bool),
    /// A value is found absent, or the bag empty.
    Absent,
    /// A value is added, peeked and removed here.
    Pass(usize, u8),
    /// Values that are inside afterwards are added and peeked.
    Open(bool),
}

pub(crate) fn check(operations: &[TimedAction], values: &ValueHistories) -> Decision {
    let empties = match place_empties(operations, values) {
        Ok(positions) => positions,
        Err(decision) => return decision,
    };
    let mut effects: Vec<(Rank, EffectOrder, usize)> = Vec::with_capacity(operations.len());
    for (empty, position) in values.empties.iter().zip(empties) {
        effects.push((position, EffectOrder::Absent, *empty));
    }
    for miss in &values.misses {
        let positions = values.positions(&operations[*miss]);
        let number = values.number_of(operations[*miss].action.value());
        let history = number.map(|number| &values.histories[number]);
        let position = match history.filter(|history| history.first <= positions.start) {
            Some(history) => positions.start.max(history.last),
            None => positions.start,
        };
        if let Some(history) =
            history.filter(|_| position >= positions.end && !mutated(Mutant::AbsentWhileInside))
        {
            let involved = values.bounds(operations, history).chain([*miss]);
            return violation(Rule::NeverAbsent, operations, involved);
        }
        effects.push((position, EffectOrder::Absent, *miss));
    }
    for (number, history) in values.histories.iter().enumerate() {
        if history.is_critical() {
            effects.push((history.first - 1, EffectOrder::Open(false), history.add));
            for peek in values.peeks(history) {
                let position = operations[*peek].call.max(history.first - 1);
                let turn = if position < history.first {
                    EffectOrder::Open(true)
                } else {
                    EffectOrder::Close(false)
                };
                effects.push((position, turn, *peek));
            }
            effects.extend(
                history
                    .remove
                    .map(|remove| (history.last, EffectOrder::Close(true), remove)),
            );
        } else {
            let position = history.last;
            effects.push((position, EffectOrder::Pass(number, 0), history.add));
            for peek in values.peeks(history) {
                effects.push((position, EffectOrder::Pass(number, 1), *peek));
            }
            effects.extend(
                history
                    .remove
                    .map(|remove| (position, EffectOrder::Pass(number, 2), remove)),
            );
        }
    }
    effects.sort_unstable();
    Decision::Linearizable(effects.into_iter().map(|(.., number)| number).collect())
}
