//! A program that knows nothing of the scheduler. Prints the order in which its threads came; with an argument it
//! takes two locks in two orders.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};

fn main() {
    if std::env::args().nth(1).is_some() {
        return opposite_locks();
    }
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
