//! async-channel, bounded.

use std::process::ExitCode;

use async_channel::{Receiver, Sender, bounded};
use omnilink_harness::Component;

type Channel = (Sender<i64>, Receiver<i64>);

fn main() -> ExitCode {
    Component::new("async-channel bounded(1)", || -> Channel { bounded(1) })
        .op("try_send(1)", |channel| channel.0.try_send(1))
        .op("try_recv()", |channel| channel.1.try_recv())
        .op("close()", |channel| channel.0.close())
        .op("len()", |channel| channel.0.len())
        .main()
}
