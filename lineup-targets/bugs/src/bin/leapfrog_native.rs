//! The bug of leapfrog 0.3.3 without a scheduler: two threads insert values that were never there before, and count how often
//! they get them back as old ones. `RUSTC_BOOTSTRAP=1 cargo run --release --bin leapfrog_native`: the crate wants nightly
//! features.

use leapfrog::LeapMap;

fn main() {
    const INSERTS: u64 = 3_000_000;
    let map = LeapMap::<u64, u64>::new();
    map.insert(1, 1);
    let map = &map;
    let own = std::thread::scope(|scope| {
        let count = |thread: u64| {
            let fresh = (0..INSERTS).map(move |insert| 10 + 2 * insert + thread);
            fresh.filter(|&value| map.insert(1, value) == Some(value)).count()
        };
        [0, 1].map(|thread| scope.spawn(move || count(thread))).map(|thread| thread.join().unwrap())
    });
    println!("of {INSERTS} inserts each, {} and {} returned their own fresh value", own[0], own[1]);
}
