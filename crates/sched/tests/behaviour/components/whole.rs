//! A program that knows nothing of the scheduler. Prints the order in which its threads came; `deadlock` takes two
//! locks in two orders, `addresses` prints where things are, `many` runs 100 threads at a time, `background` works while another
//! thread sleeps, `time-out` waits for something that happens late.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

fn main() {
    match std::env::args().nth(1).as_deref() {
        None => order_of_threads(),
        Some("addresses") => addresses(),
        Some("many") => many_threads(),
        Some("background") => background(),
        Some("time-out") => time_out(),
        Some(_) => opposite_locks(),
    }
}

fn addresses() {
    let (on_stack, on_heap) = (0_u8, Box::new(0_u8));
    println!("{:p} {:p} {:p}", &on_stack, on_heap, addresses as fn());
}

fn order_of_threads() {
    let tickets = Arc::new(AtomicU64::new(0));
    let (results, received) = mpsc::channel();
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let (tickets, results) = (tickets.clone(), results.clone());
            std::thread::spawn(move || {
                for _ in 0..50 {
                    results.send((thread, tickets.fetch_add(1, SeqCst))).expect("somebody receives");
                }
            })
        })
        .collect();
    drop(results);
    for (thread, ticket) in received {
        print!("{thread}:{ticket} ");
    }
    for thread in threads {
        thread.join().expect("it does not panic");
    }
    println!();
}

fn many_threads() {
    let (arrived, is_open) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let threads: Vec<_> = (0..100)
        .map(|_| {
            let (arrived, is_open) = (arrived.clone(), is_open.clone());
            std::thread::spawn(move || {
                arrived.fetch_add(1, SeqCst);
                while is_open.load(SeqCst) == 0 {
                    std::thread::yield_now();
                }
            })
        })
        .collect();
    while arrived.load(SeqCst) < 100 {
        std::thread::yield_now();
    }
    is_open.store(1, SeqCst);
    for thread in threads {
        thread.join().expect("it does not panic");
    }
    println!("{}", arrived.load(SeqCst));
}

/// Prints how many seconds pass during 10,000 steps, how often a thread that sleeps ten seconds at a time has woken, and the
/// seconds when the main thread has slept for a minute itself.
fn background() {
    let (wakes, count, begin) = (Arc::new(AtomicU64::new(0)), AtomicU64::new(0), Instant::now());
    let counted = wakes.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(10));
            counted.fetch_add(1, SeqCst);
        }
    });
    for _ in 0..10_000 {
        count.fetch_add(1, SeqCst);
    }
    print!("{} {} ", begin.elapsed().as_secs(), wakes.load(SeqCst));
    std::thread::sleep(Duration::from_secs(60));
    println!("{}", begin.elapsed().as_secs());
}

/// Prints whether a thread came within a second, as one that waited for it saw it.
fn time_out() {
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let count = AtomicU64::new(0);
        for _ in 0..2_000 {
            count.fetch_add(1, SeqCst);
        }
        let _ = sender.send(());
    });
    println!("{}", receiver.recv_timeout(Duration::from_secs(1)).is_ok());
    thread.join().expect("it does not panic");
}

fn opposite_locks() {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
    let other = locks.clone();
    let thread = std::thread::spawn(move || {
        for _ in 0..20 {
            let (_one, _two) = (other.1.lock(), other.0.lock());
        }
    });
    for _ in 0..20 {
        let (_one, _two) = (locks.0.lock(), locks.1.lock());
    }
    thread.join().expect("it does not panic");
}
