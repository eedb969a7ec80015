//! sharded-slab Slab: the keys that it gives out depend on the thread, so only what is found under a key is shown.

use std::process::ExitCode;
use std::sync::Mutex;

use omnilink_harness::Component;
use sharded_slab::Slab;

#[derive(Default)]
struct Keyed {
    slab: Slab<i64>,
    key: Mutex<Option<usize>>,
}

fn main() -> ExitCode {
    Component::new("sharded-slab Slab", Keyed::default)
        .op("insert(1)", |it| {
            let key = it.slab.insert(1);
            *it.key.lock().unwrap() = key;
            key.is_some()
        })
        .op("get(last)", |it| {
            let key = *it.key.lock().unwrap();
            key.and_then(|key| it.slab.get(key).map(|value| *value))
        })
        .op("take(last)", |it| {
            let key = it.key.lock().unwrap().take();
            key.and_then(|key| it.slab.take(key))
        })
        .main()
}
