//! Violations of stacks in which equal values are inside together, found by two values at a time.
//!
//! A stack without some of its values is a stack. So if the operations on two values have no linearization by themselves, neither has
//! the history. Operations that found it empty say the same about these two. Pending removals may have taken any value, so they may take part. With two values there are few orders to search:
//! operations of one kind on one value are interchangeable. Of those that may come next, only the one that returns first is
//! tried. *Proof.* Let `x` be that one, and let a linearization take `x'` first and `x` later or never. Exchange them: the stack holds equal
//! values as before. `x` may come next. `x'` takes the place of `x`: everything before it was called before `x` returned, so before `x'`
//! returns, and everything after it came after `x'` already. ∎
//!
//! This finds most violations. Three values may be in disorder of which every two are in order, so it never says "valid".

use std::collections::HashSet;

use omnilink_sorting::sort_by_key;

use crate::action::{Action, Rank, TimedAction, ValueId};
use crate::mutant::{Mutant, mutated};

/// How many operations on two values are searched: each is a bit of a set.
const OPERATIONS_MAX: usize = 128;
/// How many pairs of values are looked at.
const PAIRS_MAX: usize = 1 << 22;
/// How many sets and stacks are visited for all pairs together.
const VISITED_MAX: usize = 1 << 20;

/// The operations of a life of a value, with its first call and its last return.
struct Extent<'a> {
    members: &'a [usize],
    begin: Rank,
    end: Rank,
}

/// Operations that have no linearization by themselves, in order of call, if there are such operations on one or two values of which one is
/// repeated. The operations are those of a stack, with lives for values.
pub(crate) fn violation(
    operations: &[TimedAction],
    members: &[Vec<usize>],
    repeated: &[ValueId],
) -> Option<Vec<usize>> {
    let returns = |number: &usize| operations[*number].ret.unwrap_or(Rank::MAX);
    let extents: Vec<Extent<'_>> = members
        .iter()
        .map(|members| Extent {
            members,
            begin: members
                .iter()
                .map(|number| operations[*number].call)
                .min()
                .unwrap_or(0),
            end: if is_emptied(operations, members) {
                members.iter().map(returns).max().unwrap_or(0)
            } else {
                Rank::MAX
            },
        })
        .collect();
    let of = |action: Action| -> Vec<usize> {
        let is_same = |number: &usize| operations[*number].action == action;
        (0..operations.len()).filter(is_same).collect()
    };
    let (pending, empties) = (of(Action::RemoveAny), of(Action::FindEmpty));
    // Of two lives that overlap, one begins during the other.
    let mut by_begin: Vec<usize> = (0..extents.len()).collect();
    sort_by_key(&mut by_begin, |life| extents[*life].begin);
    let is_repeated = |life: usize| repeated.binary_search(&(life as ValueId)).is_ok();
    let (mut left, mut pairs) = (VISITED_MAX, PAIRS_MAX);
    for (at, first) in by_begin.iter().enumerate() {
        let one = &extents[*first];
        let during = by_begin[at..]
            .iter()
            .take_while(|second| extents[**second].begin <= one.end);
        for second in during {
            pairs = pairs.checked_sub(1)?;
            let other = &extents[*second];
            let count = one.members.len() + other.members.len() + pending.len();
            if count > OPERATIONS_MAX || !is_repeated(*first) && !is_repeated(*second) {
                continue;
            }
            // Looking through these is work, too.
            pairs = pairs.checked_sub(empties.len() / 8)?;
            let mut few: Vec<usize> = one.members.iter().chain(&pending).copied().collect();
            if first != second {
                few.extend(other.members);
            }
            let is_within = |number: &&usize| {
                operations[**number].call < one.end.max(other.end)
                    && returns(number) > one.begin.min(other.begin)
            };
            let empties: Vec<usize> = empties.iter().filter(is_within).copied().collect();
            if few.len() + empties.len() <= OPERATIONS_MAX {
                few.extend(empties);
            }
            sort_by_key(&mut few, |number| operations[*number].call);
            let projected: Vec<TimedAction> = few.iter().map(|number| operations[*number]).collect();
            match has_order(&projected, &mut left) {
                Some(true) => {}
                Some(false) => return Some(few),
                None => return None,
            }
        }
    }
    None
}

/// Whether a life ends with its last return: everything that was added is removed.
fn is_emptied(operations: &[TimedAction], members: &[usize]) -> bool {
    let count = |is_kind: fn(Action) -> bool| {
        let is_kind = |number: &&usize| is_kind(operations[**number].action);
        members.iter().filter(is_kind).count()
    };
    count(|action| matches!(action, Action::Add(_))) <= count(|action| matches!(action, Action::Remove(_)))
}

/// The operations taken, and the values inside: a bit for each, the top last, below a bit that marks the bottom.
type Position = (u128, u128);

/// Whether operations on two values have a linearization; `None` if that is too much to search.
fn has_order(operations: &[TimedAction], left: &mut usize) -> Option<bool> {
    let bottom = operations.iter().filter_map(|op| op.action.value()).min();
    let is_second = |value: ValueId| Some(value) != bottom;
    let mut visited: HashSet<Position> = HashSet::new();
    let mut open: Vec<Position> = vec![(0, 1)];
    while let Some((taken, inside)) = open.pop() {
        let rest = || {
            operations
                .iter()
                .enumerate()
                .filter(move |(at, _)| taken & (1 << at) == 0)
        };
        let first_return = rest().filter_map(|(_, op)| op.ret).min();
        let Some(first_return) = first_return else {
            return Some(true);
        };
        let mut nexts: Vec<(usize, &TimedAction)> = rest().filter(|(_, op)| op.call < first_return).collect();
        sort_by_key(&mut nexts, |(_, op)| op.ret.unwrap_or(Rank::MAX));
        if mutated(Mutant::LatestEqualOnStack) {
            nexts.reverse();
        }
        let mut tried: Vec<Action> = Vec::new();
        for (at, op) in nexts {
            if tried.contains(&op.action) {
                continue;
            }
            tried.push(op.action);
            let is_on_top = |value: ValueId| inside > 1 && (inside & 1 == 1) == is_second(value);
            let inside = match op.action {
                Action::Add(value) if inside.leading_zeros() > 0 => {
                    inside << 1 | u128::from(is_second(value))
                }
                Action::Add(_) => return None,
                Action::Remove(value) if is_on_top(value) => inside >> 1,
                Action::Peek(value) if is_on_top(value) => inside,
                Action::RemoveAny if inside > 1 => inside >> 1,
                Action::FindEmpty if inside == 1 => inside,
                _ => continue,
            };
            let position = (taken | 1 << at, inside);
            if visited.insert(position) {
                *left = left.checked_sub(1)?;
                open.push(position);
            }
        }
    }
    Some(false)
}
