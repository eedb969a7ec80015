//! crossbeam-deque Injector.

use std::process::ExitCode;

use crossbeam_deque::{Injector, Steal};
use omnilink_harness::Component;

/// Told to try again, tries again: that is how it is meant to be used.
fn steal(injector: &Injector<i64>) -> Option<i64> {
    loop {
        match injector.steal() {
            Steal::Success(value) => return Some(value),
            Steal::Empty => return None,
            Steal::Retry => std::thread::yield_now(),
        }
    }
}

fn main() -> ExitCode {
    Component::new("crossbeam-deque Injector", Injector::<i64>::new)
        .op("push(1)", |injector| injector.push(1))
        .op("push(2)", |injector| injector.push(2))
        .op("steal()", steal)
        .op("is_empty()", |injector| injector.is_empty())
        .main()
}
