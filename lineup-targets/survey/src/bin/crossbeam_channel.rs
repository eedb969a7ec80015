//! crossbeam-channel, unbounded.

use std::process::ExitCode;

use crossbeam_channel::{Receiver, Sender, unbounded};
use omnilink_harness::Component;

type Channel = (Sender<i64>, Receiver<i64>);

fn main() -> ExitCode {
    Component::new("crossbeam-channel unbounded", || -> Channel { unbounded() })
        .op("send(1)", |channel| channel.0.send(1))
        .op("send(2)", |channel| channel.0.send(2))
        .op("try_recv()", |channel| channel.1.try_recv())
        .op("len()", |channel| channel.0.len())
        .main()
}
