//! The monitors against a search of all orders: every history up to a size, then random larger ones.

mod brute_force;
mod enumerate;
mod generate;

use brute_force::{has_order, replay};
use omnilink_monitors::{Action, Answer, Collection, Operation, check};

const COLLECTIONS: [Collection; 4] = [
    Collection::Register,
    Collection::Queue,
    Collection::Stack,
    Collection::PriorityQueue,
];

/// How often a monitor gave each answer.
#[derive(Debug, Default)]
struct Tally {
    linearizable: u64,
    violations: u64,
    undecided: u64,
}

/// Compares a monitor with the search of all orders, and what it shows with what it says.
fn compare(collection: Collection, operations: &[Operation], tally: &mut Tally) {
    match check(collection, operations) {
        Answer::Linearizable(order) => {
            tally.linearizable += 1;
            let replayed = replay(collection, operations, &order);
            assert!(
                replayed.is_ok(),
                "{collection:?} {operations:?} {order:?}: {replayed:?}"
            );
        }
        Answer::Violation(refutation) => {
            tally.violations += 1;
            let shown = format!("{collection:?} {operations:?} {refutation:?}");
            assert!(!has_order(collection, operations), "wrong violation: {shown}");
            let named: Vec<Operation> = refutation
                .operations
                .iter()
                .map(|number| operations[*number])
                .collect();
            assert!(
                !has_order(collection, &named),
                "the named operations have an order: {shown}"
            );
        }
        Answer::Undecided(_) => tally.undecided += 1,
    }
}

#[test]
fn every_history_of_up_to_four_operations() {
    for collection in COLLECTIONS {
        let mut tally = Tally::default();
        for size in 1..=4 {
            enumerate::histories(collection, size, true, &mut |operations| {
                compare(collection, operations, &mut tally);
            });
        }
        println!("{collection:?}: {tally:?}");
        assert!(tally.linearizable > 1000 && tally.violations > 1000);
    }
}

/// Without pending operations a monitor decides everything in which no value is added twice.
#[test]
fn complete_histories_are_always_decided() {
    for collection in COLLECTIONS {
        for size in 1..=4 {
            enumerate::histories(collection, size, false, &mut |operations| {
                let is_foreign = collection == Collection::Register
                    && operations.iter().any(|op| matches!(op.action, Action::Remove(_)));
                let answer = check(collection, operations);
                let adds = |value| {
                    operations
                        .iter()
                        .filter(|op| op.action == Action::Add(value))
                        .count()
                };
                let is_repeated = (0..size as u32).any(|value| adds(value) > 1);
                assert!(
                    is_foreign || is_repeated || !matches!(answer, Answer::Undecided(_)),
                    "{collection:?} {operations:?}"
                );
            });
        }
    }
}

#[test]
fn random_histories_of_several_kinds() {
    let mut random = generate::Random::new(0x5eed);
    for collection in COLLECTIONS {
        let mut tally = Tally::default();
        for generator in generate::GENERATORS {
            for _ in 0..generate::rounds() {
                let operations = generator(collection, &mut random);
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
    let op = |action, call, ret| Operation {
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
    let Answer::Violation(refutation) = check(Collection::Queue, &history) else {
        panic!("{:?}", check(Collection::Queue, &history));
    };
    assert_eq!(refutation.operations.len(), history.len());
    assert!(!has_order(Collection::Queue, &history));
    for without in [m, b, w] {
        let others: Vec<Operation> = history
            .iter()
            .filter(|op| op.action.value() != Some(without))
            .copied()
            .collect();
        assert!(has_order(Collection::Queue, &others));
    }
}
