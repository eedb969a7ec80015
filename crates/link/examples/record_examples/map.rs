//! A map with range counts.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fastrand::Rng;
use omnilink_record::{ThreadLog, record};

use crate::subject::{Subject, Work, pause};

const OPERATIONS: u32 = 30;
const KEYS: i64 = 5;
const VALUES: i64 = 9;

/// A map in which one operation may be done in two pieces, or from what was known earlier.
struct Map {
    held: Mutex<BTreeMap<i64, i64>>,
    /// The result of the last lookup by `contains`.
    snapshot: Mutex<BTreeMap<i64, i64>>,
    fault: Fault,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Insert-if-absent looks first and inserts later.
    TwoStepInsert,
    /// A count looks at one key after the other.
    CountKeyByKey,
    /// Lookups are answered from a copy that is made now and then.
    StaleLookups,
}

impl Map {
    fn new(fault: Fault) -> Self {
        Self {
            held: Mutex::default(),
            snapshot: Mutex::default(),
            fault,
        }
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<i64, i64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn contains(&self, key: i64, rng: &mut Rng) -> bool {
        if self.fault != Fault::StaleLookups {
            return self.held().contains_key(&key);
        }
        let mut snapshot = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        if rng.u64(..4) == 0 {
            snapshot.clone_from(&self.held());
        }
        snapshot.contains_key(&key)
    }

    fn insert(&self, key: i64, value: i64) -> i64 {
        self.held().insert(key, value).unwrap_or(0)
    }

    fn insert_if_absent(&self, key: i64, value: i64) -> i64 {
        let mut held = self.held();
        let found = held.get(&key).copied();
        if self.fault == Fault::TwoStepInsert {
            drop(held);
            pause();
            held = self.held();
        }
        if found.is_none() {
            held.insert(key, value);
        }
        found.unwrap_or(0)
    }

    fn erase(&self, key: i64) -> i64 {
        self.held().remove(&key).unwrap_or(0)
    }

    fn count(&self, lo: i64, hi: i64) -> i64 {
        if self.fault != Fault::CountKeyByKey {
            return self.held().range(lo..=hi).count() as i64;
        }
        let is_held = |key: &i64| {
            pause();
            self.held().contains_key(key)
        };
        (lo..=hi).filter(is_held).count() as i64
    }

    fn exercise(&self, log: &mut ThreadLog, rng: &mut Rng) {
        for _ in 0..OPERATIONS {
            let (key, value) = (rng.i64(1..=KEYS), rng.i64(1..=VALUES));
            match rng.u64(..5) {
                0 => {
                    let open = log.call("KVContains").arg("key", key).begin();
                    pause();
                    open.end(self.contains(key, rng));
                }
                1 => {
                    record!(log, KVInsert(key = key, value = value) => self.insert(key, value));
                }
                2 => {
                    record!(log, KVInsertIfAbsent(key = key, value = value) => self.insert_if_absent(key, value));
                }
                3 => {
                    record!(log, KVErase(key = key) => self.erase(key));
                }
                _ => {
                    let (lo, hi) = (key.min(value.min(KEYS)), key.max(value.min(KEYS)));
                    let open = log.call("KVRangeQuery").arg("lo", lo).arg("hi", hi).begin();
                    open.end(self.count(lo, hi));
                }
            }
            pause();
        }
    }
}

fn start(fault: Fault) -> Box<Work> {
    let map = Map::new(fault);
    Box::new(move |log, _, rng| map.exercise(log, rng))
}

pub(crate) fn subjects() -> Vec<Subject> {
    let subject = |name, start| Subject {
        spec: "map/Map.tla",
        name,
        threads: 4,
        collect: &["Keys=key,lo,hi"],
        constants: &[("NoValue", "0")],
        start,
    };
    vec![
        subject("ok", || start(Fault::None)),
        subject("bug-insert-in-two-steps", || start(Fault::TwoStepInsert)),
        subject("bug-count-key-by-key", || start(Fault::CountKeyByKey)),
        subject("bug-stale-lookups", || start(Fault::StaleLookups)),
    ]
}
