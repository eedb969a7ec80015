//! concurrent-queue 2.5.0 `bounded(1)` without a scheduler: empty, and then full, although nothing was put in between.
//!
//! In each round thread A pushes, says so, and pops. Thread B waits for A to have pushed, and then pops and pushes. If its pop finds
//! the queue empty, A has taken the element, and nothing can be in the way of B's push.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use concurrent_queue::{ConcurrentQueue, PopError, PushError};

fn main() {
    const ROUNDS: u64 = 3_000_000;
    let queue = ConcurrentQueue::<u64>::bounded(1);
    let (pushed, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let wrong = std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=ROUNDS {
                queue.push(round).unwrap();
                pushed.store(round, SeqCst);
                let _ = queue.pop();
                while done.load(SeqCst) < round {
                    std::hint::spin_loop();
                }
                while queue.pop().is_ok() {}
            }
        });
        let mut wrong = 0;
        for round in 1..=ROUNDS {
            while pushed.load(SeqCst) < round {
                std::hint::spin_loop();
            }
            let (popped, put) = (queue.pop(), queue.push(0));
            wrong += u64::from(matches!((popped, put), (Err(PopError::Empty), Err(PushError::Full(_)))));
            done.store(round, SeqCst);
        }
        wrong
    });
    println!("{wrong} of {ROUNDS} rounds found the queue empty and then full");
}
