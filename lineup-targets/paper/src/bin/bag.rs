//! A bag in a hash table: which element `take` gives away depends on the keys of the hash function, which are random. No
//! deterministic specification explains it.

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Mutex;

use omnilink_harness::Component;

fn take(bag: &Mutex<HashSet<i64>>) -> Option<i64> {
    let mut bag = bag.lock().unwrap();
    let taken = bag.iter().next().copied()?;
    bag.take(&taken)
}

fn main() -> ExitCode {
    Component::new("bag", || Mutex::new(HashSet::new()))
        .op("add(1)", |bag| bag.lock().unwrap().insert(1))
        .op("add(2)", |bag| bag.lock().unwrap().insert(2))
        .op("take()", take)
        .main()
}
