//! What recording an operation costs: `cargo run --release -p omnilink-record --example cost`.
//!
//! The operation itself does nothing, so this is all overhead: two clock readings with their fences, the
//! record, and the thread's share of making room in the file. Each line has the best and the median of many
//! short rounds, in processor time. On a busy machine the best is what recording costs; what others do to
//! the caches and to the sibling of a core is in the median.

mod ending;

use std::{
    hint::black_box,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use omnilink_record::{
    Backing, ClockChoice, EndFence, RecordError, RecordOptions, Recorder, ThreadLog, record,
};

const ROUNDS: usize = 100;

fn main() -> ExitCode {
    ending::of(record_all())
}

fn record_all() -> Result<(), RecordError> {
    let directory = std::env::temp_dir().join(format!("omnilink-cost-{}", std::process::id()));
    let here = |name: &str| directory.join(name);
    let outcome = (|| {
        println!("{:<44} {:>8} {:>8}", "ns for each operation", "best", "median");
        report("in memory", RecordOptions::new().in_memory()?, 20_000)?;
        report(
            "mapped file",
            RecordOptions::new().create(here("mapped"))?,
            20_000,
        )?;
        let loads_only = RecordOptions::new().end_fence(EndFence::LoadsOnly);
        report(
            "mapped file, end waits for loads only",
            loads_only.create(here("loads"))?,
            20_000,
        )?;
        let monotonic = RecordOptions::new().clock(ClockChoice::Monotonic);
        report(
            "mapped file, raw monotonic clock",
            monotonic.create(here("monotonic"))?,
            20_000,
        )?;
        let small_chunks = RecordOptions::new().chunk_bytes(64 << 10);
        report(
            "mapped file, chunks of 64 KiB",
            small_chunks.create(here("small"))?,
            20_000,
        )?;
        let counters = RecordOptions::new().happens_before(8);
        report(
            "mapped file, happens-before of 1 thread",
            counters.create(here("counters"))?,
            20_000,
        )?;
        let counters = RecordOptions::new()
            .happens_before(8)
            .end_fence(EndFence::LoadsOnly);
        report_beside_others(
            "the same of 4 threads at work, loads only",
            counters.create(here("four"))?,
            20_000,
        )?;
        let loads_only = RecordOptions::new().end_fence(EndFence::LoadsOnly);
        report_beside_others(
            "4 threads at work, loads only, no counters",
            loads_only.create(here("four-plain"))?,
            20_000,
        )?;
        report_beside_others(
            "4 threads at work, happens-before",
            RecordOptions::new().happens_before(8).create(here("four-both"))?,
            20_000,
        )?;
        report_beside_others(
            "4 threads at work, no counters",
            RecordOptions::new().create(here("four-drained"))?,
            20_000,
        )?;
        let written = RecordOptions::new().backing(Backing::Written);
        report("written file", written.create(here("written"))?, 1_000)
    })();
    // The figures are out; a directory that stays behind is only untidy.
    let _ = std::fs::remove_dir_all(&directory);
    outcome
}

fn report(name: &str, recorder: Recorder, operations: u32) -> Result<(), RecordError> {
    let mut log = recorder.thread(0)?;
    print_costs(name, (0..ROUNDS).map(|_| round(&mut log, operations)).collect());
    drop(log);
    recorder.finish().map(|_| ())
}

/// The same with three more threads that record as fast as they can: their counters are never where they were.
fn report_beside_others(name: &str, recorder: Recorder, operations: u32) -> Result<(), RecordError> {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for other in 1..4 {
            let mut log = recorder.thread(other)?;
            let is_done = &is_done;
            scope.spawn(move || {
                // Bounded, or a slow machine would fill its disk.
                for value in 0..ROUNDS as u32 * operations {
                    if is_done.load(Ordering::Relaxed) {
                        break;
                    }
                    record!(log, push(value = black_box(value)) => black_box(true));
                }
            });
        }
        let mut log = recorder.thread(0)?;
        let costs_ns = (0..ROUNDS).map(|_| round(&mut log, operations)).collect();
        print_costs(name, costs_ns);
        is_done.store(true, Ordering::Relaxed);
        Ok::<_, RecordError>(())
    })?;
    recorder.finish().map(|_| ())
}

fn print_costs(name: &str, mut costs_ns: Vec<f64>) {
    costs_ns.sort_by(f64::total_cmp);
    println!("{name:<44} {:>8.1} {:>8.1}", costs_ns[0], costs_ns[ROUNDS / 2]);
}

fn round(log: &mut ThreadLog, operations: u32) -> f64 {
    let begin = processor_time();
    for value in 0..operations {
        record!(log, push(value = black_box(value)) => black_box(true));
    }
    (processor_time() - begin).as_nanos() as f64 / f64::from(operations)
}

/// The time that this thread has spent on a processor, so that waiting for one on a busy machine is not counted.
#[cfg(unix)]
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid timespec to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn processor_time() -> Duration {
    static ORIGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    ORIGIN.get_or_init(std::time::Instant::now).elapsed()
}
