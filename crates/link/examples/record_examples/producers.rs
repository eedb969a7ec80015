//! A queue of several producers that keeps each producer's order, with bulk operations.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fastrand::Rng;
use omnilink_record::ThreadLog;

use crate::subject::{Subject, Work, pause};

const OPERATIONS: u32 = 12;
const PRODUCERS: usize = 2;
const BULK_MAX: i64 = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Looks at the first item of a lane, and removes the first one later.
    TakenTwice,
    /// The items of one call come out last first.
    ReversedBulks,
    /// A call that finds its lane in use drops the rest of its items.
    DropsWhenBusy,
}

/// A lane for each producer.
struct Lanes {
    lanes: [Mutex<VecDeque<i64>>; PRODUCERS],
    items: AtomicI64,
    fault: Fault,
}

impl Lanes {
    fn new(fault: Fault) -> Self {
        Self {
            lanes: Default::default(),
            items: AtomicI64::new(1),
            fault,
        }
    }

    fn lane(&self, producer: usize) -> MutexGuard<'_, VecDeque<i64>> {
        self.lanes[producer % PRODUCERS]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, producer: usize, items: &[i64]) {
        let mut items = items.to_vec();
        if self.fault == Fault::ReversedBulks {
            items.reverse();
        }
        for (number, item) in items.into_iter().enumerate() {
            if self.fault == Fault::DropsWhenBusy && number > 0 {
                match self.lanes[producer % PRODUCERS].try_lock() {
                    Ok(mut lane) => lane.push_back(item),
                    Err(_) => return,
                }
            } else {
                self.lane(producer).push_back(item);
            }
            pause();
        }
    }

    /// Up to `most` items.
    fn take(&self, most: i64, rng: &mut Rng) -> Vec<i64> {
        let mut taken = Vec::new();
        let first = rng.usize(..PRODUCERS);
        for producer in [first, first + 1] {
            while (taken.len() as i64) < most {
                let Some(item) = self.take_one(producer) else {
                    break;
                };
                taken.push(item);
                pause();
            }
        }
        taken
    }

    fn take_one(&self, producer: usize) -> Option<i64> {
        let mut lane = self.lane(producer);
        if self.fault == Fault::DropsWhenBusy {
            // Long enough for someone to find it in use.
            pause();
        }
        if self.fault != Fault::TakenTwice {
            return lane.pop_front();
        }
        let first = lane.front().copied();
        drop(lane);
        pause();
        if first.is_some() {
            self.lane(producer).pop_front();
        }
        first
    }

    fn exercise(&self, log: &mut ThreadLog, thread: i64, rng: &mut Rng) {
        let place = thread.unsigned_abs() as usize;
        for _ in 0..OPERATIONS {
            let count = rng.i64(1..=BULK_MAX);
            if place < PRODUCERS {
                let first = self.items.fetch_add(count, Ordering::Relaxed);
                let items: Vec<i64> = (first..first + count).collect();
                let open = log
                    .call("Put")
                    .arg("producer", thread)
                    .arg("items", items.as_slice())
                    .begin();
                self.put(place, &items);
                open.end(());
            } else {
                // What was taken is known only afterwards, so it is the result: the parameter that has no value yet.
                let open = log.call("Take").arg("consumer", thread).begin();
                let taken = self.take(count, rng);
                open.end(taken.as_slice());
            }
            pause();
        }
    }
}

fn start(fault: Fault) -> Box<Work> {
    let lanes = Lanes::new(fault);
    Box::new(move |log, thread, rng| lanes.exercise(log, thread, rng))
}

pub(crate) fn subjects() -> Vec<Subject> {
    let subject = |name, start| Subject {
        spec: "producers/Producers.tla",
        name,
        threads: 4,
        collect: &["Producers=producer", "Consumers=consumer"],
        constants: &[],
        start,
    };
    vec![
        subject("ok", || start(Fault::None)),
        subject("bug-taken-twice", || start(Fault::TakenTwice)),
        subject("bug-order-of-a-producer", || start(Fault::ReversedBulks)),
        subject("bug-lost", || start(Fault::DropsWhenBusy)),
    ]
}
