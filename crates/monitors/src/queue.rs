//! FIFO queues.
//!
//! `a` is *ahead* of `b` if one of these holds:
//!
//! 1. `first(a) < add(b).call`: `a` was inside, or gone already, when the addition of `b` began;
//! 2. `front_first(a) < front_last(b)`: an operation that found `a` next returned before one that found `b` next was
//!    called. (A value that nothing removed is removed after the end.)
//!
//! **Violation iff** two values are each ahead of the other, or an operation that found the queue empty has no position at
//! which no value is surely inside (besides the rules for one value, which [`Lives`] checks).
//!
//! *Necessary.* In a linearization values are added in the order in which they are next. Under 1, `a` is added before
//! `first(a)` takes effect, hence before `b` is added. Under 2, `a` is next before `b` is.
//!
//! *Sufficient.* If no two values are each ahead of the other, then "ahead" has no cycle at all (shown in
//! `docs/monitors.md`), so values can be ordered by it. Add them in this order, and let the operations at the front come
//! in this order, each as early as the ones before it and its own call allow. The addition of the `i`-th value then takes
//! effect at the greatest call of the additions up to it, which is before its return: otherwise a value after it would
//! be ahead of it by 1. The front operations of the `i`-th value take effect at the greatest call of the additions up to
//! it, or of the front operations up to it; both are before its return, otherwise 1 or 2 would put a later one ahead.
//!
//! *Empty.* Let `p` be a position at which no value is surely inside. A value with `last <= p` is put before `p` as a
//! whole, any other one has `first > p` and is put after. No value that is put after is ahead of one that is put
//! before: both 1 and 2 need a return before a call, and the return is after `p` and the call before it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::answer::{Answer, Reason, Rule};
use crate::lives::{Life, Lives, violation};
use crate::operation::{Operation, Rank};
use crate::positions::place_empties;

pub(crate) fn check(operations: &[Operation], lives: &Lives) -> Answer {
    if let Some((one, other)) = ahead_of_each_other(operations, lives) {
        let involved = [one, other].into_iter().flat_map(|life| {
            lives
                .bounds(operations, life)
                .chain(front_bounds(operations, lives, life))
        });
        return violation(Rule::OutOfOrder, operations, involved);
    }
    let empties = match place_empties(operations, lives) {
        Ok(positions) => positions,
        Err(answer) => return answer,
    };
    match order(operations, lives, &empties) {
        Some(order) => Answer::Linearizable(order),
        None => Answer::Undecided(Reason::NoEvidence),
    }
}

/// The front operations of a value that returned first and were called last.
fn front_bounds(operations: &[Operation], lives: &Lives, life: &Life) -> impl Iterator<Item = usize> {
    let fronts = || lives.peeks(life).iter().copied().chain(life.remove);
    let first = fronts().min_by_key(|number| operations[*number].ret);
    let last = fronts().max_by_key(|number| operations[*number].call);
    first.into_iter().chain(last)
}

/// Two values that are each ahead of the other.
fn ahead_of_each_other<'a>(operations: &[Operation], lives: &'a Lives) -> Option<(&'a Life, &'a Life)> {
    added_against_front(operations, lives).or_else(|| front_against_front(lives))
}

/// `a` is ahead of `b` by 1, and `b` ahead of `a` by 2. (By 1 both ways is impossible: each value is added before its
/// `first`.)
fn added_against_front<'a>(operations: &[Operation], lives: &'a Lives) -> Option<(&'a Life, &'a Life)> {
    let mut by_first: Vec<&Life> = lives.lives.iter().collect();
    by_first.sort_unstable_by_key(|life| life.first);
    let mut by_call: Vec<&Life> = lives.lives.iter().collect();
    by_call.sort_unstable_by_key(|life| operations[life.add].call);
    let mut ahead = by_first.into_iter().peekable();
    let mut latest: Option<&Life> = None;
    for behind in by_call {
        while let Some(life) = ahead.next_if(|life| life.first < operations[behind.add].call) {
            if latest.is_none_or(|latest| latest.front_last < life.front_last) {
                latest = Some(life);
            }
        }
        if let Some(latest) = latest.filter(|latest| behind.front_first < latest.front_last) {
            return Some((latest, behind));
        }
    }
    None
}

/// Both are ahead by 2: the zones of their front operations overlap, or one that is backward lies within one that is not.
fn front_against_front(lives: &Lives) -> Option<(&Life, &Life)> {
    let is_forward = |life: &&Life| life.front_first < life.front_last;
    let (mut forward, backward): (Vec<&Life>, Vec<&Life>) = lives.lives.iter().partition(is_forward);
    forward.sort_unstable_by_key(|life| life.front_first);
    for pair in forward.windows(2) {
        if let [one, other] = pair
            && other.front_first < one.front_last
        {
            return Some((one, other));
        }
    }
    backward.into_iter().find_map(|inner| {
        let before = forward.partition_point(|life| life.front_first < inner.front_last);
        let outer = forward.get(before.checked_sub(1)?)?;
        (inner.front_first < outer.front_last).then_some((*outer, inner))
    })
}

/// An order of all operations, with those that found the queue empty at the given positions.
fn order(operations: &[Operation], lives: &Lives, empties: &[Rank]) -> Option<Vec<usize>> {
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
    Some(effects.into_iter().map(|(.., number)| number).collect())
}

/// Values in an order that puts each behind those ahead of it. None if there is no such order.
fn values_in_order<'a>(operations: &[Operation], lives: &[&'a Life]) -> Option<Vec<&'a Life>> {
    let sorted = |key: fn(&Life) -> Rank| {
        let mut numbers: Vec<usize> = (0..lives.len()).collect();
        numbers.sort_unstable_by_key(|number| key(lives[*number]));
        numbers
    };
    let by_first = sorted(|life| life.first);
    let by_front = sorted(|life| life.front_first);
    let mut by_call: Vec<usize> = (0..lives.len()).collect();
    by_call.sort_unstable_by_key(|number| operations[lives[*number].add].call);
    let (mut first, mut front, mut second_front, mut called) = (0, 0, 0, 0);
    let mut is_taken = vec![false; lives.len()];
    let mut is_released = vec![false; lives.len()];
    let mut released = BinaryHeap::new();
    let mut order = Vec::with_capacity(lives.len());
    while order.len() < lives.len() {
        while is_taken[*by_first.get(first)?] {
            first += 1;
        }
        while is_taken[*by_front.get(front)?] {
            front += 1;
        }
        second_front = second_front.max(front + 1);
        while by_front.get(second_front).is_some_and(|number| is_taken[*number]) {
            second_front += 1;
        }
        // No value that is left is ahead of these by 1.
        while let Some(number) = by_call.get(called).copied()
            && operations[lives[number].add].call < lives[by_first[first]].first
        {
            is_released[number] = true;
            released.push(Reverse((lives[number].front_last, number)));
            called += 1;
        }
        // Of those the one whose front operations were called first. If another one that is left is ahead of it by 2, so
        // is the one whose front operations returned first; only that one itself may still come next.
        let least_front_but = |number: usize| {
            let at = if by_front[front] == number {
                second_front
            } else {
                front
            };
            by_front
                .get(at)
                .map_or(Rank::MAX, |other| lives[*other].front_first)
        };
        while let Some(Reverse((_, number))) = released.peek()
            && is_taken[*number]
        {
            released.pop();
        }
        let earliest = released.peek().map(|Reverse((_, number))| *number);
        let candidates = [earliest, by_front.get(front).copied()];
        let next = candidates.into_iter().flatten().find(|number| {
            !is_taken[*number]
                && is_released[*number]
                && lives[*number].front_last <= least_front_but(*number)
        })?;
        is_taken[next] = true;
        order.push(lives[next]);
    }
    Some(order)
}
