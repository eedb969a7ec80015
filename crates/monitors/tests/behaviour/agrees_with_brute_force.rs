//! The monitors against a search of all orders: every history up to a size, then random larger ones.

use fastrand::Rng;
use omnilink_monitors::{Action, Collection, Decision, Refutation, Rule, TimedAction, check};

use crate::brute_force::{has_order, replay};
use crate::{all_histories, random_histories};

const COLLECTIONS: [Collection; 4] = [
    Collection::Register,
    Collection::Queue,
    Collection::Stack,
    Collection::PriorityQueue,
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
            assert!(
                is_closed(operations, &refutation),
                "operations are missing: {shown}"
            );
        }
        Decision::Undecided(_) => tally.undecided += 1,
    }
}

/// Whether a refutation that involves several values contains all additions and removals of its values.
fn is_closed(operations: &[TimedAction], refutation: &Refutation) -> bool {
    if !matches!(
        refutation.rule,
        Rule::NeverEmpty | Rule::OutOfOrder | Rule::GreaterInside
    ) {
        return true;
    }
    let named = |number: &usize| refutation.operations.contains(number);
    let values: Vec<u32> = (refutation.operations.iter())
        .filter_map(|number| operations[*number].action.value())
        .collect();
    let is_needed = |number: &usize| match operations[*number].action {
        Action::Add(value) | Action::Remove(value) => values.contains(&value),
        _ => false,
    };
    (0..operations.len())
        .filter(is_needed)
        .all(|number| named(&number))
}

#[test]
fn every_history_of_up_to_four_operations() {
    for collection in COLLECTIONS {
        let mut tally = Tally::default();
        for size in 1..=4 {
            all_histories::histories(collection, size, true, &mut |operations| {
                compare(collection, operations, &mut tally);
            });
        }
        println!("{collection:?}: {tally:?}");
        assert!(tally.linearizable > 1000 && tally.violations > 1000);
    }
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
