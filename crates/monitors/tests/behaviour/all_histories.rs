//! All histories of a given size, up to renaming of values and operations.

use omnilink_monitors::{Action, Collection, TimedAction};

/// Calls `found` with every history of `size` operations. Operations are numbered in the order of their calls.
pub fn histories(
    collection: Collection,
    size: usize,
    with_pending: bool,
    found: &mut dyn FnMut(&[TimedAction]),
) {
    let mut operations = Vec::new();
    shapes(size, with_pending, 1, &mut operations, &mut |shape| {
        let mut labelled = shape.to_vec();
        label(collection, &mut labelled, 0, 0, found);
    });
}

/// All ways to arrange calls and returns.
fn shapes(
    size: usize,
    with_pending: bool,
    rank: u32,
    operations: &mut Vec<TimedAction>,
    found: &mut dyn FnMut(&[TimedAction]),
) {
    let open: Vec<usize> = (0..operations.len())
        .filter(|number| operations[*number].ret.is_none())
        .collect();
    if operations.len() == size && (open.is_empty() || with_pending) {
        found(operations);
    }
    if operations.len() < size {
        operations.push(TimedAction {
            action: Action::FindEmpty,
            call: rank,
            ret: None,
        });
        shapes(size, with_pending, rank + 1, operations, found);
        operations.pop();
    }
    for number in open {
        operations[number].ret = Some(rank);
        shapes(size, with_pending, rank + 1, operations, found);
        operations[number].ret = None;
    }
}

/// All actions for the operations. Values are numbered in the order in which they occur; in a priority queue all
/// orders of them are tried.
fn label(
    collection: Collection,
    operations: &mut Vec<TimedAction>,
    at: usize,
    values: u32,
    found: &mut dyn FnMut(&[TimedAction]),
) {
    if at == operations.len() {
        if collection == Collection::PriorityQueue {
            return permuted(operations, &mut (0..values).collect(), 0, found);
        }
        return found(operations);
    }
    let mut actions = Vec::new();
    for value in 0..=values {
        // A value that is added twice must be undecided.
        actions.push(Action::Add(value));
        if operations[at].ret.is_some() {
            actions.push(Action::Peek(value));
            if collection != Collection::Register {
                actions.push(Action::Remove(value));
            }
        }
    }
    if operations[at].ret.is_some() {
        actions.push(Action::FindEmpty);
    } else if collection != Collection::Register {
        actions.push(Action::RemoveAny);
    }
    for action in actions {
        operations[at].action = action;
        let is_new = action.value() == Some(values);
        label(collection, operations, at + 1, values + u32::from(is_new), found);
    }
}

fn permuted(
    operations: &[TimedAction],
    names: &mut Vec<u32>,
    at: usize,
    found: &mut dyn FnMut(&[TimedAction]),
) {
    if at == names.len() {
        let rename = |action: Action| match action {
            Action::Add(value) => Action::Add(names[value as usize]),
            Action::Remove(value) => Action::Remove(names[value as usize]),
            Action::Peek(value) => Action::Peek(names[value as usize]),
            other => other,
        };
        let renamed: Vec<TimedAction> = operations
            .iter()
            .map(|op| TimedAction {
                action: rename(op.action),
                ..*op
            })
            .collect();
        return found(&renamed);
    }
    for other in at..names.len() {
        names.swap(at, other);
        permuted(operations, names, at + 1, found);
        names.swap(at, other);
    }
}
