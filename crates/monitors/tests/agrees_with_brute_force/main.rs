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
                assert!(
                    is_foreign || !matches!(answer, Answer::Undecided(_)),
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
