//! crossbeam-skiplist 0.1.3: an insert of a key that is there makes it vanish for a moment.

use std::process::ExitCode;

use crossbeam_skiplist::SkipMap;
use omnilink_harness::Component;

fn main() -> ExitCode {
    Component::new("crossbeam-skiplist 0.1.3 SkipMap", SkipMap::<i64, i64>::new)
        .op("insert(1, 10)", |map| *map.insert(1, 10).value())
        .op("insert(1, 20)", |map| *map.insert(1, 20).value())
        .op("get(1)", |map| map.get(&1).map(|entry| *entry.value()))
        .op("remove(1)", |map| map.remove(&1).map(|entry| *entry.value()))
        .main()
}
