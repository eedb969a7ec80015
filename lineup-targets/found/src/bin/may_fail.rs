//! `try_add` may fail while others hold the lock, and says so. `try_take` may too, but forgets what it has taken.
use omnilink_harness::Component;
use std::process::ExitCode;
use std::sync::Mutex;

fn main() -> ExitCode {
    Component::new("may fail", || Mutex::new(0_u32))
        .op("add()", |lock| {
            let mut held = lock.lock().unwrap();
            *held += 1;
            *held
        })
        .op("try_add()", |lock| {
            let mut held = lock.try_lock().ok()?;
            *held += 1;
            Some(*held)
        })
        .op("try_reset()", |lock| {
            *lock.lock().unwrap() = 0;
            lock.try_lock().ok().map(|held| *held)
        })
        .may_fail("try_add()")
        .may_fail("try_reset()")
        .main()
}
