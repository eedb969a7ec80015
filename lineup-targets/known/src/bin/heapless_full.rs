//! heapless 0.9.1 mpmc::Queue that is full to begin with: full although it is not.

use std::process::ExitCode;

use heapless::mpmc::Queue;
use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("heapless 0.9.1 mpmc::Queue, full", Queue::<i64, 2>::new)
        .op("enqueue(1)", |queue| queue.enqueue(1))
        .op("enqueue(2)", |queue| queue.enqueue(2))
        .op("dequeue()", |queue| queue.dequeue())
        .initially(["enqueue(1)", "enqueue(2)"])
        .main()
}
