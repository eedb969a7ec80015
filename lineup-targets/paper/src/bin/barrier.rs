//! A barrier for two: stuck alone, passed together. Not linearizable, and not meant to be.

use std::process::ExitCode;
use std::sync::Barrier;

use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("barrier", || Barrier::new(2))
        .op("wait()", |barrier| drop(barrier.wait()))
        .main()
}
