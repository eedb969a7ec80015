//! kanal, bounded.

use std::process::ExitCode;

use kanal::{Receiver, Sender, bounded};
use omnilink_harness::Component;

type Channel = (Sender<i64>, Receiver<i64>);

fn main() -> ExitCode {
    Component::new("kanal bounded(1)", || -> Channel { bounded(1) })
        .op("try_send(1)", |channel| channel.0.try_send(1).ok())
        .op("try_recv()", |channel| channel.1.try_recv().ok())
        .op("len()", |channel| channel.0.len())
        .main()
}
