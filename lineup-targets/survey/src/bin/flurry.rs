//! flurry HashMap.

use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;
use std::process::ExitCode;

use flurry::HashMap;
use omnilink_harness::Component;

type Map = HashMap<i64, i64, BuildHasherDefault<DefaultHasher>>;

/// With an element in it: making the table is hundreds of steps, and another question.
fn filled() -> Map {
    let map = Map::with_hasher(Default::default());
    map.pin().insert(3, 30);
    map
}

fn main() -> ExitCode {
    Component::new("flurry HashMap", filled)
        .op("insert(1, 10)", |map| map.pin().insert(1, 10).copied())
        .op("insert(2, 20)", |map| map.pin().insert(2, 20).copied())
        .op("get(1)", |map| map.pin().get(&1).copied())
        .op("remove(1)", |map| map.pin().remove(&1).copied())
        .op("len()", |map| map.len())
        .main()
}
