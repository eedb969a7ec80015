//! The components: correct ones, and the bugs of the Line-Up paper.

use std::collections::VecDeque;

use super::{Local, Machine, Next, done};

fn argument(call: &str) -> i64 {
    let digits: String = call.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

fn shown(taken: Option<i64>) -> Next {
    done(taken.map_or("empty".to_owned(), |value| value.to_string()))
}

/// A queue in which each call takes effect between a first and a last step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Queue {
    elements: VecDeque<i64>,
}

impl Machine for Queue {
    fn step(&mut self, _: usize, call: &str, local: &mut Local) -> Next {
        match (local.at, call.starts_with("push")) {
            (0, _) => local.next(),
            (_, true) => {
                self.elements.push_back(argument(call));
                done("ok")
            }
            (_, false) => shown(self.elements.pop_front()),
        }
    }
}

/// A register of two replicas, written one after the other. Odd threads read one of them, even threads the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ReplicatedRegister {
    replicas: [i64; 2],
}

impl Machine for ReplicatedRegister {
    fn step(&mut self, thread: usize, call: &str, local: &mut Local) -> Next {
        match (call.starts_with("write"), local.at) {
            (true, 0) => {
                self.replicas[0] = argument(call);
                local.next()
            }
            (true, _) => {
                self.replicas[1] = argument(call);
                done("()")
            }
            (false, _) => done(self.replicas[thread % 2]),
        }
    }
}

/// A counter that reads, and then writes what it read and one more.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RacyCounter {
    count: i64,
}

impl Machine for RacyCounter {
    fn step(&mut self, _: usize, call: &str, local: &mut Local) -> Next {
        match (call, local.at) {
            ("get()", _) => done(self.count),
            (_, 0) => {
                local.kept = self.count;
                local.next()
            }
            _ => {
                self.count = local.kept + 1;
                done("ok")
            }
        }
    }
}

/// A counter with a lock that `get` does not release.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HoldingCounter {
    count: i64,
    is_locked: bool,
}

impl Machine for HoldingCounter {
    fn step(&mut self, _: usize, call: &str, local: &mut Local) -> Next {
        match (call, local.at) {
            (_, 0) if self.is_locked => Next::Waiting,
            (_, 0) => {
                self.is_locked = true;
                local.next()
            }
            ("get()", _) => done(self.count),
            _ => {
                self.count += 1;
                self.is_locked = false;
                done("ok")
            }
        }
    }
}

/// A collection whose `try_take` gives up when the lock is taken, as if there were nothing to take.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ImpatientBag {
    elements: VecDeque<i64>,
    is_locked: bool,
}

impl Machine for ImpatientBag {
    fn step(&mut self, _: usize, call: &str, local: &mut Local) -> Next {
        let is_take = call.starts_with("try_take");
        match local.at {
            0 if self.is_locked && is_take => done("empty"),
            0 if self.is_locked => Next::Waiting,
            0 => {
                self.is_locked = true;
                local.next()
            }
            _ => {
                self.is_locked = false;
                if is_take {
                    shown(self.elements.pop_front())
                } else {
                    self.elements.push_back(argument(call));
                    done("ok")
                }
            }
        }
    }
}

/// A manual-reset event. Its state is one word: a bit for "set" and the number of waiters. `wait` computes the new word
/// from one reading and compares with another; what another thread did in between is lost.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ManualResetEvent {
    is_set: i64,
    waiters: i64,
    woken: u32,
    is_fixed: bool,
}

impl ManualResetEvent {
    pub(crate) fn fixed() -> Self {
        Self {
            is_fixed: true,
            ..Self::default()
        }
    }

    fn word(&self) -> i64 {
        self.waiters * 2 + self.is_set
    }
}

impl Machine for ManualResetEvent {
    fn step(&mut self, thread: usize, call: &str, local: &mut Local) -> Next {
        match (call, local.at) {
            ("set()", _) => {
                self.is_set = 1;
                // Wakes those that are known to wait.
                if self.waiters > 0 {
                    self.waiters = 0;
                    self.woken = u32::MAX;
                }
                done("ok")
            }
            ("reset()", _) => {
                self.is_set = 0;
                done("ok")
            }
            ("is_set()", _) => done(self.is_set == 1),
            // wait: the new word from a first reading …
            (_, 0) if self.is_set == 1 => done("ok"),
            (_, 0) => {
                local.kept = self.word() + 2;
                local.also = self.word();
                local.next()
            }
            // … the word to compare with from a second one …
            (_, 1) => {
                if !self.is_fixed {
                    local.also = self.word();
                }
                local.next()
            }
            (_, 2) if self.word() == local.also => {
                self.is_set = local.kept % 2;
                self.waiters = local.kept / 2;
                self.woken &= !(1 << thread.min(31));
                local.next()
            }
            (_, 2) => {
                *local = Local::default();
                Next::Going
            }
            // … and then asleep until woken.
            _ if self.woken & (1 << thread.min(31)) != 0 => done("ok"),
            _ => Next::Waiting,
        }
    }
}

/// A blocking queue on a lock and a condition variable. `push` may notify only if the queue was empty: a second waiter
/// is then never woken.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BlockingQueue {
    elements: VecDeque<i64>,
    asleep: Vec<usize>,
    is_frugal: bool,
}

impl BlockingQueue {
    pub(crate) fn losing_wakeups() -> Self {
        Self {
            is_frugal: true,
            ..Self::default()
        }
    }
}

impl Machine for BlockingQueue {
    fn step(&mut self, thread: usize, call: &str, local: &mut Local) -> Next {
        match (call.starts_with("push"), local.at) {
            (true, 0) => {
                local.kept = i64::from(self.elements.is_empty() || !self.is_frugal);
                self.elements.push_back(argument(call));
                local.next()
            }
            (true, _) => {
                if local.kept == 1 && !self.asleep.is_empty() {
                    self.asleep.remove(0);
                }
                done("ok")
            }
            (false, 0) => match self.elements.pop_front() {
                Some(value) => done(value),
                None => {
                    self.asleep.push(thread);
                    local.next()
                }
            },
            (false, _) if self.asleep.contains(&thread) => Next::Waiting,
            (false, _) => {
                local.at = 0;
                Next::Going
            }
        }
    }
}

/// A bag whose `take` returns an element that depends on the environment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MoodyBag {
    elements: Vec<i64>,
    mood: u64,
}

impl MoodyBag {
    pub(crate) fn new(mood: u64) -> Self {
        Self {
            mood,
            ..Self::default()
        }
    }
}

impl Machine for MoodyBag {
    fn step(&mut self, _: usize, call: &str, _: &mut Local) -> Next {
        match call.starts_with("add") {
            true => {
                self.elements.push(argument(call));
                done("ok")
            }
            false if self.elements.is_empty() => done("empty"),
            false => {
                let at = self.mood as usize % self.elements.len();
                done(self.elements.remove(at))
            }
        }
    }
}

/// A barrier for two.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Barrier {
    arrived: u32,
}

impl Machine for Barrier {
    fn step(&mut self, _: usize, _: &str, local: &mut Local) -> Next {
        match local.at {
            0 => {
                self.arrived += 1;
                local.kept = i64::from(self.arrived.div_ceil(2) * 2);
                local.next()
            }
            _ if i64::from(self.arrived) >= local.kept => done("ok"),
            _ => Next::Waiting,
        }
    }
}

/// A spin lock around a counter; `forever` locks it and never unlocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SpinCounter {
    count: i64,
    is_locked: bool,
}

impl Machine for SpinCounter {
    fn step(&mut self, _: usize, _: &str, local: &mut Local) -> Next {
        match local.at {
            // Tries again: a step that changes nothing.
            0 if self.is_locked => Next::Going,
            0 => {
                self.is_locked = true;
                local.next()
            }
            1 => {
                self.count += 1;
                local.next()
            }
            _ => {
                self.is_locked = false;
                done(self.count)
            }
        }
    }
}

/// A cell whose `take` does not check again before it takes: two concurrent calls take the same value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CrashingCell {
    is_full: bool,
}

impl Default for CrashingCell {
    fn default() -> Self {
        Self { is_full: true }
    }
}

impl Machine for CrashingCell {
    fn step(&mut self, _: usize, _: &str, local: &mut Local) -> Next {
        match local.at {
            0 if !self.is_full => done("empty"),
            0 => local.next(),
            _ if self.is_full => {
                self.is_full = false;
                done("full")
            }
            _ => Next::Crash("SIGSEGV"),
        }
    }
}
