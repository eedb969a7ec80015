//! Components that were called wrong although they are correct, and bugs that were called "no violation".
//!
//! Each is the smallest that showed an error of ours; `lineup-targets/proof/proof.py` has the larger tables, which take too long for
//! every change. Where a correct twin exists, it is told apart.
#![cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use super::ran::{Ran, folder, omnilink, omnilink_in};

const TARGETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lineup-targets");

fn rust(package: &str, target: &[&str], more: &[&str]) -> Ran {
    let package = format!("{TARGETS}/{package}");
    omnilink(&[&["lineup", &package, "--jobs", "1"], target, more].concat())
}

/// `None` on a machine without a C++ compiler.
fn cpp(file: &str, more: &[&str]) -> Option<Ran> {
    std::process::Command::new("g++").arg("--version").output().ok()?;
    let source = format!("{TARGETS}/{file}");
    Some(omnilink(
        &[&["lineup", "--cpp", &source, "--jobs", "1"], more].concat(),
    ))
}

fn found(file: &str, more: &[&str]) -> Option<Ran> {
    cpp(&format!("cpp/found/{file}"), more)
}

/// The answer has this exit code and says this, wherever its lines were broken.
fn answers(ran: &Ran, code: i32, words: &[&str]) {
    assert_eq!(ran.code, code, "{ran:?}");
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in words {
        assert!(text.contains(word), "{word} is not in {ran:?}");
    }
}

/// What C++ components answer: the file, its arguments, the exit code, and words of the answer.
fn all_answer(cases: &[(&str, &[&str], i32, &str)]) {
    for (file, more, code, words) in cases {
        if let Some(ran) = found(file, more) {
            answers(&ran, *code, &[words]);
        }
    }
}

const SMALL: &str = "--auto=2";
const ONE_EACH: &[&str] = &["--auto", "2", "--preemptions", "1"];

#[test]
fn locks_of_rusts_library_guard_plain_data_under_weak_memory() {
    for bin in ["std_mutex", "std_rwlock"] {
        let ran = rust("found", &["--bin", bin], &[SMALL, "--memory", "c11"]);
        answers(&ran, 0, &["no violation"]);
    }
}

#[test]
fn a_serial_run_of_any_length_is_made() {
    all_answer(&[
        (
            "bounded_wait.cpp",
            &["--matrix", "look() | look(), raise()", "--preemptions", "0"],
            0,
            "no violation",
        ),
        (
            "bounded_wait_2002.cpp",
            &["--matrix", "look() | look(), raise()", "--preemptions", "0"],
            0,
            "no violation",
        ),
        (
            "long_call.cpp",
            &["--matrix", "fill() | fill(), mark()", "--preemptions", "0"],
            0,
            "no violation",
        ),
        (
            "two_calls.cpp",
            &[
                "--matrix",
                "fill(), fill() | fill(), mark()",
                "--preemptions",
                "0",
            ],
            0,
            "no violation",
        ),
    ]);
}

#[test]
fn what_the_system_orders_is_no_race_and_no_violation() {
    all_answer(&[
        ("arena.cpp", ONE_EACH, 0, "no violation"),
        ("remapped.cpp", ONE_EACH, 0, "no violation"),
        (
            "remapped.cpp",
            &["--auto", "2", "--preemptions", "1", "--cxxflag=-DBAD"],
            1,
            "data race",
        ),
        (
            "once_cancelled.cpp",
            &["--matrix", "get() | get()", "--preemptions", "1"],
            0,
            "These are all runs with at most 1 preemption.",
        ),
        ("call_once.cpp", &[SMALL], 0, "no violation"),
        ("call_once.cpp", &[SMALL, "--memory", "c11"], 0, "no violation"),
        (
            "membar.cpp",
            &["--matrix", "reader() | writer() {both()}", "--memory", "c11"],
            0,
            "no violation",
        ),
        (
            "membar.cpp",
            &[
                "--matrix",
                "reader() | writer() {both()}",
                "--memory",
                "c11",
                "--cxxflag=-DBAD",
            ],
            1,
            "not linearizable",
        ),
    ]);
    if let Some(ran) = found("call_once.cpp", &[SMALL]) {
        assert!(!ran.stdout.contains("stuck"), "a serial run is stuck: {ran:?}");
    }
}

#[test]
fn a_component_does_not_see_that_it_is_instrumented() {
    all_answer(&[("sees_instrumentation.cpp", ONE_EACH, 0, "no violation")]);
    let harness = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness");
    let manifest = format!(
        "[package]\nname = \"curious\"\nedition = \"2024\"\nbuild = \"build.rs\"\n[[bin]]\nname = \"curious\"\npath = \"main.rs\"\n\
         [workspace]\n[dependencies]\nomnilink-harness = {{ path = {harness:?} }}\n"
    );
    let build = r#"fn main() {
        let sees = std::env::var_os("CARGO_CFG_SANITIZE").is_some() || std::env::var_os("RUSTC_BOOTSTRAP").is_some();
        let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
        if sees || flags.contains("sanitizer") { panic!("the build script sees the instrumentation: {flags}"); }
    }"#;
    let main = r#"use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
        fn main() -> std::process::ExitCode {
            omnilink_harness::Component::new("curious", || AtomicI64::new(0))
                .op("add()", |n| { let v = n.load(SeqCst); n.store(v + 1, SeqCst); v + 1 }).main()
        }"#;
    let package = folder(&[("Cargo.toml", &manifest), ("build.rs", build), ("main.rs", main)]);
    let ran = omnilink_in(package.path(), &["lineup", "--bin", "curious", SMALL]);
    answers(&ran, 1, &["not linearizable"]);
}

#[test]
fn what_comes_after_spinning_is_explored() {
    let spins = |number| format!("--cxxflag=-DSPINS={number}");
    for number in [0, 2, 3, 4, 10, 100] {
        let matrix = ["--matrix", "set() | wait()", &spins(number)];
        if let Some(ran) = found("park.cpp", &matrix) {
            answers(&ran, 1, &["a lost wake-up"]);
        }
        if let Some(ran) = found("park.cpp", &[&matrix[..], &["--cxxflag=-DGOOD"]].concat()) {
            answers(&ran, 0, &["no violation"]);
        }
    }
    let event = ["--matrix", "set() | wait()", "--cxxflag=-std=c++20"];
    all_answer(&[
        ("ev.cpp", &event, 1, "a lost wake-up"),
        (
            "ev.cpp",
            &[&event[..], &["--cxxflag=-DGOOD"]].concat(),
            0,
            "no violation",
        ),
        ("giveup.cpp", &[SMALL], 1, "not linearizable"),
        ("bounded_try.cpp", &[SMALL], 1, "not linearizable"),
        ("bounded_try5.cpp", &[SMALL], 1, "not linearizable"),
        ("three_reads.cpp", &[SMALL], 1, "not linearizable"),
    ]);
    let ran = rust("found", &["--bin", "spin_then_park"], &[SMALL]);
    answers(&ran, 1, &["a lost wake-up"]);
}

#[test]
fn a_wait_that_changes_something_in_every_round_is_one() {
    let undo = ["--matrix", "write() | read()"];
    let all = "These are all runs with at most 2 preemptions.";
    all_answer(&[
        ("undo.cpp", &undo, 0, all),
        ("undo.cpp", &[&undo[..], &["--memory", "c11"]].concat(), 0, all),
        (
            "undo.cpp",
            &["--matrix", "write(), read()", "--no-blocking", "--cxxflag=-DBAD"],
            1,
            "read() of thread 0 never comes back in a serial run",
        ),
    ]);
}

/// libstdc++ 12 waits for a counter to change that changed and came back in the meantime.
#[test]
fn a_semaphore_of_cpps_library_loses_a_wake_up() {
    let matrix = "acquire() | acquire() | release()";
    let Some(ran) = found("sem.cpp", &["--matrix", matrix, "--cxxflag=-std=c++20"]) else {
        return;
    };
    // Other releases of the library are correct.
    let compiler = std::process::Command::new("g++").arg("-dumpversion").output();
    let is_12 = compiler.is_ok_and(|ran| ran.stdout.starts_with(b"12"));
    if is_12 {
        answers(&ran, 1, &["a lost wake-up"])
    } else {
        assert!([0, 1].contains(&ran.code), "{ran:?}")
    }
}

#[test]
fn a_weak_exchange_may_fail_without_a_reason() {
    let weak = ["--matrix", "take() | is_taken()", "--memory", "c11"];
    all_answer(&[
        (
            "weak_exchange.cpp",
            &weak,
            1,
            "fails although that is expected, as a weak compare-and-swap may",
        ),
        // At most one access of a run does: a loop ends.
        (
            "weak_exchange.cpp",
            &[&weak[..], &["--cxxflag=-DGOOD"]].concat(),
            0,
            "no violation",
        ),
        ("weak_exchange.cpp", &[SMALL], 0, "no violation"),
    ]);
}

#[test]
fn accesses_of_the_c_library_and_of_cpps_library_are_seen() {
    all_answer(&[
        ("varcpy.cpp", &[SMALL], 1, "use after free"),
        ("varrace.cpp", &[SMALL], 1, "data race"),
        ("seqplain.cpp", &[SMALL], 1, "data race"),
        ("vecrace.cpp", &[SMALL], 1, "data race"),
        ("strm.cpp", &[SMALL, "--cxxflag=-DK=3"], 1, "data race"),
        ("strm.cpp", &[SMALL, "--cxxflag=-DK=4"], 1, "data race"),
    ]);
}

#[test]
fn a_call_in_which_nothing_is_seen_is_named() {
    all_answer(&[("asmcount.cpp", ONE_EACH, 0, "Warning: no step was seen in inc()")]);
    if let Some(ran) = found("asmcount.cpp", &[ONE_EACH, &["--json"]].concat()) {
        assert_eq!(
            ran.json()[0]["scope"]["calls_without_steps"][0],
            "inc()",
            "{ran:?}"
        );
    }
}

#[test]
fn a_crash_shows_what_was_printed() {
    all_answer(&[("assertmsg.cpp", &[SMALL], 1, "What it printed: harness: ")]);
    if let Some(ran) = found("assertmsg.cpp", &[SMALL]) {
        assert!(ran.stdout.contains("lost update"), "{ran:?}");
        assert!(ran.stdout.contains("--cpp"), "{ran:?}");
        let stack = ran.stdout.split("Where it crashed").nth(1);
        let stack = stack.unwrap_or_else(|| panic!("no stack: {ran:?}"));
        assert!(stack.contains("assertmsg.cpp:"), "{ran:?}");
        assert!(!stack.contains("lineup.hpp"), "{ran:?}");
    }
}

/// Without a terminal gdb prints where the run is, and ends.
#[test]
fn a_debugger_opens_before_the_step_that_is_asked_for() {
    if std::process::Command::new("gdb")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    let schedule = ["--matrix", "inc() | inc()", "--schedule", "0x2 1x3 0x2"];
    for (gdb, line) in [
        ("--gdb", "assert(read == v + 1);"),
        ("--gdb=1", "c.n.store(v + 1);"),
    ] {
        let Some(ran) = found("stops.cpp", &[&schedule[..], &[gdb]].concat()) else {
            return;
        };
        assert!(ran.stdout.contains("Where it crashed"), "{ran:?}");
        let stops = ran
            .stdout
            .split("will want to use to repeat")
            .last()
            .unwrap_or_default();
        assert!(
            stops.contains(line) && stops.contains("stops.cpp:"),
            "{gdb}: {ran:?}"
        );
        assert!(!stops.contains("??"), "{gdb}: {ran:?}");
    }
    if let Some(ran) = found("stops.cpp", &[&schedule[..], &["--gdb=99"]].concat()) {
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("the run has no step 99; it has 7"), "{ran:?}");
    }
}

#[test]
fn c_is_compiled_as_c_and_an_error_begins_with_the_compilers_words() {
    let files = format!("{TARGETS}/cpp/found/plain_c.cpp");
    let part = format!("{TARGETS}/cpp/found/counter.c");
    if found("giveup.cpp", &["--matrix", "get()"]).is_none() {
        return;
    }
    let ran = omnilink(&["lineup", "--cpp", &files, &part, "--jobs", "1", SMALL]);
    answers(&ran, 1, &["not linearizable"]);
    let bad = folder(&[("bad.cpp", "int main( { return 0; }\n")]);
    let ran = omnilink_in(bad.path(), &["lineup", "--cpp", "bad.cpp"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.starts_with("error: bad.cpp:1:"), "{ran:?}");
}

#[test]
fn an_answer_under_weak_memory_says_whether_loads_could_be_buffered() {
    let fences = [
        "--cxxflag=-DK=16",
        "--matrix",
        "send() | receive()",
        "--memory",
        "c11",
    ];
    if let Some(ran) = cpp("proof/structures.cpp", &fences) {
        answers(&ran, 0, &["Load buffering is not possible in these runs"]);
    }
    let relaxed = ["--matrix", "from_x() | from_y()", "--memory", "c11"];
    if let Some(ran) = found("load_buffering.cpp", &relaxed) {
        answers(&ran, 0, &["Load buffering was not explored, and is possible"]);
    }
}

/// The fast part of `proof.py`: correct components under both models, and what happens without one thing they need.
#[test]
fn mutants_are_told_from_what_is_correct() {
    // The file, the component, its mutant, and the model that shows the bug.
    let cases = [
        ("locks.cpp", 5, 3, "sc"),
        ("locks.cpp", 6, 1, "sc"),
        ("locks.cpp", 13, 2, "c11"),
        ("structures.cpp", 3, 1, "sc"),
        ("structures.cpp", 11, 2, "c11"),
        ("structures.cpp", 18, 1, "sc"),
    ];
    for (file, component, mutant, model) in cases {
        let file = format!("proof/{file}");
        let chosen = format!("--cxxflag=-DK={component}");
        for model in ["sc", "c11"] {
            if let Some(ran) = cpp(&file, &[ONE_EACH, &[&chosen, "--memory", model]].concat()) {
                answers(&ran, 0, &["no violation"]);
            }
        }
        let without = format!("--cxxflag=-DM={mutant}");
        let more = [SMALL, &chosen, &without, "--memory", model];
        if let Some(ran) = cpp(&file, &more) {
            assert_eq!(ran.code, 1, "{file} {component} without {mutant}: {ran:?}");
        }
    }
}
