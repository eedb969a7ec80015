//! FIFO queues.
//!
//! `a` is *ahead* of `b` if one of these holds:
//!
//! 1. `first(a) < add(b).call`: `a` was inside, or gone already, when the addition of `b` began;
//! 2. `front_first(a) < front_last(b)`: an operation that found `a` next returned before one that found `b` next was
//!    called. (A value that nothing removed is removed after the end.)
//!
//! **Violation iff** "ahead" has a cycle, or an operation that found the queue empty has no position at which no value is
//! surely inside (besides the rules for one value, which [`Lives`] checks).
//!
//! *Necessary.* In a linearization values are added in the order in which they are next. Under 1, `a` is added before
//! `b` is: it is added before its operation that returned at `first(a)` takes effect. Under 2, `a` is next before `b` is.
//!
//! *Sufficient.* Order the values so that each is behind those ahead of it. Add them in this order, and let the operations
//! at the front come in this order, each as early as the ones before it and its own call allow. The addition of the `i`-th
//! value takes effect at the greatest call of the additions up to it, which is before its return: otherwise a value after
//! it would be ahead of it by 1. Its front operations take effect at the greatest call of the additions and of the front
//! operations up to it; both are before its return, otherwise 1 or 2 would put a later value ahead of it.
//!
//! *A cycle has at most three values* ([`cycle`]), and without peeks two. With peeks two are not always enough: `a` may be
//! behind `b` only because a third value was next all the time between.
//!
//! *Empty.* Let `p` be a position at which no value is surely inside. A value with `last <= p` is put before `p` as a
//! whole, any other one has `first > p` and is put after. No value that is put after is ahead of one that is put
//! before: both 1 and 2 need a return before a call, and the return is after `p` and the call before it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::answer::{Answer, Rule};
use crate::lives::{Life, Lives, violation};
use crate::operation::{Operation, Rank};
use crate::positions::place_empties;

pub(crate) fn check(operations: &[Operation], lives: &Lives) -> Answer {
    let empties = match place_empties(operations, lives) {
        Ok(positions) => positions,
        Err(answer) => return answer,
    };
    match order(operations, lives, &empties) {
        Ok(order) => Answer::Linearizable(order),
        Err(cycle) => {
            let involved = cycle.into_iter().flat_map(|life| {
                lives
                    .bounds(operations, life)
                    .chain(front_bounds(operations, lives, life))
            });
            violation(Rule::OutOfOrder, operations, involved)
        }
    }
}

/// The front operations of a value that returned first and were called last.
fn front_bounds(operations: &[Operation], lives: &Lives, life: &Life) -> impl Iterator<Item = usize> {
    let fronts = || lives.peeks(life).iter().copied().chain(life.remove);
    let first = fronts().min_by_key(|number| operations[*number].ret);
    let last = fronts().max_by_key(|number| operations[*number].call);
    first.into_iter().chain(last)
}

/// An order of all operations, with those that found the queue empty at the given positions; or values that are ahead of each
/// other in a cycle.
fn order<'a>(
    operations: &[Operation],
    lives: &'a Lives,
    empties: &[Rank],
) -> Result<Vec<usize>, Vec<&'a Life>> {
    let mut gaps: Vec<Rank> = empties.to_vec();
    gaps.sort_unstable();
    gaps.dedup();
    // When an operation takes effect: its position; the part of the history between gaps (even) or the gap (odd) that it
    // belongs to; additions before front operations; and the order of the values.
    let mut effects: Vec<(Rank, u32, bool, u32, usize)> = Vec::with_capacity(operations.len());
    for (empty, position) in lives.empties.iter().zip(empties) {
        let gap = gaps.partition_point(|gap| gap < position) as u32;
        effects.push((*position, 2 * gap + 1, false, 0, *empty));
    }
    let part_of = |life: &Life| gaps.partition_point(|gap| *gap < life.last) as u32;
    let mut by_part: Vec<&Life> = lives.lives.iter().collect();
    by_part.sort_by_key(|life| part_of(life));
    let mut rank = 0;
    for part in by_part.chunk_by(|one, other| part_of(one) == part_of(other)) {
        let number = part.first().map_or(0, |life| part_of(life));
        let gap = number.checked_sub(1).and_then(|gap| gaps.get(gap as usize));
        let begin = gap.copied().unwrap_or(0);
        let (mut added, mut front) = (begin, begin);
        for life in values_in_order(operations, part)? {
            added = added.max(operations[life.add].call);
            effects.push((added, 2 * number, false, rank, life.add));
            front = front.max(added);
            for number_of_op in lives.peeks(life).iter().copied().chain(life.remove) {
                front = front.max(operations[number_of_op].call);
                rank += 1;
                effects.push((front, 2 * number, true, rank, number_of_op));
            }
            rank += 1;
        }
    }
    effects.sort_unstable();
    Ok(effects.into_iter().map(|(.., number)| number).collect())
}

/// Values in an order that puts each behind those ahead of it, or a cycle.
fn values_in_order<'a>(operations: &[Operation], lives: &[&'a Life]) -> Result<Vec<&'a Life>, Vec<&'a Life>> {
    let call = |life: &Life| operations[life.add].call;
    let sorted = |key: &dyn Fn(&Life) -> Rank| {
        let mut numbers: Vec<usize> = (0..lives.len()).collect();
        numbers.sort_unstable_by_key(|number| key(lives[*number]));
        numbers
    };
    let mut by_first = Remaining::new(sorted(&|life| life.first));
    let mut by_front = Remaining::new(sorted(&|life| life.front_first));
    let mut by_call = sorted(&call).into_iter().peekable();
    let mut is_taken = vec![false; lives.len()];
    let mut is_released = vec![false; lives.len()];
    let mut released = BinaryHeap::new();
    let mut order = Vec::with_capacity(lives.len());
    while let (Some(first), Some(front)) = (by_first.first(&is_taken), by_front.first(&is_taken)) {
        // No value that is left is ahead of these by 1.
        while let Some(number) = by_call.next_if(|number| call(lives[*number]) < lives[first].first) {
            is_released[number] = true;
            released.push(Reverse((lives[number].front_last, number)));
        }
        while let Some(Reverse((_, number))) = released.peek()
            && is_taken[*number]
        {
            released.pop();
        }
        // Of those, the one whose front operations were called first: if another one that is left is ahead of it by 2, so
        // is `front`. Only `front` itself may come next all the same, if nothing but itself is ahead of it.
        let second_front = by_front.second(&is_taken);
        let is_next = |number: &usize| {
            let ahead = if *number == front {
                second_front
            } else {
                Some(front)
            };
            is_released[*number]
                && ahead.is_none_or(|ahead| lives[*number].front_last <= lives[ahead].front_first)
        };
        let earliest = released.peek().map(|Reverse((_, number))| *number);
        match [earliest, Some(front)].into_iter().flatten().find(is_next) {
            Some(next) => {
                is_taken[next] = true;
                order.push(lives[next]);
            }
            None => {
                let candidates = [Some(first), Some(front), second_front].into_iter().flatten();
                return Err(cycle(
                    operations,
                    candidates.map(|number| lives[number]).collect(),
                ));
            }
        }
    }
    Ok(order)
}

/// A cycle among the values that are left when none can come next.
///
/// Given are the value `m` with the least `first`, and the values `w` and `w'` with the least and the second least
/// `front_first`. Each value that is left has another one that is left ahead of it: by 1, and then `m` is ahead of it by
/// 1, too; or by 2, and then `w` is, or `w'` if it is `w` itself. So going from `m` to one ahead of it, and on, stays among
/// these three (`m` is not ahead of itself by 1), and comes round. Without peeks no `front_first` is before the same
/// value's `front_last`, so that nothing is ahead of `w` by 2: `m` is ahead of `w`, and `w` of `m`.
fn cycle<'a>(operations: &[Operation], candidates: Vec<&'a Life>) -> Vec<&'a Life> {
    let is_ahead = |one: &Life, other: &Life| {
        one.value != other.value
            && (one.first < operations[other.add].call || one.front_first < other.front_last)
    };
    let mut path: Vec<&Life> = Vec::new();
    let mut at = candidates[0];
    while let Some(ahead) = candidates.iter().find(|ahead| is_ahead(ahead, at)) {
        path.push(at);
        at = ahead;
        if let Some(begin) = path.iter().position(|life| life.value == at.value) {
            return path.split_off(begin);
        }
    }
    path
}

/// Numbers of values in some order, of which those that are taken are passed over.
struct Remaining {
    numbers: Vec<usize>,
    first: usize,
    second: usize,
}

impl Remaining {
    fn new(numbers: Vec<usize>) -> Self {
        Self {
            numbers,
            first: 0,
            second: 1,
        }
    }

    fn first(&mut self, is_taken: &[bool]) -> Option<usize> {
        while is_taken[*self.numbers.get(self.first)?] {
            self.first += 1;
        }
        self.numbers.get(self.first).copied()
    }

    /// The one after the first.
    fn second(&mut self, is_taken: &[bool]) -> Option<usize> {
        self.second = self.second.max(self.first + 1);
        while is_taken[*self.numbers.get(self.second)?] {
            self.second += 1;
        }
        self.numbers.get(self.second).copied()
    }
}
