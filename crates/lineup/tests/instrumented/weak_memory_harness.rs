//! Algorithms that are wrong only because memory is weak, each next to how it is done right. The file name of the program selects
//! the component.

#[path = "../../../harness/src/component.rs"]
#[allow(dead_code, reason = "a component is the whole of a program here, never of a test")]
mod component;
#[path = "../../../harness/src/explore.rs"]
#[allow(dead_code, reason = "only tests that cargo runs explore themselves")]
mod explore;
#[path = "../../../harness/src/serve.rs"]
#[allow(dead_code, reason = "the file also offers a clock, which no component here looks at")]
mod serve;

use std::process::ExitCode;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, fence};

use component::Component;

/// The orders of an algorithm: of its stores, of its loads, and whether fences stand between them.
#[derive(Clone, Copy)]
struct Orders {
    store: Ordering,
    load: Ordering,
    fences: bool,
}

impl Orders {
    fn fence(self, order: Ordering) {
        if self.fences {
            fence(order);
        }
    }
}

/// Dekker's entry: each thread says that it wants to enter, and enters if the other does not want to.
#[derive(Default)]
struct Entry([AtomicBool; 2]);

impl Entry {
    fn enter(&self, me: usize, orders: Orders) -> bool {
        self.0[me].store(true, orders.store);
        orders.fence(SeqCst);
        !self.0[1 - me].load(orders.load)
    }
}

/// Message passing.
#[derive(Default)]
struct Message {
    data: AtomicI64,
    is_there: AtomicBool,
}

impl Message {
    fn send(&self, orders: Orders) {
        self.data.store(42, Relaxed);
        orders.fence(Release);
        self.is_there.store(true, orders.store);
    }

    fn receive(&self, orders: Orders) -> Option<i64> {
        let is_there = self.is_there.load(orders.load);
        orders.fence(Acquire);
        is_there.then(|| self.data.load(Relaxed))
    }
}

/// Peterson's lock around a counter.
#[derive(Default)]
struct Peterson {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
    count: AtomicI64,
}

impl Peterson {
    fn increment(&self, me: usize, orders: Orders) -> i64 {
        let other = 1 - me;
        self.wants[me].store(true, orders.store);
        self.turn.store(other, orders.store);
        orders.fence(SeqCst);
        while self.wants[other].load(orders.load) && self.turn.load(orders.load) == other {
            std::hint::spin_loop();
        }
        let count = self.count.load(Relaxed);
        self.count.store(count + 1, Relaxed);
        self.wants[me].store(false, Release);
        count
    }
}

/// The deque of Chase and Lev, with room for four elements that are never overwritten.
#[derive(Default)]
struct Deque {
    top: AtomicI64,
    bottom: AtomicI64,
    elements: [AtomicI64; 4],
}

impl Deque {
    fn push(&self, value: i64) {
        let bottom = self.bottom.load(Relaxed);
        self.elements[bottom as usize % 4].store(value, Relaxed);
        self.bottom.store(bottom + 1, Release);
    }

    fn take(&self, orders: Orders) -> Option<i64> {
        let bottom = self.bottom.load(Relaxed) - 1;
        self.bottom.store(bottom, Relaxed);
        orders.fence(SeqCst);
        let top = self.top.load(Relaxed);
        if top > bottom {
            self.bottom.store(bottom + 1, Relaxed);
            return None;
        }
        let value = self.elements[bottom as usize % 4].load(Relaxed);
        if top < bottom {
            return Some(value);
        }
        let is_mine = self.top.compare_exchange(top, top + 1, SeqCst, Relaxed).is_ok();
        self.bottom.store(bottom + 1, Relaxed);
        is_mine.then_some(value)
    }

    fn steal(&self, orders: Orders) -> Option<i64> {
        let top = self.top.load(Acquire);
        orders.fence(SeqCst);
        let bottom = self.bottom.load(Acquire);
        if top >= bottom {
            return None;
        }
        let value = self.elements[top as usize % 4].load(Relaxed);
        let is_mine = self.top.compare_exchange(top, top + 1, SeqCst, Relaxed).is_ok();
        is_mine.then_some(value)
    }
}

/// A sequence lock around two words.
#[derive(Default)]
struct Sequence {
    number: AtomicUsize,
    words: [AtomicI64; 2],
}

impl Sequence {
    fn write(&self, value: i64, orders: Orders) {
        let number = self.number.load(Relaxed);
        self.number.store(number + 1, Relaxed);
        orders.fence(Release);
        self.words[0].store(value, Relaxed);
        self.words[1].store(value, Relaxed);
        self.number.store(number + 2, Release);
    }

    fn read(&self, orders: Orders) -> Option<(i64, i64)> {
        let number = self.number.load(Acquire);
        let words = (self.words[0].load(Relaxed), self.words[1].load(Relaxed));
        orders.fence(Acquire);
        let is_stable = number % 2 == 0 && self.number.load(Relaxed) == number;
        is_stable.then_some(words)
    }
}

fn main() -> ExitCode {
    let name = std::env::args().next().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    let (algorithm, variant) = name.split_once('_').unwrap_or((name, ""));
    let orders = match variant {
        "relaxed" => Orders { store: Relaxed, load: Relaxed, fences: false },
        "acquire" => Orders { store: Relaxed, load: Acquire, fences: false },
        "release" => Orders { store: Release, load: Relaxed, fences: false },
        "both" => Orders { store: Release, load: Acquire, fences: false },
        "seqcst" => Orders { store: SeqCst, load: SeqCst, fences: false },
        "fences" => Orders { store: Relaxed, load: Relaxed, fences: true },
        _ => return ExitCode::from(2),
    };
    match algorithm {
        "dekker" => Component::new("Dekker's entry", Entry::default)
            .op("first()", move |entry| entry.enter(0, orders))
            .op("second()", move |entry| entry.enter(1, orders))
            .may_fail("first()")
            .may_fail("second()")
            .main(),
        "message" => Component::new("message", Message::default)
            .op("send()", move |message| message.send(orders))
            .op("receive()", move |message| message.receive(orders))
            .main(),
        "peterson" => Component::new("Peterson's lock", Peterson::default)
            .op("first()", move |lock| lock.increment(0, orders))
            .op("second()", move |lock| lock.increment(1, orders))
            .main(),
        "deque" => Component::new("deque", Deque::default)
            .ops("push", [1, 2], |deque, value| deque.push(*value))
            .op("take()", move |deque| deque.take(orders))
            .op("steal()", move |deque| deque.steal(orders))
            .may_fail("steal()")
            .main(),
        "sequence" => Component::new("sequence lock", Sequence::default)
            .ops("write", [1, 2], move |lock, value| lock.write(*value, orders))
            .op("read()", move |lock| lock.read(orders))
            .may_fail("read()")
            .main(),
        "coherence" => Component::new("one variable", AtomicI64::default)
            .ops("store", [1, 2], move |variable, value| variable.store(*value, orders.store))
            .op("load()", move |variable| variable.load(orders.load))
            .op("add()", move |variable| variable.fetch_add(1, Relaxed))
            .main(),
        _ => ExitCode::from(2),
    }
}
