//! concurrent-queue of capacity one, which is another algorithm than that of larger capacities.

use std::process::ExitCode;

use concurrent_queue::ConcurrentQueue;
use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("concurrent-queue 2.5.0 bounded(1)", || ConcurrentQueue::<i64>::bounded(1))
        .op("push(1)", |queue| queue.push(1))
        .op("pop()", |queue| queue.pop())
        .op("len()", |queue| queue.len())
        .main()
}
