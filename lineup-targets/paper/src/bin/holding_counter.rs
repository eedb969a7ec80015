//! A counter whose `get` does not release the lock: the next call waits for ever, in serial runs too.

use std::process::ExitCode;
use std::sync::Mutex;

use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("get that keeps the lock", || Mutex::new(0))
        .op("inc()", |count| *count.lock().unwrap() += 1)
        .op("get()", |count| {
            let guard = count.lock().unwrap();
            let value = *guard;
            std::mem::forget(guard);
            value
        })
        .never_blocks()
        .main()
}
