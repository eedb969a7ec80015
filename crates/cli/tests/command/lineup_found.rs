//! Components that `omnilink lineup` once got wrong: missed bugs, false alarms, answers that came late or said too little.
//!
//! Each was found in a released library or written to show one error. Libraries are not part of the tests: where the error was
//! found in one (tokio's `oneshot`, leapfrog's `insert`, xenium's `ramalhete_queue`), a component of ours has the same error.
//!
//! | component | what the answer was | what it is | test |
//! |---|---|---|---|
//! | `condvar.rs`, `condvar_twin.cpp` | no violation (Rust) | a lost wake-up, in both languages | `a_wake_up_lost_…` |
//! | `relaxed_publish.rs` | no violation | a data race with both places | `plain_data_published_…` |
//! | `use_after_free.rs` | no violation | a use after free, at the access | `a_node_that_is_read_…` |
//! | `torn_u128.rs` | no violation | half of each value is read | `a_plain_write_of_sixteen_bytes_…` |
//! | `oneshot.rs` (tokio 1.13.0) | no violation without `--plain` | a crash | `what_an_atomic_state_fails_to_guard_…` |
//! | `bounded_retry.cpp` (xenium's `try_pop` too) | a livelock | no violation | `a_wait_that_gives_up_…` |
//! | `try_lock.rs`, `may_fail.rs` | not linearizable | no violation with `.may_fail` | `a_call_may_fail_…` |
//! | `model_u64.rs` | an error about the user's input | a violation by the model | `a_number_that_went_round_…` |
//! | `never_a_step.rs`, both calls | unknown after the time limit | the call is named, soon | `a_call_that_reaches_no_step_…` |
//! | `shrink_cost.rs` | found, and told after shrinking | told at once; shrinking has limits of its own | `what_was_found_is_told_…` |
//! | `lost_exchange.rs` (leapfrog 0.3.3) | found | found | `a_call_that_returns_its_own_value_…` |
//! | `segment_queue.cpp` (xenium 0.0.2), `serial_crash.rs` | no word of a crash in a serial run | a crash | `a_crash_outside_all_calls_…`, `a_crash_in_a_serial_run_…` |
//! | `leak.rs`, `leak.cpp` | nothing | a leak, if asked for | `memory_that_nothing_points_to_…` |
//!
//! The programs that show the new bugs natively are `leapfrog_native.rs` in `lineup-targets/bugs` and `xenium_double_free.cpp` in
//! `lineup-targets/cpp/bugs`; `docs/bugs-found.md` says what they print.
#![cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use super::ran::{Ran, omnilink};

const TARGETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lineup-targets");

fn lineup(component: &str, more: &[&str]) -> Ran {
    let package = format!("{TARGETS}/found");
    let mut arguments = vec!["lineup", &package, "--bin", component, "--jobs", "1"];
    arguments.extend(more);
    omnilink(&arguments)
}

/// `None` on a machine without a C++ compiler.
fn lineup_cpp(file: &str, more: &[&str]) -> Option<Ran> {
    std::process::Command::new("g++").arg("--version").output().ok()?;
    let source = format!("{TARGETS}/cpp/found/{file}");
    let mut arguments = vec!["lineup", "--cpp", &source, "--jobs", "1"];
    arguments.extend(more);
    Some(omnilink(&arguments))
}

/// What was printed, wherever the lines were broken.
fn unwrapped(ran: &Ran) -> String {
    ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The answer has this exit code and says this.
fn answers(ran: &Ran, code: i32, words: &[&str]) {
    assert_eq!(ran.code, code, "{ran:?}");
    let text = unwrapped(ran);
    for word in words {
        assert!(text.contains(word), "{word} is not in {ran:?}");
    }
}

#[test]
fn a_wake_up_lost_between_looking_and_waiting_is_found_in_rust_as_in_cpp() {
    let matrix = ["--matrix", "up() | down()"];
    answers(&lineup("condvar", &matrix), 1, &["stuck: a lost wake-up"]);
    if let Some(ran) = lineup_cpp("condvar_twin.cpp", &matrix) {
        answers(&ran, 1, &["stuck: a lost wake-up"]);
    }
}

#[test]
fn a_wait_that_gives_up_after_a_thousand_tries_is_no_livelock() {
    let matrix = ["--matrix", "{put()} try_get() | clear()"];
    if let Some(ran) = lineup_cpp("bounded_retry.cpp", &matrix) {
        answers(&ran, 0, &["no violation"]);
    }
    // More tries than steps are allowed: then nothing is claimed, be it so or so.
    let patient = [matrix.as_slice(), &["--cxxflag=-DRETRIES=1000000"]].concat();
    if let Some(ran) = lineup_cpp("bounded_retry.cpp", &patient) {
        answers(&ran, 3, &["was cut after 20,000 steps", "unknown"]);
    }
}

#[test]
fn a_call_that_reaches_no_step_is_told_by_its_name() {
    let ran = lineup("never_a_step", &["--matrix", "inc() | busy()"]);
    answers(&ran, 3, &["busy() computes without ever reaching a step"]);
    let ran = lineup("never_a_step", &["--matrix", "inc() | pipe()"]);
    answers(&ran, 3, &["pipe() does not come back", "waits in the kernel"]);
}

#[test]
fn a_crash_in_a_serial_run_is_a_finding() {
    let ran = lineup("serial_crash", &["--matrix", "push(), push(), push()"]);
    answers(&ran, 1, &["crashes", "SIGABRT", "it takes no concurrency"]);
    let ran = lineup("serial_crash", &["--matrix", "push() | push()"]);
    answers(&ran, 0, &["no violation"]);
}

#[test]
fn plain_data_published_without_release_are_a_data_race_with_both_places() {
    let ran = lineup("relaxed_publish", &["--matrix", "publish() | read()"]);
    answers(
        &ran,
        1,
        &[
            "a data race",
            "thread 0 writes at",
            "thread 1 reads at",
            "relaxed_publish.rs:",
        ],
    );
    // A schedule of the report shows it again.
    let json = lineup("relaxed_publish", &["--matrix", "publish() | read()", "--json"]);
    let schedule = json.json()[0]["violation"]["schedule"]
        .as_str()
        .unwrap()
        .to_owned();
    let again = ["--matrix", "publish() | read()", "--schedule", &schedule];
    answers(&lineup("relaxed_publish", &again), 1, &["a data race"]);
    let ran = lineup(
        "relaxed_publish",
        &["--matrix", "publish() | read()", "--no-races"],
    );
    answers(&ran, 0, &["not at plain accesses"]);
}

#[test]
fn a_node_that_is_read_after_it_was_freed_is_found_at_the_access() {
    let ran = lineup("use_after_free", &["--auto", "2"]);
    answers(
        &ran,
        1,
        &[
            "crashes",
            "use after free",
            "uses freed memory",
            "it was allocated",
            "it was freed",
        ],
    );
    let ran = lineup("torn_u128", &["--matrix", "set(1) | get()"]);
    answers(&ran, 1, &["a data race", "torn_u128.rs:"]);
}

#[test]
fn what_an_atomic_state_fails_to_guard_crashes_without_switches_at_all_plain_accesses() {
    let ran = lineup("oneshot", &["--matrix", "{close()} send(1) | try_recv()"]);
    answers(
        &ran,
        1,
        &["crashes", "use after free", "it was allocated", "it was freed"],
    );
    // The command finds a matrix by itself.
    answers(&lineup("oneshot", &[]), 1, &["crashes", "oneshot.rs:"]);
}

#[test]
fn a_call_that_returns_its_own_value_as_the_old_one_is_found() {
    let ran = lineup("lost_exchange", &["--matrix", "replace(2) | replace(3)"]);
    answers(&ran, 1, &["not linearizable", "= 2"]);
}

#[test]
fn a_crash_outside_all_calls_is_a_finding_in_a_serial_run_too() {
    let serial = "push(1), push(2), try_pop(), try_pop(), push(1)";
    let Some(ran) = lineup_cpp("segment_queue.cpp", &["--matrix", serial]) else {
        return;
    };
    answers(&ran, 1, &["crashes", "double free", "it takes no concurrency"]);
    let of = |more: &[&str]| lineup_cpp("segment_queue.cpp", more).expect("there is a compiler");
    answers(&of(&["--auto", "2"]), 1, &["crashes", "double free"]);
    // The wait of `try_pop` for a push that has begun is no livelock.
    let matrix = "try_pop() | push(1), try_pop()";
    answers(&of(&["--matrix", matrix]), 0, &["no violation"]);
    answers(
        &of(&["--matrix", serial, "--cxxflag=-DFIXED"]),
        0,
        &["no violation"],
    );
}

#[test]
fn memory_that_nothing_points_to_is_a_leak_if_asked_for() {
    let first = ["--matrix", "first() | first()"];
    answers(&lineup("leak", &first), 0, &["no violation"]);
    let leaks = [&first[..], &["--leaks"]].concat();
    let words = [
        "leaks memory",
        "a block of 8 bytes is never freed",
        "leak.rs:",
        "No serial run leaks",
    ];
    answers(&lineup("leak", &leaks), 1, &words);
    for matrix in [
        "first(), first()",
        "fixed() | fixed()",
        "cached() | cached(), cached()",
    ] {
        answers(
            &lineup("leak", &["--matrix", matrix, "--leaks"]),
            0,
            &["no violation"],
        );
    }
    let ran = lineup("leak", &["--matrix", "forgotten() | fixed()", "--leaks"]);
    answers(&ran, 1, &["leaks memory", "it takes no concurrency"]);
    assert_eq!(lineup("leak", &["--leaks", "--engine", "native"]).code, 2);
    let Some(ran) = lineup_cpp("leak.cpp", &leaks) else {
        return;
    };
    answers(
        &ran,
        1,
        &["leaks memory", "a block of 4 bytes is never freed", "leak.cpp:"],
    );
    for matrix in ["fixed() | fixed()", "cached() | cached(), cached()"] {
        let ran = lineup_cpp("leak.cpp", &["--matrix", matrix, "--leaks"]);
        answers(&ran.expect("there is a compiler"), 0, &["no violation"]);
    }
}

#[test]
fn a_plain_write_of_sixteen_bytes_is_seen_half_made() {
    let ran = lineup("torn_u128", &["--matrix", "set(1) | get()"]);
    answers(&ran, 1, &["not linearizable", "get() = 1"]);
}

#[test]
fn an_answer_without_a_finding_says_what_it_covers() {
    let ran = lineup("serial_crash", &["--matrix", "push() | push()"]);
    answers(
        &ran,
        0,
        &[
            "Covered: 1 given matrix",
            "sequentially consistent",
            "Not seen into: Rust's standard library",
        ],
    );
    let json = lineup("serial_crash", &["--matrix", "push() | push()", "--json"]);
    let coverage = &json.json()[0]["scope"];
    assert_eq!(coverage["preemptions"], 2, "{coverage}");
    assert_eq!(coverage["plain_accesses"], "racing", "{coverage}");
    assert_eq!(coverage["runs_cut"], 0, "{coverage}");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn calls_into_a_library_that_is_not_instrumented_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let built = std::process::Command::new("gcc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(path.join("libpart.so"))
        .arg(format!("{TARGETS}/cpp/found/library_part.c"))
        .status();
    if built.is_err() {
        return;
    }
    let (search, run) = (
        format!("--cxxflag=-L{}", path.display()),
        format!("--cxxflag=-Wl,-rpath,{}", path.display()),
    );
    let more = |matrix| vec!["--matrix", matrix, &search, "--cxxflag=-lpart", &run, "--json"];
    for (matrix, calls_of_a_run) in [("add() | add()", 2), ("add() | get()", 3), ("get() | get()", 4)] {
        let ran = lineup_cpp("library.cpp", &more(matrix)).expect("there is a compiler");
        assert_eq!(ran.code, 0, "{ran:?}");
        let evidence = &ran.json()[0];
        let scope = &evidence["scope"];
        assert_eq!(scope["not_instrumented"][0], "libpart.so", "{scope}");
        let calls = scope["calls_not_seen"]["libpart.so"].as_u64().unwrap();
        let executions = evidence["executions"].as_u64().unwrap();
        // Every run makes all calls, in whichever order.
        assert!(executions > 1, "{evidence}");
        assert_eq!(calls, executions * calls_of_a_run, "{evidence}");
    }
    let text = lineup_cpp("library.cpp", &more("add() | get()")[..5]).expect("there is a compiler");
    answers(&text, 0, &["Not seen into: libpart.so (", " calls)"]);
}

#[test]
fn a_number_that_went_round_is_a_violation_by_a_model_too() {
    let matrix = "push(1) | pop(), len()";
    let ran = lineup("model_u64", &["--matrix", matrix, "--model", "stack"]);
    answers(&ran, 1, &["len = 18446744073709551615"]);
    assert_eq!(lineup("model_u64", &["--matrix", matrix]).code, 1);
}

#[test]
fn a_call_may_fail_because_others_run_but_not_for_any_other_reason() {
    let found = lineup("try_lock", &["--auto", "2"]);
    answers(&found, 1, &["not linearizable"]);
    let ran = lineup("may_fail", &["--matrix", "add(), try_add() | try_add(), add()"]);
    answers(&ran, 0, &["no violation"]);
    // It failed, but not without a trace.
    let ran = lineup("may_fail", &["--matrix", "{add()} try_reset() | add() | add()"]);
    answers(&ran, 1, &["not linearizable"]);
}

#[test]
fn what_was_found_is_told_before_it_is_made_smaller() {
    let ran = lineup("shrink_cost", &["--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("found in --matrix '"), "{ran:?}");
}
