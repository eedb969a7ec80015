//! A program that knows nothing of the scheduler. Prints the order in which its threads came; `deadlock` takes two
//! locks in two orders, `addresses` prints where things are.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};

fn main() {
    match std::env::args().nth(1).as_deref() {
        None => order_of_threads(),
        Some("addresses") => addresses(),
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
