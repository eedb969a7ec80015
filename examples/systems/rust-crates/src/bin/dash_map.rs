//! The sharded hash map `dashmap`, against Map.tla.

use dashmap::DashMap;
use omnilink_record::record;

fn main() -> std::process::ExitCode {
    let map = DashMap::new();
    rust_crates_example::run(|log, random, unique| {
        let key = random.between(1..=8);
        match random.between(0..=4) {
            0 => drop(record!(log, Insert(key = key, value = unique) => map.insert(key, unique))),
            1 => drop(record!(log, Remove(key = key) => map.remove(&key).map(|(_, value)| value))),
            2 => drop(record!(log, GetOrInsert(key = key, value = unique) => *map.entry(key).or_insert(unique))),
            _ => drop(record!(log, Get(key = key) => map.get(&key).map(|value| *value))),
        }
    })
}
