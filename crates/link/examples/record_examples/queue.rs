//! A first-in, first-out queue.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use omnilink_record::record;

use crate::subject::{Subject, Work, pause};

const OPERATIONS: u32 = 25;

trait Queue: Sync {
    fn put(&self, thread: i64, item: i64);
    /// 0 if there is nothing.
    fn take(&self) -> i64;
}

#[derive(Default)]
struct Locked(Mutex<VecDeque<i64>>);

impl Locked {
    fn items(&self) -> MutexGuard<'_, VecDeque<i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue for Locked {
    fn put(&self, _: i64, item: i64) {
        pause();
        self.items().push_back(item);
        pause();
    }

    fn take(&self) -> i64 {
        pause();
        let item = self.items().pop_front();
        pause();
        item.unwrap_or(0)
    }
}

/// Looks at the first item, and removes the first one later: another one by then, perhaps.
#[derive(Default)]
struct LooksAndRemoves(Locked);

impl Queue for LooksAndRemoves {
    fn put(&self, thread: i64, item: i64) {
        self.0.put(thread, item);
    }

    fn take(&self) -> i64 {
        let first = self.0.items().front().copied();
        pause();
        if first.is_some() {
            self.0.items().pop_front();
        }
        first.unwrap_or(0)
    }
}

/// Copies the items, adds one, and puts the copy back: what others did meanwhile is lost.
#[derive(Default)]
struct CopiesAndPutsBack(Locked);

impl Queue for CopiesAndPutsBack {
    fn put(&self, _: i64, item: i64) {
        let mut copy = self.0.items().clone();
        pause();
        copy.push_back(item);
        *self.0.items() = copy;
    }

    fn take(&self) -> i64 {
        self.0.take()
    }
}

/// A lane for each thread that puts, emptied one after the other: no order between lanes.
#[derive(Default)]
struct Lanes([Locked; 3]);

impl Queue for Lanes {
    fn put(&self, thread: i64, item: i64) {
        self.0[thread.unsigned_abs() as usize % 3].put(thread, item);
    }

    fn take(&self) -> i64 {
        let taken = self.0.iter().map(Queue::take).find(|item| *item != 0);
        taken.unwrap_or(0)
    }
}

fn start<Q: Queue + Default + Send + 'static>() -> Box<Work> {
    let queue = Q::default();
    let items = AtomicI64::new(1);
    Box::new(move |log, thread, rng| {
        for _ in 0..OPERATIONS {
            if rng.u64(..2) == 0 {
                let item = items.fetch_add(1, Ordering::Relaxed);
                record!(log, Put(item = item) => queue.put(thread, item));
            } else {
                record!(log, Take() => queue.take());
            }
        }
    })
}

pub(crate) fn subjects() -> Vec<Subject> {
    let subject = |name, start| Subject {
        spec: "queue/Queue.tla",
        name,
        threads: 4,
        collect: &[],
        constants: &[("Nothing", "0")],
        start,
    };
    vec![
        subject("ok", start::<Locked>),
        subject("bug-taken-twice", start::<LooksAndRemoves>),
        subject("bug-lost", start::<CopiesAndPutsBack>),
        subject("bug-out-of-order", start::<Lanes>),
    ]
}
