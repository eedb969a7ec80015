//! Pending removals of queues.
//!
//! A pending removal may have removed a value that no other operation removed, or nothing. So a violation without the
//! pending removals may be none with them. This module tries one assignment of values to pending removals. A value that
//! others wait for has a *deadline*: the return of the first operation that needs it gone. The pending removal that was
//! called first gets the value with the earliest deadline, and so on. If the result has a linearization, the history is
//! linearizable.
//!
//! If it has none, nothing follows, except in one case: **in a queue without peeks and without operations that found it
//! empty**, it is also necessary that every value with a deadline has a removal that was called before the deadline.
//!
//! *Proof.* Let no operation remove `v`. Every value `b` with `first(v) < add(b).call` is behind `v`. So `v` is removed
//! before the removal of `b` takes effect, hence by a removal that was called before `front_first(b)`. The deadline of `v`
//! is the least of these. A pending removal removes at most one value. Assigning in order finds an assignment if there is
//! one: if `r` is called before `r'` and `v` is due before `v'`, then an assignment of `r'` to `v` and `r` to `v'` can be
//! swapped, and both stay in time. If each value has a removal in time, no cycle goes through such a `v`: without peeks,
//! there is a cycle of two values; `front_first(v) = end`, so `v` is ahead of nothing by rule 2 of the queue; and no value
//! that `v` is ahead of by rule 1 is ahead of `v` by rule 2, because `v` is removed in time. ∎

use crate::action::{Action, Rank, TimedAction};
use crate::decision::{Decision, Rule, UndecidedReason};
use crate::queue;
use crate::value_history::{ValueHistories, ValueHistory, violation};

pub(crate) fn check(operations: &[TimedAction], values: &ValueHistories) -> Decision {
    let is_exact = {
        let is_observation = |op: &TimedAction| matches!(op.action, Action::Peek(_) | Action::FindEmpty);
        !operations.iter().any(|op| op.ret.is_some() && is_observation(op))
    };
    let mut due = deadlines(operations, values);
    due.sort_unstable_by_key(|(deadline, _)| *deadline);
    let is_removal = |op: &TimedAction| matches!(op.action, Action::Remove(_) | Action::RemoveAny);
    let mut pending: Vec<usize> = (0..operations.len())
        .filter(|number| operations[*number].ret.is_none() && is_removal(&operations[*number]))
        .collect();
    pending.sort_unstable_by_key(|number| operations[*number].call);
    let mut returns = unused_ranks(operations, values.end).into_iter();
    let mut completed = operations.to_vec();
    for (index, (deadline, history)) in due.iter().enumerate() {
        let removal = pending.get(index).copied();
        match removal.filter(|removal| operations[*removal].call < *deadline) {
            Some(removal) => {
                completed[removal].action = Action::Remove(history.value);
                completed[removal].ret = returns.next();
            }
            None if is_exact => {
                let early = |removal: &&usize| operations[**removal].call < *deadline;
                return too_late(operations, values, &due[..=index], pending.iter().filter(early));
            }
            None => return Decision::Undecided(UndecidedReason::PendingRemovals),
        }
    }
    let decided = ValueHistories::of(&completed).map(|values| queue::check(&completed, &values));
    match decided {
        Ok(Decision::Linearizable(order)) => Decision::Linearizable(order),
        // Every value with a deadline is removed in time, so the cycle consists of values that were removed anyway.
        Ok(Decision::Violation(refutation)) if is_exact => Decision::Violation(refutation),
        _ => Decision::Undecided(UndecidedReason::PendingRemovals),
    }
}

/// The values that nothing removes and that have a deadline, with the deadline.
fn deadlines<'a>(operations: &[TimedAction], values: &'a ValueHistories) -> Vec<(Rank, &'a ValueHistory)> {
    // The operations that need earlier values gone, as (call of the addition, deadline): front operations of values
    // added later, and operations that found the queue empty.
    let mut needs: Vec<(Rank, Rank)> = values
        .histories
        .iter()
        .map(|history| (operations[history.add].call, history.front_first))
        .chain(values.empties.iter().map(|empty| {
            let positions = values.positions(&operations[*empty]);
            (positions.start, positions.end)
        }))
        .filter(|(_, due)| *due < values.end)
        .collect();
    needs.sort_unstable();
    let mut earliest = Rank::MAX;
    for (_, due) in needs.iter_mut().rev() {
        earliest = earliest.min(*due);
        *due = earliest;
    }
    let deadline = |history: &'a ValueHistory| {
        let index = needs.partition_point(|(call, _)| *call < history.first);
        needs.get(index).map(|(_, due)| (*due, history))
    };
    let unremoved = values.histories.iter().filter(|history| history.remove.is_none());
    unremoved.filter_map(deadline).collect()
}

/// The ranks that no operation has, the greatest first.
fn unused_ranks(operations: &[TimedAction], end: Rank) -> Vec<Rank> {
    let mut is_used = vec![false; end as usize];
    for op in operations {
        for rank in std::iter::once(op.call).chain(op.ret) {
            is_used[rank as usize] = true;
        }
    }
    (1..end).rev().filter(|rank| !is_used[*rank as usize]).collect()
}

/// The violation of values whose deadlines come before enough removals were called: these values, the operations that set
/// their deadlines, and the removals.
fn too_late<'a>(
    operations: &[TimedAction],
    values: &ValueHistories,
    due: &[(Rank, &ValueHistory)],
    removals: impl Iterator<Item = &'a usize>,
) -> Decision {
    let is_deadline = |rank: Rank| due.iter().any(|(deadline, _)| *deadline == rank);
    let setting = values
        .histories
        .iter()
        .filter(|history| is_deadline(history.front_first));
    let involved = due
        .iter()
        .map(|(_, history)| history.add)
        .chain(setting.flat_map(|history| values.operations(history)))
        .chain(removals.copied());
    violation(Rule::OutOfOrder, operations, involved)
}
