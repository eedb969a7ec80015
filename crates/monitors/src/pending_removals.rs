//! Removals that never returned.
//!
//! A pending removal may have taken a value that no other operation took, or nothing. So a violation without the pending
//! removals need not be one with them. What is tried here is one way to hand values out: each value that is in the way of
//! others has a *deadline*, the return of the first operation that needs it gone; the pending removal that was called first
//! takes the value with the earliest deadline, and so on. If that gives an order, the history is linearizable.
//!
//! If it does not, nothing follows, but for one case: **in a queue in which nothing was found empty and nothing was peeked
//! at**, it is also necessary that every value with a deadline has a removal that was called before it.
//!
//! *Proof.* Let `v` be left over. Every value `b` with `first(v) < add(b).call` is behind `v`, so `v` is removed before the
//! removal of `b` takes effect, hence by a removal that was called before `front_first(b)`; the deadline of `v` is the
//! least of these. A pending removal takes at most one value. Whether each value can have one in time is decided by handing
//! them out in order: if `r` is called before `r'` and `v` is due before `v'`, then `r'` for `v` and `r` for `v'` can be
//! swapped, and both stay in time. If each has one, no cycle goes through such a `v`: without peeks a cycle can be had with
//! two values; `v` has `front_first(v) = end`, so it is ahead of nothing by rule 2 of the queue, and nothing that it is
//! ahead of by rule 1 is ahead of it by rule 2, because it is removed in time.

use crate::answer::{Answer, Reason, Refutation, Rule};
use crate::lives::{Life, Lives, violation};
use crate::operation::{Action, Collection, Operation, Rank};

pub(crate) fn check(
    collection: Collection,
    operations: &[Operation],
    lives: &Lives,
    without: Refutation,
) -> Answer {
    let left_over: Vec<&Life> = lives.lives.iter().filter(|life| life.remove.is_none()).collect();
    if collection != Collection::Queue {
        return Answer::Undecided(Reason::PendingRemovals);
    }
    let is_exact = {
        let is_look = |op: &Operation| matches!(op.action, Action::Peek(_) | Action::FindEmpty);
        !operations.iter().any(|op| op.ret.is_some() && is_look(op))
    };
    let mut due = deadlines(operations, lives, &left_over);
    due.sort_unstable_by_key(|(deadline, _)| *deadline);
    let is_removal = |op: &Operation| matches!(op.action, Action::Remove(_) | Action::RemoveAny);
    let mut pending: Vec<usize> = (0..operations.len())
        .filter(|number| operations[*number].ret.is_none() && is_removal(&operations[*number]))
        .collect();
    pending.sort_unstable_by_key(|number| operations[*number].call);
    let mut returns = unused_ranks(operations, lives.end).into_iter();
    let mut completed = operations.to_vec();
    for (index, (deadline, life)) in due.iter().enumerate() {
        let removal = pending.get(index).copied();
        match removal.filter(|removal| operations[*removal].call < *deadline) {
            Some(removal) => {
                completed[removal].action = Action::Remove(life.value);
                completed[removal].ret = returns.next();
            }
            None if is_exact => return too_late(operations, lives, &due[..=index], &pending, without),
            None => return Answer::Undecided(Reason::PendingRemovals),
        }
    }
    let Ok(lives) = Lives::of(&completed) else {
        return Answer::Undecided(Reason::NoEvidence);
    };
    match crate::decide(collection, &completed, &lives) {
        Answer::Linearizable(order) => Answer::Linearizable(order),
        // With every value that is due handed out in time, the cycle is one of values that were removed.
        Answer::Violation(refutation) if is_exact => Answer::Violation(refutation),
        _ => Answer::Undecided(Reason::PendingRemovals),
    }
}

/// The values left over that must be gone at some time, and when.
fn deadlines<'a>(operations: &[Operation], lives: &Lives, left_over: &[&'a Life]) -> Vec<(Rank, &'a Life)> {
    // What needs values gone that were inside before its key: front operations of values added after, and operations
    // that found nothing.
    let mut needs: Vec<(Rank, Rank)> = lives
        .lives
        .iter()
        .map(|life| (operations[life.add].call, life.front_first))
        .chain(lives.empties.iter().map(|empty| {
            let positions = lives.positions(&operations[*empty]);
            (positions.start, positions.end)
        }))
        .filter(|(_, due)| *due < lives.end)
        .collect();
    needs.sort_unstable();
    let mut earliest = Rank::MAX;
    for (_, due) in needs.iter_mut().rev() {
        earliest = earliest.min(*due);
        *due = earliest;
    }
    let deadline = |life: &&'a Life| {
        let index = needs.partition_point(|(call, _)| *call < life.first);
        needs.get(index).map(|(_, due)| (*due, *life))
    };
    left_over.iter().filter_map(deadline).collect()
}

/// Ranks that no operation has, the greatest first.
fn unused_ranks(operations: &[Operation], end: Rank) -> Vec<Rank> {
    let mut is_used = vec![false; end as usize];
    for op in operations {
        for rank in std::iter::once(op.call).chain(op.ret) {
            is_used[rank as usize] = true;
        }
    }
    (1..end).rev().filter(|rank| !is_used[*rank as usize]).collect()
}

/// The values that are due before enough removals were called, and what they are due for.
fn too_late(
    operations: &[Operation],
    lives: &Lives,
    due: &[(Rank, &Life)],
    pending: &[usize],
    without: Refutation,
) -> Answer {
    let Some((deadline, _)) = due.last() else {
        return Answer::Violation(without);
    };
    let mut involved: Vec<usize> = due.iter().map(|(_, life)| life.add).collect();
    for life in lives.lives.iter().filter(|life| life.front_first <= *deadline) {
        let fronts = lives.operations(life).filter(|number| *number != life.add);
        if fronts
            .into_iter()
            .any(|number| operations[number].ret == Some(life.front_first))
        {
            let is_due = due.iter().any(|(due, _)| *due == life.front_first);
            if is_due {
                involved.extend(lives.operations(life));
            }
        }
    }
    involved.extend(
        pending
            .iter()
            .filter(|removal| operations[**removal].call < *deadline),
    );
    violation(Rule::OutOfOrder, operations, involved)
}
