//! A counter that four threads share: the system under test of several tests.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    thread,
};

use omnilink_record::{Recorder, record};

/// Four threads count `operations` times in total. Returns the final count.
pub fn count_up(recorder: &Recorder, operations: i64) -> i64 {
    let counter = AtomicI64::new(0);
    thread::scope(|scope| {
        for label in 0..4 {
            let mut log = recorder.thread(label).unwrap();
            let counter = &counter;
            scope.spawn(move || {
                for _ in 0..operations / 4 {
                    record!(log, next() => counter.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
    });
    counter.into_inner()
}
