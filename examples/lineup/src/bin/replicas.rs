//! A register that is kept twice, without telling readers of the one about the other: not linearizable, and not meant to be.

use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering};

use omnilink_harness::Component;

#[derive(Default)]
struct Replicas {
    near: AtomicI64,
    far: AtomicI64,
}

impl Replicas {
    fn write(&self, value: i64) {
        self.near.store(value, Ordering::SeqCst);
        self.far.store(value, Ordering::SeqCst);
    }
}

fn main() -> ExitCode {
    Component::new("replicas", Replicas::default)
        .op("write(1)", |replicas| replicas.write(1))
        .op("near()", |replicas| replicas.near.load(Ordering::SeqCst))
        .op("far()", |replicas| replicas.far.load(Ordering::SeqCst))
        .main()
}
