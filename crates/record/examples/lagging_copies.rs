//! A store of which every thread reads its own copy, brought up to date now and then: weakly consistent on purpose.
//!
//! Records happens-before with counters, and lets the store buffers alone:
//!
//! ```text
//! cargo run --release -p omnilink-record --example lagging_copies traces/copies
//! omnilink check traces/copies --model kv --consistency linearizable     # a violation, nearly always
//! omnilink check traces/copies --model kv --consistency sequential       # a violation, nearly always
//! omnilink check traces/copies --model kv --consistency monotonic-reads  # valid: copies never go back
//! ```

mod ending;

use std::{
    collections::BTreeMap,
    process::ExitCode,
    sync::{Mutex, PoisonError},
    thread,
};

use omnilink_record::{EndFence, RecordError, RecordOptions, ThreadLog, record};

const THREADS: usize = 3;
const ROUNDS: i64 = 4;

type Copy = BTreeMap<&'static str, i64>;

fn main() -> ExitCode {
    ending::of(record_all())
}

fn record_all() -> Result<(), RecordError> {
    let directory = std::env::args_os()
        .nth(1)
        .unwrap_or_else(|| "traces/copies".into());
    let options = RecordOptions::new()
        .happens_before(THREADS as u16)
        .end_fence(EndFence::LoadsOnly);
    let recorder = options.create(&directory)?;
    let shared = Mutex::new(Copy::new());
    let barrier = std::sync::Barrier::new(THREADS);
    let logs = (0..THREADS)
        .map(|number| recorder.thread(number))
        .collect::<Result<Vec<_>, _>>()?;
    thread::scope(|scope| {
        for (number, mut log) in logs.into_iter().enumerate() {
            let (shared, barrier) = (&shared, &barrier);
            scope.spawn(move || {
                barrier.wait();
                work(number as i64, &mut log, shared);
            });
        }
    });
    let recording = recorder.finish()?;
    println!("{} operations in {}", recording.operations(), directory.display());
    Ok(())
}

fn work(number: i64, log: &mut ThreadLog, shared: &Mutex<Copy>) {
    let mut copy = Copy::new();
    for round in 0..ROUNDS {
        let value = 10 * number + round;
        record!(log, put(key = "x", value = value) => {
            lock(shared).insert("x", value);
        });
        thread::yield_now();
        record!(log, get(key = "x") => copy.get("x").copied());
        // Every other round only: until then, reads are of what was.
        if round % 2 == 0 {
            copy.clone_from(&lock(shared));
        }
    }
}

fn lock(shared: &Mutex<Copy>) -> std::sync::MutexGuard<'_, Copy> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
