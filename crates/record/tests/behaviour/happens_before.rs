//! Happens-before by counters.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    sync::{
        Barrier,
        atomic::{AtomicI64, Ordering},
    },
    thread,
};

use omnilink_record::{
    EndFence, Record, RecordError, RecordOptions, Recorder, ThreadLog, ValueSlot, Written, record,
};

use crate::decoder::{Operation, Value, decode};

fn counting(threads: u16) -> Recorder {
    RecordOptions::new().happens_before(threads).in_memory().unwrap()
}

fn operations(recorder: Recorder) -> Vec<Operation> {
    let files = recorder.finish().unwrap().into_bytes().unwrap();
    files.iter().flat_map(|bytes| decode(bytes).operations).collect()
}

/// Thread and vector clock, in the clock's order: `a {a:1,b:0}`.
fn clock_text(operation: &Operation) -> String {
    let field = |name| operation.record.field(name).unwrap();
    format!("{} {}", field("thread"), field("clock"))
}

fn clock(operation: &Operation) -> BTreeMap<String, i128> {
    let Some(Value::Map(entries)) = operation.record.field("clock") else {
        panic!("no clock: {operation}");
    };
    entries
        .iter()
        .map(|(thread, count)| (thread.clone(), count.int()))
        .collect()
}

/// Entry by entry, as every reader of vector clocks compares them.
fn is_before(first: &Operation, second: &Operation) -> bool {
    let (first, second) = (clock(first), clock(second));
    let is_within = first
        .iter()
        .all(|(thread, count)| *count <= second.get(thread).copied().unwrap_or(0));
    is_within && first != second
}

/// The operations that others had begun when this one ended.
fn return_clock(operation: &Operation) -> Option<&Value> {
    operation.record.field("meta")?.field("return_clock")
}

/// Whether `second`, of another thread, had not begun when `first` was over.
fn had_not_begun(first: &Operation, second: &Operation) -> bool {
    let thread = second.record.field("thread").unwrap();
    let name = thread.to_string().trim_matches('"').to_owned();
    let begun = return_clock(first).unwrap().field(&name).map(Value::int);
    first.record.field("thread") != Some(thread) && begun.is_some_and(|begun| clock(second)[&name] > begun)
}

/// ```text
/// a  |--1--|        |--2--|
/// b      |----1----|        |--2--|
/// ```
#[test]
fn an_operation_counts_what_was_over_when_it_began() {
    let recorder = counting(2);
    let (mut a, mut b) = (recorder.thread("a").unwrap(), recorder.thread("b").unwrap());
    let a1 = a.call("op").begin();
    let b1 = b.call("op").begin();
    a1.end(());
    b1.end(());
    record!(a, op() => ());
    record!(b, op() => ());
    drop((a, b));
    let clocks: Vec<String> = operations(recorder).iter().map(clock_text).collect();
    assert_eq!(
        clocks,
        [
            r#""a" {a:1,b:0}"#,
            r#""a" {a:2,b:1}"#,
            r#""b" {a:0,b:1}"#,
            r#""b" {a:2,b:2}"#
        ]
    );
}

#[test]
fn nothing_is_after_an_operation_that_stays_pending() {
    let recorder = counting(3);
    let (mut a, mut b) = (recorder.thread("a").unwrap(), recorder.thread("b").unwrap());
    record!(a, op() => ());
    drop(a.call("op").begin());
    record!(a, op() => ());
    record!(b, op() => ());
    drop((a, b));
    let all = operations(recorder);
    let [first, pending, later, other] = &all[..] else {
        panic!("{all:?}")
    };
    assert_eq!(pending.end(), None);
    assert_eq!(later.record.field("thread"), Some(&Value::Text("a'1".to_owned())));
    assert!(is_before(first, pending) && is_before(first, later) && is_before(later, other));
    assert!(!is_before(pending, later) && !is_before(pending, other));
}

#[test]
fn threads_beyond_the_number_that_was_given_are_refused() {
    let recorder = counting(1);
    let log = recorder.thread(0).unwrap();
    match recorder.thread(1) {
        Err(error @ RecordError::TooManyThreads { .. }) => {
            assert!(
                error.to_string().contains("RecordOptions::happens_before"),
                "{error}"
            );
        }
        other => panic!("{other:?}"),
    }
    drop(log);
    assert_eq!(recorder.finish().unwrap().operations(), 0);
}

/// A result whose encoding is slow: another thread begins and ends an operation meanwhile.
struct Slow<'a>(RefCell<&'a mut ThreadLog>);

impl Record for Slow<'_> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        let mut other = self.0.borrow_mut();
        record!(other, quick() => ());
        slot.null()
    }
}

/// ```text
/// a  |--slow--| record |
/// b              |--quick--|       slow was over, and did not say so yet
/// ```
#[test]
fn what_begins_while_a_record_is_written_comes_after_the_operation() {
    let recorder = counting(2);
    let (mut a, mut b) = (recorder.thread("a").unwrap(), recorder.thread("b").unwrap());
    let slow = a.call("slow").begin();
    slow.end(Slow(RefCell::new(&mut b)));
    drop((a, b));
    let all = operations(recorder);
    let [slow, quick] = &all[..] else {
        panic!("{all:?}")
    };
    assert!(!is_before(slow, quick));
    assert!(had_not_begun(slow, quick));
    let noted = [slow, quick].map(|operation| return_clock(operation).unwrap().to_string());
    assert_eq!(noted, ["{a:1,b:0}", "{a:1,b:1}"]);
}

#[test]
fn the_return_clock_is_stored_beside_the_user_s_meta() {
    let recorder = counting(1);
    let mut log = recorder.thread("a").unwrap();
    log.call("map").begin().end_with_meta((), Named);
    log.call("other").begin().end_with_meta((), ("node", 2));
    drop(log);
    let metas: Vec<String> = operations(recorder)
        .iter()
        .map(|operation| operation.record.field("meta").unwrap().to_string())
        .collect();
    assert_eq!(
        metas,
        [
            r#"{node:2,return_clock:{a:1}}"#,
            r#"{note:["node",2],return_clock:{a:2}}"#
        ]
    );
}

struct Named;

impl Record for Named {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.fields(|fields| fields.field("node", &2))
    }
}

#[test]
fn without_draining_stores_only_ended_operations_are_recorded() {
    let recorder = RecordOptions::new()
        .happens_before(1)
        .end_fence(EndFence::LoadsOnly)
        .in_memory()
        .unwrap();
    let mut log = recorder.thread("a").unwrap();
    record!(log, op() => ());
    drop(log);
    let all = operations(recorder);
    assert_eq!(clock_text(&all[0]), r#""a" {a:1}"#);
    assert_eq!(all[0].record.field("meta"), None);
}

const THREADS: usize = 4;

/// Runs `work` with one log on each of four threads.
fn on_all_threads(options: RecordOptions, work: impl Fn(usize, &mut ThreadLog) + Sync) -> Vec<Operation> {
    let recorder = options.happens_before(THREADS as u16).in_memory().unwrap();
    thread::scope(|scope| {
        for number in 0..THREADS {
            let mut log = recorder.thread(number).unwrap();
            let work = &work;
            scope.spawn(move || work(number, &mut log));
        }
    });
    operations(recorder)
}

#[test]
fn what_a_barrier_parts_is_in_order() {
    let barrier = Barrier::new(THREADS);
    let all = on_all_threads(RecordOptions::new().end_fence(EndFence::LoadsOnly), |_, log| {
        for phase in 0..50 {
            record!(log, op(phase = phase) => ());
            barrier.wait();
        }
    });
    for first in &all {
        for second in &all {
            let expected = first.arg("phase") < second.arg("phase");
            if expected || first.arg("phase") > second.arg("phase") {
                assert_eq!(is_before(first, second), expected, "{first:?} {second:?}");
            }
        }
    }
}

#[test]
fn no_order_is_invented_between_threads_that_race() {
    let register = AtomicI64::new(0);
    let all = on_all_threads(RecordOptions::new(), |number, log| {
        for value in 0..200 {
            let value = 1_000 * number as i64 + value;
            record!(log, write(value = value) => register.store(value, Ordering::Release));
            record!(log, read() => register.load(Ordering::Acquire));
        }
    });
    let mut ordered = 0;
    for first in &all {
        for second in &all {
            if had_not_begun(first, second) {
                // The clock is read beside the counters, not with them.
                assert!(first.start() <= second.end().unwrap(), "{first:?} {second:?}");
            }
            if is_before(first, second) {
                ordered += 1;
                assert!(
                    first.end().unwrap() <= second.start(),
                    "{first:?} was not over before {second:?}"
                );
            }
        }
    }
    // At the least the order of each thread's own operations.
    assert!(ordered >= THREADS * 400 * 399 / 2, "{ordered}");
}

/// ```text
/// a  |--write round--|
/// b  |--read--|              at the same time; if it had not begun when the write was over, it reads the round
/// ```
#[test]
fn an_operation_that_had_not_begun_observes_what_had_ended() {
    const ROUNDS: i64 = 20_000;
    let (value, meeting) = (AtomicI64::new(0), AtomicI64::new(0));
    let recorder = counting(2);
    let (mut a, mut b) = (recorder.thread("a").unwrap(), recorder.thread("b").unwrap());
    // Both leave at once: what one has stored is on its way when the other looks.
    let meet = |round: i64| {
        meeting.fetch_add(1, Ordering::SeqCst);
        let mut spins = 0;
        while meeting.load(Ordering::SeqCst) < 2 * round {
            spins += 1;
            match spins % 1_000 {
                0 => thread::yield_now(),
                _ => std::hint::spin_loop(),
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=ROUNDS {
                meet(round);
                record!(a, write(value = round) => value.store(round, Ordering::Relaxed));
            }
        });
        for round in 1..=ROUNDS {
            meet(round);
            record!(b, read() => value.load(Ordering::Relaxed));
        }
    });
    drop((a, b));
    let all = operations(recorder);
    let (writes, reads) = all.split_at(ROUNDS as usize);
    for (write, read) in writes.iter().zip(reads) {
        if had_not_begun(write, read) {
            let seen = read.record.field("ret").unwrap().int();
            assert!(seen >= write.arg("value"), "{write:?} {read:?}");
        }
    }
}
