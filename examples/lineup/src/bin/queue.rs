//! A queue behind a lock: every run is explained.

use std::collections::VecDeque;
use std::process::ExitCode;
use std::sync::Mutex;

use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("queue", || Mutex::new(VecDeque::new()))
        .op("push(1)", |queue| queue.lock().unwrap().push_back(1))
        .op("push(2)", |queue| queue.lock().unwrap().push_back(2))
        .op("pop()", |queue| queue.lock().unwrap().pop_front())
        .main()
}
