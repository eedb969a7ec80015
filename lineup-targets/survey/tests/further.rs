//! More released crates: reference counts, interners, caches, epochs, notifications. Each function is one row of the survey.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use survey::component;

component!(crossbeam_epoch_atomic, "crossbeam-epoch Atomic", crossbeam_epoch::Atomic::<i64>::new(0);
    "swap(1)" => |a| { let guard = crossbeam_epoch::pin(); let old = a.swap(crossbeam_epoch::Owned::new(1), AcqRel, &guard); let n = unsafe { *old.deref() }; unsafe { guard.defer_destroy(old); } n },
    "load()" => |a| { let guard = crossbeam_epoch::pin(); let now = a.load(Acquire, &guard); unsafe { *now.deref() } });
component!(crossbeam_wait_group, "crossbeam-utils WaitGroup", Mutex::new(Some(crossbeam_utils::sync::WaitGroup::new()));
    "done()" => |g| g.lock().unwrap().take().is_some(), "clone and drop()" => |g| { let one = g.lock().unwrap().clone(); drop(one); });
component!(parking_lot_reentrant, "parking_lot ReentrantMutex", parking_lot::ReentrantMutex::new(std::cell::Cell::new(0));
    "add()" => |m| { let outer = m.lock(); let inner = m.lock(); inner.set(outer.get() + 1); inner.get() }, "try_get()" => |m| m.try_lock().map(|n| n.get()); may_fail "try_get()");
component!(parking_lot_fair, "parking_lot FairMutex", parking_lot::FairMutex::new(0);
    "add()" => |m| { let mut n = m.lock(); *n += 1; *n }, "bump()" => |m| { let mut n = m.lock(); *n += 10; parking_lot::FairMutexGuard::unlock_fair(n); });
component!(triomphe_arc, "triomphe Arc", Mutex::new(Some(triomphe::Arc::new(7)));
    "clone()" => |a| { let one = a.lock().unwrap().clone(); one.map(|one| *one) }, "unique()" => |a| { let one = a.lock().unwrap().clone(); one.map(|mut one| triomphe::Arc::get_mut(&mut one).is_some()) },
    "take()" => |a| { let one = a.lock().unwrap().take(); one.map(|one| triomphe::Arc::try_unwrap(one).is_ok()) });
component!(servo_arc_arc, "servo_arc Arc", servo_arc::Arc::new(7);
    "clone()" => |a| *a.clone(), "unique()" => |a| a.is_unique());
component!(bytes_bytes, "bytes Bytes", bytes::Bytes::from(vec![1_u8, 2, 3]);
    "clone()" => |b| b.clone().len(), "slice()" => |b| b.slice(1..).to_vec(), "try_into_mut()" => |b| b.clone().try_into_mut().is_ok());
component!(bytes_shared, "bytes BytesMut, frozen", Mutex::new(Some({ let mut b = bytes::BytesMut::with_capacity(8); b.extend_from_slice(b"abcd"); let tail = b.split_off(2); (b, tail.freeze()) }));
    "take()" => |b| b.lock().unwrap().take().map(|(mut head, tail)| { drop(tail); head.reserve(16); head.len() }), "len()" => |b| { let tail = b.lock().unwrap().as_ref().map(|(_, tail)| tail.clone()); tail.map(|tail| tail.len()) });
component!(futures_atomic_waker, "futures-util AtomicWaker", futures_util::task::AtomicWaker::new();
    "wake()" => |w| w.wake(), "take()" => |w| w.take().is_some(), "register()" => |w| w.register(futures_util::task::noop_waker_ref()));
component!(futures_mutex, "futures-util lock::Mutex", futures_util::lock::Mutex::new(0);
    "try_add()" => |m| m.try_lock().map(|mut n| { *n += 1; *n }), "try_get()" => |m| m.try_lock().map(|n| *n); may_fail "try_add()", "try_get()");
component!(tokio_notify, "tokio Notify", tokio::sync::Notify::new();
    "notify_one()" => |n| n.notify_one(), "poll()" => |n| { use std::future::Future; let mut wait = std::pin::pin!(n.notified()); wait.as_mut().poll(&mut std::task::Context::from_waker(futures_util::task::noop_waker_ref())).is_ready() });
component!(tokio_watch, "tokio watch", tokio::sync::watch::channel(0);
    "send(1)" => |c| c.0.send(1).is_ok(), "modify()" => |c| c.0.send_modify(|n| *n += 10), "get()" => |c| *c.1.borrow(), "replace(2)" => |c| c.0.send_replace(2));
component!(tokio_broadcast, "tokio broadcast(2)", { let (sender, receiver) = tokio::sync::broadcast::channel(2); (sender, Mutex::new(receiver)) };
    "send(1)" => |c| c.0.send(1).is_ok(), "recv()" => |c| c.1.lock().unwrap().try_recv().ok(), "len()" => |c| c.0.len());
component!(cancellation_token, "tokio-util CancellationToken", { let parent = tokio_util::sync::CancellationToken::new(); let child = parent.child_token(); (parent, child) };
    "cancel()" => |t| t.0.cancel(), "child()" => |t| t.1.is_cancelled(), "new child()" => |t| t.0.child_token().is_cancelled(), "cancel child()" => |t| t.1.cancel());
component!(atomic_generic, "atomic Atomic<u16>", atomic::Atomic::<u16>::new(0);
    "store(1)" => |a| a.store(1, Release), "swap(2)" => |a| a.swap(2, AcqRel), "load()" => |a| a.load(Acquire));
component!(portable_atomic_u128, "portable-atomic AtomicU128", portable_atomic::AtomicU128::new(0);
    "add(1)" => |a| a.fetch_add(1 << 64 | 1, SeqCst), "swap(2)" => |a| a.swap(2 << 64 | 2, SeqCst), "load()" => |a| a.load(SeqCst));
component!(left_right_reader, "left-right", { struct Set(i64); impl left_right::Absorb<Set> for i64 { fn absorb_first(&mut self, set: &mut Set, _: &Self) { *self = set.0; } fn sync_with(&mut self, first: &Self) { *self = *first; } } let (write, read) = left_right::new::<i64, Set>(); (Mutex::new((write, 0, |n: i64| Set(n))), read.factory()) };
    "publish()" => |c| { let mut all = c.0.lock().unwrap(); all.1 += 1; let op = (all.2)(all.1); all.0.append(op); all.0.publish(); }, "read()" => |c| c.1.handle().enter().map(|n| *n));
component!(moka_cache, "moka sync::Cache", moka::sync::Cache::<i64, i64>::new(8);
    "insert(1, 1)" => |c| c.insert(1, 1), "insert(1, 2)" => |c| c.insert(1, 2), "get(1)" => |c| c.get(&1), "remove(1)" => |c| c.remove(&1), "get_with(1)" => |c| c.get_with(1, || 3));
component!(mini_moka_cache, "mini-moka sync::Cache", mini_moka::sync::Cache::<i64, i64>::new(8);
    "insert(1, 1)" => |c| c.insert(1, 1), "get(1)" => |c| c.get(&1), "invalidate(1)" => |c| c.invalidate(&1));
component!(lasso_rodeo, "lasso ThreadedRodeo", lasso::ThreadedRodeo::<lasso::Spur>::new();
    "intern(a)" => |r| { use lasso::Key; r.get_or_intern("a").into_usize() }, "intern(b)" => |r| { use lasso::Key; r.get_or_intern("b").into_usize() }, "get(a)" => |r| { use lasso::Key; r.get("a").map(Key::into_usize) }, "len()" => |r| r.len());
component!(internment_arc, "internment ArcIntern", ();
    "intern(1)" => |_| *internment::ArcIntern::<i64>::new(1), "drop and intern(1)" => |_| { let one = internment::ArcIntern::<i64>::new(1); let two = one.clone(); drop(one); *two });
component!(string_cache_atom, "string_cache DefaultAtom", ();
    "atom(a)" => |_| string_cache::DefaultAtom::from("a string of some length").to_string(), "eq()" => |_| string_cache::DefaultAtom::from("a string of some length") == string_cache::DefaultAtom::from("a string of some length"));
component!(state_init_cell, "state InitCell", state::InitCell::<i64>::new();
    "set(1)" => |c| c.set(1), "get_or_init(2)" => |c| *c.get_or_init(|| 2), "try_get()" => |c| c.try_get().copied());
component!(prometheus_counter, "prometheus IntCounter", prometheus::IntCounter::new("c", "c").unwrap();
    "inc()" => |c| c.inc(), "get()" => |c| c.get(), "reset()" => |c| c.reset());
component!(prometheus_gauge, "prometheus Gauge", prometheus::Gauge::new("g", "g").unwrap();
    "add(1)" => |c| c.add(1.0), "get()" => |c| c.get() as i64, "set(5)" => |c| c.set(5.0));
component!(prometheus_histogram, "prometheus Histogram", prometheus::Histogram::with_opts(prometheus::HistogramOpts::new("h", "h")).unwrap();
    "observe(1)" => |h| h.observe(1.0), "count and sum()" => |h| (h.get_sample_count(), h.get_sample_sum() as i64));
component!(metrics_bucket, "metrics-util AtomicBucket", metrics_util::storage::AtomicBucket::<i64>::new();
    "push(1)" => |b| b.push(1), "data()" => |b| b.data().len(), "clear()" => |b| b.clear());
component!(want_pair, "want Giver and Taker", { let (giver, taker) = want::new(); (Mutex::new(giver), Mutex::new(taker)) };
    "want()" => |p| p.1.lock().unwrap().want(), "give()" => |p| p.0.lock().unwrap().give(), "is_wanting()" => |p| p.0.lock().unwrap().is_wanting(), "cancel()" => |p| p.1.lock().unwrap().cancel());
component!(async_once_cell_cell, "async-once-cell OnceCell", async_once_cell::OnceCell::<i64>::new();
    "init(1)" => |c| *futures_block(c.get_or_init(async { 1 })), "init(2)" => |c| *futures_block(c.get_or_init(async { 2 })), "get()" => |c| c.get().copied());
component!(deadqueue_limited, "deadqueue limited(1)", deadqueue::limited::Queue::<i64>::new(1);
    "push(1)" => |q| q.try_push(1).is_ok(), "pop()" => |q| q.try_pop(), "len()" => |q| q.len());
component!(concurrent_map_map, "concurrent-map ConcurrentMap", Mutex::new(concurrent_map::ConcurrentMap::<i64, i64>::default());
    "insert(1)" => |m| { let own = m.lock().unwrap().clone(); own.insert(1, 1) }, "remove(1)" => |m| { let own = m.lock().unwrap().clone(); own.remove(&1) }, "get(1)" => |m| { let own = m.lock().unwrap().clone(); own.get(&1) });
component!(lazy_static_value, "lazy_static", ();
    "get()" => |_| { lazy_static::lazy_static! { static ref ONE: i64 = 1; } *ONE });
component!(arc_weak, "std Arc and Weak", { let one = Arc::new(1); let weak = Arc::downgrade(&one); (Mutex::new(Some(one)), weak) };
    "drop()" => |a| a.0.lock().unwrap().take().is_some(), "upgrade()" => |a| a.1.upgrade().map(|one| *one), "count()" => |a| a.1.strong_count());
component!(arc_try_unwrap, "std Arc::into_inner", { let one = Arc::new(1); (Mutex::new(Some(one.clone())), Mutex::new(Some(one))) };
    "first()" => |a| a.0.lock().unwrap().take().and_then(Arc::into_inner), "second()" => |a| a.1.lock().unwrap().take().and_then(Arc::into_inner));
component!(std_mpsc_sync, "std sync_channel(1)", { let (sender, receiver) = std::sync::mpsc::sync_channel(1); (sender, Mutex::new(receiver)) };
    "send(1)" => |c| c.0.try_send(1).is_ok(), "recv()" => |c| c.1.lock().unwrap().try_recv().ok());
component!(relaxed_counter, "std AtomicI64, relaxed", std::sync::atomic::AtomicI64::new(0);
    "add()" => |c| c.fetch_add(1, Relaxed), "get()" => |c| c.load(Relaxed));

/// Polls a future that is ready soon, and yields in between.
fn futures_block<F: std::future::Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(futures_util::task::noop_waker_ref());
    loop {
        if let std::task::Poll::Ready(done) = future.as_mut().poll(&mut context) {
            return done;
        }
        std::thread::yield_now();
    }
}
