//! The smallest useful harness: threads on a queue of the standard library.
//!
//! `cargo run --release -p omnilink-record --example std_queue traces/std-queue`

mod ending;

use std::{process::ExitCode, sync::mpsc, thread};

use omnilink_record::{RecordError, Recorder, record};

fn main() -> ExitCode {
    ending::of(record_all())
}

fn record_all() -> Result<(), RecordError> {
    let directory = std::env::args_os()
        .nth(1)
        .unwrap_or_else(|| "traces/std-queue".into());
    let recorder = Recorder::create(&directory)?;
    let (sender, receiver) = mpsc::channel();

    thread::scope(|scope| {
        for producer in 0..3 {
            let log = recorder.thread(format!("producer-{producer}"));
            let sender = sender.clone();
            scope.spawn(move || -> Result<(), RecordError> {
                let mut log = log?;
                for i in 0..1_000 {
                    let value = producer * 1_000 + i;
                    // Sending to an unbounded queue always succeeds; what is recorded is that it did.
                    let _ = record!(log, enqueue(value = value) => sender.send(value), |sent| sent.is_ok());
                }
                Ok(())
            });
        }
        let mut log = recorder.thread("consumer")?;
        for _ in 0..3_000 {
            // An empty queue is a result like any other: `None`.
            record!(log, dequeue() => receiver.try_recv().ok());
        }
        Ok::<_, RecordError>(())
    })?;

    let recording = recorder.finish()?;
    println!("{} operations in {}", recording.operations(), directory.display());
    Ok(())
}
