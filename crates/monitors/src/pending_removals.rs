//! Pending removals.
//!
//! A pending removal may have removed a value that no other operation removed, or nothing. So a violation without the
//! pending removals may be none with them. Three steps decide most of these histories; each is sound by itself.
//!
//! 1. *Relaxation.* Give every value that no operation removed a removal of its own, called with the first pending removal
//!    and returning at the end. If there is no linearization even then, there is none. *Proof.* Take a linearization of the
//!    history. A value that a pending removal took was removed after that removal was called, so not before the first of
//!    them was; a value that none took can be removed at the end. ∎
//! 2. *Deadlines.* Some operations need a value `v` gone. The least return of such an operation is the *deadline* of `v`: a
//!    pending removal that was called before took `v`. A pending removal takes at most one value. If the values cannot be
//!    assigned to pending removals so that each is called before the deadline, there is no linearization. Assigning in order
//!    finds an assignment if there is one: if `r` is called before `r'` and `v` is due before `v'`, then an assignment of
//!    `r'` to `v` and `r` to `v'` can be swapped, and both stay in time.
//! 3. *Completion.* Let these removals take these values. If that has a linearization, it is one of the history. Otherwise
//!    the values that the refutation names get removals as well, and so on.
//!
//! Which operations need `v` gone:
//! - an operation that found the collection empty, called after `first(v)`; in a bag, also one that found `v` absent;
//! - in a *queue*, every front operation of a value `b` that `v` is ahead of: see the rules 1 and 2 of queues;
//! - in a *priority queue*, a front operation of a smaller value that can take effect only after `first(v)`;
//! - in a *stack*, a front operation of a value `x` that can take effect only after `first(v)`, if `first(x)` is before the
//!   push of `v` is called: `x` was pushed before `v` and is still inside, so it is below `v`.
//!
//! **A queue without peeks and without operations that found it empty is decided exactly**: if the relaxation has a
//! linearization and each value with a deadline is removed in time, the completion has one. *Proof.* Suppose that it has none.
//! Without peeks, there is then a cycle of two values. No value `v` that had a deadline is part of it: its removal returns at
//! the end, so `v` is ahead of nothing by rule 2 of queues; and no value that `v` is ahead of by rule 1 is ahead of `v` by rule
//! 2, because the removal of `v` was called in time. Nor is a value without a removal: it is ahead of nothing by rule 2, and a
//! value that it is ahead of by rule 1 has no front operation. So the cycle consists of values that other operations removed.
//! The relaxation contains these unchanged, and has no cycle. ∎

use omnilink_sorting::sort_by_key;

use crate::action::{Action, Collection, Rank, TimedAction};
use crate::decide;
use crate::decision::{Decision, Refutation, Rule, UndecidedReason};
use crate::earliest_after::{Deadline, EarliestAfter};
use crate::value_history::{ValueHistories, ValueHistory, violation};

/// The number of attempts to complete a history.
const ATTEMPTS_MAX: usize = 24;

/// Decides a history that has no linearization without its pending removals.
pub(crate) fn check(collection: Collection, operations: &[TimedAction], values: &ValueHistories) -> Decision {
    let pending = in_order_of_call(operations);
    if let Some(refuted) = relaxed(collection, operations, values, &pending) {
        return refuted;
    }
    let mut due: Vec<(Deadline, &ValueHistory)> = deadlines(collection, operations, values);
    sort_by_key(&mut due, |(deadline, _)| {
        (deadline.due, deadline.operation as u32)
    });
    let is_late = |index: usize, due: Rank| !is_in_time(operations, &pending, index, due);
    if let Some(late) = (0..due.len()).find(|index| is_late(*index, due[*index].0.due)) {
        return not_gone(operations, values, &due[..=late], &pending);
    }
    complete(collection, operations, values, &pending, due)
}

/// The pending removals in order of call.
fn in_order_of_call(operations: &[TimedAction]) -> Vec<usize> {
    let is_removal = |op: &TimedAction| matches!(op.action, Action::Remove(_) | Action::RemoveAny);
    let mut pending: Vec<usize> = (0..operations.len())
        .filter(|number| operations[*number].ret.is_none() && is_removal(&operations[*number]))
        .collect();
    sort_by_key(&mut pending, |number| operations[*number].call);
    pending
}

/// Whether the pending removal with this index is called before a deadline.
fn is_in_time(operations: &[TimedAction], pending: &[usize], index: usize, due: Rank) -> bool {
    pending
        .get(index)
        .is_some_and(|removal| operations[*removal].call < due)
}

/// A violation of the relaxation: the operations that it names and, if it names a removal that was added, the pending
/// removals that were called before the last return of these operations.
fn relaxed(
    collection: Collection,
    operations: &[TimedAction],
    values: &ValueHistories,
    pending: &[usize],
) -> Option<Decision> {
    let call = operations[*pending.first()?].call;
    let mut relaxed = operations.to_vec();
    let unremoved = values.histories.iter().filter(|history| history.remove.is_none());
    relaxed.extend(unremoved.map(|history| TimedAction {
        action: Action::Remove(history.value),
        call,
        ret: Some(values.end),
    }));
    let decision = ValueHistories::of(&relaxed, values.end).map_or_else(
        |decision| decision,
        |values| decide(collection, &relaxed, &values),
    );
    let Decision::Violation(Refutation {
        rule,
        operations: named,
        ..
    }) = decision
    else {
        return None;
    };
    let (mut named, added): (Vec<usize>, Vec<usize>) =
        named.into_iter().partition(|number| *number < operations.len());
    if !added.is_empty() {
        let last = named.iter().filter_map(|number| operations[*number].ret).max();
        named.extend(early(operations, pending, last.unwrap_or(values.end)));
    }
    Some(violation(rule, operations, named))
}

/// The pending removals that are called before a rank.
fn early<'a>(
    operations: &'a [TimedAction],
    pending: &'a [usize],
    before: Rank,
) -> impl Iterator<Item = usize> + 'a {
    let is_early = move |removal: &usize| operations[*removal].call < before;
    pending.iter().copied().take_while(is_early)
}

/// Lets pending removals take the values that must have gone.
fn complete<'a>(
    collection: Collection,
    operations: &[TimedAction],
    values: &'a ValueHistories,
    pending: &[usize],
    mut due: Vec<(Deadline, &'a ValueHistory)>,
) -> Decision {
    for _ in 0..ATTEMPTS_MAX {
        let mut completed = operations.to_vec();
        for ((_, history), removal) in due.iter().zip(pending) {
            let is_of_other = |value| value != history.value;
            if operations[*removal].action.value().is_some_and(is_of_other) {
                return Decision::Undecided(UndecidedReason::PendingRemovals);
            }
            completed[*removal].action = Action::Remove(history.value);
            completed[*removal].ret = Some(values.end);
        }
        let decision = ValueHistories::of(&completed, values.end + 1).map_or_else(
            |decision| decision,
            |values| decide(collection, &completed, &values),
        );
        match decision {
            Decision::Violation(refutation) => {
                let Some(more) = named_unremoved(operations, values, &due, &refutation) else {
                    break;
                };
                due.push(more);
                sort_by_key(&mut due, |(deadline, _)| {
                    (deadline.due, deadline.operation as u32)
                });
                let is_late = |(index, (deadline, _)): (usize, &(Deadline, &ValueHistory))| {
                    !is_in_time(operations, pending, index, deadline.due)
                };
                if due.iter().enumerate().any(is_late) {
                    break;
                }
            }
            decision => return decision,
        }
    }
    Decision::Undecided(UndecidedReason::PendingRemovals)
}

/// A value named by a refutation that has no removal yet. It seems to be due when the last of the other named operations
/// returns.
fn named_unremoved<'a>(
    operations: &[TimedAction],
    values: &'a ValueHistories,
    due: &[(Deadline, &ValueHistory)],
    refutation: &Refutation,
) -> Option<(Deadline, &'a ValueHistory)> {
    let named = &refutation.operations;
    let is_free = |history: &&ValueHistory| {
        history.remove.is_none()
            && named.contains(&history.add)
            && due.iter().all(|(_, other)| other.value != history.value)
    };
    let history = values.histories.iter().find(is_free)?;
    let of_others = |number: &&usize| operations[**number].action.value() != Some(history.value);
    let last = named
        .iter()
        .filter(of_others)
        .filter_map(|number| Some((operations[*number].ret?, *number)));
    let (due, operation) = last.max()?;
    let deadline = Deadline {
        due,
        operation,
        value: None,
    };
    Some((deadline, history))
}

/// The values that nothing removes and that have a deadline, with the deadline.
fn deadlines<'a>(
    collection: Collection,
    operations: &[TimedAction],
    values: &'a ValueHistories,
) -> Vec<(Deadline, &'a ValueHistory)> {
    let by_value = match collection {
        Collection::Queue => of_queue(operations, values),
        Collection::Stack => of_stack(operations, values),
        Collection::PriorityQueue => of_priority_queue(operations, values),
        Collection::Bag => of_bag(operations, values),
        Collection::Register | Collection::Set => Vec::new(),
    };
    let mut when_empty = EarliestAfter::new(values.end);
    for empty in &values.empties {
        let positions = values.positions(&operations[*empty]);
        when_empty.insert(positions.start, deadline(positions.end, *empty, None));
    }
    let due = values
        .histories
        .iter()
        .zip(by_value)
        .filter(|(history, _)| history.remove.is_none());
    let earliest = due.filter_map(|(history, by_value)| {
        let due = [by_value, when_empty.after(history.first)]
            .into_iter()
            .flatten()
            .min();
        due.map(|due| (due, history))
    });
    earliest.collect()
}

fn deadline(due: Rank, operation: usize, value: Option<usize>) -> Deadline {
    Deadline {
        due,
        operation,
        value,
    }
}

fn of_queue(operations: &[TimedAction], values: &ValueHistories) -> Vec<Option<Deadline>> {
    let mut by_addition = EarliestAfter::new(values.end);
    let mut by_front = EarliestAfter::new(values.end);
    for (number, history) in values.histories.iter().enumerate() {
        let fronts = values.peeks(history).iter().copied().chain(history.remove);
        let Some(first) = fronts.min_by_key(|front| operations[*front].ret) else {
            continue;
        };
        let due = deadline(history.front_first, first, Some(number));
        by_addition.insert(operations[history.add].call, due);
        if history.remove.is_some() {
            by_front.insert(history.front_last, due);
        }
    }
    let of_value = |history: &ValueHistory| {
        let both = [
            by_addition.after(history.first),
            by_front.after(history.front_first),
        ];
        both.into_iter().flatten().min()
    };
    values.histories.iter().map(of_value).collect()
}

/// Adds the deadlines that the front operations of a value set.
fn insert_fronts(
    operations: &[TimedAction],
    values: &ValueHistories,
    number: usize,
    earliest: &mut EarliestAfter,
) {
    let history = &values.histories[number];
    let add = operations[history.add].call;
    for peek in values.peeks(history) {
        let positions = values.positions(&operations[*peek]);
        earliest.insert(
            positions.start.max(add),
            deadline(positions.end, *peek, Some(number)),
        );
    }
    if let Some(remove) = history.remove {
        let ret = values.positions(&operations[remove]).end;
        earliest.insert(history.last, deadline(ret, remove, Some(number)));
    }
}

fn of_priority_queue(operations: &[TimedAction], values: &ValueHistories) -> Vec<Option<Deadline>> {
    let mut of_smaller = EarliestAfter::new(values.end);
    let of_value = |number: usize| {
        let due = of_smaller.after(values.histories[number].first);
        insert_fronts(operations, values, number, &mut of_smaller);
        due
    };
    (0..values.histories.len()).map(of_value).collect()
}

fn of_stack(operations: &[TimedAction], values: &ValueHistories) -> Vec<Option<Deadline>> {
    let sorted = |key: &dyn Fn(&ValueHistory) -> Rank| {
        let mut numbers: Vec<usize> = (0..values.histories.len()).collect();
        sort_by_key(&mut numbers, |number| key(&values.histories[*number]));
        numbers
    };
    let push = |history: &ValueHistory| operations[history.add].call;
    let mut by_first = sorted(&|history| history.first).into_iter().peekable();
    let mut of_lower = EarliestAfter::new(values.end);
    let mut due = vec![None; values.histories.len()];
    for number in sorted(&push) {
        let history = &values.histories[number];
        while let Some(lower) = by_first.next_if(|lower| values.histories[*lower].first < push(history)) {
            insert_fronts(operations, values, lower, &mut of_lower);
        }
        due[number] = of_lower.after(history.first);
    }
    due
}

fn of_bag(operations: &[TimedAction], values: &ValueHistories) -> Vec<Option<Deadline>> {
    let mut due = vec![None; values.histories.len()];
    for miss in &values.misses {
        let positions = values.positions(&operations[*miss]);
        let Some(number) = values.number_of(operations[*miss].action.value()) else {
            continue;
        };
        if values.histories[number].first < positions.start {
            let missed = deadline(positions.end, *miss, Some(number));
            due[number] = [due[number], Some(missed)].into_iter().flatten().min();
        }
    }
    due
}

/// The violation of values whose deadlines come before enough removals were called: these values, the operations that set
/// their deadlines with the values of those, and the removals.
fn not_gone(
    operations: &[TimedAction],
    values: &ValueHistories,
    due: &[(Deadline, &ValueHistory)],
    pending: &[usize],
) -> Decision {
    let mut involved = Vec::new();
    for (deadline, history) in due {
        involved.extend(values.operations(history));
        involved.push(deadline.operation);
        if let Some(value) = deadline.value {
            involved.extend(values.operations(&values.histories[value]));
        }
    }
    let last = due.last().map_or(0, |(deadline, _)| deadline.due);
    involved.extend(early(operations, pending, last));
    violation(Rule::NotGone, operations, involved)
}
