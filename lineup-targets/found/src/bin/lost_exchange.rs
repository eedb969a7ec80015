//! A cell whose `replace` gives up when another thread replaces the value first: it then returns its own value, as if it had been
//! there for a moment.
use omnilink_harness::Component;
use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

fn replace(cell: &AtomicI64, value: i64) -> i64 {
    let old = cell.load(SeqCst);
    match cell.compare_exchange(old, value, SeqCst, SeqCst) {
        Ok(old) => old,
        Err(_) => value,
    }
}

fn main() -> ExitCode {
    Component::new("lost exchange", || AtomicI64::new(1))
        .ops("replace", [2, 3], |cell, value| replace(cell, *value))
        .main()
}
