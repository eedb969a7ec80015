//! Timeboxes enclose effects: what the clock says must agree with what the threads saw.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    thread,
};

use omnilink_record::{ClockChoice, RecordOptions, Recorder, record};

use crate::counter::count_up;
use crate::decoder::{Operation, decode};

const OPERATIONS: i64 = 50_000;

fn recorders() -> [Recorder; 2] {
    [ClockChoice::Auto, ClockChoice::Monotonic]
        .map(|clock| RecordOptions::new().clock(clock).in_memory().unwrap())
}

fn operations(recorder: Recorder) -> Vec<Vec<Operation>> {
    let bytes = recorder.finish().unwrap().into_bytes().unwrap();
    bytes.iter().map(|bytes| decode(bytes).operations).collect()
}

#[test]
fn a_counter_counts_in_the_order_of_the_timeboxes() {
    for recorder in recorders() {
        count_up(&recorder, OPERATIONS);
        let mut all: Vec<_> = operations(recorder).into_iter().flatten().collect();
        assert_eq!(all.len(), OPERATIONS as usize, "nothing lost");
        all.sort_by_key(Operation::ret);
        // In the order in which they counted: nothing ends before an earlier one starts.
        let mut latest_start = 0;
        for operation in &all {
            latest_start = latest_start.max(operation.start());
            assert!(
                latest_start <= operation.end().unwrap(),
                "{operation} ended before an earlier one began"
            );
        }
    }
}

#[test]
fn a_plain_store_is_seen_by_whoever_starts_after_it_ended() {
    for recorder in recorders() {
        let register = AtomicI64::new(0);
        let (mut writer, mut reader) = (
            recorder.thread("writer").unwrap(),
            recorder.thread("reader").unwrap(),
        );
        thread::scope(|scope| {
            scope.spawn(|| {
                for value in 1..=OPERATIONS {
                    record!(writer, write(value = value) => register.store(value, Ordering::Relaxed));
                }
            });
            scope.spawn(
                || {
                    while record!(reader, read() => register.load(Ordering::Relaxed)) < OPERATIONS {}
                },
            );
        });
        drop((writer, reader));
        let [writes, reads] = operations(recorder).try_into().unwrap();
        // The nth write writes n, so that counting writes gives values.
        assert!(
            writes
                .iter()
                .zip(1..)
                .all(|(write, value)| write.arg("value") == value)
        );
        for read in &reads {
            let value = read.ret().unwrap();
            let ended_before = writes.partition_point(|write| write.end().unwrap() < read.start()) as i128;
            let begun_before = writes.partition_point(|write| write.start() <= read.end().unwrap()) as i128;
            assert!(
                ended_before <= value && value <= begun_before,
                "{ended_before} <= {value} <= {begun_before}"
            );
        }
    }
}
