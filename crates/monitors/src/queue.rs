//! The monitor for FIFO queues.
//!
//! `a` is *ahead* of `b` if one of these holds:
//!
//! 1. `first(a) < add(b).call`: `a` was added before the addition of `b` started;
//! 2. `front_first(a) < front_last(b)`: an operation that found `a` next returned before one that found `b` next was
//!    called. (A value that nothing removes is removed after the end.)
//!
//! **Violation iff** "ahead" has a cycle, or an operation that found the queue empty has no position at which no value is
//! certainly inside (besides the rules for one value, which [`ValueHistories`] checks).
//!
//! *Necessary.* In a linearization, values are added in the order in which they are next. Under 1, `a` is added before `b`:
//! its addition comes before the operation that returned at `first(a)`, or is that operation. Under 2, `a` is next before
//! `b` is.
//!
//! *Sufficient.* Sort the values so that each is behind those ahead of it. Add them in this order, and let the front
//! operations (peeks and removals) come in this order, each as early as the previous ones and its own call allow. The
//! addition of the `i`-th value takes effect at the greatest call of the additions up to it. That is before its return:
//! otherwise a later value would be ahead of it by 1. Its front operations take effect at the greatest call of the additions
//! and of the front operations up to it. Both are before their returns: otherwise 1 or 2 would put a later value ahead of it.
//!
//! *A shortest cycle has at most three values* ([`cycle`]), and two without peeks. With peeks, two are not always enough: a
//! third value may have been next between the front operations of the two.
//!
//! *Empty.* Let `p` be a position at which no value is certainly inside. A value with `last <= p` is placed before `p` as a
//! whole. Any other one has `first > p` and is placed after `p`. No value after `p` is ahead of one before `p`: both 1 and 2
//! need a return before a call, but the return is after `p` and the call is before it. ∎

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use omnilink_sorting::sort_by_key;

use crate::action::{Rank, TimedAction};
use crate::coverage::place_empties;
use crate::decision::{Decision, Rule};
use crate::mutant::{Mutant, mutated};
use crate::value_history::{ValueHistories, ValueHistory, violation};

pub(crate) fn check(operations: &[TimedAction], values: &ValueHistories) -> Decision {
    let empties = match place_empties(operations, values) {
        Ok(positions) => positions,
        Err(decision) => return decision,
    };
    match order(operations, values, &empties) {
        Ok(order) => Decision::Linearizable(order),
        Err(cycle) => {
            let involved = cycle.into_iter().flat_map(|history| {
                values
                    .bounds(operations, history)
                    .chain(front_bounds(operations, values, history))
            });
            violation(Rule::OutOfOrder, operations, involved)
        }
    }
}

/// The front operations of a value that returned first and were called last.
fn front_bounds(
    operations: &[TimedAction],
    values: &ValueHistories,
    history: &ValueHistory,
) -> impl Iterator<Item = usize> {
    let fronts = || values.peeks(history).iter().copied().chain(history.remove);
    let first = fronts().min_by_key(|number| operations[*number].ret);
    let last = fronts().max_by_key(|number| operations[*number].call);
    first.into_iter().chain(last)
}

/// The effect of an operation: its position; the part between gaps (even) or the gap (odd) that it belongs to; the operation.
pub(crate) type Effect = (Rank, u32, usize);

/// A linearization with the operations that found the queue empty at the given positions; or a cycle of values that are
/// ahead of each other.
fn order<'a>(
    operations: &[TimedAction],
    values: &'a ValueHistories,
    empties: &[Rank],
) -> Result<Vec<usize>, Vec<&'a ValueHistory>> {
    let mut at_gaps: Vec<(Rank, usize)> = empties
        .iter()
        .copied()
        .zip(values.empties.iter().copied())
        .collect();
    at_gaps.sort_unstable();
    let gaps: Vec<Rank> = at_gaps.iter().map(|(gap, _)| *gap).collect();
    let empties: Vec<Effect> = at_gaps
        .iter()
        .map(|(gap, number)| {
            (
                *gap,
                2 * gaps.partition_point(|other| other < gap) as u32 + 1,
                *number,
            )
        })
        .collect();
    // By part, then by call: what is used together is then also stored together.
    let mut by_part: Vec<(u32, Rank, &ValueHistory)> = (values.histories.iter())
        .map(|history| {
            let part = gaps.partition_point(|gap| *gap < history.last) as u32;
            (part, operations[history.add].call, history)
        })
        .collect();
    sort_by_key(&mut by_part, |(part, call, _)| (*part, *call));
    // The additions of all parts are in order of their positions, and so are the front operations.
    let mut additions: Vec<Effect> = Vec::with_capacity(values.histories.len());
    let mut fronts: Vec<Effect> = Vec::with_capacity(operations.len());
    for part in by_part.chunk_by(|one, other| one.0 == other.0) {
        let number = part.first().map_or(0, |(part, ..)| *part);
        let gap = number.checked_sub(1).and_then(|gap| gaps.get(gap as usize));
        let begin = gap.copied().unwrap_or(0);
        let (mut added, mut front) = (begin, begin);
        for (call, history) in values_in_order(operations, part)? {
            added = added.max(call);
            additions.push((added, 2 * number, history.add));
            front = front.max(added);
            for number_of_op in values.peeks(history).iter().copied().chain(history.remove) {
                front = front.max(operations[number_of_op].call);
                fronts.push((front, 2 * number, number_of_op));
            }
        }
    }
    Ok(merged([empties, additions, fronts], operations.len()))
}

/// Effects that are in order each by themselves, in one order. Of effects at one position and in one part, the first list comes first.
pub(crate) fn merged(lists: [Vec<Effect>; 3], count: usize) -> Vec<usize> {
    let mut lists = lists.map(|list| list.into_iter().peekable());
    let mut order = Vec::with_capacity(count);
    loop {
        let nexts = lists
            .iter_mut()
            .enumerate()
            .filter_map(|(number, list)| list.peek().map(|(position, part, _)| (*position, *part, number)));
        let Some((.., number)) = nexts.min() else {
            return order;
        };
        order.extend(lists[number].next().map(|(.., operation)| operation));
    }
}

/// A topological order of the relation "ahead" among values in order of the calls of their additions, or a cycle. Each value
/// comes with that call.
fn values_in_order<'a>(
    operations: &[TimedAction],
    part: &[(u32, Rank, &'a ValueHistory)],
) -> Result<Vec<(Rank, &'a ValueHistory)>, Vec<&'a ValueHistory>> {
    let values: Vec<&ValueHistory> = part.iter().map(|(.., history)| *history).collect();
    let call = |number: usize| part[number].1;
    let sorted = |key: &dyn Fn(&ValueHistory) -> Rank| {
        let mut keys: Vec<(Rank, u32)> = values.iter().map(|history| key(history)).zip(0..).collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, number)| number as usize).collect()
    };
    let mut by_first = Remaining::new(sorted(&|history| history.first));
    let mut by_front = Remaining::new(sorted(&|history| history.front_first));
    let mut by_call = (0..values.len()).peekable();
    let mut is_taken = vec![false; values.len()];
    let mut is_released = vec![false; values.len()];
    let mut released = BinaryHeap::new();
    let mut order = Vec::with_capacity(values.len());
    while let (Some(first), Some(front)) = (by_first.first(&is_taken), by_front.first(&is_taken)) {
        // No remaining value is ahead of these by 1.
        while let Some(number) = by_call.next_if(|number| call(*number) < values[first].first) {
            is_released[number] = true;
            released.push(Reverse((values[number].front_last, number)));
        }
        while let Some(Reverse((_, number))) = released.peek()
            && is_taken[*number]
        {
            released.pop();
        }
        // Of those, try the one with the least `front_last`: if another remaining value is ahead of it by 2, so is `front`.
        // Otherwise only `front` itself can come next, if no other value is ahead of it.
        let second_front = by_front.second(&is_taken);
        let is_next = |number: &usize| {
            let ahead = if *number == front {
                second_front
            } else {
                Some(front)
            };
            is_released[*number]
                && ahead.is_none_or(|ahead| {
                    values[*number].front_last <= values[ahead].front_first
                        || mutated(Mutant::AheadByAdditionsOnly)
                })
        };
        let earliest = released.peek().map(|Reverse((_, number))| *number);
        match [earliest, Some(front)].into_iter().flatten().find(is_next) {
            Some(next) => {
                is_taken[next] = true;
                order.push((call(next), values[next]));
            }
            None => {
                let candidates = [Some(first), Some(front), second_front].into_iter().flatten();
                return Err(cycle(
                    operations,
                    candidates.map(|number| values[number]).collect(),
                ));
            }
        }
    }
    Ok(order)
}

/// A cycle among the remaining values when none can come next.
///
/// Given are the value `m` with the least `first`, and the values `w` and `w'` with the least and the second least
/// `front_first`. Each remaining value has another remaining value ahead of it: by 1, and then `m` is ahead of it by 1; or
/// by 2, and then `w` is ahead of it, or `w'` if it is `w` itself. So a walk from `m` to a value ahead of it, and on, stays
/// among these three (`m` is not ahead of itself by 1) and closes a cycle. Without peeks, no `front_first` is before the
/// `front_last` of the same value, so nothing is ahead of `w` by 2: `m` is ahead of `w`, and `w` of `m`. ∎
fn cycle<'a>(operations: &[TimedAction], candidates: Vec<&'a ValueHistory>) -> Vec<&'a ValueHistory> {
    let is_ahead = |one: &ValueHistory, other: &ValueHistory| {
        one.value != other.value
            && (one.first < operations[other.add].call || one.front_first < other.front_last)
    };
    let mut path: Vec<&ValueHistory> = Vec::new();
    let mut at = candidates[0];
    while let Some(ahead) = candidates.iter().find(|ahead| is_ahead(ahead, at)) {
        path.push(at);
        at = ahead;
        if let Some(begin) = path.iter().position(|history| history.value == at.value) {
            return path.split_off(begin);
        }
    }
    path
}

/// Values in some order, without those that are taken.
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

    /// The second remaining value.
    fn second(&mut self, is_taken: &[bool]) -> Option<usize> {
        self.second = self.second.max(self.first + 1);
        while is_taken[*self.numbers.get(self.second)?] {
            self.second += 1;
        }
        self.numbers.get(self.second).copied()
    }
}
