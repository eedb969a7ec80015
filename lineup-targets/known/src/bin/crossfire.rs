//! crossfire 3.1.19: disconnected although an item is queued.

use std::process::ExitCode;
use std::sync::Mutex;

use crossfire::mpsc::{Array, bounded_blocking};
use crossfire::{MTx, Rx};
use omnilink_harness::Component;

struct Channel {
    sender: Mutex<Option<MTx<Array<i64>>>>,
    receiver: Mutex<Rx<Array<i64>>>,
}

impl Channel {
    fn new() -> Self {
        let (sender, receiver) = bounded_blocking(16);
        Self { sender: Mutex::new(Some(sender)), receiver: Mutex::new(receiver) }
    }
}

fn main() -> ExitCode {
    Component::new("crossfire 3.1.19 mpsc", Channel::new)
        .op("send(1)", |channel| match &*channel.sender.lock().unwrap() {
            Some(sender) => sender.send(1).is_ok(),
            None => false,
        })
        .op("drop(sender)", |channel| drop(channel.sender.lock().unwrap().take()))
        .op("try_recv()", |channel| channel.receiver.lock().unwrap().try_recv())
        .main()
}
