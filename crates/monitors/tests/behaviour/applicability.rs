//! Which histories a monitor decides, and which it leaves to the general search.

use omnilink_monitors::{Action, Collection, Decision, Rule, TimedAction, UndecidedReason, check};

use crate::all_histories::{self, Scope};

const CONTAINERS: [Collection; 3] = [Collection::Queue, Collection::Stack, Collection::PriorityQueue];

fn op(action: Action, call: u32, ret: u32) -> TimedAction {
    TimedAction {
        action,
        call,
        ret: Some(ret),
    }
}

fn pending(action: Action, call: u32) -> TimedAction {
    TimedAction {
        action,
        call,
        ret: None,
    }
}

fn adds_twice(operations: &[TimedAction]) -> bool {
    let adds = |value| {
        let is_add = |op: &&TimedAction| op.action == Action::Add(value);
        operations.iter().filter(is_add).count()
    };
    (0..operations.len() as u32).any(|value| adds(value) > 1)
}

/// A monitor decides every history without pending operations in which no value is added twice.
#[test]
fn complete_histories_with_distinct_values_are_decided() {
    for collection in CONTAINERS.into_iter().chain([Collection::Register]) {
        for size in 1..=4 {
            let scope = Scope {
                with_pending: false,
                ..Scope::all(collection)
            };
            all_histories::histories(scope, size, &mut |operations| {
                let is_undecided = matches!(check(collection, operations), Decision::Undecided(_));
                assert!(
                    !is_undecided || adds_twice(operations),
                    "{collection:?} {operations:?}"
                );
            });
        }
    }
}

/// The deadlines of values decide queues in which no operation peeks or finds the queue empty.
#[test]
fn queues_of_additions_and_removals_are_decided_with_pending_operations() {
    for size in 1..=4 {
        all_histories::histories(Scope::all(Collection::Queue), size, &mut |operations| {
            let is_observation = |op: &TimedAction| matches!(op.action, Action::Peek(_) | Action::FindEmpty);
            if operations.iter().any(is_observation) || adds_twice(operations) {
                return;
            }
            let decision = check(Collection::Queue, operations);
            assert!(!matches!(decision, Decision::Undecided(_)), "{operations:?}");
        });
    }
}

/// ```text
/// |add 0|  |add 1|  |remove 0|  |find empty|  |remove 1|
///    |remove ...                                            no value is left for the pending removal
/// ```
#[test]
fn a_pending_removal_without_a_value_to_remove_leaves_a_violation_a_violation() {
    for collection in CONTAINERS {
        let history = [
            op(Action::Add(0), 1, 3),
            pending(Action::RemoveAny, 2),
            op(Action::Add(1), 4, 5),
            op(Action::Remove(0), 6, 7),
            op(Action::FindEmpty, 8, 9),
            op(Action::Remove(1), 10, 11),
        ];
        // A pending addition that no operation observed does not help either.
        let mut with_addition = history.to_vec();
        with_addition.push(pending(Action::Add(2), 12));
        for history in [&history[..], &with_addition] {
            let decision = check(collection, history);
            assert!(
                matches!(decision, Decision::Violation(_)),
                "{collection:?}: {decision:?}"
            );
        }
    }
}

/// ```text
/// w     |add|
/// v           |add|     |peek|
/// u           |-add-|           |remove|
///    |remove ...                           w is gone when v is peeked, and v when u is removed: one pending removal is not enough
/// ```
#[test]
fn a_value_that_was_peeked_must_be_gone_before_another_one_is_removed() {
    let (w, v, u) = (0, 1, 2);
    let mut history = vec![
        pending(Action::RemoveAny, 1),
        op(Action::Add(w), 2, 3),
        op(Action::Add(v), 4, 6),
        op(Action::Add(u), 5, 7),
        op(Action::Peek(v), 8, 9),
        op(Action::Remove(u), 10, 11),
    ];
    // The second removal comes too late, and is no part of the violation.
    for late in [None, Some(pending(Action::RemoveAny, 12))] {
        history.extend(late);
        let Decision::Violation(refutation) = check(Collection::Queue, &history) else {
            panic!("{:?}", check(Collection::Queue, &history));
        };
        assert_eq!(refutation.rule, Rule::NotGone);
        assert_eq!(refutation.operations, [0, 1, 2, 3, 4, 5]);
    }
}

#[test]
fn foreign_operations_are_undecided() {
    let foreign = Decision::Undecided(UndecidedReason::ForeignOperation);
    let removal = [op(Action::Add(0), 1, 2), op(Action::Remove(0), 3, 4)];
    assert_eq!(check(Collection::Register, &removal), foreign);
    let pending_removal = [op(Action::Add(0), 1, 2), pending(Action::RemoveAny, 3)];
    assert_eq!(check(Collection::Register, &pending_removal), foreign);
    for collection in CONTAINERS {
        assert_eq!(check(collection, &[op(Action::RemoveAny, 1, 2)]), foreign);
    }
}

#[test]
fn ranks_must_be_distinct_and_in_order() {
    let invalid = Decision::Undecided(UndecidedReason::Ranks);
    let add = |value, call, ret| op(Action::Add(value), call, ret);
    for history in [
        vec![add(0, 2, 1)],
        vec![add(0, 1, 1)],
        vec![add(0, 0, 1)],
        vec![add(0, 1, 3)],
        vec![add(0, 1, 2), add(1, 2, 3)],
        vec![add(0, 1, 2), add(1, 1, 3)],
    ] {
        assert_eq!(check(Collection::Queue, &history), invalid, "{history:?}");
    }
}

/// Two values that cannot be nested are evidence enough, whatever they contain.
///
/// ```text
/// |push 0|  |push 1|  |push 2| |pop 2| … |push 40| |pop 40|  |pop 0|  |pop 1|
/// ```
#[test]
fn a_refutation_of_a_stack_has_few_operations() {
    let mut actions = vec![Action::Add(0), Action::Add(1)];
    actions.extend((2..=40).flat_map(|value| [Action::Add(value), Action::Remove(value)]));
    actions.extend([Action::Remove(0), Action::Remove(1)]);
    let history: Vec<TimedAction> = (actions.into_iter().zip(0..))
        .map(|(action, at)| op(action, 2 * at + 1, 2 * at + 2))
        .collect();
    let Decision::Violation(refutation) = check(Collection::Stack, &history) else {
        panic!("a stack is last in, first out");
    };
    let last = history.len() - 1;
    assert_eq!(refutation.operations, [0, 1, last - 1, last]);
}

/// Looks that fit are no evidence, although a long one keeps all of them together.
///
/// ```text
/// |add 0|  |---------------------------- peek 0 ----------------------------|
///             |peek 0|  |peek 0|  …  |miss 0|
/// ```
#[test]
fn a_refutation_of_a_set_has_few_operations() {
    let mut history = vec![op(Action::Add(0), 1, 2), op(Action::Peek(0), 3, 66)];
    history.extend((2..32).map(|at| op(Action::Peek(0), 2 * at, 2 * at + 1)));
    history.push(op(Action::Miss(0), 64, 65));
    let Decision::Violation(refutation) = check(Collection::Set, &history) else {
        panic!("nothing removed the value");
    };
    assert_eq!(refutation.operations, [0, history.len() - 1]);
}

/// Ids of values are names: which ones are chosen does not matter, and the reason names the value that was given.
#[test]
fn the_ids_of_values_do_not_matter() {
    let names = [900, 3, 77];
    let history = |name: &dyn Fn(usize) -> u32| {
        [
            op(Action::Add(name(0)), 1, 2),
            op(Action::Add(name(1)), 3, 4),
            op(Action::Add(name(2)), 5, 6),
            op(Action::Remove(name(0)), 7, 8),
            op(Action::Remove(name(1)), 9, 10),
        ]
    };
    let (plain, renamed) = (history(&|at| at as u32), history(&|at| names[at]));
    for collection in [Collection::Queue, Collection::Stack, Collection::Bag] {
        assert_eq!(check(collection, &plain), check(collection, &renamed));
    }
    let twice = [
        op(Action::Add(names[0]), 1, 2),
        op(Action::Add(names[0]), 3, 4),
        op(Action::Remove(names[0]), 5, 6),
        op(Action::Miss(names[0]), 7, 8),
    ];
    let reason = Decision::Undecided(UndecidedReason::AddedTwice(names[0]));
    assert_eq!(check(Collection::Bag, &twice), reason);
}
