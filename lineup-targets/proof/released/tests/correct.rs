//! Plain data behind the locks, channels and queues of parking_lot, tokio, crossbeam and spin. No answer may be a violation, under either
//! memory model.

use omnilink_harness::{Component, RoleCell};
use std::cell::UnsafeCell;

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
    fn get(&self) -> i64 {
        // SAFETY: as above.
        unsafe { *self.0.get() }
    }
}

#[test]
fn parking_lot_mutex() {
    Component::new("parking_lot::Mutex", || (parking_lot::Mutex::new(()), Plain::default()))
        .op("add()", |(m, n)| { let _guard = m.lock(); n.add(1) })
        .op("try_add()", |(m, n)| m.try_lock().map(|_guard| n.add(10)))
        .may_fail("try_add()")
        .test();
}

#[test]
fn parking_lot_fair_mutex() {
    Component::new("parking_lot::FairMutex", || (parking_lot::FairMutex::new(()), Plain::default()))
        .op("add()", |(m, n)| { let _guard = m.lock(); n.add(1) })
        .test();
}

#[test]
fn parking_lot_reentrant_mutex() {
    Component::new("parking_lot::ReentrantMutex", || (parking_lot::ReentrantMutex::new(()), Plain::default()))
        .op("add()", |(m, n)| { let _outer = m.lock(); let _inner = m.lock(); n.add(1) })
        .test();
}

#[test]
fn parking_lot_rwlock() {
    Component::new("parking_lot::RwLock", || (parking_lot::RwLock::new(()), Plain::default()))
        .op("add()", |(l, n)| { let _guard = l.write(); n.add(1) })
        .op("get()", |(l, n)| { let _guard = l.read(); n.get() })
        .op("upgrade()", |(l, n)| { let guard = l.upgradable_read(); let seen = n.get(); let _guard = parking_lot::RwLockUpgradableReadGuard::upgrade(guard); n.add(1) - seen })
        .test();
}

#[test]
fn parking_lot_condvar() {
    Component::new("parking_lot::Condvar", || (parking_lot::Mutex::new(0), parking_lot::Condvar::new(), Plain::default()))
        .op("up()", |(m, c, n)| { let mut up = m.lock(); *up += 1; n.add(1); drop(up); c.notify_one(); })
        .op("down()", |(m, c, n)| { let mut up = m.lock(); while *up == 0 { c.wait(&mut up); } *up -= 1; n.add(-1) })
        .test();
}

#[test]
fn parking_lot_once() {
    Component::new("parking_lot::Once", || (parking_lot::Once::new(), Plain::default()))
        .op("init()", |(o, n)| { o.call_once(|| { n.add(1); }); n.get() })
        .op("is_done()", |(o, n)| o.state().done().then(|| n.get()))
        .test();
}

#[test]
fn tokio_mutex() {
    Component::new("tokio::sync::Mutex", || (tokio::sync::Mutex::new(()), Plain::default()))
        .op("add()", |(m, n)| { let _guard = m.blocking_lock(); n.add(1) })
        .op("try_add()", |(m, n)| m.try_lock().ok().map(|_guard| n.add(10)))
        .may_fail("try_add()")
        .test();
}

#[test]
fn tokio_rwlock() {
    Component::new("tokio::sync::RwLock", || (tokio::sync::RwLock::new(()), Plain::default()))
        .op("add()", |(l, n)| { let _guard = l.blocking_write(); n.add(1) })
        .op("get()", |(l, n)| { let _guard = l.blocking_read(); n.get() })
        .test();
}

#[test]
fn tokio_semaphore() {
    Component::new("tokio::sync::Semaphore", || (tokio::sync::Semaphore::new(1), Plain::default()))
        .op("try_add()", |(s, n)| s.try_acquire().ok().map(|_permit| n.add(1)))
        .may_fail("try_add()")
        .op("available()", |(s, _)| s.available_permits() <= 1)
        .test();
}

#[test]
fn tokio_mpsc() {
    type Channel = (tokio::sync::mpsc::Sender<Box<i64>>, RoleCell<tokio::sync::mpsc::Receiver<Box<i64>>>);
    Component::new("tokio::sync::mpsc", || -> Channel { let (s, r) = tokio::sync::mpsc::channel(1); (s, RoleCell::new(r)) })
        .op("try_send(1)", |(s, _): &Channel| s.try_send(Box::new(1)).is_ok())
        .op("try_recv()", |(_, r)| r.with(|r| r.try_recv().map(|v| *v).ok()))
        .op("recv()", |(_, r)| r.with(|r| r.blocking_recv().map(|v| *v)))
        .role("receiver", ["try_recv()", "recv()"])
        // A sender takes its place before its message is there.
        .may_fail("try_send(1)")
        .test();
}

#[test]
fn tokio_unbounded() {
    type Channel = (tokio::sync::mpsc::UnboundedSender<Box<i64>>, RoleCell<tokio::sync::mpsc::UnboundedReceiver<Box<i64>>>);
    Component::new("tokio::sync::mpsc, unbounded", || -> Channel { let (s, r) = tokio::sync::mpsc::unbounded_channel(); (s, RoleCell::new(r)) })
        .op("send(1)", |(s, _): &Channel| s.send(Box::new(1)).is_ok())
        .op("recv()", |(_, r)| r.with(|r| r.blocking_recv().map(|v| *v)))
        .role("receiver", ["recv()"])
        .test();
}

#[test]
fn tokio_oneshot() {
    type Channel = (RoleCell<Option<tokio::sync::oneshot::Sender<Box<i64>>>>, RoleCell<Option<tokio::sync::oneshot::Receiver<Box<i64>>>>);
    Component::new("tokio::sync::oneshot", || -> Channel { let (s, r) = tokio::sync::oneshot::channel(); (RoleCell::new(Some(s)), RoleCell::new(Some(r))) })
        .op("send(1)", |(s, _): &Channel| s.with(|s| s.take().map(|s| s.send(Box::new(1)).is_ok())))
        .op("recv()", |(_, r)| r.with(|r| r.take().and_then(|r| r.blocking_recv().ok()).map(|v| *v)))
        .role("sender", ["send(1)"])
        .role("receiver", ["recv()"])
        .test();
}

#[test]
fn tokio_watch() {
    type Channel = (tokio::sync::watch::Sender<Box<i64>>, tokio::sync::watch::Receiver<Box<i64>>);
    Component::new("tokio::sync::watch", || -> Channel { tokio::sync::watch::channel(Box::new(0)) })
        .op("send(1)", |(s, _): &Channel| s.send(Box::new(1)).is_ok())
        .op("send(2)", |(s, _): &Channel| s.send(Box::new(2)).is_ok())
        .op("borrow()", |(_, r)| **r.borrow())
        .test();
}

#[test]
fn tokio_once_cell() {
    Component::new("tokio::sync::OnceCell", tokio::sync::OnceCell::<Box<i64>>::new)
        .op("set(1)", |c| c.set(Box::new(1)).is_ok())
        .op("get()", |c| c.get().map(|v| **v))
        .may_fail("set(1)")
        .test();
}

#[test]
fn crossbeam_bounded() {
    Component::new("crossbeam_channel::bounded(1)", || crossbeam_channel::bounded::<Box<i64>>(1))
        .op("send(1)", |(s, _)| s.send(Box::new(1)).is_ok())
        .op("recv()", |(_, r)| r.recv().map(|v| *v).ok())
        .op("try_recv()", |(_, r)| r.try_recv().map(|v| *v).ok())
        .test();
}

#[test]
fn crossbeam_unbounded() {
    Component::new("crossbeam_channel::unbounded", crossbeam_channel::unbounded::<Box<i64>>)
        .op("send(1)", |(s, _)| s.send(Box::new(1)).is_ok())
        .op("recv()", |(_, r)| r.recv().map(|v| *v).ok())
        .test();
}

#[test]
fn crossbeam_array_queue() {
    Component::new("crossbeam_queue::ArrayQueue", || crossbeam_queue::ArrayQueue::<Box<i64>>::new(2))
        .op("push(1)", |q| q.push(Box::new(1)).is_ok())
        .op("pop()", |q| q.pop().map(|v| *v))
        .test();
}

#[test]
fn crossbeam_seg_queue() {
    Component::new("crossbeam_queue::SegQueue", crossbeam_queue::SegQueue::<Box<i64>>::new)
        .op("push(1)", |q| q.push(Box::new(1)))
        .op("pop()", |q| q.pop().map(|v| *v))
        .test();
}

#[test]
fn crossbeam_sharded_lock() {
    Component::new("crossbeam_utils::ShardedLock", || (crossbeam_utils::sync::ShardedLock::new(()), Plain::default()))
        .op("add()", |(l, n)| { let _guard = l.write().unwrap(); n.add(1) })
        .op("get()", |(l, n)| { let _guard = l.read().unwrap(); n.get() })
        .test();
}

#[test]
fn crossbeam_atomic_cell() {
    Component::new("crossbeam_utils::AtomicCell", || crossbeam_utils::atomic::AtomicCell::new([0_i64; 3]))
        .op("store(1)", |c| c.store([1; 3]))
        .op("swap(2)", |c| c.swap([2; 3]))
        .op("load()", |c| c.load())
        .test();
}

#[test]
fn spin_mutex() {
    Component::new("spin::Mutex", || (spin::Mutex::<()>::new(()), Plain::default()))
        .op("add()", |(m, n)| { let _guard = m.lock(); n.add(1) })
        .test();
}

#[test]
fn spin_ticket_mutex() {
    Component::new("spin::TicketMutex", || (spin::mutex::TicketMutex::<()>::new(()), Plain::default()))
        .op("add()", |(m, n)| { let _guard = m.lock(); n.add(1) })
        .test();
}

#[test]
fn spin_rwlock() {
    Component::new("spin::RwLock", || (spin::RwLock::<()>::new(()), Plain::default()))
        .op("add()", |(l, n)| { let _guard = l.write(); n.add(1) })
        .op("get()", |(l, n)| { let _guard = l.read(); n.get() })
        .test();
}

#[test]
fn spin_once() {
    Component::new("spin::Once", spin::Once::<Box<i64>>::new)
        .op("init()", |o| **o.call_once(|| Box::new(7)))
        .op("get()", |o| o.get().map(|v| **v))
        .test();
}
