//! Components of the paper as real code, in one program: the name of its file selects the component.
//!
//! Compiled by the test, instrumented and without cargo, so the files of the crate `omnilink-harness` are taken in as
//! modules.

#[path = "../../../harness/src/component.rs"]
#[allow(dead_code, reason = "a component is the whole of a program here, never of a test")]
mod component;
#[path = "../../../harness/src/explore.rs"]
#[allow(dead_code, reason = "only tests that cargo runs explore themselves")]
mod explore;
#[path = "../../../harness/src/serve.rs"]
#[allow(dead_code, reason = "the file also offers a clock, which no component here looks at")]
mod serve;

use std::collections::{HashSet, VecDeque};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, Ordering::SeqCst};
use std::sync::{Barrier, Condvar, Mutex};

use component::Component;

#[derive(Default)]
struct Blocking {
    elements: Mutex<VecDeque<i64>>,
    filled: Condvar,
}

impl Blocking {
    fn push(&self, is_frugal: bool) {
        let mut elements = self.elements.lock().unwrap();
        let was_empty = elements.is_empty();
        elements.push_back(1);
        if was_empty || !is_frugal {
            self.filled.notify_one();
        }
    }

    fn pop(&self) -> i64 {
        let mut elements = self.elements.lock().unwrap();
        loop {
            match elements.pop_front() {
                Some(element) => return element,
                None => elements = self.filled.wait(elements).unwrap(),
            }
        }
    }
}

/// Numbers for objects, none of them twice in a process.
static NUMBERS: AtomicI64 = AtomicI64::new(0);

/// A page that is freed while another thread may still read it.
#[derive(Default)]
struct Shared {
    page: AtomicPtr<[i64; 8]>,
    readers: AtomicI64,
}

impl Shared {
    fn peek(&self) -> Option<i64> {
        let page = self.page.load(SeqCst);
        self.readers.fetch_add(1, SeqCst);
        // SAFETY: none: that is the bug.
        (!page.is_null()).then(|| unsafe { page.cast::<i64>().add(5).read_volatile() })
    }

    fn release(&self, page: *mut [i64; 8]) {
        if !page.is_null() {
            // SAFETY: the thread that swapped it out owns it.
            drop(unsafe { Box::from_raw(page) });
        }
    }
}

fn main() -> ExitCode {
    let program = std::env::current_exe().expect("a path");
    match program.file_name().and_then(|name| name.to_str()).unwrap_or_default() {
        "queue" => Component::new("queue", || Mutex::new(VecDeque::new()))
            .op("push(1)", |queue| queue.lock().unwrap().push_back(1))
            .op("push(2)", |queue| queue.lock().unwrap().push_back(2))
            .op("pop()", |queue| queue.lock().unwrap().pop_front())
            .main(),
        "counter" => Component::new("counter", || AtomicI64::new(0))
            .op("inc()", |count| count.store(count.load(SeqCst) + 1, SeqCst))
            .op("get()", |count| count.load(SeqCst))
            .main(),
        "holding" => Component::new("holding", || Mutex::new(0))
            .op("inc()", |count| *count.lock().unwrap() += 1)
            .op("get()", |count| {
                let guard = count.lock().unwrap();
                let value = *guard;
                std::mem::forget(guard);
                value
            })
            .main(),
        "impatient" => Component::new("impatient", || Mutex::new(Vec::new()))
            .op("add(1)", |bag| bag.lock().unwrap().push(1))
            .op("try_take()", |bag| bag.try_lock().ok().and_then(|mut bag| bag.pop()))
            .main(),
        "bag" => Component::new("bag", || Mutex::new(HashSet::new()))
            .op("add(1)", |bag| bag.lock().unwrap().insert(1))
            .op("add(2)", |bag| bag.lock().unwrap().insert(2))
            .op("take()", |bag| {
                let mut bag = bag.lock().unwrap();
                let taken = bag.iter().next().copied()?;
                bag.take(&taken)
            })
            .main(),
        "lazy" => Component::new("lazy", || (AtomicI64::new(0), AtomicI64::new(0)))
            .op("get()", |(drawn, draws)| {
                if drawn.load(SeqCst) == 0 {
                    (0..1_000).for_each(|step| drop(std::hint::black_box(step)));
                    drawn.store(1 + draws.fetch_add(1, SeqCst), SeqCst);
                }
                drawn.load(SeqCst)
            })
            .main(),
        "lost" => Component::new("lost", Blocking::default)
            .op("push(1)", |queue| queue.push(true))
            .op("pop()", |queue| queue.pop())
            .main(),
        "blocking" => Component::new("blocking", Blocking::default)
            .op("push(1)", |queue| queue.push(false))
            .op("pop()", |queue| queue.pop())
            .main(),
        "barrier" => Component::new("barrier", || Barrier::new(2))
            .op("wait()", |barrier| drop(barrier.wait()))
            .main(),
        "crash" => Component::new("crash", || AtomicBool::new(true))
            .op("take()", |is_full| {
                let was_full = is_full.load(SeqCst);
                if was_full && !is_full.swap(false, SeqCst) {
                    std::process::abort();
                }
                was_full
            })
            .main(),
        "freed" => Component::new("freed", || Shared::default())
            .op("put()", |shared| {
                let before = shared.page.swap(Box::into_raw(Box::new([7; 8])), SeqCst);
                shared.release(before);
            })
            .op("take()", |shared| shared.release(shared.page.swap(std::ptr::null_mut(), SeqCst)))
            .op("peek()", |shared| shared.peek())
            .main(),
        "numbered" => Component::new("numbered", || NUMBERS.fetch_add(1, SeqCst))
            .op("number()", |number| *number)
            .main(),
        "panic" => Component::new("panic", || AtomicBool::new(true))
            .op("take()", |is_full| {
                let was_full = is_full.load(SeqCst);
                assert!(!was_full || is_full.swap(false, SeqCst), "taken twice");
                was_full
            })
            .main(),
        _ => ExitCode::from(2),
    }
}
