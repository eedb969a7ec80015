//! Textbook components in several styles, each as it should be and with an error: what `omnilink lineup` says about code that it was
//! not tuned to.
#![cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use super::ran::{Ran, omnilink};

const TARGETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lineup-targets");

fn answers(ran: &Ran, code: i32, words: &str) {
    assert_eq!(ran.code, code, "{ran:?}");
    assert!(ran.stdout.contains(words), "{words} is not in {ran:?}");
}

#[test]
fn locks_cells_and_queues_in_rust() {
    for (case, code, words) in [
        ("ticket_lock", 0, "no violation"),
        ("ticket_lock_draws_twice", 1, "stuck: a livelock"),
        ("mcs_lock", 0, "no violation"),
        ("mcs_lock_forgets_its_successor", 1, "stuck"),
        ("rcu_cell", 0, "no violation"),
        ("rcu_cell_with_late_readers", 1, "use after free"),
        ("seqlock", 0, "no violation"),
        ("seqlock_in_the_wrong_order", 1, "not linearizable"),
        ("ring", 0, "no violation"),
        ("ring_with_empty_places", 1, "not linearizable"),
        ("signal", 0, "no violation"),
        ("signal_without_a_second_look", 1, "a lost wake-up"),
    ] {
        let package = format!("{TARGETS}/found");
        let target = ["lineup", &package, "--test", "unfamiliar", "--case", case];
        let ran = omnilink(&[&target[..], &["--jobs", "1", "--auto", "2"]].concat());
        answers(&ran, code, words);
    }
}

#[test]
fn locks_cells_and_queues_in_cpp() {
    if std::process::Command::new("g++")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    let source = format!("{TARGETS}/cpp/found/unfamiliar.cpp");
    for (case, shape, words) in [
        (1, "--auto=2", "use after free"),
        (2, "--auto=2", "a data race"),
        (
            3,
            "--matrix=put(1), put(1) | put(1) | take(), take(), take()",
            "stuck",
        ),
        (4, "--auto=2", "crashes"),
        (5, "--auto=2", "not linearizable"),
    ] {
        let case = format!("--cxxflag=-DCASE={case}");
        let target = [
            "lineup",
            "--cpp",
            &source,
            "--jobs",
            "1",
            shape,
            "--cxxflag=-std=c++20",
            &case,
        ];
        answers(&omnilink(&target), 0, "no violation");
        answers(
            &omnilink(&[&target[..], &["--cxxflag=-DWRONG"]].concat()),
            1,
            words,
        );
    }
}
