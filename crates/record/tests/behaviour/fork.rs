//! A forked child leaves its parent's recording alone.

use omnilink_record::{Recorder, record};

use crate::decoder::{decode, listed};

#[test]
fn a_child_that_drops_an_inherited_log_does_not_touch_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(directory.path()).unwrap();
    let mut log = recorder.thread(0).unwrap();
    record!(log, a() => ());
    // SAFETY: the child only drops the log, which allocates nothing and takes no lock, and ends at once.
    let child = unsafe { libc::fork() };
    if child == 0 {
        drop(log);
        // SAFETY: ends the child without running what belongs to the parent.
        unsafe { libc::_exit(0) };
    }
    // SAFETY: waits for the child that was just made.
    unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    record!(log, b() => ());
    drop(log);
    recorder.finish().unwrap();
    let bytes = std::fs::read(directory.path().join("0000-0.msgpack")).unwrap();
    assert_eq!(listed(&bytes), "0 a{}\n0 b{}");
    assert_eq!(decode(&bytes).whole_bytes, bytes.len());
}
