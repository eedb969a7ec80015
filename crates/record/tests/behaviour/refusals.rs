//! Errors of the recorder and their messages.

use std::{error::Error, fs};

use omnilink_record::{ClockChoice, RecordError, RecordOptions, Recorder};

fn message<T>(result: Result<T, RecordError>) -> String {
    match result {
        Ok(_) => panic!("not refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_directory_with_something_in_it() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("old.msgpack"), "").unwrap();
    let refused = Recorder::create(directory.path());
    assert!(matches!(refused, Err(RecordError::DirectoryNotEmpty { .. })));
    assert!(message(refused).contains("name a new one"));
}

#[test]
fn a_path_that_is_or_goes_through_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(
        Recorder::create(&file),
        Err(RecordError::NotADirectory { .. })
    ));
    let refused = Recorder::create(file.join("below"));
    let Err(error @ RecordError::Io { .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(error.source().is_some());
    assert!(
        error.to_string().contains("cannot create the trace directory"),
        "{error}"
    );
}

#[test]
fn a_directory_that_went_away() {
    let directory = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(directory.path().join("trace")).unwrap();
    fs::remove_dir(directory.path().join("trace")).unwrap();
    assert!(message(recorder.thread(0)).contains("cannot create a thread's trace file"));
    assert_eq!(recorder.finish().unwrap().threads.len(), 0);
}

#[test]
fn labels_that_are_not_distinct() {
    let recorder = Recorder::in_memory().unwrap();
    drop(recorder.thread(0).unwrap());
    assert!(matches!(recorder.thread(0), Err(RecordError::LabelTaken { .. })));
    assert!(matches!(
        recorder.thread("0"),
        Err(RecordError::LabelTaken { .. })
    ));
    assert!(matches!(
        recorder.thread("0'1"),
        Err(RecordError::LabelInvalid { .. })
    ));
    assert!(matches!(
        recorder.thread(""),
        Err(RecordError::LabelInvalid { .. })
    ));
}

#[test]
fn header_fields_that_are_taken() {
    assert!(message(RecordOptions::new().header("unit", "s")).contains("\"unit\" is already taken"));
    let twice = RecordOptions::new().header("seed", 1).unwrap().header("seed", 2);
    assert!(matches!(twice, Err(RecordError::HeaderTaken { .. })));
}

#[test]
fn finishing_while_logs_are_in_use() {
    let recorder = Recorder::in_memory().unwrap();
    let _log = recorder.thread("worker").unwrap();
    assert!(message(recorder.finish()).contains("worker"));
}

#[test]
fn a_counter_that_is_not_a_clock_is_refused_with_the_reason() {
    let made = RecordOptions::new().clock(ClockChoice::Tsc).in_memory();
    let refused = matches!(made, Err(RecordError::ClockUnavailable { .. }));
    let can_be_a_clock = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    assert!(refused || (made.is_ok() && can_be_a_clock), "{made:?}");
}
