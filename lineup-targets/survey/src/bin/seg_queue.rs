//! crossbeam-queue SegQueue.

use std::process::ExitCode;

use crossbeam_queue::SegQueue;
use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("crossbeam-queue SegQueue", SegQueue::<i64>::new)
        .op("push(1)", |queue| queue.push(1))
        .op("push(2)", |queue| queue.push(2))
        .op("pop()", |queue| queue.pop())
        .op("len()", |queue| queue.len())
        .main()
}
