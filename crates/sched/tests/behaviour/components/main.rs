//! The components that the tests explore, as one harness: its argument is the name of one of them.
//!
//! They use the types of the standard library as any program does; only the tests of this crate compile them.

#[path = "../../../../harness/src/serve.rs"]
#[allow(
    dead_code,
    unused_doc_comments,
    reason = "the file also offers what no component here needs"
)]
mod harness;

use harness::ComponentInstance;
use std::cell::UnsafeCell;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};

/// A component made of a value and its calls.
struct Calls<T: 'static>(T, &'static [fn(&T) -> String]);

impl<T: Sync + 'static> ComponentInstance for Calls<T> {
    fn call(&self, _thread: u32, op: u32) -> String {
        self.1[op as usize](&self.0)
    }
}

struct Racy(UnsafeCell<i64>);
// SAFETY: it is not; the tests detect that.
unsafe impl Sync for Racy {}

type Queue = Mutex<VecDeque<i64>>;

fn text(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

struct Spin {
    taken: AtomicBool,
    value: Racy,
}

impl Spin {
    fn with<R>(&self, work: impl FnOnce(&mut i64) -> R) -> R {
        while self.taken.swap(true, SeqCst) {
            std::hint::spin_loop();
        }
        // SAFETY: the lock is held.
        let result = work(unsafe { &mut *self.value.0.get() });
        self.taken.store(false, SeqCst);
        result
    }
}

static STARTS: AtomicUsize = AtomicUsize::new(0);
static GREETED: std::sync::Once = std::sync::Once::new();
thread_local! {
    static LOCAL: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Fills a deep stack, and returns the sum of what was there before: 0 on a new one.
#[inline(never)]
fn deep(levels: u64) -> u64 {
    let mut frame = [std::mem::MaybeUninit::<u64>::uninit(); 32];
    // SAFETY: whatever is there is a number; the compiler does not know that it is nothing.
    let before = unsafe { std::hint::black_box(&raw mut frame).cast::<u64>().add(16).read_volatile() };
    std::hint::black_box(&mut frame).fill(std::mem::MaybeUninit::new(levels));
    let below = if levels == 0 { 0 } else { deep(levels - 1) };
    std::hint::black_box(&frame);
    u64::from(before != 0).wrapping_add(below)
}

fn component(name: &str) -> Option<(u32, Box<dyn ComponentInstance>)> {
    fn of<T: Sync + 'static>(
        value: T,
        calls: &'static [fn(&T) -> String],
    ) -> Option<(u32, Box<dyn ComponentInstance>)> {
        Some((calls.len() as u32, Box::new(Calls(value, calls))))
    }
    match name {
        // Two accesses in `increment`, one in `get`.
        "counter" => of(
            AtomicI64::new(0),
            &[
                |n| {
                    let seen = n.load(SeqCst);
                    n.store(seen + 1, SeqCst);
                    text(seen)
                },
                |n| text(n.load(SeqCst)),
                |n| text(n.fetch_add(1, SeqCst)),
            ],
        ),
        // Two locations, so that most steps are independent.
        "pair" => of(
            (AtomicI64::new(0), AtomicI64::new(0)),
            &[
                |p| text(p.0.fetch_add(1, SeqCst)),
                |p| text(p.1.fetch_add(1, SeqCst)),
                |p| text((p.0.load(SeqCst), p.1.load(SeqCst))),
                |p| text((p.0.swap(7, SeqCst), p.1.swap(7, SeqCst))),
            ],
        ),
        // Long calls with only one shared location.
        "stripes" => of(
            [const { AtomicI64::new(0) }; 9],
            &[|a| text(a[..5].iter().map(|n| n.fetch_add(1, SeqCst)).sum::<i64>()), |a| {
                text(a[4..].iter().map(|n| n.fetch_add(1, SeqCst)).sum::<i64>())
            }],
        ),
        "racy" => of(
            Racy(UnsafeCell::new(0)),
            &[|r| {
                // SAFETY: none.
                unsafe {
                    let seen = r.0.get().read_volatile();
                    r.0.get().write_volatile(seen + 1);
                    text(seen)
                }
            }],
        ),
        "queue" => of(
            Queue::default(),
            &[
                |q| {
                    q.lock().unwrap().push_back(1);
                    String::new()
                },
                |q| {
                    q.lock().unwrap().push_back(2);
                    String::new()
                },
                |q| text(q.lock().unwrap().pop_front()),
            ],
        ),
        "spin" => of(
            Spin {
                taken: AtomicBool::new(false),
                value: Racy(UnsafeCell::new(0)),
            },
            &[
                |s| {
                    s.with(|n| {
                        *n += 1;
                        text(*n)
                    })
                },
                |s| s.with(|n| text(*n)),
                // Never releases the lock.
                |s| {
                    while s.taken.swap(true, SeqCst) {}
                    String::new()
                },
            ],
        ),
        // One thread spins until another stores, while others use another location.
        "handshake" => of(
            [const { AtomicI64::new(0) }; 3],
            &[
                |a| {
                    while a[0].load(SeqCst) == 0 {
                        std::hint::spin_loop();
                    }
                    text((a[1].load(SeqCst), a[2].load(SeqCst)))
                },
                |a| {
                    a[1].store(1, SeqCst);
                    a[0].store(1, SeqCst);
                    a[1].store(2, SeqCst);
                    String::new()
                },
                |a| {
                    a[2].store(1, SeqCst);
                    a[2].store(2, SeqCst);
                    String::new()
                },
            ],
        ),
        // Waits a little for another thread, and then does without it. The parts are a flag and a mark.
        "retry" => of(
            [const { AtomicI64::new(0) }; 2],
            &[
                |a| {
                    for round in 0..std::hint::black_box(5) {
                        if a[0].load(SeqCst) != 0 {
                            return text(round == 0);
                        }
                    }
                    a[1].fetch_add(1, SeqCst);
                    "late".to_owned()
                },
                |a| text(a[0].swap(1, SeqCst)),
                |a| text((a[1].load(SeqCst), a[0].load(SeqCst), a[1].load(SeqCst))),
                // The same with a yield in each round, and another location that is looked at too.
                |a| {
                    for _ in 0..std::hint::black_box(3) {
                        if a[0].load(SeqCst) + a[1].load(SeqCst) != 0 {
                            return "early".to_owned();
                        }
                        std::thread::yield_now();
                    }
                    a[1].store(7, SeqCst);
                    "late".to_owned()
                },
            ],
        ),
        // A blocking queue with two ways to put an item in: the second one does not wake waiting threads.
        "blocking" => of(
            (Queue::default(), Condvar::new()),
            &[
                |(queue, filled)| {
                    queue.lock().unwrap().push_back(1);
                    filled.notify_one();
                    String::new()
                },
                |(queue, filled)| {
                    let mut queue = queue.lock().unwrap();
                    while queue.is_empty() {
                        queue = filled.wait(queue).unwrap();
                    }
                    text(queue.pop_front())
                },
                |(queue, _)| {
                    queue.lock().unwrap().push_back(1);
                    String::new()
                },
                |(queue, filled)| {
                    let queue = queue.lock().unwrap();
                    let wait = std::time::Duration::from_secs(3600);
                    let (mut queue, late) = filled.wait_timeout_while(queue, wait, |q| q.is_empty()).unwrap();
                    text((queue.pop_front(), late.timed_out()))
                },
            ],
        ),
        "locks" => of(
            (Mutex::new(0), Mutex::new(0)),
            &[
                |(a, b)| {
                    let (_a, _b) = (a.lock().unwrap(), b.lock().unwrap());
                    String::new()
                },
                |(a, b)| {
                    let (_b, _a) = (b.lock().unwrap(), a.lock().unwrap());
                    String::new()
                },
            ],
        ),
        "crashes" => of(
            AtomicUsize::new(0),
            &[
                |n| {
                    if n.fetch_add(1, SeqCst) == 1 {
                        std::process::abort();
                    }
                    String::new()
                },
                |n| {
                    if n.fetch_add(1, SeqCst) == 1 {
                        panic!("second");
                    }
                    String::new()
                },
                |_| std::process::exit(3),
                |_| loop {
                    std::hint::spin_loop();
                },
                |_| {
                    let (mut reader, _writer) = std::io::pipe().unwrap();
                    text(std::io::Read::read(&mut reader, &mut [0]))
                },
            ],
        ),
        // Loops that wait for something that never happens and give up: the count of attempts is in a register, on the stack, on the heap.
        "patient" => of(
            AtomicBool::new(false),
            &[
                |never| {
                    let mut tries = 0;
                    while tries < 1_000 && !never.load(SeqCst) {
                        tries += 1;
                    }
                    text(tries)
                },
                |never| {
                    let mut tries = 0;
                    while std::hint::black_box(&mut tries) < &mut 1_000 && !never.load(SeqCst) {
                        *std::hint::black_box(&mut tries) += 1;
                    }
                    text(tries)
                },
                |never| {
                    let mut tries = std::hint::black_box(Box::new(0));
                    while *std::hint::black_box(&mut tries) < Box::new(1_000) && !never.load(SeqCst) {
                        **std::hint::black_box(&mut tries) += 1;
                    }
                    text(tries)
                },
                |never| {
                    let mut tries = 0;
                    while tries < 1_000_000 && !never.load(SeqCst) {
                        tries += 1;
                    }
                    text(tries)
                },
                |never| {
                    let mut pause: u32 = 1;
                    while !never.load(SeqCst) {
                        (0..pause).for_each(|_| std::hint::spin_loop());
                        pause = (pause * 2).min(64);
                        std::thread::yield_now();
                    }
                    String::new()
                },
            ],
        ),
        // What a component can observe besides the schedule.
        "surroundings" => of(
            (),
            &[|_| {
                let mut map: HashMap<u32, u32> = (0..32).map(|n| (n, n)).collect();
                map.remove(&3);
                let local = Box::new(1);
                text((
                    std::time::Instant::now(),
                    map.keys().collect::<Vec<_>>(),
                    &raw const *local,
                    STARTS.fetch_add(1, SeqCst),
                ))
            }],
        ),
        // What an execution can leave behind. Each call returns what it found.
        "residue" => of(
            AtomicBool::new(false),
            &[
                |_| text((STARTS.fetch_add(1, SeqCst), LOCAL.replace(1), GREETED.call_once(|| ()))),
                // Memory of the C library, and a deep stack.
                |_| {
                    let found = harness::unobserved(|| std::env::var("RESIDUE").is_ok());
                    // SAFETY: no other thread runs.
                    harness::unobserved(|| unsafe { std::env::set_var("RESIDUE", "1") });
                    text((found, deep(3_000)))
                },
                // A file that stays open. How many there are is told, not its number: that depends on what the process inherits.
                |_| {
                    let file = std::fs::File::open("/dev/null").unwrap();
                    let _ = std::os::fd::IntoRawFd::into_raw_fd(file);
                    let is_open = |number: &i32| {
                        let path = std::fs::read_link(format!("/proc/self/fd/{number}"));
                        path.is_ok_and(|path| path == std::path::Path::new("/dev/null"))
                    };
                    text(harness::unobserved(|| (3..100).filter(is_open).count()))
                },
                // Memory that stays mapped: more than the heap of a thread has.
                |_| {
                    let block = vec![STARTS.fetch_add(1, SeqCst) as u8; 40 << 20].leak();
                    text(block[1 << 20])
                },
                // It never returns.
                |never| {
                    LOCAL.set(7);
                    STARTS.store(7, SeqCst);
                    while !never.load(SeqCst) {
                        std::thread::park();
                    }
                    String::new()
                },
                |_| {
                    STARTS.store(7, SeqCst);
                    std::process::abort()
                },
                |_| std::thread::spawn(|| text(STARTS.fetch_add(1, SeqCst))).join().unwrap(),
            ],
        ),
        "threads" => of(
            (),
            &[|_| {
                let sum = std::sync::Arc::new(AtomicI64::new(0));
                let add = |by| {
                    let sum = sum.clone();
                    std::thread::spawn(move || {
                        let seen = sum.load(SeqCst);
                        sum.store(seen + by, SeqCst);
                    })
                };
                let (one, ten) = (add(1), add(10));
                one.join().unwrap();
                ten.join().unwrap();
                text(sum.load(SeqCst))
            }, |_| {
                for _ in 0..40 {
                    std::thread::spawn(|| STARTS.fetch_add(1, SeqCst)).join().unwrap();
                }
                text(STARTS.load(SeqCst))
            }, |_| {
                let many: Vec<_> = (0..40).map(|_| std::thread::spawn(std::thread::park)).collect();
                text(many.len())
            }],
        ),
        _ => None,
    }
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some((ops, _)) = component(&name) else {
        std::process::exit(4)
    };
    harness::serve(ops, &name, &|| component(&name).expect("it was there before").1);
}
