//! scc HashMap.

use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;
use std::process::ExitCode;

use omnilink_harness::Component;
use scc::HashMap;

type Map = HashMap<i64, i64, BuildHasherDefault<DefaultHasher>>;

/// With an element in it: making the table is hundreds of steps, and another question.
fn filled() -> Map {
    let map = Map::with_hasher(Default::default());
    drop(map.insert_sync(2, 20));
    map
}

fn main() -> ExitCode {
    Component::new("scc HashMap", filled)
        .op("insert(1, 10)", |map| map.insert_sync(1, 10).is_ok())
        .op("upsert(1, 20)", |map| map.upsert_sync(1, 20))
        .op("read(1)", |map| map.read_sync(&1, |_, value| *value))
        .op("remove(1)", |map| map.remove_sync(&1))
        .main()
}
