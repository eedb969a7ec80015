//! lockfree 0.5.1 Queue: empty after the thread's own push.

use std::process::ExitCode;

use lockfree::queue::Queue;
use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("lockfree 0.5.1 Queue", Queue::<i64>::new)
        .op("push(1)", |queue| queue.push(1))
        .op("push(2)", |queue| queue.push(2))
        .op("pop()", |queue| queue.pop())
        .main()
}
