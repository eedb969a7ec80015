//! If the disk is full, the system continues and the recorded part is a sound trace.

use std::path::Path;

use omnilink_record::{Backing, RecordError, RecordOptions, record};

use crate::{child, counter::count_up, decoder::decode};

const OPERATIONS: i64 = 100_000;
const ROOM_BYTES: libc::rlim_t = 1 << 20;

/// Files of this process become no larger than this.
fn limit_files(bytes: libc::rlim_t) {
    // SAFETY: changes limits of this process alone; the signal would otherwise end it.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        let limit = libc::rlimit {
            rlim_cur: bytes,
            rlim_max: bytes,
        };
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
}

/// Counts with four threads on a full disk, simulated by a limit on file sizes.
fn fill_the_disk(role: &str, directory: &Path) {
    limit_files(ROOM_BYTES);
    let backing = if role == "written" {
        Backing::Written
    } else {
        Backing::Mapped
    };
    let recorder = RecordOptions::new()
        .backing(backing)
        .chunk_bytes(64 << 10)
        .create(directory)
        .unwrap();
    let counted = count_up(&recorder, OPERATIONS);
    assert_eq!(counted, OPERATIONS, "the system continued");
    match recorder.finish() {
        Err(RecordError::Stopped { lost, cause }) => {
            assert!(lost > 0);
            assert!(cause.to_string().contains("File too large"), "{cause}");
            println!("LOST {lost}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_recorded_result_depends_on_an_operation_that_is_missing() {
    if let Some((role, directory)) = child::role() {
        return fill_the_disk(&role, &directory);
    }
    for backing in ["mapped", "written"] {
        let directory = tempfile::tempdir().unwrap();
        let test = "stop::no_recorded_result_depends_on_an_operation_that_is_missing";
        let output = child::start(test, backing, directory.path())
            .wait_with_output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            errors.matches("recording stopped").count(),
            1,
            "said once: {errors}"
        );

        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let lost: usize = said
            .lines()
            .find_map(|line| line.split_once("LOST ")?.1.parse().ok())
            .unwrap();
        let files = child::files(directory.path());
        let operations: Vec<_> = files.iter().flat_map(|bytes| decode(bytes).operations).collect();
        assert_eq!(
            operations.len() + lost,
            OPERATIONS as usize,
            "every operation is recorded or counted"
        );
        for bytes in &files {
            assert_eq!(
                decode(bytes).whole_bytes,
                bytes.len(),
                "closed files have no tail"
            );
        }
        // A counter's result depends on every smaller one: each is recorded, or may be that of a pending
        // operation.
        let results: Vec<_> = operations
            .iter()
            .filter_map(|operation| operation.ret())
            .collect();
        let pending = operations.len() - results.len();
        let missing_below = *results.iter().max().unwrap() + 1 - results.len() as i128;
        assert!(
            missing_below <= pending as i128,
            "{missing_below} results missing, {pending} pending"
        );
    }
}

/// A thread for whose file there is no room from the start.
fn begin_on_a_full_disk(backing: Backing, directory: &Path) {
    limit_files(1);
    let options = RecordOptions::new().backing(backing);
    let recorder = options.create(directory).unwrap();
    let mut log = recorder.thread(1).expect("the system continues");
    record!(log, next() => 0);
    drop(log);
    let mut other = recorder.thread(2).expect("the system continues");
    record!(other, next() => 1);
    drop(other);
    match recorder.finish() {
        Err(RecordError::Stopped { lost: 2, cause }) => {
            assert!(cause.to_string().contains("File too large"), "{cause}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        child::files(directory).len(),
        0,
        "a file without a header is taken away"
    );
}

#[test]
fn a_thread_that_begins_when_the_disk_is_full_goes_on() {
    if let Some((role, directory)) = child::role() {
        let is_written = role == "written";
        let backing = if is_written {
            Backing::Written
        } else {
            Backing::Mapped
        };
        return begin_on_a_full_disk(backing, &directory);
    }
    for backing in ["mapped", "written"] {
        let directory = tempfile::tempdir().unwrap();
        let test = "stop::a_thread_that_begins_when_the_disk_is_full_goes_on";
        let started = child::start(test, backing, directory.path());
        let output = started.wait_with_output().unwrap();
        assert!(output.status.success(), "{backing}: {output:?}");
    }
}
