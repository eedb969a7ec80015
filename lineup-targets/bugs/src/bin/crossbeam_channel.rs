//! crossbeam-channel 0.5.14 (RUSTSEC-2025-0024): a double free when the receiver is dropped while the first block is allocated.

use std::process::ExitCode;

use crossbeam_channel::unbounded;
use omnilink_harness::{Component, RoleCell};

fn main() -> ExitCode {
    Component::new("crossbeam-channel 0.5.14 unbounded", || {
        let (sender, receiver) = unbounded::<Box<u32>>();
        (sender, RoleCell::new(Some(receiver)))
    })
    .op("send(1)", |(sender, _)| sender.send(Box::new(1)).is_ok())
    .op("drop(receiver)", |(_, receiver)| drop(receiver.with(Option::take)))
    .role("receiver", ["drop(receiver)"])
    .main()
}
