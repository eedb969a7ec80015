//! A few operations of a queue that have no linearization by themselves.
//!
//! A history without a linearization is made smaller in two ways. Both leave histories that have a linearization if the whole
//! has one:
//!
//! - *Its beginning.* What was called by a moment; what had not returned by then may have taken effect or not.
//! - *Without a value.* A queue without some of its values is a queue. Operations that found the queue empty can be left out one by one.
//!
//! Pending removals may take any value, so they stay.

use std::collections::HashSet;

use omnilink_sorting::sort_by_key;

use crate::action::{Action, Rank, TimedAction, ValueId};
use crate::queue_search::{SearchEnd, search};

/// How often the operations that are left are searched again at most.
const SEARCHES_MAX: usize = 256;

/// A value with all its operations, or an operation that found the queue empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Value(ValueId),
    Empty(usize),
}

/// Part of the operations of a history without a linearization that has none either, in order of call, and the one whose return cannot be
/// explained, if that is certain. All searches together visit at most `sets` sets.
pub(crate) fn smallest(operations: &[TimedAction], mut sets: usize) -> (Vec<usize>, Option<usize>) {
    let end = 2 * operations.len() as Rank + 1;
    // The history up to `end` is a violation.
    let (mut valid, mut violating) = (0, end);
    while valid + 1 < violating {
        let middle = valid + (violating - valid) / 2;
        if is_violation(&beginning(operations, middle, &|_| true), &mut sets) {
            violating = middle
        } else {
            valid = middle
        }
    }
    let is_certain = sets > 0;
    let part = |number: usize| match operations[number].action {
        Action::FindEmpty => Some(Part::Empty(number)),
        action => action.value().map(Part::Value),
    };
    let is_called = |number: &usize| operations[*number].call < violating;
    let mut seen = HashSet::new();
    let mut parts: Vec<Part> = (0..operations.len())
        .filter(is_called)
        .filter_map(part)
        .filter(|part| seen.insert(*part))
        .collect();
    let mut chunk = parts.len();
    let mut searches = 0;
    while chunk > 0 {
        let mut at = 0;
        while at < parts.len() && searches < SEARCHES_MAX {
            searches += 1;
            let left_out: HashSet<Part> = parts.iter().copied().skip(at).take(chunk).collect();
            let others: HashSet<Part> = parts
                .iter()
                .copied()
                .filter(|part| !left_out.contains(part))
                .collect();
            let is_kept = |number: usize| part(number).is_none_or(|part| others.contains(&part));
            if is_violation(&beginning(operations, violating, &is_kept), &mut sets) {
                parts.retain(|part| !left_out.contains(part))
            } else {
                at += chunk
            }
        }
        chunk /= 2;
    }
    let parts: HashSet<Part> = parts.into_iter().collect();
    let mut few: Vec<usize> = (0..operations.len())
        .filter(is_called)
        .filter(|number| part(*number).is_none_or(|part| parts.contains(&part)))
        .collect();
    sort_by_key(&mut few, |number| operations[*number].call);
    // The beginning up to this return is the first without a linearization.
    let last = few
        .iter()
        .copied()
        .find(|number| is_certain && operations[*number].ret == Some(violating - 1));
    (few, last)
}

/// Whether a search within what is left shows a violation. An operation without a choice costs time, too: eight count as a set.
fn is_violation(operations: &[TimedAction], sets: &mut usize) -> bool {
    *sets = sets.saturating_sub(operations.len() / 8);
    *sets > 0 && search(operations, sets) == SearchEnd::Violation
}

/// What was called before a moment, of the operations that are kept. What had not returned by then is pending.
fn beginning(operations: &[TimedAction], moment: Rank, is_kept: &dyn Fn(usize) -> bool) -> Vec<TimedAction> {
    let called = operations.iter().enumerate().filter(|(_, op)| op.call < moment);
    called
        .filter(|(number, _)| is_kept(*number))
        .map(|(_, op)| TimedAction {
            ret: op.ret.filter(|ret| *ret < moment),
            ..*op
        })
        .collect()
}
