//! Textbook components in several styles, each once as it should be and once with an error. The command was not tuned to any of them.
//!
//! `omnilink lineup lineup-targets/found --test unfamiliar --case mcs_lock_forgets_its_successor`

use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering::*, fence};
use std::task::{Wake, Waker};
use std::thread::Thread;

use omnilink_harness::Component;

/// A lock that runs a closure.
trait Lock: Default + Sync + 'static {
    fn with<T>(&self, work: impl FnOnce() -> T) -> T;
}

struct Guarded<L> {
    lock: L,
    count: UnsafeCell<u64>,
}

// Only ever accessed under the lock.
unsafe impl<L: Sync> Sync for Guarded<L> {}

fn counter<L: Lock>(name: &str) {
    let guarded = || Guarded {
        lock: L::default(),
        count: UnsafeCell::new(0),
    };
    Component::new(name, guarded)
        .op("add()", |one| {
            one.lock.with(|| unsafe {
                *one.count.get() += 1;
                *one.count.get()
            })
        })
        .op("read()", |one| one.lock.with(|| unsafe { *one.count.get() }))
        .test();
}

/// `ATOMIC`: whether a ticket is drawn in one step.
#[derive(Default)]
struct TicketLock<const ATOMIC: bool> {
    next: AtomicU64,
    serving: AtomicU64,
}

impl<const ATOMIC: bool> Lock for TicketLock<ATOMIC> {
    fn with<T>(&self, work: impl FnOnce() -> T) -> T {
        let ticket = if ATOMIC {
self.next.fetch_add(1, Relaxed)
} else {

                let ticket = self.next.load(Relaxed);
                self.next.store(ticket + 1, Relaxed);
                ticket
            
};
        while self.serving.load(Acquire) != ticket {
            spin_loop();
        }
        let result = work();
        self.serving.store(ticket + 1, Release);
        result
    }
}

#[test]
fn ticket_lock() {
    counter::<TicketLock<true>>("ticket lock");
}

#[test]
fn ticket_lock_draws_twice() {
    counter::<TicketLock<false>>("ticket lock whose tickets are drawn in two steps");
}

#[derive(Default)]
struct Node {
    is_waiting: AtomicBool,
    next: AtomicPtr<Node>,
}

/// `LOOKS`: whether a holder that sees no successor takes care that none comes while it leaves.
#[derive(Default)]
struct McsLock<const LOOKS: bool> {
    tail: AtomicPtr<Node>,
}

impl<const LOOKS: bool> Lock for McsLock<LOOKS> {
    fn with<T>(&self, work: impl FnOnce() -> T) -> T {
        let node = Node::default();
        let me = (&raw const node).cast_mut();
        let before = self.tail.swap(me, AcqRel);
        if !before.is_null() {
            node.is_waiting.store(true, Relaxed);
            unsafe { (*before).next.store(me, Release) };
            while node.is_waiting.load(Acquire) {
                spin_loop();
            }
        }
        let result = work();
        let mut next = node.next.load(Acquire);
        if next.is_null() {
            if LOOKS {

                    if self.tail.compare_exchange(me, null_mut(), AcqRel, Relaxed).is_ok() {
                        return result;
                    }
                    while next.is_null() {
                        spin_loop();
                        next = node.next.load(Acquire);
                    }
                
} else {

                    self.tail.store(null_mut(), Release);
                    return result;
                
}
        }
        unsafe { (*next).is_waiting.store(false, Release) };
        result
    }
}

#[test]
fn mcs_lock() {
    counter::<McsLock<true>>("MCS lock");
}

#[test]
fn mcs_lock_forgets_its_successor() {
    counter::<McsLock<false>>("MCS lock whose holder leaves without a look");
}

/// A cell that readers copy without a lock. A writer replaces the value and frees the old one when no reader is left. `EARLY`: whether
/// a reader announces itself before it takes the pointer.
struct RcuCell<const EARLY: bool> {
    value: AtomicPtr<[u32; 4]>,
    readers: AtomicUsize,
}

impl<const EARLY: bool> Default for RcuCell<EARLY> {
    fn default() -> Self {
        Self {
            value: AtomicPtr::new(Box::into_raw(Box::new([0; 4]))),
            readers: AtomicUsize::new(0),
        }
    }
}

impl<const EARLY: bool> RcuCell<EARLY> {
    fn read(&self) -> [u32; 4] {
        let pointer = if EARLY {

                self.readers.fetch_add(1, SeqCst);
                self.value.load(SeqCst)
            
} else {

                let pointer = self.value.load(SeqCst);
                self.readers.fetch_add(1, SeqCst);
                pointer
            
};
        let value = unsafe { *pointer };
        self.readers.fetch_sub(1, SeqCst);
        value
    }

    fn write(&self, value: u32) {
        let old = self.value.swap(Box::into_raw(Box::new([value; 4])), SeqCst);
        while self.readers.load(SeqCst) != 0 {
            std::thread::yield_now();
        }
        drop(unsafe { Box::from_raw(old) });
    }
}

impl<const EARLY: bool> Drop for RcuCell<EARLY> {
    fn drop(&mut self) {
        drop(unsafe { Box::from_raw(*self.value.get_mut()) });
    }
}

fn rcu<const EARLY: bool>(name: &str) {
    Component::new(name, RcuCell::<EARLY>::default)
        .ops("write", [1, 2], |cell, value| cell.write(*value))
        .op("read()", |cell| cell.read())
        .test();
}

#[test]
fn rcu_cell() {
    rcu::<true>("RCU cell");
}

#[test]
fn rcu_cell_with_late_readers() {
    rcu::<false>("RCU cell whose readers announce themselves late");
}

/// Two words that are read without a lock. `FIRST`: whether a writer says that it writes before it does.
#[derive(Default)]
struct SequenceLock<const FIRST: bool> {
    sequence: AtomicU64,
    halves: [AtomicU64; 2],
}

impl<const FIRST: bool> SequenceLock<FIRST> {
    fn write(&self, value: u64) {
        loop {
            let sequence = self.sequence.load(Relaxed);
            if sequence % 2 == 1 {
                spin_loop();
                continue;
            }
            if !FIRST {
                self.halves[0].store(value, Relaxed);
            }
            if self.sequence.compare_exchange(sequence, sequence + 1, Acquire, Relaxed).is_ok() {
                fence(Release);
                self.halves[0].store(value, Relaxed);
                self.halves[1].store(value, Relaxed);
                self.sequence.store(sequence + 2, Release);
                return;
            }
        }
    }

    fn read(&self) -> (u64, u64) {
        loop {
            let before = self.sequence.load(Acquire);
            if before % 2 == 1 {
                spin_loop();
                continue;
            }
            let value = (self.halves[0].load(Relaxed), self.halves[1].load(Relaxed));
            fence(Acquire);
            if self.sequence.load(Relaxed) == before {
                return value;
            }
        }
    }
}

fn sequence_lock<const FIRST: bool>(name: &str) {
    Component::new(name, SequenceLock::<FIRST>::default)
        .ops("write", [1, 2], |lock, value| lock.write(*value))
        .op("read()", |lock| lock.read())
        .test();
}

#[test]
fn seqlock() {
    sequence_lock::<true>("sequence lock");
}

#[test]
fn seqlock_in_the_wrong_order() {
    sequence_lock::<false>("sequence lock whose writer begins too early");
}

struct Place {
    turn: AtomicUsize,
    value: UnsafeCell<MaybeUninit<String>>,
}

/// A ring for many producers and many consumers. `FILLED`: whether a place is filled before it is given to consumers.
struct Ring<const FILLED: bool> {
    places: Box<[Place]>,
    head: AtomicUsize,
    tail: AtomicUsize,
}

// A place belongs to the thread whose turn it is.
unsafe impl<const FILLED: bool> Sync for Ring<FILLED> {}

impl<const FILLED: bool> Ring<FILLED> {
    fn new(capacity: usize) -> Self {
        let place = |index| Place {
            turn: AtomicUsize::new(index),
            value: UnsafeCell::new(MaybeUninit::uninit()),
        };
        Self {
            places: (0..capacity).map(place).collect(),
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
        }
    }

    fn push(&self, value: &str) -> bool {
        let mut position = self.tail.load(Relaxed);
        loop {
            let place = &self.places[position % self.places.len()];
            let turn = place.turn.load(Acquire);
            if turn == position {
                match self.tail.compare_exchange_weak(position, position + 1, SeqCst, Relaxed) {
                    Ok(_) => {
                        if !FILLED {
                            place.turn.store(position + 1, Release);
                        }
                        unsafe { (*place.value.get()).write(value.to_owned()) };
                        if FILLED {
                            place.turn.store(position + 1, Release);
                        }
                        return true;
                    }
                    Err(found) => position = found,
                }
            } else if turn < position && self.head.load(SeqCst) + self.places.len() <= position {
                return false;
            } else {
                spin_loop();
                position = self.tail.load(SeqCst);
            }
        }
    }

    fn pop(&self) -> Option<String> {
        let mut position = self.head.load(Relaxed);
        loop {
            let place = &self.places[position % self.places.len()];
            let turn = place.turn.load(Acquire);
            if turn == position + 1 {
                match self.head.compare_exchange_weak(position, position + 1, SeqCst, Relaxed) {
                    Ok(_) => {
                        let value = unsafe { (*place.value.get()).assume_init_read() };
                        place.turn.store(position + self.places.len(), Release);
                        return Some(value);
                    }
                    Err(found) => position = found,
                }
            } else if turn <= position && self.tail.load(SeqCst) <= position {
                return None;
            } else {
                spin_loop();
                position = self.head.load(SeqCst);
            }
        }
    }
}

impl<const FILLED: bool> Drop for Ring<FILLED> {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}

fn ring_of<const FILLED: bool>(name: &str) {
    Component::new(name, || Ring::<FILLED>::new(2))
        .ops("push", ["a", "b"], |ring, value| ring.push(value))
        .op("pop()", |ring| ring.pop())
        .test();
}

#[test]
fn ring() {
    ring_of::<true>("ring");
}

#[test]
fn ring_with_empty_places() {
    ring_of::<false>("ring whose places are given away before they are filled");
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// A flag for which one task waits. `LOOKS`: whether the task looks at the flag again after it has registered.
#[derive(Default)]
struct Signal<const LOOKS: bool> {
    is_set: AtomicBool,
    /// Whose turn it is to use the waker: 0 nobody's, 1 somebody's.
    in_use: AtomicUsize,
    waker: UnsafeCell<Option<Waker>>,
}

// The waker is used in turns.
unsafe impl<const LOOKS: bool> Sync for Signal<LOOKS> {}

impl<const LOOKS: bool> Signal<LOOKS> {
    fn with_waker<T>(&self, work: impl FnOnce(&mut Option<Waker>) -> T) -> T {
        while self.in_use.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            spin_loop();
        }
        let result = work(unsafe { &mut *self.waker.get() });
        self.in_use.store(0, Release);
        result
    }

    fn set(&self) {
        self.is_set.store(true, SeqCst);
        if let Some(waker) = self.with_waker(Option::take) {
            waker.wake();
        }
    }

    fn wait(&self) {
        while !self.is_set.load(SeqCst) {
            let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
            self.with_waker(|place| *place = Some(waker));
            if LOOKS && self.is_set.load(SeqCst) {
                break;
            }
            std::thread::park();
        }
    }
}

fn signal_of<const LOOKS: bool>(name: &str) {
    Component::new(name, Signal::<LOOKS>::default)
        .op("set()", |signal| signal.set())
        .op("wait()", |signal| signal.wait())
        .role("waiter", ["wait()"])
        .test();
}

#[test]
fn signal() {
    signal_of::<true>("signal");
}

#[test]
fn signal_without_a_second_look() {
    signal_of::<false>("signal whose waiter does not look again");
}
