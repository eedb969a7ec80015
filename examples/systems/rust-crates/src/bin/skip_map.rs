//! crossbeam's skip list, against Map.tla. In 0.1.3 a key that is overwritten is gone for a moment
//! (https://github.com/crossbeam-rs/crossbeam/issues/1023).

use crossbeam_skiplist::SkipMap;
use omnilink_record::record;

fn main() -> std::process::ExitCode {
    let map = SkipMap::new();
    rust_crates_example::run(|log, random, unique| {
        let key = random.between(1..=8);
        match random.between(0..=3) {
            0 => drop(record!(log, Put(key = key, value = unique) => map.insert(key, unique), |_| ())),
            1 => drop(record!(log, Remove(key = key) => map.remove(&key).map(|entry| *entry.value()))),
            _ => drop(record!(log, Get(key = key) => map.get(&key).map(|entry| *entry.value()))),
        }
    })
}
