//! A key-value store with snapshot isolation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fastrand::Rng;
use omnilink_record::{ThreadLog, record};

use crate::subject::{Subject, Work, pause};

const TRANSACTIONS: u32 = 8;
const KEYS: i64 = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Nobody checks whether a key was committed since the transaction began.
    LostUpdate,
    /// Keys that the transaction has not written are read as they are now.
    ReadsOutsideItsSnapshot,
    /// A commit becomes visible key by key.
    CommitsKeyByKey,
}

/// What is committed, and who writes what.
#[derive(Default)]
struct Inner {
    values: BTreeMap<i64, i64>,
    versions: BTreeMap<i64, u64>,
    /// Which open transaction has written a key.
    writers: BTreeMap<i64, i64>,
}

struct Store {
    inner: Mutex<Inner>,
    next: AtomicI64,
    fault: Fault,
}

/// A transaction, from its beginning to its end.
struct Transaction {
    tid: i64,
    snapshot: BTreeMap<i64, i64>,
    versions: BTreeMap<i64, u64>,
    wrote: BTreeSet<i64>,
}

impl Store {
    fn new(fault: Fault) -> Self {
        Self {
            inner: Mutex::default(),
            next: AtomicI64::new(1),
            fault,
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, tid: i64) -> Transaction {
        let inner = self.inner();
        Transaction {
            tid,
            snapshot: inner.values.clone(),
            versions: inner.versions.clone(),
            wrote: BTreeSet::new(),
        }
    }

    fn read(&self, transaction: &Transaction, key: i64) -> i64 {
        let inner = self.inner();
        let is_current = self.fault == Fault::ReadsOutsideItsSnapshot && !transaction.wrote.contains(&key);
        let values = if is_current {
            &inner.values
        } else {
            &transaction.snapshot
        };
        values.get(&key).copied().unwrap_or(0)
    }

    /// Whether it was possible; if not, the transaction has failed. 0 removes the key.
    fn write(&self, transaction: &mut Transaction, key: i64, value: i64) -> bool {
        let mut inner = self.inner();
        let is_written = inner
            .writers
            .get(&key)
            .is_some_and(|writer| *writer != transaction.tid);
        let is_newer = inner.versions.get(&key) != transaction.versions.get(&key);
        if is_written || (is_newer && self.fault != Fault::LostUpdate) {
            inner.writers.retain(|_, writer| *writer != transaction.tid);
            return false;
        }
        inner.writers.insert(key, transaction.tid);
        transaction.wrote.insert(key);
        transaction.snapshot.insert(key, value);
        true
    }

    fn commit(&self, transaction: &Transaction) {
        let mut inner = self.inner();
        for key in &transaction.wrote {
            let value = transaction.snapshot.get(key).copied().unwrap_or(0);
            inner.values.insert(*key, value);
            *inner.versions.entry(*key).or_default() += 1;
            if self.fault == Fault::CommitsKeyByKey {
                drop(inner);
                pause();
                inner = self.inner();
            }
        }
        inner.writers.retain(|_, writer| *writer != transaction.tid);
    }

    fn abort(&self, transaction: &Transaction) {
        self.inner()
            .writers
            .retain(|_, writer| *writer != transaction.tid);
    }

    fn exercise(&self, log: &mut ThreadLog, rng: &mut Rng) {
        for _ in 0..TRANSACTIONS {
            let tid = self.next.fetch_add(1, Ordering::Relaxed);
            let open = log.call("Begin").arg("tid", tid).begin();
            let mut transaction = self.begin(tid);
            open.end(());
            let mut is_ok = true;
            for _ in 0..rng.i64(1..=4) {
                pause();
                let key = rng.i64(1..=KEYS);
                match rng.u64(..5) {
                    0 | 1 => {
                        record!(log, Read(tid = tid, key = key) => self.read(&transaction, key));
                    }
                    2 | 3 => {
                        let value = rng.i64(1..=9);
                        let open = log
                            .call("Write")
                            .arg("tid", tid)
                            .arg("key", key)
                            .arg("value", value)
                            .begin();
                        is_ok = self.write(&mut transaction, key, value);
                        open.end(is_ok);
                    }
                    _ => {
                        let open = log.call("Remove").arg("tid", tid).arg("key", key).begin();
                        is_ok = self.write(&mut transaction, key, 0);
                        open.end(is_ok);
                    }
                }
                if !is_ok {
                    break;
                }
            }
            pause();
            if is_ok && rng.u64(..4) > 0 {
                record!(log, Commit(tid = tid) => self.commit(&transaction));
            } else {
                record!(log, Abort(tid = tid) => self.abort(&transaction));
            }
        }
    }
}

fn start(fault: Fault) -> Box<Work> {
    let store = Store::new(fault);
    Box::new(move |log, _, rng| store.exercise(log, rng))
}

pub(crate) fn subjects() -> Vec<Subject> {
    let subject = |name, start| Subject {
        spec: "store/Store.tla",
        name,
        threads: 3,
        collect: &["Keys=key", "Txns=tid"],
        constants: &[("NoValue", "0")],
        start,
    };
    vec![
        subject("ok", || start(Fault::None)),
        subject("bug-lost-update", || start(Fault::LostUpdate)),
        subject("bug-reads-outside-its-snapshot", || {
            start(Fault::ReadsOutsideItsSnapshot)
        }),
        subject("bug-commits-key-by-key", || start(Fault::CommitsKeyByKey)),
    ]
}
