// A queue, correct and with a `pop` of two critical sections, in which two threads can take the same item; and tickets that are
// drawn without a lock, so that two threads can draw the same one. Included once for each engine, with that engine's `sync`.

use super::sync::{AtomicI64, Mutex, SeqCst};
use std::collections::VecDeque;

pub struct Queue {
    items: Mutex<VecDeque<i64>>,
    next_ticket: AtomicI64,
}

/// Calls 0 and 1 put 1 and 2 in, call 2 takes one out, call 3 does so in two critical sections; call 4 draws a ticket.
#[allow(dead_code, reason = "loom does not need it")]
pub const OPS: u32 = 5;

impl Queue {
    pub fn new() -> Self {
        Self {
            items: Mutex::new(VecDeque::new()),
            next_ticket: AtomicI64::new(0),
        }
    }

    pub fn call(&self, op: u32) -> String {
        match op {
            0 | 1 => {
                self.items.lock().unwrap().push_back(i64::from(op) + 1);
                String::new()
            }
            2 => format!("{:?}", self.items.lock().unwrap().pop_front()),
            3 => {
                let first = self.items.lock().unwrap().front().copied();
                if first.is_some() {
                    self.items.lock().unwrap().pop_front();
                }
                format!("{first:?}")
            }
            _ => {
                let ticket = self.next_ticket.load(SeqCst);
                self.next_ticket.store(ticket + 1, SeqCst);
                format!("{:?}", Some(ticket))
            }
        }
    }
}
