//! dashmap DashMap.

use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;
use std::process::ExitCode;

use dashmap::DashMap;
use omnilink_harness::Component;

type Map = DashMap<i64, i64, BuildHasherDefault<DefaultHasher>>;

fn main() -> ExitCode {
    Component::new("dashmap DashMap", || Map::with_hasher_and_shard_amount(Default::default(), 2))
        .op("insert(1, 10)", |map| map.insert(1, 10))
        .op("insert(2, 20)", |map| map.insert(2, 20))
        .op("get(1)", |map| map.get(&1).map(|value| *value))
        .op("remove(1)", |map| map.remove(&1))
        .main()
}
