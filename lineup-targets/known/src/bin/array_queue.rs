//! crossbeam-queue ArrayQueue.

use std::process::ExitCode;

use crossbeam_queue::ArrayQueue;
use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("crossbeam-queue ArrayQueue", || ArrayQueue::<i64>::new(2))
        .op("push(1)", |queue| queue.push(1))
        .op("push(2)", |queue| queue.push(2))
        .op("pop()", |queue| queue.pop())
        .main()
}
