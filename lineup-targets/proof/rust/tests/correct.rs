//! Plain data behind everything of `std` that synchronises. No answer may be a violation, under either memory model.

use omnilink_harness::{Component, RoleCell};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::*};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use std::thread::Thread;

/// Data without any synchronisation of its own.
#[derive(Default)]
struct Plain(UnsafeCell<i64>);
// SAFETY: that it is not is what would be reported.
unsafe impl Sync for Plain {}
// SAFETY: a number.
unsafe impl Send for Plain {}
impl Plain {
    fn add(&self, more: i64) -> i64 {
        // SAFETY: as above.
        unsafe {
            *self.0.get() += more;
            *self.0.get()
        }
    }
}

#[test]
fn mutex() {
    Component::new("Mutex", || (Mutex::new(()), Plain::default()))
        .op("add()", |(m, n)| { let _guard = m.lock().unwrap(); n.add(1) })
        .op("try_add()", |(m, n)| m.try_lock().ok().map(|_guard| n.add(10)))
        .may_fail("try_add()")
        .test();
}

#[test]
fn rwlock() {
    Component::new("RwLock", || (RwLock::new(()), Plain::default()))
        .op("add()", |(l, n)| { let _guard = l.write().unwrap(); n.add(1) })
        .op("get()", |(l, n)| { let _guard = l.read().unwrap(); unsafe { *n.0.get() } })
        .test();
}

#[test]
fn rwlock_read_only() {
    Component::new("RwLock<Vec>", || RwLock::new(vec![1]))
        .op("push()", |l| { let mut v = l.write().unwrap(); v.push(2); v.len() })
        .op("len()", |l| l.read().unwrap().len())
        .op("try_len()", |l| l.try_read().ok().map(|v| v.len()))
        .may_fail("try_len()")
        .test();
}

#[test]
fn condvar() {
    Component::new("Condvar", || (Mutex::new(0), Condvar::new(), Plain::default()))
        .op("up()", |(m, c, n)| { let mut up = m.lock().unwrap(); *up += 1; n.add(1); drop(up); c.notify_one(); })
        .op("down()", |(m, c, n)| { let mut up = m.lock().unwrap(); while *up == 0 { up = c.wait(up).unwrap(); } *up -= 1; n.add(-1) })
        .test();
}

#[test]
fn condvar_all() {
    Component::new("Condvar::notify_all", || (Mutex::new(false), Condvar::new(), Plain::default()))
        .op("open()", |(m, c, n)| { { let mut open = m.lock().unwrap(); if !*open { n.add(1); } *open = true; } c.notify_all(); })
        .op("pass()", |(m, c, n)| { let open = c.wait_while(m.lock().unwrap(), |open| !*open).unwrap(); let seen = unsafe { *n.0.get() }; drop(open); seen })
        .test();
}

#[test]
fn once() {
    Component::new("Once", || (Once::new(), Plain::default()))
        .op("init()", |(o, n)| { o.call_once(|| { n.add(1); }); unsafe { *n.0.get() } })
        .op("is_completed()", |(o, n)| o.is_completed().then(|| unsafe { *n.0.get() }))
        .test();
}

#[test]
fn once_lock() {
    Component::new("OnceLock", OnceLock::<Vec<i64>>::new)
        .op("set(1)", |o| o.set(vec![1]).is_ok())
        .op("get_or_init(2)", |o| o.get_or_init(|| vec![2]).len())
        .op("get()", |o| o.get().map(|v| v.len()))
        .test();
}

#[test]
fn lazy_lock() {
    Component::new("LazyLock", || LazyLock::new((|| vec![7; 3]) as fn() -> Vec<i64>))
        .op("get()", |l| l.len())
        .op("sum()", |l| l.iter().sum::<i64>())
        .test();
}

#[test]
fn unbounded() {
    Component::new("mpsc", || { let (s, r) = channel::<Box<i64>>(); (s, RoleCell::new(r)) })
        .ops("send", [1, 2], |(s, _): &(Sender<Box<i64>>, RoleCell<Receiver<Box<i64>>>), v| s.send(Box::new(*v)).is_ok())
        .op("recv()", |(_, r)| r.with(|r| r.recv().map(|v| *v).ok()))
        .op("try_recv()", |(_, r)| r.with(|r| r.try_recv().map(|v| *v).ok()))
        .role("receiver", ["recv()", "try_recv()"])
        .test();
}

fn bounded(name: &'static str, capacity: usize) {
    Component::new(name, move || { let (s, r) = sync_channel::<Box<i64>>(capacity); (s, RoleCell::new(r)) })
        .op("send(1)", |(s, _): &(SyncSender<Box<i64>>, RoleCell<Receiver<Box<i64>>>)| s.send(Box::new(1)).is_ok())
        .op("recv()", |(_, r)| r.with(|r| r.recv().map(|v| *v).ok()))
        .role("receiver", ["recv()"])
        .regression("send(1), send(1) | recv(), recv()")
        .test();
}

#[test]
fn sync_channel_of_one() {
    bounded("sync_channel(1)", 1);
}

#[test]
fn park() {
    struct Event { flag: AtomicBool, data: Plain, waiter: Mutex<Option<Thread>> }
    Component::new("park", || Event { flag: AtomicBool::new(false), data: Plain::default(), waiter: Mutex::new(None) })
        // Only once: a waiter may read the data from then on.
        .op("set()", |e| { if e.flag.load(Relaxed) { return; } e.data.add(1); e.flag.store(true, Release); if let Some(t) = e.waiter.lock().unwrap().take() { t.unpark(); } })
        .op("wait()", |e| {
            for _ in 0..30 { if e.flag.load(Acquire) { return e.data.add(0); } std::hint::spin_loop(); }
            *e.waiter.lock().unwrap() = Some(std::thread::current());
            while !e.flag.load(Acquire) { std::thread::park(); }
            e.data.add(0)
        })
        .role("setter", ["set()"]).role("waiter", ["wait()"])
        .regression("set() | wait()")
        .test();
}

#[test]
fn scoped_threads() {
    Component::new("scope", || (Mutex::new(()), Plain::default()))
        .op("add()", |(m, n)| std::thread::scope(|s| {
            let one = s.spawn(|| { let _guard = m.lock().unwrap(); n.add(1) });
            one.join().unwrap()
        }))
        .test();
}

#[test]
fn join() {
    Component::new("join", || Mutex::new(Arc::new(Plain::default())))
        .op("add()", |m| { let guard = m.lock().unwrap(); let n = guard.clone(); std::thread::spawn(move || n.add(1)).join().unwrap() })
        .test();
}

#[test]
fn arc() {
    Component::new("Arc", || Mutex::new(Arc::new(Plain::default())))
        .op("replace()", |m| { let old = std::mem::replace(&mut *m.lock().unwrap(), Arc::new(Plain::default())); Arc::try_unwrap(old).map(|p| p.add(1) >= 0).unwrap_or(true) })
        .op("use()", |m| { let mine = m.lock().unwrap().clone(); let weak = Arc::downgrade(&mine); drop(mine); weak.upgrade().is_some_and(|_| true) || true })
        .test();
}

#[test]
fn spin_lock_with_a_bound() {
    Component::new("spin, then yield", || (AtomicBool::new(false), Plain::default()))
        .op("add()", |(l, n)| {
            let mut spins = 0;
            while l.compare_exchange_weak(false, true, Acquire, Relaxed).is_err() {
                spins += 1;
                if spins > 10 { std::thread::yield_now(); }
            }
            let result = n.add(1);
            l.store(false, Release);
            result
        })
        .test();
}

/// A box that is published once, and freed with it.
struct Published(AtomicPtr<i64>);

impl Drop for Published {
    fn drop(&mut self) {
        let found = *self.0.get_mut();
        if !found.is_null() {
            drop(unsafe { Box::from_raw(found) });
        }
    }
}

#[test]
fn published_box() {
    Component::new("AtomicPtr", || Published(AtomicPtr::new(std::ptr::null_mut())))
        .op("publish()", |p| { let new = Box::into_raw(Box::new(5)); if p.0.compare_exchange(std::ptr::null_mut(), new, Release, Relaxed).is_err() { drop(unsafe { Box::from_raw(new) }); false } else { true } })
        .op("read()", |p| { let found = p.0.load(Acquire); (!found.is_null()).then(|| unsafe { *found }) })
        .test();
}

#[test]
fn barrier_in_a_call() {
    Component::new("Barrier of a call's threads", || AtomicUsize::new(0))
        .op("two()", |n| { let b = Barrier::new(2); std::thread::scope(|s| { s.spawn(|| { b.wait(); }); b.wait(); }); n.fetch_add(1, Relaxed) })
        .test();
}
