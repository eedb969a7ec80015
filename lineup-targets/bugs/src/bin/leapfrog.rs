//! leapfrog 0.3.3: `insert` returns the value that it has just written, as the old one.

use std::process::ExitCode;

use leapfrog::LeapMap;
use omnilink_harness::Component;

fn main() -> ExitCode {
    let with_one = || {
        let map = LeapMap::<u64, u64>::new();
        map.insert(1, 1);
        map
    };
    Component::new("leapfrog LeapMap", with_one)
        .op("insert(1, 2)", |map| map.insert(1, 2))
        .op("insert(1, 3)", |map| map.insert(1, 3))
        .op("get(1)", |map| map.get(&1).and_then(|mut entry| entry.value()))
        .op("remove(1)", |map| map.remove(&1))
        .main()
}
