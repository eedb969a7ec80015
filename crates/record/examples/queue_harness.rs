//! Two bounded queues, recorded live: a correct one, and one with a race.
//!
//! `cargo run --release -p omnilink-record --example queue_harness [DIRECTORY]` records both, into the
//! directory if one is given and in memory otherwise, and counts what a look at the values alone can tell.
//! Whether a trace is that of a queue is for a checker to say:
//! `omnilink check DIRECTORY/two-locks --model queue:capacity=8`.

mod ending;

use std::{
    collections::HashSet,
    path::Path,
    process::ExitCode,
    sync::{
        Barrier, Mutex, PoisonError,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    thread,
};

use omnilink_record::{RecordError, RecordOptions, Recorder, record};

const CAPACITY: usize = 8;
const THREADS: i64 = 4;
const OPERATIONS_PER_THREAD: i64 = 12_500;

/// A bounded first-in-first-out queue.
trait Queue: Sync {
    /// False if the queue is full.
    fn enqueue(&self, value: i64) -> bool;
    /// `None` if the queue is empty.
    fn dequeue(&self) -> Option<i64>;
}

/// A ring with a lock at each end: enqueuers and dequeuers meet only in the length.
///
/// Correct: an element counts once it is in its slot and until it is out of it, and each lock's holder alone
/// moves its end. An operation takes effect when it changes the length, or when it finds it full or empty.
struct TwoLockQueue {
    slots: [AtomicI64; CAPACITY],
    length: AtomicUsize,
    head: Mutex<usize>,
    tail: Mutex<usize>,
}

impl TwoLockQueue {
    fn new() -> Self {
        Self {
            slots: Default::default(),
            length: AtomicUsize::new(0),
            head: Mutex::new(0),
            tail: Mutex::new(0),
        }
    }
}

impl Queue for TwoLockQueue {
    fn enqueue(&self, value: i64) -> bool {
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        if self.length.load(Ordering::SeqCst) == CAPACITY {
            return false;
        }
        self.slots[*tail % CAPACITY].store(value, Ordering::SeqCst);
        *tail += 1;
        self.length.fetch_add(1, Ordering::SeqCst);
        true
    }

    fn dequeue(&self) -> Option<i64> {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        if self.length.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let value = self.slots[*head % CAPACITY].load(Ordering::SeqCst);
        *head += 1;
        self.length.fetch_sub(1, Ordering::SeqCst);
        Some(value)
    }
}

/// A ring without locks: each end is claimed by compare-and-swap.
///
/// Wrong in one place: `enqueue` moves the tail, which lets dequeuers at the slot, *before* the value is in
/// it. A dequeuer that comes in between takes what the slot held a lap ago, and the new value is lost or
/// comes out late. One thread never sees it, and few runs of many threads do. (Each slot would need a
/// sequence number.)
struct HastyRing {
    slots: [AtomicI64; CAPACITY],
    head: AtomicUsize,
    tail: AtomicUsize,
}

impl HastyRing {
    fn new() -> Self {
        Self {
            slots: Default::default(),
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
        }
    }
}

impl Queue for HastyRing {
    fn enqueue(&self, value: i64) -> bool {
        loop {
            let tail = self.tail.load(Ordering::SeqCst);
            let head = self.head.load(Ordering::SeqCst);
            if tail.checked_sub(head) == Some(CAPACITY) {
                return false;
            }
            let is_current = head <= tail;
            if is_current
                && self
                    .tail
                    .compare_exchange(tail, tail + 1, Ordering::SeqCst, Ordering::SeqCst)
                    .is_ok()
            {
                // What the system's scheduler does here once in a million times, often enough to be seen.
                thread::yield_now();
                self.slots[tail % CAPACITY].store(value, Ordering::SeqCst);
                return true;
            }
        }
    }

    fn dequeue(&self) -> Option<i64> {
        loop {
            let head = self.head.load(Ordering::SeqCst);
            if head == self.tail.load(Ordering::SeqCst) {
                return None;
            }
            let value = self.slots[head % CAPACITY].load(Ordering::SeqCst);
            if self
                .head
                .compare_exchange(head, head + 1, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
            {
                return Some(value);
            }
        }
    }
}

/// Runs the threads; gives what they dequeued. Every value is enqueued at most once, so it may come out at
/// most once.
fn run(queue: &dyn Queue, recorder: &Recorder) -> Result<Vec<i64>, RecordError> {
    let logs: Vec<_> = (0..THREADS)
        .map(|label| recorder.thread(label))
        .collect::<Result<_, _>>()?;
    let dequeued = Mutex::new(Vec::new());
    // A thread needs less time for its operations than the system for starting the next thread.
    let together = Barrier::new(logs.len());
    thread::scope(|scope| {
        for (mut log, thread) in logs.into_iter().zip(0..) {
            let (dequeued, together) = (&dequeued, &together);
            scope.spawn(move || {
                let mut mine = Vec::new();
                together.wait();
                for i in 0..OPERATIONS_PER_THREAD {
                    if (i + thread) % 2 == 0 {
                        let value = 1 + thread * OPERATIONS_PER_THREAD + i;
                        record!(log, enqueue(value = value) => queue.enqueue(value));
                    } else {
                        mine.extend(record!(log, dequeue() => queue.dequeue()));
                    }
                }
                dequeued
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(mine);
            });
        }
    });
    Ok(dequeued.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn harness(name: &str, queue: &dyn Queue, directory: Option<&Path>) -> Result<(), RecordError> {
    let options = RecordOptions::new()
        .header("queue", name)?
        .header("capacity", CAPACITY)?;
    let recorder = match directory {
        Some(directory) => options.create(directory.join(name))?,
        None => options.in_memory()?,
    };
    let dequeued = run(queue, &recorder)?;
    let recording = recorder.finish()?;
    let distinct: HashSet<_> = dequeued.iter().collect();
    println!(
        "{name}: {} operations of {} threads; {} values dequeued, {} of them again",
        recording.operations(),
        recording.threads.len(),
        dequeued.len(),
        dequeued.len() - distinct.len(),
    );
    Ok(())
}

fn main() -> ExitCode {
    ending::of(record_all())
}

fn record_all() -> Result<(), RecordError> {
    let directory = std::env::args_os().nth(1);
    let directory = directory.as_deref().map(Path::new);
    harness("two-locks", &TwoLockQueue::new(), directory)?;
    harness("hasty-ring", &HastyRing::new(), directory)
}
