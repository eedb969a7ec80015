//! Dekker's entry protocol with orders that are too weak: each thread says that it wants to enter, and enters if the other
//! does not want to. Sequentially consistent memory lets one of them in at most. `--memory c11` lets both in, because each may read an
//! old store of the other: that takes `SeqCst`, or a `SeqCst` fence between the store and the load.
//!
//! Each thread enters once: `--matrix 'first() | second()'`. A call that fails leaves its wish behind, which calls after it see, so larger
//! matrices are not linearizable under any memory model.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use omnilink_harness::Component;

#[derive(Default)]
struct Entry {
    wants: [AtomicBool; 2],
}

impl Entry {
    fn enter(&self, me: usize) -> bool {
        self.wants[me].store(true, Release);
        !self.wants[1 - me].load(Acquire)
    }
}

fn main() -> ExitCode {
    Component::new("dekker", Entry::default)
        .op("first()", |entry| entry.enter(0))
        .op("second()", |entry| entry.enter(1))
        .may_fail("first()")
        .may_fail("second()")
        .main()
}
