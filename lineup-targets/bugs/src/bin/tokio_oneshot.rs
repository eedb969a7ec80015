//! tokio 1.13.0 oneshot (RUSTSEC-2021-0124): `send` races with `try_recv` after `close`.

use std::process::ExitCode;

use omnilink_harness::{Component, RoleCell};
use tokio::sync::oneshot;

fn main() -> ExitCode {
    Component::new("tokio 1.13.0 oneshot", || {
        let (sender, receiver) = oneshot::channel::<Box<u32>>();
        (RoleCell::new(Some(sender)), RoleCell::new(receiver))
    })
    .op("send(1)", |(sender, _)| {
        let sender = sender.with(Option::take);
        sender.map(|sender| sender.send(Box::new(1)))
    })
    .op("close()", |(_, receiver)| receiver.with(|receiver| receiver.close()))
    .op("try_recv()", |(_, receiver)| receiver.with(|receiver| receiver.try_recv()))
    .role("sender", ["send(1)"])
    .role("receiver", ["close()", "try_recv()"])
    .main()
}
