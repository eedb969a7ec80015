//! conquer-once 0.4.0: `get_or_init` panics if another thread initialises the cell between its two looks at the state.
//!
//! Two threads meet before each call, so that both often find a new cell.

use conquer_once::OnceCell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

const ROUNDS: usize = 1_000_000;

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let cells: Vec<OnceCell<usize>> = (0..ROUNDS).map(|_| OnceCell::uninit()).collect();
    let arrived = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let panics = |me: usize| {
        let panicked = |round: usize, cell: &OnceCell<usize>| {
            arrived[me].store(round + 1, SeqCst);
            while arrived[1 - me].load(SeqCst) <= round {
                std::hint::spin_loop();
            }
            let call = std::panic::AssertUnwindSafe(|| *cell.get_or_init(|| me));
            std::panic::catch_unwind(call).is_err()
        };
        cells.iter().enumerate().filter(|(round, cell)| panicked(*round, cell)).count()
    };
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(|| panics(1));
        (panics(0), other.join().expect("panics are caught"))
    });
    println!("of {ROUNDS} calls of get_or_init in each of two threads {one} and {other} panicked");
}
