//! arc-swap ArcSwapOption.

use std::process::ExitCode;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("arc-swap ArcSwapOption", ArcSwapOption::<i64>::empty)
        .op("store(1)", |cell| cell.store(Some(Arc::new(1))))
        .op("swap(2)", |cell| cell.swap(Some(Arc::new(2))))
        .op("load()", |cell| cell.load_full())
        .main()
}
