//! Mistakes of the textbook with the waiting types of Rust's standard library, each next to how it is done right. The file
//! name of the program says which one it offers.

#[path = "../../../harness/src/component.rs"]
#[allow(dead_code, reason = "a component is the whole of a program here, never of a test")]
mod component;
#[path = "../../../sched/src/harness.rs"]
#[allow(dead_code, reason = "the file also offers a clock, which no component here looks at")]
mod serve;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering::SeqCst};
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

/// Items of a queue that its maker says to be closed.
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
        // The lock is given up between looking and writing.
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
        // What the closure does is seen before the lock says that it is full.
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
        _ => ExitCode::from(2),
    }
}
