//! conquer-once 0.4.0: `get_or_init` panics if another thread initialises the cell between its two looks at the state.

use std::process::ExitCode;

use conquer_once::OnceCell;
use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("conquer-once 0.4.0 OnceCell", OnceCell::<i64>::uninit)
        .ops("get_or_init", [1, 2], |cell, value| *cell.get_or_init(|| *value))
        .op("get()", |cell| cell.get().copied())
        .main()
}
