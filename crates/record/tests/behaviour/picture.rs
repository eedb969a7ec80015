//! The contents of a recording.

use std::fs;

use omnilink_record::{Backing, RecordOptions, Recorder, Recording, ThreadLog, ThreadOutput, record};

use crate::decoder::{Value, decode, listed};

/// The recording of one thread, in memory.
pub fn recorded(work: impl FnOnce(&mut ThreadLog)) -> Vec<u8> {
    let recorder = Recorder::in_memory().unwrap();
    let mut log = recorder.thread(0).unwrap();
    work(&mut log);
    drop(log);
    recorder.finish().unwrap().into_bytes().unwrap().remove(0)
}

#[test]
fn operations_have_arguments_and_results() {
    let bytes = recorded(|log| {
        record!(log, push(value = 3) => ());
        record!(log, cas(from = 3, to = -4) => true);
        assert_eq!(record!(log, pop() => Some("x")), Some("x"));
        let inserted = record!(log, "KVInsert"(key = 1) => Err::<(), _>("full"), |result| result.is_ok());
        assert_eq!(inserted, Err("full"));
        log.call("pop").begin().end(None::<i64>);
        log.call_positional("cas").arg(3).arg("b").begin().end(false);
    });
    assert_eq!(
        listed(&bytes),
        "0 push{value:3}\n\
         0 cas{from:3,to:-4} = true\n\
         0 pop{} = \"x\"\n\
         0 KVInsert{key:1} = false\n\
         0 pop{} = null\n\
         0 cas[3,\"b\"] = false"
    );
}

#[test]
fn operations_can_abort_and_carry_meta() {
    let bytes = recorded(|log| {
        log.call("commit").begin().abort();
        log.call("commit").begin().abort_with_meta("deadlock");
        log.call("get").begin().end_with_meta(5, ("node", 2));
        log.call("put").begin().end_with_meta((), 9);
    });
    assert_eq!(
        listed(&bytes),
        "0 commit{} aborted\n\
         0 commit{} meta \"deadlock\" aborted\n\
         0 get{} = 5 meta [\"node\",2]\n\
         0 put{} meta 9"
    );
}

#[test]
fn times_of_a_thread_never_overlap() {
    let bytes = recorded(|log| {
        for i in 0..10_000 {
            record!(log, op(i = i) => ());
        }
    });
    let mut last = 0;
    for operation in decode(&bytes).operations {
        assert!(last <= operation.start() && Some(operation.start()) <= operation.end());
        last = operation.end().unwrap();
    }
}

#[test]
fn the_header_names_clock_place_and_whatever_the_harness_adds() {
    let options = RecordOptions::new()
        .header("seed", 42)
        .unwrap()
        .header("sizes", [1, 2])
        .unwrap();
    let recorder = options.in_memory().unwrap();
    drop(recorder.thread("main").unwrap());
    let header = decode(&recorder.finish().unwrap().into_bytes().unwrap()[0]).header;
    assert_eq!(header.field("pid").unwrap().int(), i128::from(std::process::id()));
    assert_eq!(header.field("thread").unwrap().to_string(), "\"main\"");
    assert_eq!(header.field("seed").unwrap().to_string(), "42");
    assert_eq!(header.field("sizes").unwrap().to_string(), "[1,2]");
    let unit = header.field("unit").unwrap().to_string();
    assert!(unit == "\"tsc\"" || unit == "\"ns\"", "{unit}");
    assert!(header.field("ticks_per_second").unwrap().int() > 1_000_000);
    for text in ["host", "command", "clock"] {
        assert!(matches!(header.field(text), Some(Value::Text(_))), "{text}");
    }
}

#[test]
fn every_backing_makes_the_same_trace() {
    let long = "x".repeat(300_000);
    let work = |log: &mut ThreadLog| {
        for i in 0..3_000 {
            record!(log, push(value = i) => i % 7 == 0);
        }
        record!(log, push(value = long) => &long);
        drop(log.call("push").arg("value", &long));
        record!(log, last() => ());
    };
    let in_memory = recorded(work);
    for backing in [Backing::Mapped, Backing::Written] {
        let directory = tempfile::tempdir().unwrap();
        let options = RecordOptions::new().backing(backing).chunk_bytes(4 << 10);
        let recorder = options.create(directory.path()).unwrap();
        work(&mut recorder.thread(0).unwrap());
        let recording = recorder.finish().unwrap();
        assert_eq!((recording.operations(), recording.pending()), (3_002, 0));
        let ThreadOutput::File(path) = &recording.threads[0].output else {
            panic!("not a file")
        };
        let in_file = fs::read(path).unwrap();
        assert_eq!(listed(&in_file), listed(&in_memory), "{backing:?}");
        assert_eq!(
            decode(&in_file).whole_bytes,
            in_file.len(),
            "nothing behind the last record"
        );
    }
}

#[test]
fn each_thread_has_a_file_named_after_it() {
    let directory = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(directory.path().join("deep/inside")).unwrap();
    drop([recorder.thread(7).unwrap(), recorder.thread("pro/ducer").unwrap()]);
    let recording = recorder.finish().unwrap();
    let names = recording.threads.iter().map(|thread| match &thread.output {
        ThreadOutput::File(path) => path.file_name().unwrap().to_str().unwrap().to_owned(),
        ThreadOutput::Memory(_) => panic!("not a file"),
    });
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["0000-7.msgpack", "0001-pro_ducer.msgpack"]
    );
}

#[test]
fn threads_in_memory_make_one_trace() {
    let recorder = RecordOptions::new()
        .header("seed", 1)
        .unwrap()
        .in_memory()
        .unwrap();
    for label in ["a", "b"] {
        let mut log = recorder.thread(label).unwrap();
        record!(log, put(value = label) => ());
        drop(log.call("get").begin());
    }
    let trace = recorder.finish().unwrap().into_trace().unwrap();
    assert_eq!(
        listed(&trace),
        "\"a\" put{value:\"a\"}\n\"a\" get{} pending\n\"b\" put{value:\"b\"}\n\"b\" get{} pending"
    );
    let decoded = decode(&trace);
    assert_eq!(decoded.whole_bytes, trace.len());
    assert_eq!(decoded.header.field("seed").unwrap().int(), 1);
    assert_eq!(
        decoded.header.field("sorted"),
        None,
        "one thread comes after the other"
    );
}

#[test]
fn a_recording_in_files_has_no_bytes_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    for into in [
        |recording: Recording| recording.into_bytes().is_none(),
        |recording: Recording| recording.into_trace().is_none(),
    ] {
        let recorder = Recorder::create(directory.path().join("trace")).unwrap();
        drop(recorder.thread(0).unwrap());
        assert!(into(recorder.finish().unwrap()));
        fs::remove_dir_all(directory.path().join("trace")).unwrap();
    }
}
