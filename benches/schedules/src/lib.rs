//! Small programs with one concurrency bug each, to compare the strategies of `omnilink test`. `run.py` makes the table.
//!
//! Each test fails in some interleavings only. The number in a name is that of the preemptions or orders which have to come together.
#![cfg(test)]

use std::cell::UnsafeCell;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Condvar, Mutex, mpsc};
use std::thread::scope;

/// Steps that have nothing to do with the bug.
fn work(steps: usize) {
    let own = AtomicUsize::new(0);
    for _ in 0..steps {
        own.fetch_add(1, SeqCst);
    }
}

#[test]
fn lost_update_1() {
    let count = AtomicUsize::new(0);
    let add = || {
        work(20);
        let before = count.load(SeqCst);
        count.store(before + 1, SeqCst);
        work(20);
    };
    scope(|s| {
        s.spawn(add);
        s.spawn(add);
    });
    assert_eq!(count.load(SeqCst), 2);
}

/// Both updates of one thread come between the load and the store of the other.
#[test]
fn two_updates_lost_1() {
    let count = AtomicUsize::new(0);
    scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                for _ in 0..2 {
                    let before = count.load(SeqCst);
                    count.store(before + 1, SeqCst);
                    work(10);
                }
            });
        }
    });
    assert!(count.load(SeqCst) > 2);
}

#[test]
fn opposite_locks_1() {
    let (a, b) = (Mutex::new(0), Mutex::new(0));
    scope(|s| {
        s.spawn(|| {
            work(20);
            let _a = a.lock().unwrap();
            let _b = b.lock().unwrap();
        });
        s.spawn(|| {
            work(20);
            let _b = b.lock().unwrap();
            let _a = a.lock().unwrap();
        });
    });
}

/// Three threads, three locks in a ring.
#[test]
fn ring_of_locks_2() {
    let locks = [Mutex::new(0), Mutex::new(0), Mutex::new(0)];
    scope(|s| {
        for first in 0..3 {
            let locks = &locks;
            s.spawn(move || {
                work(5);
                let _first = locks[first].lock().unwrap();
                let _second = locks[(first + 1) % 3].lock().unwrap();
            });
        }
    });
}

/// The flag is set and told between the look at it and the wait for it.
#[test]
fn lost_wakeup_1() {
    let (is_set, lock, changed) = (AtomicBool::new(false), Mutex::new(()), Condvar::new());
    scope(|s| {
        s.spawn(|| {
            work(10);
            is_set.store(true, SeqCst);
            changed.notify_one();
        });
        work(10);
        let guard = lock.lock().unwrap();
        if !is_set.load(SeqCst) {
            drop(changed.wait(guard).unwrap());
        }
    });
}

/// A consumer that is woken takes what another one has taken: `if` where `while` should be.
#[test]
fn stolen_wakeup_2() {
    let (items, added) = (Mutex::new(0), Condvar::new());
    scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let mut items = items.lock().unwrap();
                if *items == 0 {
                    items = added.wait(items).unwrap();
                }
                assert!(*items > 0, "nothing is there");
                *items -= 1;
            });
        }
        for _ in 0..2 {
            *items.lock().unwrap() += 1;
            added.notify_one();
        }
    });
}

/// The reader uses what the writer has not made yet.
#[test]
fn used_before_made_1() {
    let (made, is_asked) = (AtomicUsize::new(0), AtomicBool::new(false));
    scope(|s| {
        s.spawn(|| {
            is_asked.store(true, SeqCst);
            work(3);
            made.store(7, SeqCst);
        });
        work(60);
        if is_asked.load(SeqCst) {
            assert_eq!(made.load(SeqCst), 7);
        }
    });
}

/// A balance is checked, and then changed.
#[test]
fn check_then_act_1() {
    let balance = Mutex::new(100);
    let withdraw = || {
        work(15);
        let is_enough = *balance.lock().unwrap() >= 60;
        if is_enough {
            *balance.lock().unwrap() -= 60;
        }
    };
    scope(|s| {
        for _ in 0..2 {
            s.spawn(withdraw);
        }
    });
    assert!(*balance.lock().unwrap() >= 0);
}

/// A stack of indices whose compare-and-swap succeeds although what it pops was popped and pushed in between.
#[test]
fn aba_3() {
    const END: usize = 9;
    let head = AtomicUsize::new(0);
    let next = [AtomicUsize::new(1), AtomicUsize::new(2), AtomicUsize::new(END)];
    let pop = || loop {
        let first = head.load(SeqCst);
        if first == END {
            return None;
        }
        let second = next[first].load(SeqCst);
        if head.compare_exchange(first, second, SeqCst, SeqCst).is_ok() {
            return Some(first);
        }
    };
    let push = |node: usize| loop {
        let first = head.load(SeqCst);
        next[node].store(first, SeqCst);
        if head.compare_exchange(first, node, SeqCst, SeqCst).is_ok() {
            return;
        }
    };
    let popped = Mutex::new(Vec::new());
    scope(|s| {
        s.spawn(|| {
            let node = pop();
            popped.lock().unwrap().extend(node);
        });
        s.spawn(|| {
            let (first, second) = (pop(), pop());
            popped.lock().unwrap().extend(second);
            if let Some(first) = first {
                push(first);
            }
        });
    });
    let mut all = popped.into_inner().unwrap();
    while let Some(node) = pop() {
        all.push(node);
        assert!(all.len() <= 3, "a node is there twice: {all:?}");
    }
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2]);
}

/// The second thread must come at one place, the third at another.
#[test]
fn three_threads_3() {
    let (x, y) = (AtomicUsize::new(0), AtomicUsize::new(0));
    scope(|s| {
        s.spawn(|| {
            work(5);
            x.store(1, SeqCst);
            work(5);
            x.store(2, SeqCst);
        });
        s.spawn(|| {
            work(5);
            if x.load(SeqCst) == 1 {
                y.store(1, SeqCst);
                work(5);
                y.store(2, SeqCst);
            }
        });
        s.spawn(|| {
            work(5);
            assert!(!(y.load(SeqCst) == 1 && x.load(SeqCst) == 2), "all of it came together");
        });
    });
}

/// One thread after the other raises the number by one, five in the wrong order.
#[test]
fn five_in_order_4() {
    let stage = AtomicUsize::new(0);
    scope(|s| {
        // The last thread is started first.
        for wanted in (0..5).rev() {
            let stage = &stage;
            s.spawn(move || {
                work(4);
                _ = stage.compare_exchange(wanted, wanted + 1, SeqCst, SeqCst);
            });
        }
    });
    assert_ne!(stage.load(SeqCst), 5);
}

/// A reference count that is looked at and then lowered: freed twice.
#[test]
fn counted_twice_1() {
    let (count, freed) = (AtomicUsize::new(2), AtomicUsize::new(0));
    let release = || {
        work(12);
        let left = count.load(SeqCst) - 1;
        count.store(left, SeqCst);
        if left == 0 {
            freed.fetch_add(1, SeqCst);
        }
    };
    scope(|s| {
        s.spawn(release);
        s.spawn(release);
    });
    assert_eq!(freed.load(SeqCst), 1);
}

/// The lock is checked twice, but what it protects is published before it is complete.
#[test]
fn double_checked_1() {
    let (is_made, lock) = (AtomicBool::new(false), Mutex::new(()));
    let parts = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let get = || {
        work(8);
        if !is_made.load(SeqCst) {
            let _guard = lock.lock().unwrap();
            if !is_made.load(SeqCst) {
                parts[0].store(1, SeqCst);
                is_made.store(true, SeqCst);
                parts[1].store(1, SeqCst);
            }
        }
        assert_eq!(parts[0].load(SeqCst) + parts[1].load(SeqCst), 2);
    };
    scope(|s| {
        s.spawn(get);
        s.spawn(get);
    });
}

/// The channel is closed between the question whether it is open and the message.
#[test]
fn closed_channel_1() {
    let (sender, receiver) = mpsc::channel();
    let is_open = AtomicBool::new(true);
    scope(|s| {
        let is_open = &is_open;
        s.spawn(move || {
            work(25);
            is_open.store(false, SeqCst);
            drop(receiver);
        });
        for number in 0..5 {
            if is_open.load(SeqCst) {
                sender.send(number).expect("it is open");
            }
        }
    });
}

/// A sequence lock whose reader does not look a second time.
#[test]
fn torn_read_1() {
    struct Pair(UnsafeCell<[usize; 1]>, AtomicUsize, AtomicUsize);
    // SAFETY: the cell is never accessed.
    unsafe impl Sync for Pair {}
    let pair = Pair(UnsafeCell::new([0]), AtomicUsize::new(0), AtomicUsize::new(0));
    let sequence = AtomicUsize::new(0);
    let pair = &pair;
    scope(|s| {
        s.spawn(|| {
            for value in 1..4 {
                sequence.fetch_add(1, SeqCst);
                pair.1.store(value, SeqCst);
                pair.2.store(value, SeqCst);
                sequence.fetch_add(1, SeqCst);
                work(10);
            }
        });
        for _ in 0..3 {
            work(10);
            if sequence.load(SeqCst) % 2 == 0 {
                let (left, right) = (pair.1.load(SeqCst), pair.2.load(SeqCst));
                assert_eq!(left, right, "one half is newer");
            }
        }
    });
}
