//! A counter without a lock: two increments at once count as one.

use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("counter without a lock", || AtomicI64::new(0))
        .op("inc()", |count| count.store(count.load(SeqCst) + 1, SeqCst))
        .op("get()", |count| count.load(SeqCst))
        .main()
}
