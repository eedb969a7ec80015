//! boxcar Vec.

use std::process::ExitCode;

use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("boxcar Vec", boxcar::Vec::<i64>::new)
        .op("push(1)", |vec| vec.push(1))
        .op("get(0)", |vec| vec.get(0).copied())
        .op("get(1)", |vec| vec.get(1).copied())
        .op("count()", |vec| vec.count())
        .main()
}
