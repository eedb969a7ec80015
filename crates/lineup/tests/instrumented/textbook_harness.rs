//! Mistakes of the textbook with the waiting types of Rust's standard library, each next to how it is done right. The file
//! name of the program selects the component.

#[path = "../../../harness/src/component.rs"]
#[allow(dead_code, reason = "a component is the whole of a program here, never of a test")]
mod component;
#[path = "../../../harness/src/explore.rs"]
#[allow(dead_code, reason = "only tests that cargo runs explore themselves")]
mod explore;
#[path = "../../../harness/src/serve.rs"]
#[allow(dead_code, reason = "the file also offers a clock, which no component here looks at")]
mod serve;

use std::cell::UnsafeCell;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, fence};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use std::thread::{self, Thread};

use component::Component;

/// A semaphore whose count is not protected by the mutex.
#[derive(Default)]
struct Semaphore {
    count: AtomicU32,
    lock: Mutex<()>,
    more: Condvar,
}

impl Semaphore {
    fn up(&self, is_careful: bool) {
        let held = is_careful.then(|| self.lock.lock().unwrap());
        self.count.fetch_add(1, SeqCst);
        self.more.notify_one();
        drop(held);
    }

    fn down(&self) {
        let mut held = self.lock.lock().unwrap();
        loop {
            let seen = self.count.load(SeqCst);
            if seen == 0 {
                held = self.more.wait(held).unwrap();
            } else if self.count.compare_exchange(seen, seen - 1, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }
}

#[derive(Default)]
struct Parking {
    is_ready: AtomicBool,
    waiter: Mutex<Option<Thread>>,
}

impl Parking {
    fn wait(&self) {
        *self.waiter.lock().unwrap() = Some(thread::current());
        while !self.is_ready.load(SeqCst) {
            thread::park();
        }
    }

    fn signal(&self, is_early: bool) {
        let unpark = || self.waiter.lock().unwrap().as_ref().map(Thread::unpark);
        if is_early {
            unpark();
            self.is_ready.store(true, SeqCst);
        } else {
            self.is_ready.store(true, SeqCst);
            unpark();
        }
    }
}

#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn pass(&self) {
        let is_open = self.is_open.lock().unwrap();
        drop(self.opened.wait_while(is_open, |is_open| !*is_open).unwrap());
    }

    fn open(&self, notify: fn(&Condvar)) {
        *self.is_open.lock().unwrap() = true;
        notify(&self.opened);
    }
}

#[derive(Default)]
struct Lazy {
    is_made: AtomicBool,
    lock: Mutex<()>,
    value: AtomicI64,
    draws: AtomicI64,
}

impl Lazy {
    fn get(&self, looks_again: bool) -> i64 {
        if !self.is_made.load(SeqCst) {
            let _held = self.lock.lock().unwrap();
            if !looks_again || !self.is_made.load(SeqCst) {
                self.value.store(1 + self.draws.fetch_add(1, SeqCst), SeqCst);
                self.is_made.store(true, SeqCst);
            }
        }
        self.value.load(SeqCst)
    }
}

/// A queue with a closed flag.
struct Closing {
    sender: Mutex<Option<Sender<u32>>>,
    receiver: Mutex<Receiver<u32>>,
    is_closed: AtomicBool,
}

impl Closing {
    fn new() -> Self {
        let (sender, receiver) = channel();
        Self {
            sender: Mutex::new(Some(sender)),
            receiver: Mutex::new(receiver),
            is_closed: AtomicBool::new(false),
        }
    }

    fn finish(&self, is_hasty: bool) {
        let send = || self.sender.lock().unwrap().as_ref().map(|sender| sender.send(9).is_ok());
        if is_hasty {
            self.is_closed.store(true, SeqCst);
            send();
        } else {
            send();
            self.is_closed.store(true, SeqCst);
        }
    }

    fn poll(&self) -> &'static str {
        let was_closed = self.is_closed.load(SeqCst);
        match self.receiver.lock().unwrap().try_recv() {
            Ok(_) => "item",
            Err(TryRecvError::Empty) if was_closed => "over",
            Err(_) => "not yet",
        }
    }
}

/// A value that is made once, and whether that is over.
#[derive(Default)]
struct Made {
    made: AtomicI64,
    once: OnceLock<i64>,
}

fn main() -> ExitCode {
    let program = std::env::current_exe().expect("a path");
    match program.file_name().and_then(|name| name.to_str()).unwrap_or_default() {
        "semaphore_wrong" => Component::new("semaphore", Semaphore::default)
            .op("up()", |semaphore| semaphore.up(false))
            .op("down()", Semaphore::down)
            .main(),
        "semaphore_right" => Component::new("semaphore", Semaphore::default)
            .op("up()", |semaphore| semaphore.up(true))
            .op("down()", Semaphore::down)
            .main(),
        "park_wrong" => Component::new("parking", Parking::default)
            .op("signal()", |parking| parking.signal(true))
            .op("wait()", Parking::wait)
            .main(),
        "park_right" => Component::new("parking", Parking::default)
            .op("signal()", |parking| parking.signal(false))
            .op("wait()", Parking::wait)
            .main(),
        // The token of an earlier `unpark` ends a `park` that is not in a loop.
        "token_wrong" => Component::new("token", Parking::default)
            .op("hint()", |parking| drop(parking.waiter.lock().unwrap().as_ref().map(Thread::unpark)))
            .op("signal()", |parking| parking.signal(false))
            .op("wait()", |parking| {
                *parking.waiter.lock().unwrap() = Some(thread::current());
                if !parking.is_ready.load(SeqCst) {
                    thread::park();
                }
                parking.is_ready.load(SeqCst)
            })
            .main(),
        "gate_wrong" => Component::new("gate", Gate::default)
            .op("open()", |gate| gate.open(Condvar::notify_one))
            .op("pass()", Gate::pass)
            .main(),
        "gate_right" => Component::new("gate", Gate::default)
            .op("open()", |gate| gate.open(Condvar::notify_all))
            .op("pass()", Gate::pass)
            .main(),
        "lazy_wrong" => Component::new("lazy", Lazy::default).op("get()", |lazy| lazy.get(false)).main(),
        "lazy_right" => Component::new("lazy", Lazy::default).op("get()", |lazy| lazy.get(true)).main(),
        "locks_wrong" => Component::new("two locks", || (RwLock::new(1), RwLock::new(2)))
            .op("there()", |(a, b)| {
                let seen = a.read().unwrap();
                *b.write().unwrap() += *seen;
            })
            .op("back()", |(a, b)| {
                let seen = b.read().unwrap();
                *a.write().unwrap() += *seen;
            })
            .main(),
        // The lock is released between the check and the write.
        "upgrade_wrong" => Component::new("upgrade", || RwLock::new(0))
            .op("inc()", |lock| {
                let seen = *lock.read().unwrap();
                *lock.write().unwrap() = seen + 1;
                seen
            })
            .main(),
        "upgrade_right" => Component::new("upgrade", || RwLock::new(0))
            .op("inc()", |lock| {
                let mut held = lock.write().unwrap();
                *held += 1;
                *held
            })
            .main(),
        "closing_wrong" => Component::new("closing", Closing::new)
            .op("finish()", |closing| closing.finish(true))
            .op("poll()", Closing::poll)
            .main(),
        "closing_right" => Component::new("closing", Closing::new)
            .op("finish()", |closing| closing.finish(false))
            .op("poll()", Closing::poll)
            .main(),
        // The effect of the closure is visible before the lock is marked as initialised.
        "once_wrong" => Component::new("once", Made::default)
            .op("make()", |made| *made.once.get_or_init(|| made.made.fetch_add(1, SeqCst)))
            .op("look()", |made| (made.made.load(SeqCst), made.once.get().is_some()))
            .main(),
        "once_right" => Component::new("once", Made::default)
            .op("make()", |made| *made.once.get_or_init(|| made.made.fetch_add(1, SeqCst)))
            .op("look()", |made| made.once.get().copied())
            .main(),
        "poison" => Component::new("poison", || (Once::new(), AtomicI64::new(0)))
            .op("make()", |(once, tries)| {
                once.call_once_force(|_| assert!(tries.fetch_add(1, SeqCst) > 0, "the first try fails"));
            })
            .op("is_made()", |(once, _)| once.is_completed())
            .main(),
        "lazy_lock" => Component::new("lazy lock", || LazyLock::<i64>::new(|| 7))
            .op("get()", |lazy| **lazy)
            .main(),
        "scoped_wrong" => Component::new("scoped", || AtomicI64::new(0))
            .op("twice()", |count| {
                thread::scope(|scope| {
                    for _ in 0..2 {
                        scope.spawn(|| count.store(count.load(SeqCst) + 1, SeqCst));
                    }
                });
                count.load(SeqCst)
            })
            .main(),
        "scoped_right" => Component::new("scoped", || AtomicI64::new(0))
            .op("twice()", |count| {
                let barrier = Barrier::new(2);
                thread::scope(|scope| {
                    for _ in 0..2 {
                        scope.spawn(|| {
                            count.fetch_add(1, SeqCst);
                            barrier.wait();
                        });
                    }
                });
                count.load(SeqCst)
            })
            .main(),
        "publish_relaxed" => publishing(Relaxed, Relaxed),
        "publish_half" => publishing(Release, Relaxed),
        "publish_other_half" => publishing(Relaxed, Acquire),
        "publish_right" => publishing(Release, Acquire),
        "publish_fences" => Component::new("fences", Published::default)
            .op("publish()", |cell| {
                cell.write(42);
                fence(Release);
                cell.is_there.store(true, Relaxed);
            })
            .op("read()", |cell| {
                cell.is_there.load(Relaxed).then(|| {
                    fence(Acquire);
                    cell.read()
                })
            })
            .main(),
        "publish_one_fence" => Component::new("one fence", Published::default)
            .op("publish()", |cell| {
                cell.write(42);
                cell.is_there.store(true, Relaxed);
                fence(Release);
            })
            .op("read()", |cell| {
                cell.is_there.load(Relaxed).then(|| {
                    fence(Acquire);
                    cell.read()
                })
            })
            .main(),
        "permits_wrong" => permits(false),
        "permits_right" => permits(true),
        "ring_wrong" => ring(false),
        "ring_right" => ring(true),
        "spin_wrong" => spinning(Relaxed),
        "spin_right" => spinning(Release),
        // The data is plain; the synchronisation is that of the library.
        "handed_by_park" => Component::new("parked", || (Published::default(), Parking::default()))
            .op("give()", |(cell, parking)| {
                cell.write(1);
                parking.signal(false);
            })
            .op("take()", |(cell, parking)| {
                parking.wait();
                cell.read()
            })
            .main(),
        "handed_by_condvar" => Component::new("noticed", || (Published::default(), Gate::default()))
            .op("give()", |(cell, gate)| {
                cell.write(1);
                gate.open(Condvar::notify_all);
            })
            .op("take()", |(cell, gate)| {
                gate.pass();
                cell.read()
            })
            .main(),
        "handed_by_mpsc" => Component::new("sent", || {
            let (sender, receiver) = channel::<Box<i64>>();
            (Mutex::new(sender), Mutex::new(receiver))
        })
        .op("give()", |(sender, _)| sender.lock().unwrap().send(Box::new(1)).is_ok())
        .op("take()", |(_, receiver)| receiver.lock().unwrap().recv().map(|value| *value))
        .main(),
        "handed_by_threads" => Component::new("scoped", || ())
            .op("sum()", |()| {
                let (cells, barrier) = ([const { Published::new() }; 2], Barrier::new(2));
                thread::scope(|scope| {
                    for index in 0..2 {
                        let (cells, barrier) = (&cells, &barrier);
                        scope.spawn(move || {
                            cells[index].write(1);
                            barrier.wait();
                            cells[1 - index].read()
                        });
                    }
                });
                cells[0].read() + cells[1].read()
            })
            .main(),
        "handed_by_arc" => Component::new("counted", || Mutex::new(Some(Arc::new(Published::default()))))
            .op("use()", |shared| {
                let cell = shared.lock().unwrap().clone();
                cell.map(|cell| cell.read())
            })
            .op("drop()", |shared| drop(shared.lock().unwrap().take()))
            .main(),
        "overflow" => Component::new("overflow", || AtomicI64::new(3))
            .op("look()", |length| {
                let values = vec![7_u8; 3];
                // SAFETY: none: that is the bug.
                unsafe { values.as_ptr().add(length.load(SeqCst) as usize).read() }
            })
            .main(),
        "double_free" => Component::new("double free", || AtomicPtr::new(Box::into_raw(Box::new(1))))
            .op("free()", |pointer| {
                let block = pointer.load(SeqCst);
                if !block.is_null() {
                    pointer.store(std::ptr::null_mut(), SeqCst);
                    // SAFETY: none: that is the bug.
                    drop(unsafe { Box::from_raw(block) });
                }
            })
            .main(),
        _ => ExitCode::from(2),
    }
}

/// A value that is not atomic, and whether it is there.
#[derive(Default)]
struct Published {
    value: UnsafeCell<i64>,
    is_there: AtomicBool,
}

// SAFETY: whether it is safe is what is checked.
unsafe impl Sync for Published {}

impl Published {
    const fn new() -> Self {
        Self {
            value: UnsafeCell::new(0),
            is_there: AtomicBool::new(false),
        }
    }

    fn write(&self, value: i64) {
        // SAFETY: see above.
        unsafe { *self.value.get() = value };
    }

    fn read(&self) -> i64 {
        // SAFETY: see above.
        unsafe { *self.value.get() }
    }
}

fn publishing(store: Ordering, load: Ordering) -> ExitCode {
    Component::new("published", Published::default)
        .op("publish()", move |cell| {
            cell.write(42);
            cell.is_there.store(true, store);
        })
        .op("read()", move |cell| cell.is_there.load(load).then(|| cell.read()))
        .main()
}

fn spinning(unlock: Ordering) -> ExitCode {
    Component::new("spin lock", Published::default)
        .op("inc()", move |lock| {
            while lock.is_there.compare_exchange(false, true, Acquire, Relaxed).is_err() {
                std::hint::spin_loop();
            }
            let value = lock.read() + 1;
            lock.write(value);
            lock.is_there.store(false, unlock);
            value
        })
        .main()
}

/// Permits that are counted without a lock.
fn permits(compares: bool) -> ExitCode {
    Component::new("permits", || AtomicI64::new(1))
        .op("take()", move |left| {
            let mut now = left.load(Acquire);
            while now > 0 {
                if !compares {
                    left.store(now - 1, Release);
                    return true;
                }
                match left.compare_exchange(now, now - 1, SeqCst, SeqCst) {
                    Ok(_) => return true,
                    Err(other) => now = other,
                }
            }
            false
        })
        .op("give()", |left| drop(left.fetch_add(1, Release)))
        .main()
}

/// Lamport's ring of one producer and one consumer. The mistake: an element is announced before it is there.
fn ring(writes_first: bool) -> ExitCode {
    Component::new("ring", || ([Published::new(), Published::new()], AtomicU32::new(0), AtomicU32::new(0)))
        .op("push(1)", move |(cells, head, tail)| {
            let at = tail.load(Relaxed);
            if at - head.load(Acquire) == 2 {
                return false;
            }
            if writes_first {
                cells[at as usize % 2].write(1);
            }
            tail.store(at + 1, Release);
            if !writes_first {
                cells[at as usize % 2].write(1);
            }
            true
        })
        .op("pop()", |(cells, head, tail)| {
            let at = head.load(Relaxed);
            (at != tail.load(Acquire)).then(|| {
                let value = cells[at as usize % 2].read();
                head.store(at + 1, Release);
                value
            })
        })
        .role("producer", ["push(1)"])
        .role("consumer", ["pop()"])
        .main()
}
