//! An operation that has ended survives any death of the process.

use std::{
    io::{Read, Write},
    os::unix::process::ExitStatusExt,
    path::Path,
    thread,
};

use omnilink_record::{Backing, RecordOptions, record};

use crate::{
    child,
    decoder::{Decoded, decode},
};

const ENDED: i64 = 5_000;

/// Records many operations and dies in the middle of one.
fn die(role: &str, directory: &Path) {
    let (backing, death) = role.split_once(' ').unwrap();
    let backing = if backing == "written" {
        Backing::Written
    } else {
        Backing::Mapped
    };
    let recorder = RecordOptions::new()
        .backing(backing)
        .chunk_bytes(16 << 10)
        .create(directory)
        .unwrap();
    let mut log = recorder.thread(0).unwrap();
    for i in 0..ENDED {
        record!(log, op(i = i) => i);
    }
    record!(log, op(i = ENDED) => match death {
        "panic" => panic!("as planned"),
        "abort" => std::process::abort(),
        "exit" => std::process::exit(7),
        "fault" => touch_forbidden_memory(),
        _ => {
            // SAFETY: ends this process, as it is meant to.
            unsafe { libc::raise(libc::SIGKILL) };
        }
    });
}

fn touch_forbidden_memory() {
    // SAFETY: the page is mapped without any right: the store faults, which is what it is for.
    unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            4096,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANON,
            -1,
            0,
        );
        page.cast::<u8>().write_volatile(1);
    }
}

#[test]
fn what_had_ended_has_its_end_and_what_was_under_way_is_pending() {
    if let Some((role, directory)) = child::role() {
        return die(&role, &directory);
    }
    for backing in ["mapped", "written"] {
        for (death, signal) in [
            ("panic", None),
            ("exit", None),
            ("abort", Some(libc::SIGABRT)),
            ("fault", Some(libc::SIGSEGV)),
            ("kill", Some(libc::SIGKILL)),
        ] {
            let directory = tempfile::tempdir().unwrap();
            let test = "crash::what_had_ended_has_its_end_and_what_was_under_way_is_pending";
            let output = child::start(test, &format!("{backing} {death}"), directory.path())
                .wait_with_output()
                .unwrap();
            assert_eq!(output.status.signal(), signal, "{death}: {output:?}");
            assert!(!output.status.success());
            let decoded = decode(&child::files(directory.path())[0]);
            let (last, ended) = decoded.operations.split_last().unwrap();
            assert_eq!(ended.len(), ENDED as usize, "{backing} {death}");
            assert!(
                ended
                    .iter()
                    .zip(0..)
                    .all(|(operation, i)| operation.arg("i") == i && operation.ret() == Some(i))
            );
            assert_eq!(
                last.to_string(),
                format!("0 op{{i:{ENDED}}} pending"),
                "{backing} {death}"
            );
        }
    }
}

/// Two threads record as fast as they can and regularly report to the parent which operation has ended.
fn record_until_killed(directory: &Path) {
    let recorder = RecordOptions::new()
        .chunk_bytes(16 << 10)
        .create(directory)
        .unwrap();
    thread::scope(|scope| {
        for label in 0..2u8 {
            let mut log = recorder.thread(label).unwrap();
            scope.spawn(move || {
                for i in 0i64.. {
                    record!(log, op(i = i) => i);
                    if i % 64 == 63 {
                        let reported = format!("{label} {i}\n");
                        std::io::stdout().write_all(reported.as_bytes()).unwrap();
                    }
                }
            });
        }
    });
}

/// The last operation that a thread reported to the parent.
fn last_reported(reported: &[u8], label: usize) -> Option<usize> {
    String::from_utf8_lossy(reported)
        .lines()
        .filter_map(|line| line.strip_prefix(&format!("{label} "))?.parse().ok())
        .max()
}

#[test]
fn a_kill_at_any_moment_loses_nothing_that_was_reported() {
    if let Some((_, directory)) = child::role() {
        return record_until_killed(&directory);
    }
    for attempt in 0..5 {
        let directory = tempfile::tempdir().unwrap();
        let test = "crash::a_kill_at_any_moment_loses_nothing_that_was_reported";
        let mut child = child::start(test, "race", directory.path());
        let mut pipe = child.stdout.take().unwrap();
        let mut reported = vec![0; 4_000 + attempt * 777];
        pipe.read_exact(&mut reported).unwrap();
        // On a busy machine one thread can report all of that before the other has begun.
        while (0..2).any(|label| last_reported(&reported, label).is_none()) {
            let mut more = [0; 256];
            pipe.read_exact(&mut more).unwrap();
            reported.extend(more);
        }
        child.kill().unwrap();
        pipe.read_to_end(&mut reported).unwrap();
        child.wait().unwrap();

        let files: Vec<Decoded> = child::files(directory.path())
            .iter()
            .map(|bytes| decode(bytes))
            .collect();
        assert_eq!(files.len(), 2);
        for (label, file) in files.iter().enumerate() {
            let ended = file
                .operations
                .iter()
                .filter(|operation| operation.end().is_some())
                .count();
            assert!(
                file.operations.len() - ended <= 1,
                "only the last operation can be pending"
            );
            assert!(
                file.operations
                    .iter()
                    .zip(0..)
                    .all(|(operation, i)| operation.arg("i") == i)
            );
            let last_reported = last_reported(&reported, label).unwrap();
            assert!(
                ended > last_reported,
                "{ended} recorded, {last_reported} reported"
            );
        }
    }
}
