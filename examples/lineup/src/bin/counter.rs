//! A counter without a lock: two increments at once may count as one.

use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering};

use omnilink_harness::Component;

struct Counter(AtomicI64);

impl Counter {
    fn inc(&self) {
        let count = self.0.load(Ordering::SeqCst);
        self.0.store(count + 1, Ordering::SeqCst);
    }

    fn get(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

fn main() -> ExitCode {
    Component::new("counter", || Counter(AtomicI64::new(0)))
        .op("inc()", |counter| counter.inc())
        .op("get()", |counter| counter.get())
        .main()
}
