//! A manual-reset event. One word holds "is set" and the number of waiters; `wait` reads it once to compute the new word
//! and once more to compare with. A `set` between the two readings is overwritten, and no thread is left to wake the waiter.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};

use omnilink_harness::Component;

const SET: u32 = 1;
const WAITER: u32 = 2;

#[derive(Default)]
struct Event {
    word: AtomicU32,
    wakes: Mutex<u32>,
    woken: Condvar,
}

impl Event {
    fn set(&self) {
        let before = self.word.swap(SET, SeqCst);
        if before >= WAITER {
            *self.wakes.lock().unwrap() += 1;
            self.woken.notify_all();
        }
    }

    fn reset(&self) {
        self.word.fetch_and(!SET, SeqCst);
    }

    fn wait(&self) {
        let wakes = *self.wakes.lock().unwrap();
        loop {
            if self.word.load(SeqCst) & SET != 0 {
                return;
            }
            let registered = self.word.load(SeqCst) + WAITER;
            let expected = self.word.load(SeqCst);
            if self.word.compare_exchange(expected, registered & !SET, SeqCst, SeqCst).is_ok() {
                break;
            }
        }
        let mut now = self.wakes.lock().unwrap();
        while *now == wakes {
            now = self.woken.wait(now).unwrap();
        }
    }
}

fn main() -> ExitCode {
    Component::new("manual-reset event", Event::default)
        .op("wait()", |event| event.wait())
        .op("set()", |event| event.set())
        .op("reset()", |event| event.reset())
        .main()
}
