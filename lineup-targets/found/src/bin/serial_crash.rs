//! The third `push` ends the process, in any thread.
use omnilink_harness::Component;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn main() -> ExitCode {
    Component::new("serial crash", || AtomicU32::new(0))
        .op("push()", |count| {
            if count.fetch_add(1, SeqCst) == 2 {
                std::process::abort();
            }
        })
        .main()
}
