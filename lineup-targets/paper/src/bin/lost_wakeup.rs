//! A blocking queue whose `push` wakes a waiter only if the queue was empty: the second of two waiters sleeps on.

use std::collections::VecDeque;
use std::process::ExitCode;
use std::sync::{Condvar, Mutex};

use omnilink_harness::Component;

#[derive(Default)]
struct Queue {
    elements: Mutex<VecDeque<i64>>,
    filled: Condvar,
}

fn main() -> ExitCode {
    Component::new("condition variable that loses a wake-up", Queue::default)
        .op("push(1)", |queue| {
            let mut elements = queue.elements.lock().unwrap();
            let was_empty = elements.is_empty();
            elements.push_back(1);
            if was_empty {
                queue.filled.notify_one();
            }
        })
        .op("pop()", |queue| {
            let mut elements = queue.elements.lock().unwrap();
            loop {
                match elements.pop_front() {
                    Some(element) => return element,
                    None => elements = queue.filled.wait(elements).unwrap(),
                }
            }
        })
        .main()
}
