//! The monitor for priority queues, where the greatest value comes out first.
//!
//! Values are processed from the greatest down. `covered` are the positions at which a greater value is certainly inside.
//! The removal of a value `x` can take effect at `last(x)..removal.ret`, and a peek of it at
//! `max(peek.call, add.call)..peek.ret`.
//!
//! **Violation iff** such an operation has no position that is not covered, or an operation that found the queue empty has no
//! position at which no value is certainly inside (besides the rules for one value, which [`ValueHistories`] checks).
//!
//! *Necessary.* When `x` is next, no greater value is inside. It is removed after all its other operations, so not before
//! `last(x)`, and peeked while it is inside.
//!
//! *Sufficient.* A peek takes effect at a free (not covered) position within `first(x)..last(x)`, else at the nearest free
//! one to the left or right of it. The removal takes effect at the first free position from `last(x)` on. The addition
//! takes effect just before `first(x)`, or at the position of the first peek or the removal if that is earlier. So `x` is
//! inside at the positions of its critical interval, and otherwise only at positions that greater values cover. Smaller
//! values therefore lose only the positions of the critical interval of `x`, which is covered next. If all operations of `x`
//! overlap and there is a free position in `last(x)..first(x)`, they all take effect there.
//!
//! *Empty.* A position at which no value is certainly inside is not covered, so no value is inside there. ∎

use std::cmp::Reverse;
use std::ops::Range;

use crate::action::{Rank, TimedAction};
use crate::coverage::{Coverage, fewest_that_cover, place_empties};
use crate::decision::{Decision, Rule};
use crate::mutant::{Mutant, mutated};
use crate::value_history::{ValueHistories, ValueHistory, violation};

/// The order of effects at one position. Greater values have greater numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EffectOrder {
    /// Values that were inside before are peeked and removed, the greatest first.
    Close(Reverse<usize>, bool),
    /// The queue is found empty.
    Empty,
    /// A value is added, peeked and removed here.
    Pass(usize, u8),
    /// Values that are inside afterwards are added and peeked, the least first.
    Open(usize, bool),
}

pub(crate) fn check(operations: &[TimedAction], values: &ValueHistories) -> Decision {
    let empties = match place_empties(operations, values) {
        Ok(positions) => positions,
        Err(decision) => return decision,
    };
    let mut effects: Vec<(Rank, EffectOrder, usize)> = Vec::with_capacity(operations.len());
    for (empty, position) in values.empties.iter().zip(empties) {
        effects.push((position, EffectOrder::Empty, *empty));
    }
    let mut covered = Coverage::new(values.position_count());
    for (number, history) in values.histories.iter().enumerate().rev() {
        if let Err((front, positions)) =
            place(operations, values, number, history, &mut covered, &mut effects)
        {
            let greater = values.histories.get(number + 1..).unwrap_or(&[]);
            return greater_inside(operations, values, history, front, positions, greater);
        }
        if !mutated(Mutant::NextBelowGreater) {
            covered.cover(history.first..history.last);
        }
    }
    effects.sort_unstable();
    Decision::Linearizable(effects.into_iter().map(|(.., number)| number).collect())
}

/// Places the operations of one value. The error is an operation without a free position, with its possible positions.
fn place(
    operations: &[TimedAction],
    values: &ValueHistories,
    number: usize,
    history: &ValueHistory,
    covered: &mut Coverage,
    effects: &mut Vec<(Rank, EffectOrder, usize)>,
) -> Result<(), (usize, Range<Rank>)> {
    let add = values.positions(&operations[history.add]);
    // A value that nothing removes is removed after the end.
    let removed = match history.remove {
        Some(remove) => {
            let positions = history.last..values.positions(&operations[remove]).end;
            covered.free_in(positions.clone()).ok_or((remove, positions))?
        }
        None => values.end,
    };
    let mut peeks: Vec<(Rank, usize)> = Vec::with_capacity(values.peeks(history).len());
    for peek in values.peeks(history) {
        let positions = values.positions(&operations[*peek]);
        let positions = positions.start.max(add.start)..positions.end;
        let position = nearest_free(covered, &positions, history).ok_or((*peek, positions))?;
        peeks.push((position, *peek));
    }
    let first_front = peeks.iter().map(|(position, _)| *position).min();
    let first_front = first_front.map_or(removed, |peek| peek.min(removed));
    let added = first_front.min(history.first - 1);
    let turn_at = |position: Rank, step: u8| match position {
        _ if added == removed => EffectOrder::Pass(number, step),
        _ if position == added => EffectOrder::Open(number, step > 0),
        _ => EffectOrder::Close(Reverse(number), step > 1),
    };
    effects.push((added, turn_at(added, 0), history.add));
    for (position, peek) in peeks {
        effects.push((position, turn_at(position, 1), peek));
    }
    if let Some(remove) = history.remove {
        effects.push((removed, turn_at(removed, 2), remove));
    }
    Ok(())
}

/// A free position of a peek: one at which the value is certainly inside, or the nearest one. To the right, that is the
/// position of the removal.
fn nearest_free(covered: &mut Coverage, positions: &Range<Rank>, history: &ValueHistory) -> Option<Rank> {
    let inside = positions.start.max(history.first)..positions.end.min(history.last);
    if let Some(position) = covered.free_in(inside) {
        return Some(position);
    }
    if let Some(position) = covered.free_in(positions.start.max(history.last)..positions.end) {
        return Some(position);
    }
    let left = covered.last_free_before(positions.end.min(history.first));
    left.filter(|left| *left >= positions.start)
}

/// The violation of an operation whose positions are all covered by greater values.
fn greater_inside(
    operations: &[TimedAction],
    values: &ValueHistories,
    history: &ValueHistory,
    front: usize,
    positions: Range<Rank>,
    greater: &[ValueHistory],
) -> Decision {
    let cover = fewest_that_cover(greater, positions);
    let involved = cover
        .into_iter()
        .flat_map(|history| values.bounds(operations, history));
    let involved = involved.chain([front]).chain(values.bounds(operations, history));
    violation(Rule::GreaterInside, operations, involved)
}
