//! Harnesses generated from the command line.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::ran::{folder, omnilink_in};

const SPEC: &str = "---- MODULE Counter ----
EXTENDS Integers
VARIABLE count
Init == count = 0
Add(n) == count' = count + n
Get(value) == value = count /\\ UNCHANGED count
====
";

#[test]
fn a_harness_is_generated_and_says_what_to_do_next() {
    let folder = folder(&[("Counter.tla", SPEC)]);
    let ran = omnilink_in(
        folder.path(),
        &["gen", "harness", "Counter.tla", "--out", "project"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let expected = [
        "Add(n)",
        "Get() -> value (because of value = count)",
        "make -C project",
        "omnilink fuzz --spec Counter.tla --link project/omnilink/link.toml -- project/harness",
    ];
    for part in expected {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
    let arguments = [
        "gen",
        "harness",
        "Counter.tla",
        "--out",
        "project",
        "--argument",
        "Get.value",
    ];
    let ran = omnilink_in(folder.path(), &arguments);
    assert!(
        ran.stdout
            .contains("changed: action Get was () and is (value): adapt it"),
        "{ran:?}"
    );
}

#[test]
fn bad_input_is_refused_before_anything_is_written() {
    let folder = folder(&[
        ("Counter.tla", SPEC),
        ("Bad.tla", "---- MODULE Bad ----\nA == x'\n====\n"),
    ]);
    let path = folder.path();
    omnilink_in(path, &["gen", "harness", "None.tla", "--out", "p"]).refused(&["None.tla"]);
    omnilink_in(path, &["gen", "harness", "Bad.tla", "--out", "p"]).refused(&["x"]);
    omnilink_in(
        path,
        &["gen", "harness", "Counter.tla", "--out", "p", "--lang", "cobol"],
    )
    .refused(&["cpp"]);
    omnilink_in(
        path,
        &["gen", "harness", "Counter.tla", "--out", "p", "--result", "Get.x"],
    )
    .refused(&["Get.x", "Get(value)"]);
    assert!(!path.join("p").exists());
}

const QUEUE: &str = "---- MODULE Queue ----
EXTENDS Sequences
CONSTANT Nothing
VARIABLE queue
Init == queue = <<>>
Put(item) == queue' = Append(queue, item)
Take(result) ==
    \\/ queue = <<>> /\\ result = Nothing /\\ UNCHANGED queue
    \\/ queue # <<>> /\\ result = Head(queue) /\\ queue' = Tail(queue)
====
";

/// What the user writes: a queue in which two threads may take the same element.
fn bind(system: &Path) {
    let text = fs::read_to_string(system).unwrap();
    let text = text
        .replace(
            "struct System {\n};",
            "struct System {\n  std::mutex mutex;\n  std::atomic<int> head{0}, tail{0};\n  std::atomic<std::int64_t> slots[4096];\n};",
        )
        .replace(
            "return random.between(1, omnilink::settings().values);",
            "(void)random;\n  return omnilink::unique();",
        )
        .replace(
            "op.unsupported();  // instead: Call call = op.begin(); system.…(item); call.end();",
            "Call call = op.begin();\n  {\n    std::lock_guard<std::mutex> lock(system.mutex);\n    system.slots[system.tail.load()] = item;\n    \
             system.tail++;\n  }\n  call.end();",
        )
        .replace(
            "op.unsupported();  // instead: Call call = op.begin(); auto result = system.…(); call.end(result);",
            "Call call = op.begin();\n  int head = system.head;\n  std::optional<std::int64_t> result;\n  if (head != system.tail) {\n    \
             result = system.slots[head].load();\n    system.head = head + 1;\n  }\n  call.end(result);",
        );
    assert!(!text.contains("unsupported"), "{text}");
    fs::write(system, text).unwrap();
}

#[test]
fn from_a_specification_to_a_violation_at_which_the_debugger_stops() {
    let folder = folder(&[("Queue.tla", QUEUE), ("Queue.cfg", "CONSTANT Nothing = null\n")]);
    let path = folder.path();
    assert_eq!(
        omnilink_in(path, &["gen", "harness", "Queue.tla", "--out", "p"]).code,
        0
    );
    let make = |target: &str| {
        let made = Command::new("make")
            .args(["-s", "-C", "p", target])
            .current_dir(path)
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
    };
    // Nothing is bound yet, and that is said.
    make("harness");
    let unbound = [
        "fuzz",
        "--spec",
        "Queue.tla",
        "--chaos",
        "none",
        "--runs",
        "2",
        "--",
        "p/harness",
    ];
    let ran = omnilink_in(path, &unbound);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stdout.contains("the trace has no operations"), "{ran:?}");

    bind(&path.join("p/system.hpp"));
    make("harness-schedule");
    let fuzz = |more: &[&str]| {
        let given = [
            "fuzz",
            "--spec",
            "Queue.tla",
            "--until-violation",
            "--runs",
            "300",
        ];
        omnilink_in(path, &[&given, more, &["--", "p/harness-schedule"]].concat())
    };
    let ran = fuzz(&["--store", "guided.db"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for part in ["pairs of operations overlapped", "stop at it: omnilink replay "] {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
    let run = ran.stdout.split("omnilink replay ").nth(1).unwrap();
    let run = run.split_whitespace().next().unwrap();
    let again = omnilink_in(path, &["runs", "rerun", run, "--store", "guided.db"]);
    assert!(
        again.stdout.contains("violation before, violation now"),
        "{again:?}"
    );
    if Command::new("gdb").arg("--version").output().is_ok() {
        let replay = omnilink_in(path, &["replay", run, "--store", "guided.db", "--batch"]);
        assert_eq!(replay.code, 0, "{replay:?}");
        for part in ["repeats exactly", "SIGTRAP", "actions::Take"] {
            assert!(replay.stdout.contains(part), "{part}: {replay:?}");
        }
    }
    omnilink_in(path, &["replay", run, "--store", "guided.db", "--op", "99999"])
        .refused(&["--op 99999", "numbered from 0"]);

    // Several objects: the trace of each is checked, and the worst is the run's.
    let ran = fuzz(&["--env", "OMNILINK_OBJECTS=2", "--store", "objects.db"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("object-0: ") || ran.stdout.contains("object-1: "),
        "{ran:?}"
    );
    let run = ran.stdout.split("omnilink replay ").nth(1).unwrap();
    let run = run.split_whitespace().next().unwrap();
    omnilink_in(path, &["replay", run, "--store", "objects.db"]).refused(&["--object object-0 or object-1"]);

    // Native threads cannot be repeated: the interleaving is shown, and the reason told.
    make("harness");
    let native = [
        "fuzz",
        "--spec",
        "Queue.tla",
        "--chaos",
        "none",
        "--runs",
        "1",
        "--store",
        "native.db",
        "--",
        "p/harness",
    ];
    omnilink_in(path, &native);
    let replay = omnilink_in(path, &["replay", "1", "--op", "0", "--store", "native.db"]);
    assert_eq!(replay.code, 2, "{replay:?}");
    assert!(replay.stdout.contains("operation 0 of run 1"), "{replay:?}");
    assert!(replay.stderr.contains("harness-schedule"), "{replay:?}");
}

/// The same queue in Rust.
fn bind_rust(system: &Path) {
    let text = fs::read_to_string(system).unwrap();
    let text = text
        .replace(
            "pub struct System {}",
            "pub struct System {\n    slots: Vec<std::sync::atomic::AtomicI64>,\n    head: std::sync::atomic::AtomicUsize,\n    \
             tail: std::sync::Mutex<usize>,\n}",
        )
        .replacen(
            "Self {}",
            "Self {\n            slots: (0..4096).map(|_| 0.into()).collect(),\n            head: 0.into(),\n            tail: 0.into(),\n        }",
            1,
        )
        .replace("random.between(1, settings().values)", "{ let _ = random; unique() }")
        .replace(
            "op.unsupported(); // instead: let call = op.begin(); system.…(item); call.end(());",
            "let call = op.begin();\n    let mut tail = system.tail.lock().unwrap();\n    \
             system.slots[*tail].store(item, std::sync::atomic::Ordering::SeqCst);\n    *tail += 1;\n    drop(tail);\n    call.end(());",
        )
        .replace(
            "op.unsupported(); // instead: let call = op.begin(); let result = system.…(); call.end(result);",
            "use std::sync::atomic::Ordering::SeqCst;\n    let call = op.begin();\n    let head = system.head.load(SeqCst);\n    \
             let result = (head != *system.tail.lock().unwrap()).then(|| {\n        system.head.store(head + 1, SeqCst);\n        \
             system.slots[head].load(SeqCst)\n    });\n    call.end(result);",
        );
    assert!(!text.contains("unsupported()"), "{text}");
    fs::write(system, text).unwrap();
}

#[test]
fn a_seed_decides_the_schedule_of_a_harness_in_rust() {
    let folder = folder(&[("Queue.tla", QUEUE)]);
    let path = folder.path();
    let generated = omnilink_in(
        path,
        &["gen", "harness", "Queue.tla", "--lang", "rust", "--out", "p"],
    );
    assert!(
        generated.stdout.contains("omnilink gen schedule p"),
        "{generated:?}"
    );
    bind_rust(&path.join("p/src/system.rs"));
    let built = omnilink_in(path, &["gen", "schedule", "p"]);
    assert_eq!(built.code, 0, "{built:?}");
    assert!(built.stdout.starts_with("p/harness-schedule\n"), "{built:?}");
    // The same seed gives the same operations with the same times, another one gives others.
    let operations = |seed: &str, trace: &str| {
        let ran = Command::new(path.join("p/harness-schedule"))
            .env("OMNILINK_SEED", seed)
            .env("OMNILINK_TRACE", path.join(trace))
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
        assert!(
            String::from_utf8_lossy(&ran.stdout).starts_with("omnilink: "),
            "{ran:?}"
        );
        let file = format!("{trace}.ndjson");
        let converted = omnilink_in(path, &["trace", "convert", trace, "-o", &file]);
        assert_eq!(converted.code, 0, "{converted:?}");
        // The header has the process and its folder.
        let text = fs::read_to_string(path.join(file)).unwrap();
        text.lines().skip(1).collect::<Vec<_>>().join("\n")
    };
    let first = operations("7", "first");
    assert!(first.lines().count() > 200, "{first}");
    assert_eq!(first, operations("7", "second"));
    assert_ne!(first, operations("8", "third"));
    // So a violation is found again, and the debugger stops at it.
    let fuzz = [
        "fuzz",
        "--spec",
        "Queue.tla",
        "--const",
        "Nothing=null",
        "--until-violation",
        "--runs",
        "300",
        "--",
        "p/harness-schedule",
    ];
    let ran = omnilink_in(path, &fuzz);
    assert_eq!(ran.code, 1, "{ran:?}");
    let run = ran.stdout.split("omnilink replay ").nth(1).unwrap();
    let run = run.split_whitespace().next().unwrap();
    let again = omnilink_in(
        path,
        &[
            "runs",
            "rerun",
            run,
            "--spec",
            "Queue.tla",
            "--const",
            "Nothing=null",
        ],
    );
    assert!(
        again.stdout.contains("violation before, violation now"),
        "{again:?}"
    );
    if Command::new("gdb").arg("--version").output().is_ok() {
        let replay = omnilink_in(path, &["replay", run, "--batch"]);
        assert_eq!(replay.code, 0, "{replay:?}");
        for part in ["repeats exactly", "SIGTRAP", "src/system.rs"] {
            assert!(replay.stdout.contains(part), "{part}: {replay:?}");
        }
    }
    omnilink_in(path, &["gen", "schedule", "nowhere"]).refused(&["nowhere/Cargo.toml", "make -C nowhere"]);
}
