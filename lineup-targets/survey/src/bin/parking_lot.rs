//! parking_lot RwLock around a number, with `try_` calls.

use std::process::ExitCode;

use omnilink_harness::Component;
use parking_lot::RwLock;

fn main() -> ExitCode {
    Component::new("parking_lot RwLock", || RwLock::new(0))
        .op("add()", |lock| *lock.write() += 1)
        .op("read()", |lock| *lock.read())
        .op("upgrade()", |lock| {
            let guard = lock.upgradable_read();
            let before = *guard;
            *parking_lot::RwLockUpgradableReadGuard::upgrade(guard) += 10;
            before
        })
        .main()
}
