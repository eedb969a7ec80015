//! Happens-before that real threads recorded with counters is what histories are checked by.

use std::cell::RefCell;
use std::sync::Barrier;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;

use omnilink_consistency::{
    ConsistencyLevel, History, OrderSource, RecordedHistory, WeakOptions, check_history,
};
use omnilink_models::{Decode, DecodeError, Decoded, Register, RegisterOp};
use omnilink_record::{EndFence, Record, RecordOptions, Recorder, ThreadLog, ValueSlot, Written, record};
use omnilink_trace::{OpenOptions, Operation, Trace};
use omnilink_value::Value;

const THREADS: usize = 3;

fn register() -> Register {
    Register {
        initial: Value::int(0),
    }
}

fn decode(operation: &Operation) -> Result<Option<RegisterOp>, DecodeError> {
    register().decode(operation).map(Decoded::into_last)
}

fn counting(end_fence: EndFence) -> Recorder {
    let options = RecordOptions::new()
        .happens_before(THREADS as u16)
        .end_fence(end_fence);
    options.in_memory().unwrap()
}

/// What three threads recorded that each do `work`, with counters and without store fences.
fn recorded(work: impl Fn(usize, &mut ThreadLog) + Sync) -> RecordedHistory {
    recorded_with(EndFence::LoadsOnly, work)
}

fn recorded_with(end_fence: EndFence, work: impl Fn(usize, &mut ThreadLog) + Sync) -> RecordedHistory {
    let recorder = counting(end_fence);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let mut log = recorder.thread(number).unwrap();
            let work = &work;
            scope.spawn(move || work(number, &mut log));
        }
    });
    read(recorder)
}

/// What was recorded, as a checker reads it.
fn read(recorder: Recorder) -> RecordedHistory {
    let bytes = recorder.finish().unwrap().into_trace().unwrap();
    let trace = Trace::from_bytes("recorded", bytes, &OpenOptions::default()).unwrap();
    let operations = trace.map(Result::unwrap).collect();
    let recorded = RecordedHistory::from_operations("recorded", operations).unwrap();
    assert!(matches!(recorded.order, OrderSource::VectorClocks(_)));
    recorded
}

fn satisfies(history: &History<RegisterOp>, level: ConsistencyLevel) -> bool {
    let outcome = check_history(&register(), history, &level.criterion(), &WeakOptions::default());
    outcome.unwrap().conclusion.is_valid()
}

#[test]
fn threads_that_share_a_register_satisfy_every_level() {
    let value = AtomicI64::new(0);
    let recorded = recorded(|number, log| {
        for round in 0..4 {
            let new = 10 * number as i64 + round;
            record!(log, write(value = new) => value.store(new, Ordering::SeqCst));
            record!(log, read() => value.load(Ordering::SeqCst));
        }
    });
    let history = History::of_recorded(&recorded, &decode).unwrap();
    assert_eq!(history.len(), THREADS * 8);
    for level in ConsistencyLevel::ALL {
        assert!(satisfies(&history, level), "{level}");
    }
}

/// A plain store may linger in its core's buffer, and a counter as well: an order from counters that had not
/// arrived yet would contradict what was read.
#[test]
fn the_reading_after_a_call_never_contradicts_what_threads_saw() {
    for _ in 0..100 {
        let (value, barrier) = (AtomicI64::new(0), Barrier::new(THREADS));
        let recorded = recorded_with(EndFence::DrainStores, |number, log| {
            barrier.wait();
            for round in 0..6 {
                let new = 10 * number as i64 + round;
                record!(log, write(value = new) => value.store(new, Ordering::Relaxed));
                record!(log, read() => value.load(Ordering::Relaxed));
            }
        });
        let history = History::of_recorded(&recorded, &decode).unwrap();
        assert!(
            satisfies(&history, ConsistencyLevel::Linearizable),
            "{recorded:#?}"
        );
    }
}

/// ```text
/// t0  |--write 1--|           .
/// t1              . barrier   .  |--read 0--|   a copy that was never brought up to date
/// t2              .           .
/// ```
#[test]
fn a_read_of_an_old_copy_after_a_barrier_is_found_out() {
    let (value, barrier) = (AtomicI64::new(0), Barrier::new(THREADS));
    let recorded = recorded(|number, log| {
        let copy = value.load(Ordering::SeqCst);
        barrier.wait();
        if number == 0 {
            record!(log, write(value = 1) => value.store(1, Ordering::SeqCst));
        }
        barrier.wait();
        if number > 0 {
            record!(log, read() => copy);
        }
    });
    let history = History::of_recorded(&recorded, &decode).unwrap();
    assert!(
        satisfies(&history, ConsistencyLevel::ReadMyWrites)
            && satisfies(&history, ConsistencyLevel::Sequential)
    );
    assert!(
        !satisfies(&history, ConsistencyLevel::Weak) && !satisfies(&history, ConsistencyLevel::Linearizable)
    );
}

/// The result of a write, which is written down slowly: a thread with an old copy reads meanwhile.
struct Slow<'a>(RefCell<&'a mut ThreadLog>);

impl Record for Slow<'_> {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        let mut reader = self.0.borrow_mut();
        record!(reader, read() => 0);
        slot.null()
    }
}

/// ```text
/// t0  |--write 1--| record |
/// t1                 |--read 0--|    the write was over, but had not said so when the read looked
/// ```
#[test]
fn a_stale_read_that_only_the_reading_after_the_call_orders_is_found_out() {
    for (end_fence, is_weak) in [(EndFence::LoadsOnly, true), (EndFence::DrainStores, false)] {
        let recorder = counting(end_fence);
        let (mut writer, mut reader) = (recorder.thread(0).unwrap(), recorder.thread(1).unwrap());
        let write = writer.call("write").arg("value", 1).begin();
        write.end(Slow(RefCell::new(&mut reader)));
        drop((writer, reader));
        let history = History::of_recorded(&read(recorder), &decode).unwrap();
        assert_eq!(
            satisfies(&history, ConsistencyLevel::Weak),
            is_weak,
            "{end_fence:?}"
        );
        assert!(satisfies(&history, ConsistencyLevel::Sequential));
    }
}
