//! Priority queues: the greatest value comes out first.
//!
//! Values are looked at from the greatest down. `covered` are the positions at which a greater value is surely inside.
//! For a value `x`, its removal can take effect at `last(x)..removal.ret`, and a peek within the life of `x`, at
//! `max(peek.call, add.call)..min(peek.ret, removal.ret)`.
//!
//! **Violation iff** such an operation has no position that is not covered, or an operation that found the queue empty has no
//! position at which no value is surely inside (besides the rules for one value, which [`Lives`] checks).
//!
//! *Necessary.* When `x` is next, no greater value is inside. It is removed after all its other operations, so not before
//! `last(x)`, and seen while it is inside.
//!
//! *Sufficient.* A peek takes effect at a free (not covered) position within `first(x)..last(x)`, else at the nearest free
//! one to the left or right of it. The removal takes effect at the first free position from `last(x)` on. The addition
//! takes effect just before `first(x)`, or where the first peek or the removal does if that is earlier. So `x` is inside at
//! positions at which it is surely inside, and otherwise only at positions that are covered by greater values; smaller
//! values therefore lose no position but those of the critical interval of `x`, which is what is covered next. If all
//! operations of `x` overlap and there is a free position in `last(x)..first(x)`, they all take effect there.
//!
//! *Empty.* A position at which no value is surely inside is not covered by any: no value is inside there.

use std::cmp::Reverse;
use std::ops::Range;

use crate::answer::{Answer, Rule};
use crate::lives::{Life, Lives, violation};
use crate::operation::{Operation, Rank};
use crate::positions::{Cover, place_empties};

/// The order of what takes effect at one position. Numbers are those of values, greater values have greater ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// Values that were inside before are seen and removed, the greatest first.
    Close(Reverse<usize>, bool),
    /// It is found empty.
    Empty,
    /// A value is added, seen and removed: other values were removed before, or come after.
    Pass(usize, u8),
    /// Values are added and seen that are inside afterwards, the least first.
    Open(usize, bool),
}

pub(crate) fn check(operations: &[Operation], lives: &Lives) -> Answer {
    let empties = match place_empties(operations, lives) {
        Ok(positions) => positions,
        Err(answer) => return answer,
    };
    let mut effects: Vec<(Rank, Turn, usize)> = Vec::with_capacity(operations.len());
    for (empty, position) in lives.empties.iter().zip(empties) {
        effects.push((position, Turn::Empty, *empty));
    }
    let mut covered = Cover::new(lives.position_count());
    for (number, life) in lives.lives.iter().enumerate().rev() {
        if let Err((front, positions)) = place(operations, lives, number, life, &mut covered, &mut effects) {
            let greater = lives.lives.get(number + 1..).unwrap_or(&[]);
            return greater_inside(operations, lives, life, front, positions, greater);
        }
        if life.is_critical() {
            covered.cover(life.first..life.last);
        }
    }
    effects.sort_unstable();
    Answer::Linearizable(effects.into_iter().map(|(.., number)| number).collect())
}

/// Places the operations of one value. An operation that has no free position, and the positions that it has.
fn place(
    operations: &[Operation],
    lives: &Lives,
    number: usize,
    life: &Life,
    covered: &mut Cover,
    effects: &mut Vec<(Rank, Turn, usize)>,
) -> Result<(), (usize, Range<Rank>)> {
    let add = lives.positions(&operations[life.add]);
    let gone = life
        .remove
        .map_or(lives.end + 1, |remove| lives.positions(&operations[remove]).end);
    // Nothing but the end of time keeps a value that nothing removes.
    let removed = match life.remove {
        Some(remove) => covered
            .free_in(life.last..gone)
            .ok_or((remove, life.last..gone))?,
        None => lives.end,
    };
    let mut peeks: Vec<(Rank, usize)> = Vec::with_capacity(lives.peeks(life).len());
    for peek in lives.peeks(life) {
        let positions = lives.positions(&operations[*peek]);
        let positions = positions.start.max(add.start)..positions.end.min(gone);
        let position = nearest_free(covered, &positions, life).ok_or((*peek, positions))?;
        peeks.push((position, *peek));
    }
    let first_front = peeks.iter().map(|(position, _)| *position).min();
    let first_front = first_front.map_or(removed, |peek| peek.min(removed));
    let added = first_front.min(life.first - 1);
    let turn_at = |position: Rank, step: u8| match position {
        _ if added == removed => Turn::Pass(number, step),
        _ if position == added => Turn::Open(number, step > 0),
        _ => Turn::Close(Reverse(number), step > 1),
    };
    effects.push((added, turn_at(added, 0), life.add));
    for (position, peek) in peeks {
        effects.push((position, turn_at(position, 1), peek));
    }
    if let Some(remove) = life.remove {
        effects.push((removed, turn_at(removed, 2), remove));
    }
    Ok(())
}

/// A free position among those of a peek: while the value is surely inside, else the nearest one.
fn nearest_free(covered: &mut Cover, positions: &Range<Rank>, life: &Life) -> Option<Rank> {
    let (begin, end) = (life.first.min(life.last), life.first.max(life.last));
    let inside = positions.start.max(begin)..positions.end.min(end);
    if let Some(position) = (inside.start < inside.end)
        .then(|| covered.free_in(inside))
        .flatten()
    {
        return Some(position);
    }
    let right = covered.next_free(positions.start.max(end));
    if right < positions.end {
        return Some(right);
    }
    let left = covered.last_free_before(positions.end.min(begin));
    left.filter(|left| *left >= positions.start)
}

/// The fewest greater values that cover the positions of an operation.
fn greater_inside(
    operations: &[Operation],
    lives: &Lives,
    life: &Life,
    front: usize,
    positions: Range<Rank>,
    greater: &[Life],
) -> Answer {
    let cover = crate::positions::fewest_that_cover(greater, positions);
    let involved = cover.into_iter().flat_map(|life| lives.bounds(operations, life));
    let involved = involved.chain([front]).chain(lives.bounds(operations, life));
    violation(Rule::GreaterInside, operations, involved)
}
