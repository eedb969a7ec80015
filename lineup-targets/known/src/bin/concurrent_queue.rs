//! concurrent-queue, bounded.

use std::process::ExitCode;

use concurrent_queue::ConcurrentQueue;
use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("concurrent-queue 2.5.0 bounded(2)", || ConcurrentQueue::<i64>::bounded(2))
        .op("push(1)", |queue| queue.push(1))
        .op("push(2)", |queue| queue.push(2))
        .op("pop()", |queue| queue.pop())
        .main()
}
