//! Operations that never end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use omnilink_record::{Backing, Record, RecordOptions, Recorder, ValueSlot, Written, record};

use crate::{decoder::listed, picture::recorded};

/// Panics after a part of it was written.
struct Explosive;

impl Record for Explosive {
    fn record(&self, slot: ValueSlot<'_>) -> Written {
        slot.items(|items| {
            items.item("written");
            panic!("while recording");
        })
    }
}

#[test]
fn a_thread_continues_under_a_new_label_after_a_reply_that_never_came() {
    let bytes = recorded(|log| {
        record!(log, get() => 1);
        drop(log.call("put").arg("value", 2).begin());
        record!(log, get() => 1);
        record!(log, get() => 2);
        drop(log.call("put").arg("value", 3).begin());
        record!(log, get() => 2);
        drop(log.call("put").arg("value", 4).begin());
    });
    assert_eq!(
        listed(&bytes),
        "0 get{} = 1\n\
         0 put{value:2} pending\n\
         \"0'1\" get{} = 1\n\
         \"0'1\" get{} = 2\n\
         \"0'1\" put{value:3} pending\n\
         \"0'2\" get{} = 2\n\
         \"0'2\" put{value:4} pending"
    );
}

#[test]
fn an_open_call_can_be_ended_through_its_log() {
    let bytes = recorded(|log| {
        assert!(log.open_call().is_none());
        let _ = log.call("get").begin();
        log.open_call().expect("it is open").end(1);
        assert!(log.open_call().is_none());
        let _ = log.call("put").arg("value", 2).begin();
        log.open_call().expect("it is open").abort();
    });
    assert_eq!(listed(&bytes), "0 get{} = 1\n0 put{value:2} aborted");
}

#[test]
fn an_operation_that_panics_stays_pending() {
    fn pop_of_a_broken_system() -> Option<i64> {
        panic!("in the system")
    }
    let bytes = recorded(|log| {
        let result = catch_unwind(AssertUnwindSafe(
            || record!(log, pop() => pop_of_a_broken_system()),
        ));
        assert!(result.is_err());
        record!(log, size() => 0);
    });
    assert_eq!(listed(&bytes), "0 pop{} pending\n\"0'1\" size{} = 0");
}

#[test]
fn a_panic_while_recording_leaves_no_half_record() {
    let bytes = recorded(|log| {
        record!(log, first() => ());
        let in_argument = catch_unwind(AssertUnwindSafe(|| {
            drop(log.call("never").arg("value", Explosive))
        }));
        assert!(in_argument.is_err());
        record!(log, second() => ());
        let in_result = catch_unwind(AssertUnwindSafe(|| log.call("third").begin().end(Explosive)));
        assert!(in_result.is_err());
        record!(log, fourth() => ());
    });
    assert_eq!(
        listed(&bytes),
        "0 first{}\n0 second{}\n0 third{} pending\n\"0'1\" fourth{}"
    );
}

#[test]
fn a_call_that_is_never_begun_leaves_no_trace() {
    let bytes = recorded(|log| {
        drop(
            log.call("never")
                .arg("value", "a long value that the next record does not cover"),
        );
        record!(log, a() => ());
        drop(log.call("never").arg("value", 1));
    });
    assert_eq!(listed(&bytes), "0 a{}");
}

#[test]
fn the_recording_counts_its_pending_operations() {
    let recorder = Recorder::in_memory().unwrap();
    let mut log = recorder.thread(0).unwrap();
    record!(log, a() => ());
    drop(log.call("b").begin());
    record!(log, c() => ());
    drop(log.call("d").begin());
    drop(log);
    let recording = recorder.finish().unwrap();
    assert_eq!((recording.operations(), recording.pending()), (4, 2));
}

#[test]
fn a_cancelled_call_leaves_no_trace() {
    for backing in [Backing::Mapped, Backing::Written] {
        let directory = tempfile::tempdir().unwrap();
        let recorder = RecordOptions::new()
            .backing(backing)
            .create(directory.path())
            .unwrap();
        let mut log = recorder.thread(0).unwrap();
        let file = directory.path().join("0000-0.msgpack");
        let recorded = || listed(&std::fs::read(&file).unwrap());
        log.call("cancelled").arg("value", 1).begin().cancel();
        assert_eq!(recorded(), "");
        record!(log, a() => 1);
        let long = log
            .call("cancelled")
            .arg("value", "the next record does not cover all of it")
            .begin();
        assert!(recorded().contains("pending"), "the test looks at the file");
        long.cancel();
        assert_eq!(recorded(), "0 a{} = 1");
        // The thread keeps its label: nothing is pending.
        record!(log, b() => ());
        assert_eq!(recorded(), "0 a{} = 1\n0 b{}");
        log.call("cancelled").begin().cancel();
        drop(log);
        let recording = recorder.finish().unwrap();
        assert_eq!((recording.operations(), recording.pending()), (2, 0));
        assert_eq!(recorded(), "0 a{} = 1\n0 b{}");
    }
}

#[test]
fn where_others_count_what_had_begun_a_cancelled_call_is_aborted() {
    let recorder = RecordOptions::new().happens_before(1).in_memory().unwrap();
    let mut log = recorder.thread(0).unwrap();
    log.call("cancelled").begin().cancel();
    drop(log);
    let bytes = recorder.finish().unwrap().into_bytes().unwrap().remove(0);
    assert!(listed(&bytes).contains("cancelled{}"), "{}", listed(&bytes));
    assert!(listed(&bytes).contains("aborted"), "{}", listed(&bytes));
}
