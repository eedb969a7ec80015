//! Which histories a monitor decides, and which it leaves to the general search.

use omnilink_monitors::{Action, Collection, Decision, TimedAction, UndecidedReason, check};

use crate::all_histories;

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
            all_histories::histories(collection, size, false, &mut |operations| {
                let is_undecided = matches!(check(collection, operations), Decision::Undecided(_));
                assert_eq!(
                    is_undecided,
                    adds_twice(operations),
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
        all_histories::histories(Collection::Queue, size, true, &mut |operations| {
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
        let decision = check(collection, &history);
        assert!(
            matches!(decision, Decision::Violation(_)),
            "{collection:?}: {decision:?}"
        );
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
