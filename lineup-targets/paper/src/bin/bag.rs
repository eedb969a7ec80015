//! A bag with a list for each thread: `take` prefers the caller's own, so which element comes back depends on more than
//! what was put in.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use omnilink_harness::Component;

#[derive(Default)]
struct Bag {
    lists: [Mutex<Vec<i64>>; 2],
    turn: AtomicUsize,
}

impl Bag {
    fn add(&self, value: i64) {
        let turn = self.turn.fetch_add(1, SeqCst);
        self.lists[turn % 2].lock().unwrap().push(value);
    }

    fn take(&self) -> Option<i64> {
        self.lists.iter().find_map(|list| list.lock().unwrap().pop())
    }
}

fn main() -> ExitCode {
    Component::new("bag", Bag::default)
        .op("add(1)", |bag| bag.add(1))
        .op("add(2)", |bag| bag.add(2))
        .op("take()", |bag| bag.take())
        .main()
}
