//! crossbeam-channel, bounded, with blocking calls.

use std::process::ExitCode;

use crossbeam_channel::{Receiver, Sender, bounded};
use omnilink_harness::Component;

type Channel = (Sender<i64>, Receiver<i64>);

fn main() -> ExitCode {
    Component::new("crossbeam-channel bounded(1)", || -> Channel { bounded(1) })
        .op("send(1)", |channel| channel.0.send(1))
        .op("recv()", |channel| channel.1.recv())
        .op("try_recv()", |channel| channel.1.try_recv())
        .main()
}
