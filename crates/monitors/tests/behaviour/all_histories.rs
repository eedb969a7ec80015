//! All histories of a given size, up to renaming of values and operations.

use omnilink_monitors::{Action, Collection, TimedAction};

/// Which histories are wanted.
#[derive(Clone, Copy)]
pub struct Scope {
    pub collection: Collection,
    /// Whether operations may be pending.
    pub with_pending: bool,
    /// Whether there are operations that only look, and values that are added more than once.
    pub with_looks_and_repeats: bool,
    /// Whether there are replacements. Only for registers.
    pub with_replacements: bool,
}

impl Scope {
    pub fn all(collection: Collection) -> Self {
        Self {
            collection,
            with_pending: true,
            with_looks_and_repeats: true,
            with_replacements: false,
        }
    }
}

/// Calls `found` with every history of `size` operations. Operations are numbered in the order of their calls.
pub fn histories(scope: Scope, size: usize, found: &mut dyn FnMut(&[TimedAction])) {
    let mut operations = Vec::new();
    shapes(size, scope.with_pending, 1, &mut operations, &mut |shape| {
        let mut labelled = shape.to_vec();
        label(scope, &mut labelled, 0, 0, found);
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
    scope: Scope,
    operations: &mut Vec<TimedAction>,
    at: usize,
    values: u32,
    found: &mut dyn FnMut(&[TimedAction]),
) {
    let collection = scope.collection;
    if at == operations.len() {
        if collection == Collection::PriorityQueue {
            return permuted(operations, &mut (0..values).collect(), 0, found);
        }
        return found(operations);
    }
    let mut actions = Vec::new();
    let (is_pending, is_wide) = (operations[at].ret.is_none(), scope.with_looks_and_repeats);
    for value in 0..=values {
        if is_wide || value == values {
            actions.push(Action::Add(value));
        }
        if is_pending && collection == Collection::Set || !is_pending && collection != Collection::Register {
            actions.push(Action::Remove(value));
        }
        if !is_pending && is_wide {
            actions.push(Action::Peek(value));
        }
        if !is_pending && matches!(collection, Collection::Set | Collection::Bag) {
            actions.push(Action::Miss(value));
        }
    }
    if scope.with_replacements {
        for from in 0..=values {
            actions.push(Action::Replace {
                from: from.checked_sub(1),
                to: values,
            });
            actions.extend((0..values).map(|to| Action::Replace {
                from: from.checked_sub(1),
                to,
            }));
        }
    }
    match (collection, is_pending) {
        (Collection::Set, _) | (Collection::Register, true) => {}
        (_, false) => actions.push(Action::FindEmpty),
        (_, true) => actions.push(Action::RemoveAny),
    }
    for action in actions {
        operations[at].action = action;
        let is_new = action.value() == Some(values);
        label(scope, operations, at + 1, values + u32::from(is_new), found);
    }
}

fn permuted(
    operations: &[TimedAction],
    names: &mut Vec<u32>,
    at: usize,
    found: &mut dyn FnMut(&[TimedAction]),
) {
    if at == names.len() {
        let rename = |action: Action| match action.value() {
            Some(value) => action.on(names[value as usize]),
            None => action,
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
