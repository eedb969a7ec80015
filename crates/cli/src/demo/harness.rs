//! The harness of the demonstration: the command itself, started again. A harness of a user is a program of its own; this one is
//! here so that the demonstration needs no compiler.

use std::path::Path;

use omnilink_record::{RecordOptions, record};

use super::ring::Ring;
use crate::error::CliError;

pub(super) const THREADS: i64 = 4;
/// Enough for the threads to meet, few enough for a check in a blink.
pub(super) const OPERATIONS_PER_THREAD: i64 = 150;

/// Runs the queue on real threads, and records it.
pub(super) fn run(ring: &Ring, folder: &Path, name: &str) -> Result<(), CliError> {
    let recorder = RecordOptions::new().header("queue", name)?.create(folder)?;
    let logs = (0..THREADS)
        .map(|label| recorder.thread(label))
        .collect::<Result<Vec<_>, _>>()?;
    std::thread::scope(|scope| {
        for (mut log, thread) in logs.into_iter().zip(0..) {
            scope.spawn(move || {
                for i in 0..OPERATIONS_PER_THREAD {
                    if (i + thread) % 2 == 0 {
                        let value = 1 + thread * OPERATIONS_PER_THREAD + i;
                        record!(log, enqueue(value = value) => ring.enqueue(value));
                    } else {
                        record!(log, dequeue() => ring.dequeue());
                    }
                }
            });
        }
    });
    recorder.finish()?;
    Ok(())
}
