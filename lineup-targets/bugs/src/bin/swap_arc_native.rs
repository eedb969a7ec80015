//! swap-arc 0.1.1: `load` returns what the thread's own `store` has replaced, if another thread stores at the same time.
//!
//! Two threads meet before they store 1 in a new `SwapArc` that holds 0.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use swap_arc::SwapArc;

const ROUNDS: usize = 300_000;

fn main() {
    let cells: Vec<SwapArc<u32>> = (0..ROUNDS).map(|_| SwapArc::new(Arc::new(0))).collect();
    let arrived = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let old_values = |me: usize| {
        let is_old = |round: usize, cell: &SwapArc<u32>| {
            arrived[me].store(round + 1, SeqCst);
            while arrived[1 - me].load(SeqCst) <= round {
                std::hint::spin_loop();
            }
            cell.store(Arc::new(1));
            **cell.load() == 0
        };
        cells.iter().enumerate().filter(|(round, cell)| is_old(*round, cell)).count()
    };
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(|| old_values(1));
        (old_values(0), other.join().expect("no panic"))
    });
    println!("of {ROUNDS} loads after a store of 1 in each of two threads {one} and {other} returned 0");
}
