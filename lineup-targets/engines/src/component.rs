// A queue whose `pop` looks and takes in two critical sections, so that two threads can take the same item; and the
// queue as it should be. Included once for each engine, with that engine's `sync`.

use super::sync::Mutex;
use std::collections::VecDeque;

pub struct Queue {
    items: Mutex<VecDeque<i64>>,
}

/// Calls 0 and 1 put 1 and 2 in, call 2 takes one out, call 3 does so in two critical sections.
#[allow(dead_code, reason = "loom is not told")]
pub const OPS: u32 = 4;

impl Queue {
    pub fn new() -> Self {
        Self { items: Mutex::new(VecDeque::new()) }
    }

    pub fn call(&self, op: u32) -> String {
        match op {
            0 | 1 => {
                self.items.lock().unwrap().push_back(i64::from(op) + 1);
                String::new()
            }
            2 => format!("{:?}", self.items.lock().unwrap().pop_front()),
            _ => {
                let first = self.items.lock().unwrap().front().copied();
                if first.is_some() {
                    self.items.lock().unwrap().pop_front();
                }
                format!("{first:?}")
            }
        }
    }
}
