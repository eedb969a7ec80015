//! A bag whose `try_take` gives up when the lock is taken, as if there were nothing to take.

use std::process::ExitCode;
use std::sync::Mutex;

use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("try_take that times out", || Mutex::new(Vec::new()))
        .op("add(1)", |bag| bag.lock().unwrap().push(1))
        .op("try_take()", |bag| bag.try_lock().ok().and_then(|mut bag| bag.pop()))
        .main()
}
