//! A refutation is decided again by a search that does not believe it.

use omnilink_monitors::{
    Action, Collection, Decision, Refutation, RefutationCheck, Rule, TimedAction, check, confirm,
};

/// Operations one after the other.
fn serial(actions: &[Action]) -> Vec<TimedAction> {
    (0u32..)
        .zip(actions)
        .map(|(at, action)| TimedAction {
            action: *action,
            call: 2 * at + 1,
            ret: Some(2 * at + 2),
        })
        .collect()
}

fn blamed(operations: Vec<usize>) -> Refutation {
    Refutation {
        rule: Rule::OutOfOrder,
        operations,
        last: None,
    }
}

#[test]
fn a_wrong_refutation_is_contradicted_whatever_it_leaves_out() {
    let queue = serial(&[
        Action::Add(0),
        Action::Add(1),
        Action::Remove(0),
        Action::Remove(1),
    ]);
    // Without its addition, the removal of 0 has no order; the search takes the addition, too.
    let without_addition = blamed(vec![2]);
    assert_eq!(
        confirm(Collection::Queue, &queue, &without_addition),
        RefutationCheck::Contradicted {
            operations: vec![0, 2]
        }
    );
    let everything = blamed(vec![0, 1, 2, 3]);
    assert!(matches!(
        confirm(Collection::Queue, &queue, &everything),
        RefutationCheck::Contradicted { .. }
    ));
    assert!(matches!(
        confirm(Collection::Stack, &queue, &everything),
        RefutationCheck::Confirmed { operations: 4, .. }
    ));
    // A register in which 1 replaces 0: the replacement brings the write of 0 with it.
    let register = serial(&[
        Action::Add(0),
        Action::Replace { from: Some(0), to: 1 },
        Action::Peek(1),
    ]);
    assert_eq!(
        confirm(Collection::Register, &register, &blamed(vec![2])),
        RefutationCheck::Contradicted {
            operations: vec![0, 1, 2]
        }
    );
    // A removal that never returned may have taken the value.
    let mut bag = serial(&[Action::Add(0), Action::FindEmpty, Action::RemoveAny]);
    (bag[2].call, bag[2].ret) = (1, None);
    (bag[0].call, bag[0].ret, bag[1].call, bag[1].ret) = (2, Some(3), 4, Some(5));
    assert!(matches!(
        confirm(Collection::Bag, &bag, &blamed(vec![0, 1])),
        RefutationCheck::Contradicted { .. }
    ));
}

#[test]
fn what_takes_too_long_is_not_confirmed() {
    // Many additions at once, of which the search knows nothing but that they overlap.
    let count = 24;
    let mut operations: Vec<TimedAction> = (0..count)
        .map(|value| TimedAction {
            action: Action::Add(value),
            call: value + 1,
            ret: Some(count + value + 1),
        })
        .collect();
    operations.push(TimedAction {
        action: Action::Remove(count),
        call: 2 * count + 1,
        ret: Some(2 * count + 2),
    });
    let Decision::Violation(refutation) = check(Collection::Queue, &operations) else {
        panic!("nothing adds the last value");
    };
    assert!(matches!(
        confirm(Collection::Queue, &operations, &refutation),
        RefutationCheck::Confirmed { operations: 1, .. }
    ));
    let everything = blamed((0..operations.len()).collect());
    assert_eq!(
        confirm(Collection::Queue, &operations, &everything),
        RefutationCheck::NotConfirmed {
            operations: operations.len()
        }
    );
}

#[test]
fn what_a_later_operation_may_explain_is_not_blamed() {
    // The value was seen before anything added it. The removal may have taken what was added later.
    let operation = |action, call, ret| TimedAction { action, call, ret };
    let set = [
        operation(Action::Peek(0), 1, Some(3)),
        operation(Action::Remove(0), 2, Some(5)),
        operation(Action::Add(0), 4, None),
    ];
    let Decision::Violation(refutation) = check(Collection::Set, &set) else {
        panic!("it was seen before it was added");
    };
    assert!(refutation.operations.contains(&0), "{refutation:?}");
    assert!(matches!(
        confirm(Collection::Set, &set, &refutation),
        RefutationCheck::Confirmed { .. }
    ));
}
