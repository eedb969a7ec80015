//! Locks, cells, once-cells, semaphores and wakers of released crates. Each function is one row of the survey.

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Release};

use omnilink_harness::Component;
use survey::component;

component!(parking_lot_mutex, "parking_lot Mutex", parking_lot::Mutex::new(0);
    "add()" => |m| { let mut n = m.lock(); *n += 1; *n }, "try_add()" => |m| m.try_lock().map(|mut n| { *n += 1; *n }); may_fail "try_add()");
component!(parking_lot_rwlock, "parking_lot RwLock", parking_lot::RwLock::new(0);
    "add()" => |l| { let mut n = l.write(); *n += 1; *n }, "read()" => |l| *l.read(),
    "upgrade()" => |l| { let read = l.upgradable_read(); let mut n = parking_lot::RwLockUpgradableReadGuard::upgrade(read); *n += 10; *n });
component!(parking_lot_once, "parking_lot Once", (parking_lot::Once::new(), std::sync::atomic::AtomicI64::new(0));
    "call_once()" => |c| { c.0.call_once(|| { c.1.fetch_add(1, AcqRel); }); c.1.load(std::sync::atomic::Ordering::Acquire) }, "state()" => |c| format!("{:?}", c.0.state() == parking_lot::OnceState::Done));
component!(parking_lot_condvar, "parking_lot Condvar", (parking_lot::Mutex::new(0), parking_lot::Condvar::new());
    "up()" => |c| { *c.0.lock() += 1; c.1.notify_one(); }, "down()" => |c| { let mut n = c.0.lock(); while *n == 0 { c.1.wait(&mut n); } *n -= 1; });
component!(spin_mutex, "spin Mutex", spin::Mutex::new(0);
    "add()" => |m| { let mut n = m.lock(); *n += 1; *n }, "try_add()" => |m| m.try_lock().map(|mut n| { *n += 1; *n }); may_fail "try_add()");
component!(spin_ticket, "spin TicketMutex", spin::mutex::TicketMutex::<i64>::new(0);
    "add()" => |m| { let mut n = m.lock(); *n += 1; *n }, "try_add()" => |m| m.try_lock().map(|mut n| { *n += 1; *n }); may_fail "try_add()");
component!(spin_rwlock, "spin RwLock", spin::RwLock::new(0);
    "add()" => |l| { let mut n = l.write(); *n += 1; *n }, "read()" => |l| *l.read(),
    "upgrade()" => |l| { let read = l.upgradeable_read(); let mut n = read.upgrade(); *n += 10; *n });
component!(spin_once, "spin Once", spin::Once::<i64>::new();
    "call_once(1)" => |o| *o.call_once(|| 1), "call_once(2)" => |o| *o.call_once(|| 2), "get()" => |o| o.get().copied());
component!(spin_once_failing, "spin Once::try_call_once", spin::Once::<i64>::new();
    "try(1)" => |o| o.try_call_once(|| Ok::<i64, ()>(1)).copied(), "fail()" => |o| o.try_call_once(|| Err::<i64, ()>(())).copied(), "get()" => |o| o.get().copied());
component!(spinning_top_mutex, "spinning_top Spinlock", spinning_top::Spinlock::<i64>::new(0);
    "add()" => |m| { let mut n = m.lock(); *n += 1; *n }, "read()" => |m| *m.lock());
component!(spinning_top_rwlock, "spinning_top RwSpinlock", spinning_top::RwSpinlock::<i64>::new(0);
    "add()" => |l| { let mut n = l.write(); *n += 1; *n }, "read()" => |l| *l.read());
component!(usync_mutex, "usync Mutex", usync::Mutex::new(0);
    "add()" => |m| { let mut n = m.lock(); *n += 1; *n }, "try_add()" => |m| m.try_lock().map(|mut n| { *n += 1; *n }); may_fail "try_add()");
component!(usync_rwlock, "usync RwLock", usync::RwLock::new(0);
    "add()" => |l| { let mut n = l.write(); *n += 1; *n }, "read()" => |l| *l.read());
component!(std_mutex, "std Mutex", std::sync::Mutex::new(0);
    "add()" => |m| { let mut n = m.lock().unwrap(); *n += 1; *n }, "try_add()" => |m| m.try_lock().ok().map(|mut n| { *n += 1; *n }); may_fail "try_add()");
component!(std_rwlock, "std RwLock", std::sync::RwLock::new(0);
    "add()" => |l| { let mut n = l.write().unwrap(); *n += 1; *n }, "read()" => |l| *l.read().unwrap());
component!(std_once_lock, "std OnceLock", std::sync::OnceLock::<i64>::new();
    "set(1)" => |o| o.set(1), "get_or_init(2)" => |o| *o.get_or_init(|| 2), "get()" => |o| o.get().copied());
component!(once_cell_sync, "once_cell sync::OnceCell", once_cell::sync::OnceCell::<i64>::new();
    "set(1)" => |o| o.set(1), "get_or_init(2)" => |o| *o.get_or_init(|| 2), "get()" => |o| o.get().copied());
component!(once_cell_race, "once_cell race::OnceBox", once_cell::race::OnceBox::<i64>::new();
    "set(1)" => |o| o.set(Box::new(1)).is_ok(), "get_or_init(2)" => |o| *o.get_or_init(|| Box::new(2)), "get()" => |o| o.get().copied());
component!(conquer_once_cell, "conquer-once OnceCell", conquer_once::OnceCell::<i64>::uninit();
    "init(1)" => |o| o.init_once(|| 1), "get_or_init(2)" => |o| *o.get_or_init(|| 2), "get()" => |o| o.get().copied());
component!(async_lock_mutex, "async-lock Mutex", async_lock::Mutex::new(0);
    "add()" => |m| { let mut n = m.lock_blocking(); *n += 1; *n }, "try_add()" => |m| m.try_lock().map(|mut n| { *n += 1; *n }); may_fail "try_add()");
component!(async_lock_rwlock, "async-lock RwLock", async_lock::RwLock::new(0);
    "try_add()" => |l| l.try_write().map(|mut n| { *n += 1; *n }), "try_read()" => |l| l.try_read().map(|n| *n); may_fail "try_add()", "try_read()");
component!(async_lock_semaphore, "async-lock Semaphore(1)", async_lock::Semaphore::new(1);
    "acquire()" => |s| s.try_acquire().map(|guard| guard.forget()).is_some(), "add(1)" => |s| s.add_permits(1));
component!(async_lock_once, "async-lock OnceCell", async_lock::OnceCell::<i64>::new();
    "set(1)" => |o| o.set_blocking(1).is_ok(), "set(2)" => |o| o.set_blocking(2).is_ok(), "get()" => |o| o.get().copied());
component!(tokio_semaphore, "tokio Semaphore(1)", tokio::sync::Semaphore::new(1);
    "acquire()" => |s| s.try_acquire().map(|permit| permit.forget()).is_ok(), "add(1)" => |s| s.add_permits(1), "close()" => |s| s.close(), "available()" => |s| s.available_permits());
component!(tokio_mutex, "tokio Mutex", tokio::sync::Mutex::new(0);
    "try_add()" => |m| m.try_lock().ok().map(|mut n| { *n += 1; *n }), "add()" => |m| { let mut n = m.blocking_lock(); *n += 1; *n }; may_fail "try_add()");
component!(tokio_once, "tokio OnceCell", tokio::sync::OnceCell::<i64>::new();
    "set(1)" => |o| o.set(1).is_ok(), "set(2)" => |o| o.set(2).is_ok(), "get()" => |o| o.get().copied());
component!(arc_swap_option, "arc-swap ArcSwapOption", arc_swap::ArcSwapOption::<i64>::empty();
    "store(1)" => |c| c.store(Some(Arc::new(1))), "swap(2)" => |c| c.swap(Some(Arc::new(2))), "load()" => |c| c.load_full());
component!(arc_swap_rcu, "arc-swap rcu", arc_swap::ArcSwap::<i64>::from_pointee(0);
    "rcu(+1)" => |c| *c.rcu(|n| **n + 1), "load()" => |c| **c.load());
component!(rcu_cell_cell, "rcu_cell RcuCell", rcu_cell::RcuCell::<i64>::new(0);
    "write(1)" => |c| c.write(1), "take()" => |c| c.take(), "read()" => |c| c.read());
component!(arcshift_cell, "arcshift ArcShift", std::sync::Mutex::new(arcshift::ArcShift::<i64>::new(0));
    "update(1)" => |c| { let mut own = c.lock().unwrap().clone(); own.update(1); }, "get()" => |c| { let mut own = c.lock().unwrap().clone(); *own.get() });
component!(atomicbox_option, "atomicbox AtomicOptionBox", atomicbox::AtomicOptionBox::<i64>::none();
    "store(1)" => |c| c.store(Some(Box::new(1)), Release), "swap(2)" => |c| c.swap(Some(Box::new(2)), AcqRel), "take()" => |c| c.take(AcqRel));
component!(atomic_take, "atomic-take AtomicTake", atomic_take::AtomicTake::<i64>::new(1);
    "take()" => |c| c.take(), "is_taken()" => |c| c.is_taken());
component!(atomic_refcell_cell, "atomic_refcell AtomicRefCell", atomic_refcell::AtomicRefCell::new(0);
    "add()" => |c| c.try_borrow_mut().ok().map(|mut n| { *n += 1; *n }), "read()" => |c| c.try_borrow().ok().map(|n| *n); may_fail "add()", "read()");
component!(try_lock_lock, "try-lock TryLock", try_lock::TryLock::new(0);
    "add()" => |c| c.try_lock().map(|mut n| { *n += 1; *n }), "read()" => |c| c.try_lock().map(|n| *n); may_fail "add()", "read()");
component!(seqlock_cell, "seqlock SeqLock", seqlock::SeqLock::<(i64, i64)>::new((0, 0));
    "write(1)" => |l| *l.lock_write() = (1, 1), "write(2)" => |l| *l.lock_write() = (2, 2), "read()" => |l| l.read());
component!(atomic_cell, "crossbeam-utils AtomicCell<(u64, u64)>", crossbeam_utils::atomic::AtomicCell::<(u64, u64)>::new((0, 0));
    "store(1)" => |c| c.store((1, 1)), "swap(2)" => |c| c.swap((2, 2)), "load()" => |c| c.load());
component!(sharded_lock, "crossbeam-utils ShardedLock", crossbeam_utils::sync::ShardedLock::new(0);
    "add()" => |l| { let mut n = l.write().unwrap(); *n += 1; *n }, "read()" => |l| *l.read().unwrap());
component!(parking_parker, "parking Parker", { let (parker, unparker) = parking::pair(); (std::sync::Mutex::new(parker), unparker) };
    "park()" => |p| p.0.lock().unwrap().park(), "unpark()" => |p| p.1.unpark());
component!(event_listener_event, "event-listener Event", (event_listener::Event::new(), std::sync::atomic::AtomicBool::new(false));
    "set()" => |e| { e.1.store(true, Release); e.0.notify(usize::MAX) }, "wait()" => |e| { use event_listener::Listener; loop { if e.1.load(std::sync::atomic::Ordering::Acquire) { break; } let listener = e.0.listen(); if e.1.load(std::sync::atomic::Ordering::SeqCst) { break; } listener.wait(); } });
component!(thread_local_cell, "thread_local ThreadLocal", thread_local::ThreadLocal::<std::cell::Cell<i64>>::new();
    "add()" => |t| { let cell = t.get_or_default(); cell.set(cell.get() + 1); cell.get() }, "get()" => |t| t.get().map(|cell| cell.get()));
component!(haphazard_atomic, "haphazard AtomicPtr", haphazard::AtomicPtr::<i64>::from(Box::new(0));
    "store(1)" => |p| { if let Some(old) = p.swap(Box::new(1)) { unsafe { old.retire(); } } },
    "load()" => |p| { let mut guard = haphazard::HazardPointer::new(); p.safe_load(&mut guard).copied() });

/// A waker that wakes a thread.
struct Unpark(std::thread::Thread);

impl std::task::Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[test]
fn atomic_waker() {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    Component::new("atomic-waker AtomicWaker", || (atomic_waker::AtomicWaker::new(), AtomicBool::new(false)))
        .op("set()", |(waker, flag)| {
            flag.store(true, SeqCst);
            waker.wake();
        })
        .op("wait()", |(waker, flag)| {
            let unpark = Arc::new(Unpark(std::thread::current())).into();
            while !flag.load(SeqCst) {
                waker.register(&unpark);
                if flag.load(SeqCst) {
                    break;
                }
                std::thread::park();
            }
        })
        .role("waiter", ["wait()"])
        .test();
}
