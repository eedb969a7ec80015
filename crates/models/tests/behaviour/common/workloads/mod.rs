//! The small workloads, one for each native model (some in two variants).

mod collections;
mod java;
mod registers;
mod services;

use omnilink_models::{
    Bag, Bank, CasRegister, Counter, ElementOrder, FailedCas, JavaCollection, JavaMap, Kv, Log, Map,
    MultiRegister, Mutex, PersistentMap, PriorityOrder, PriorityQueue, Queue, Register, Semaphore, Set,
    Stack,
};
use omnilink_value::Value;

use super::Visitor;

/// Runs `visitor` with every workload.
pub fn each_workload(visitor: &mut impl Visitor) {
    visitor.visit("register", &Register { initial: int(0) });
    visitor.visit(
        "cas-register",
        &CasRegister {
            initial: Value::null(),
            failed_cas: FailedCas::DidNotHappen,
        },
    );
    visitor.visit("multi-register", &MultiRegister { initial: int(0) });
    visitor.visit("kv", &Kv);
    visitor.visit("set", &Set);
    visitor.visit("bag", &Bag { empty: Value::null() });
    visitor.visit("map", &Map { none: int(0) });
    visitor.visit(
        "queue",
        &Queue {
            capacity: None,
            empty: Value::null(),
        },
    );
    visitor.visit(
        "queue of 2",
        &Queue {
            capacity: Some(2),
            empty: Value::null(),
        },
    );
    visitor.visit("stack", &Stack { empty: Value::null() });
    visitor.visit(
        "priority-queue",
        &PriorityQueue {
            first: PriorityOrder::Greatest,
            empty: Value::null(),
        },
    );
    visitor.visit(
        "priority-queue, least first",
        &PriorityQueue {
            first: PriorityOrder::Least,
            empty: Value::null(),
        },
    );
    visitor.visit("mutex", &Mutex { owned: false });
    visitor.visit("mutex with owners", &Mutex { owned: true });
    visitor.visit(
        "semaphore",
        &Semaphore {
            permits: 1,
            capacity: None,
        },
    );
    visitor.visit(
        "semaphore of 2",
        &Semaphore {
            permits: 2,
            capacity: Some(2),
        },
    );
    visitor.visit("counter", &Counter::default());
    visitor.visit(
        "bank",
        &Bank {
            accounts: PersistentMap::new().with(&int(0), 2),
            balance: 0,
            overdraft: false,
        },
    );
    visitor.visit(
        "bank with overdraft",
        &Bank {
            accounts: PersistentMap::new(),
            balance: 1,
            overdraft: true,
        },
    );
    visitor.visit("log", &Log { first: 1 });
    visitor.visit("java-map", &JavaMap);
    visitor.visit(
        "java-collection of 2",
        &JavaCollection {
            order: ElementOrder::Insertion,
            has_duplicates: true,
            capacity: Some(2),
        },
    );
    visitor.visit(
        "java-collection, a sorted set",
        &JavaCollection {
            order: ElementOrder::Sorted,
            has_duplicates: false,
            capacity: None,
        },
    );
}

pub(super) fn int(value: i64) -> Value {
    Value::int(value)
}

pub(super) fn text(value: &str) -> Value {
    Value::str(value)
}

pub(super) const BOTH: [bool; 2] = [false, true];

/// Nothing, or one of `values`.
pub(super) fn maybe(values: impl IntoIterator<Item = i64>) -> Vec<Option<Value>> {
    [None]
        .into_iter()
        .chain(values.into_iter().map(|value| Some(int(value))))
        .collect()
}
