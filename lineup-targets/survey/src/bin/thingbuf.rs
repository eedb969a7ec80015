//! thingbuf ThingBuf.

use std::process::ExitCode;

use omnilink_harness::Component;
use thingbuf::ThingBuf;

fn main() -> ExitCode {
    Component::new("thingbuf ThingBuf(2)", || ThingBuf::<i64>::new(2))
        .op("push(1)", |buffer| buffer.push(1).is_ok())
        .op("push(2)", |buffer| buffer.push(2).is_ok())
        .op("pop()", |buffer| buffer.pop())
        .main()
}
