//! The monitors against a search of all orders: every history up to a size, then random larger ones.

use fastrand::Rng;
use omnilink_monitors::{
    Action, Collection, Decision, Refutation, RefutationCheck, Rule, TimedAction, check, confirm,
};

use crate::all_histories::Scope;
use crate::brute_force::{has_order, replay};
use crate::{all_histories, random_histories};

const COLLECTIONS: [Collection; 6] = [
    Collection::Register,
    Collection::Queue,
    Collection::Stack,
    Collection::PriorityQueue,
    Collection::Set,
    Collection::Bag,
];

/// The number of decisions of each kind.
#[derive(Debug, Default)]
struct Tally {
    linearizable: u64,
    violations: u64,
    undecided: u64,
}

/// Compares the decision of a monitor with the search of all orders, and checks its evidence.
fn compare(collection: Collection, operations: &[TimedAction], tally: &mut Tally) {
    match check(collection, operations) {
        Decision::Linearizable(order) => {
            tally.linearizable += 1;
            let replayed = replay(collection, operations, &order);
            assert!(
                replayed.is_ok(),
                "{collection:?} {operations:?} {order:?}: {replayed:?}"
            );
        }
        Decision::Violation(refutation) => {
            tally.violations += 1;
            let shown = format!("{collection:?} {operations:?} {refutation:?}");
            assert!(!has_order(collection, operations), "wrong violation: {shown}");
            let named: Vec<TimedAction> = refutation
                .operations
                .iter()
                .map(|number| operations[*number])
                .collect();
            assert!(
                !has_order(collection, &named),
                "the named operations have an order: {shown}"
            );
            let confirmed = confirm(collection, operations, &refutation);
            assert!(
                matches!(confirmed, RefutationCheck::Confirmed { .. }),
                "{confirmed:?}: {shown}"
            );
            let is_searched = collection == Collection::Queue && refutation.rule == Rule::NoOrderOfItems;
            assert!(refutation.last.is_some() || !is_searched, "no return: {shown}");
            if let Some(ret) = refutation.last.and_then(|last| operations[last].ret) {
                let is_explained = |moment| has_order(collection, &beginning(operations, moment));
                assert!(
                    is_explained(ret) && !is_explained(ret + 1),
                    "the wrong return: {shown}"
                );
            }
            assert!(
                is_closed(operations, &refutation),
                "operations are missing: {shown}"
            );
            assert!(
                refutation.rule != Rule::NoAlternation || every_look_is_needed(collection, &named),
                "a look is not needed: {shown}"
            );
        }
        Decision::Undecided(_) => tally.undecided += 1,
    }
}

/// What was called before a moment; what had not returned by then is pending.
fn beginning(operations: &[TimedAction], moment: u32) -> Vec<TimedAction> {
    let called = operations.iter().filter(|op| op.call < moment);
    called
        .map(|op| {
            let ret = op.ret.filter(|ret| *ret < moment);
            TimedAction { ret, ..*op }
        })
        .collect()
}

/// Whether operations without an order have one as soon as one of those that change nothing is left out: up to the first return at which
/// they have none. What happens later may depend on operations that are not named.
fn every_look_is_needed(collection: Collection, operations: &[TimedAction]) -> bool {
    let mut returns: Vec<u32> = operations.iter().filter_map(|op| op.ret).collect();
    returns.sort_unstable();
    let cut = returns
        .into_iter()
        .map(|ret| beginning(operations, ret + 1))
        .find(|cut| !has_order(collection, cut));
    let Some(operations) = cut else { return false };
    let operations = operations.as_slice();
    let is_look = |op: &TimedAction| matches!(op.action, Action::Peek(_) | Action::Miss(_));
    let without = |left_out: usize| -> Vec<TimedAction> {
        let others = operations.iter().enumerate();
        others
            .filter(|(at, _)| *at != left_out)
            .map(|(_, op)| *op)
            .collect()
    };
    (0..operations.len())
        .filter(|at| is_look(&operations[*at]))
        .all(|at| has_order(collection, &without(at)))
}

/// Whether a refutation that involves several values contains all additions and removals of those that are added once, and,
/// if one of these is never removed, the pending removals that may have removed it.
fn is_closed(operations: &[TimedAction], refutation: &Refutation) -> bool {
    if !matches!(
        refutation.rule,
        Rule::NeverEmpty | Rule::OutOfOrder | Rule::GreaterInside
    ) {
        return true;
    }
    let named = |number: &usize| refutation.operations.contains(number);
    let values: Vec<u32> = (refutation.operations.iter())
        .map(|number| operations[*number])
        .filter(|op| op.ret.is_some() || matches!(op.action, Action::Add(_)))
        .filter_map(|op| op.action.value())
        .collect();
    let is_added_once = |value: u32| {
        let additions = operations.iter().filter(|op| op.action == Action::Add(value));
        additions.count() == 1
    };
    let is_needed = |number: &usize| match operations[*number].action {
        Action::Add(value) => values.contains(&value) && is_added_once(value),
        Action::Remove(value) if operations[*number].ret.is_some() => {
            values.contains(&value) && is_added_once(value)
        }
        _ => false,
    };
    let is_unremoved = |value: &u32| {
        let is_removal = |op: &TimedAction| op.action == Action::Remove(*value) && op.ret.is_some();
        is_added_once(*value) && !operations.iter().any(is_removal)
    };
    let last = refutation
        .operations
        .iter()
        .filter_map(|number| operations[*number].ret)
        .max();
    let may_have_removed = |number: &usize| {
        let op = operations[*number];
        op.action == Action::RemoveAny
            && last.is_some_and(|last| op.call < last)
            && values.iter().any(is_unremoved)
    };
    (0..operations.len())
        .filter(|number| is_needed(number) || may_have_removed(number))
        .all(|number| named(&number))
}

/// The tally is exact: a rule that decides fewer histories than it should is a defect as well.
#[test]
fn every_history_of_up_to_four_operations() {
    let expected = [
        "Register: Tally { linearizable: 25381, violations: 46511, undecided: 2050 }",
        "Queue: Tally { linearizable: 53438, violations: 242878, undecided: 0 }",
        "Stack: Tally { linearizable: 57309, violations: 238828, undecided: 179 }",
        "PriorityQueue: Tally { linearizable: 115037, violations: 1043406, undecided: 5735 }",
        "Set: Tally { linearizable: 123362, violations: 537556, undecided: 0 }",
        "Bag: Tally { linearizable: 163056, violations: 590160, undecided: 13913 }",
    ];
    let tallies = COLLECTIONS.map(|collection| {
        let mut tally = Tally::default();
        for size in 1..=4 {
            all_histories::histories(Scope::all(collection), size, &mut |operations| {
                compare(collection, operations, &mut tally);
            });
        }
        format!("{collection:?}: {tally:?}")
    });
    assert_eq!(tallies.join("\n"), expected.join("\n"));
}

/// Registers with replacements. In a history of four operations there are no reads of values that were never written.
#[test]
fn every_history_of_a_register_with_replacements() {
    let mut tally = Tally::default();
    let scope = Scope {
        with_replacements: true,
        ..Scope::all(Collection::Register)
    };
    for size in 1..=3 {
        all_histories::histories(scope, size, &mut |operations| {
            compare(Collection::Register, operations, &mut tally);
        });
    }
    let narrow = Scope {
        with_looks_and_repeats: false,
        ..scope
    };
    all_histories::histories(narrow, 4, &mut |operations| {
        compare(Collection::Register, operations, &mut tally);
    });
    assert_eq!(
        format!("{tally:?}"),
        "Tally { linearizable: 32197, violations: 32587, undecided: 270208 }"
    );
}

/// Larger histories without peeks and with distinct values, for the rules about pending removals.
#[test]
fn every_history_of_five_additions_and_removals() {
    let expected = [
        "Queue: Tally { linearizable: 63850, violations: 231837, undecided: 0 }",
        "Stack: Tally { linearizable: 64202, violations: 231279, undecided: 206 }",
    ];
    let tallies = [Collection::Queue, Collection::Stack].map(|collection| {
        let mut tally = Tally::default();
        let scope = Scope {
            with_looks_and_repeats: false,
            ..Scope::all(collection)
        };
        all_histories::histories(scope, 5, &mut |operations| {
            let is_open = |op: &TimedAction| op.action == Action::RemoveAny;
            if operations.iter().any(is_open) {
                compare(collection, operations, &mut tally);
            }
        });
        format!("{collection:?}: {tally:?}")
    });
    assert_eq!(tallies.join("\n"), expected.join("\n"));
}

#[test]
fn random_histories_of_several_kinds() {
    let mut rng = Rng::with_seed(0x5eed);
    for collection in COLLECTIONS {
        let mut tally = Tally::default();
        for generator in random_histories::GENERATORS {
            for _ in 0..random_histories::rounds() {
                let operations = generator(collection, &mut rng);
                compare(collection, &operations, &mut tally);
            }
        }
        println!("{collection:?}: {tally:?}");
        assert!(tally.linearizable > 1000 && tally.violations > 1000);
        assert!(
            collection != Collection::Queue || tally.undecided == 0,
            "{tally:?}"
        );
    }
}

/// Larger histories with equal values, short calls within long ones, and queues that run empty: where choices have to be tried.
#[test]
fn queues_and_stacks_with_equal_values() {
    let mut rng = Rng::with_seed(19);
    for collection in [Collection::Queue, Collection::Stack] {
        let mut tally = Tally::default();
        for _ in 0..random_histories::rounds() / 3 {
            let operations = random_histories::nested_calls(collection, &mut rng);
            compare(collection, &operations, &mut tally);
        }
        println!("{collection:?}: {tally:?}");
        assert!(tally.linearizable > 100 && tally.violations > 100, "{tally:?}");
        assert!(
            collection != Collection::Queue || tally.undecided == 0,
            "{tally:?}"
        );
    }
}

/// ```text
/// m     |add|                     |-------remove-------|
/// b           |add|    |----------remove------|
/// w  |-------add------|  |peek|                 |remove|
/// ```
/// `m` is added before `b`. `b` is removed before the removal of `w` begins, so it is ahead of `w`; the same goes for `w`
/// and `m`. Each pair of them is in order.
#[test]
fn a_peek_can_put_three_values_out_of_order_of_which_each_pair_is_in_order() {
    let (m, b, w) = (0, 1, 2);
    let op = |action, call, ret| TimedAction {
        action,
        call,
        ret: Some(ret),
    };
    let history = [
        op(Action::Add(w), 1, 6),
        op(Action::Add(m), 2, 3),
        op(Action::Add(b), 4, 5),
        op(Action::Remove(b), 7, 11),
        op(Action::Peek(w), 8, 9),
        op(Action::Remove(m), 10, 14),
        op(Action::Remove(w), 12, 13),
    ];
    let Decision::Violation(refutation) = check(Collection::Queue, &history) else {
        panic!("{:?}", check(Collection::Queue, &history));
    };
    assert_eq!(refutation.operations.len(), history.len());
    assert!(!has_order(Collection::Queue, &history));
    for without in [m, b, w] {
        let others: Vec<TimedAction> = history
            .iter()
            .filter(|op| op.action.value() != Some(without))
            .copied()
            .collect();
        assert!(has_order(Collection::Queue, &others));
    }
}
