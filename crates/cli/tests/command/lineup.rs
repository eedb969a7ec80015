//! `omnilink lineup`: from a package to a verdict.
#![cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use super::ran::{Ran, folder, omnilink, omnilink_in};

/// The example package, one of its components.
fn lineup(component: &str, more: &[&str]) -> Ran {
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/lineup");
    let mut arguments = vec!["lineup", package, "--bin", component, "--jobs", "1"];
    arguments.extend(more);
    omnilink(&arguments)
}

/// What was printed, wherever the lines were broken.
fn unwrapped(ran: &Ran) -> String {
    ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_folder_is_no_source_of_a_harness() {
    omnilink(&["lineup", "--cpp", env!("CARGO_MANIFEST_DIR")]).refused(&["not a file", "C++ sources"]);
}

#[test]
fn weak_memory_lets_both_threads_in_and_the_picture_says_why() {
    let strong = lineup("dekker", &["--matrix", "first() | second()"]);
    assert_eq!(strong.code, 0, "{strong:?}");
    let text = unwrapped(&strong);
    assert!(
        text.contains("Memory is sequentially consistent")
            && text.contains("--matrix 'first() | second()' --memory c11"),
        "{strong:?}"
    );

    let weak = ["--matrix", "first() | second()", "--memory", "c11"];
    let ran = lineup("dekker", &weak);
    assert_eq!(ran.code, 1, "{ran:?}");
    let text = unwrapped(&ran);
    for words in [
        "1 stale read",
        "reads 0 (acquire), from before, although 1 was stored at step",
        "stores 1 (release) at ",
        "dekker.rs:",
    ] {
        assert!(text.contains(words), "{words} is not in {ran:?}");
    }

    // The schedule says which store was read, and shows the same again.
    let json = lineup("dekker", &[weak.as_slice(), &["--json"]].concat());
    let violation = &json.json()[0]["violation"];
    let schedule = violation["schedule"].as_str().unwrap();
    assert!(schedule.contains("~1"), "{schedule}");
    assert_eq!(
        (&violation["stale_reads"], &violation["repeatable"]),
        (&1.into(), &true.into())
    );
    let again = lineup("dekker", &[weak.as_slice(), &["--schedule", schedule]].concat());
    assert_eq!(again.code, 1, "{again:?}");
    let other = lineup("dekker", &[&weak[..2], &["--schedule", schedule]].concat());
    assert_eq!(other.code, 3, "{other:?}");
}

#[test]
fn weak_memory_needs_an_instrumented_component() {
    lineup("dekker", &["--memory", "c11", "--engine", "native"]).refused(&["--memory c11 needs"]);
    omnilink(&["lineup", "--memory", "tso"]).refused(&["tso", "c11"]);
}

/// Cargo says what it builds before anything is refused.
fn refused_after_building(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, 2, "{ran:?}");
    let is_error = |line: &&str| line.starts_with("error: ") || line.starts_with("error[");
    let lines: Vec<&str> = ran.stderr.lines().skip_while(|line| !is_error(line)).collect();
    let error = lines.join("\n");
    for word in words {
        assert!(error.contains(word), "{word} is not in {ran:?}");
    }
}

#[test]
fn a_counter_without_a_lock_is_found_and_its_schedule_shows_it_again() {
    let ran = lineup("counter", &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout
            .starts_with("counter: not linearizable, whatever its specification"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("is interrupted at "), "{ran:?}");

    let ran = lineup("counter", &["--json"]);
    let json = &ran.json()[0];
    assert_eq!(
        (&json["verdict"], &json["violation"]["repeatable"]),
        (&"violation".into(), &true.into())
    );
    let matrix = json["violation"]["matrix"].as_str().unwrap();
    let schedule = json["violation"]["schedule"].as_str().unwrap();
    let again = lineup("counter", &["--matrix", matrix, "--schedule", schedule, "--json"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert_eq!(
        again.json()[0]["violation"]["events"],
        json["violation"]["events"]
    );
}

#[test]
fn a_queue_passes_by_itself_and_by_the_model_and_behaves_as_it_did() {
    let folder = folder(&[]);
    let file = folder.path().join("observed.json").display().to_string();
    let matrix = &["--matrix", "push(1), pop() | push(2), pop()"];
    let ran = lineup("queue", &[matrix.as_slice(), &["--observations", &file]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("queue: no violation, 1 matrix"), "{ran:?}");
    assert!(
        unwrapped(&ran).contains("all runs with at most 2 preemptions"),
        "{ran:?}"
    );
    let same = lineup(
        "queue",
        &[matrix.as_slice(), &["--compare", &file, "--model", "queue"]].concat(),
    );
    assert_eq!(same.code, 0, "{same:?}");
    let other = lineup("queue", &["--matrix", "pop() | pop()", "--compare", &file]);
    assert_eq!(other.code, 1, "{other:?}");
    assert!(unwrapped(&other).contains("only in the old version"), "{other:?}");
    let stack = lineup(
        "queue",
        &["--matrix", "push(1), push(2), pop()", "--model", "stack"],
    );
    assert_eq!(stack.code, 1, "{stack:?}");
    assert!(
        unwrapped(&stack).contains("by the specification stack"),
        "{stack:?}"
    );
}

/// A file of the example package.
fn example(name: &str) -> String {
    format!("{}/../../examples/lineup/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_tla_specification_explains_the_runs_of_a_queue_or_says_what_it_does_not_allow() {
    let matrix = ["--matrix", "push(1), pop() | push(2), pop()"];
    let ran = lineup(
        "queue",
        &[matrix.as_slice(), &["--spec", &example("Queue.tla")]].concat(),
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        unwrapped(&ran).contains("explained by the specification"),
        "{ran:?}"
    );

    let queue = std::fs::read_to_string(example("Queue.tla")).unwrap();
    let stack = queue
        .replace("Append(queue, value)", "<<value>> \\o queue")
        .replace("MODULE Queue", "MODULE Stack");
    let folder = folder(&[("Stack.tla", &stack)]);
    let stack = folder.path().join("Stack.tla").display().to_string();
    let spec = ["--spec", &stack, "--const", "null=CHOOSE n : n \\notin Int"];
    let ran = lineup("queue", &[matrix.as_slice(), &spec].concat());
    assert_eq!(ran.code, 2, "an expression that has no value: {ran:?}");
    let spec = ["--spec", &stack, "--config", &example("Queue.cfg")];
    let ran = lineup(
        "queue",
        &[spec.as_slice(), &["--matrix", "push(1), push(2), pop()"]].concat(),
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(unwrapped(&ran).contains("by the specification"), "{ran:?}");
}

#[test]
fn replicas_are_as_weak_as_they_promise_to_be_and_no_weaker() {
    let spec = example("Register.tla");
    let at = |matrix: &str, level: &str| {
        let arguments = ["--matrix", matrix, "--spec", &spec, "--consistency", level];
        lineup("replicas", &arguments).code
    };
    let one_after_the_other = "write(1) | near() | far()";
    assert_eq!(at(one_after_the_other, "linearizable"), 1);
    assert_eq!(at(one_after_the_other, "sequential"), 0);
    let back_in_time = "write(1) | near(), far()";
    assert_eq!(at(back_in_time, "sequential"), 1);
    assert_eq!(at(back_in_time, "monotonic-reads"), 1);
    assert_eq!(at(back_in_time, "read-my-writes"), 0);
}

/// `near` sees every write that is over; `far` may miss one that `near` has seen, but only while it is being made.
#[test]
fn each_call_is_held_to_what_it_promises() {
    let spec = example("Register.tla");
    let with = |option: &str, text: &str| {
        let folder = folder(&[("promised.txt", text)]);
        let promised = folder.path().join("promised.txt").display().to_string();
        let matrix = "write(1) | near(), far()";
        lineup(
            "replicas",
            &["--matrix", matrix, "--spec", &spec, option, &promised],
        )
    };
    assert_eq!(with("--levels", "write|near: complete, far: weak\n").code, 0);
    assert_eq!(with("--levels", "write|near|far: complete\n").code, 1);
    refused_after_building(&with("--levels", "near: soon\n"), &["soon"]);
    assert_eq!(with("--axioms", "vis >= po\n").code, 0);
    assert_eq!(with("--axioms", "vis >= vis;po\n").code, 1);
}

#[test]
fn native_threads_show_a_number_drawn_twice_without_instrumentation() {
    let ran = lineup("lazy", &["--engine", "native", "--auto", "2"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(unwrapped(&ran).contains("--engine native"), "{ran:?}");
    assert!(!ran.stdout.contains("--schedule"), "{ran:?}");
    assert!(!ran.stdout.contains("preemption"), "{ran:?}");
}

/// A package with a test that has two components among its functions, and one that has none.
#[test]
fn components_in_test_functions_are_found_and_the_others_left_alone() {
    let harness = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness");
    let manifest = format!(
        "[package]\nname = \"tested\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n\
         [dev-dependencies]\nomnilink-harness = {{ path = {harness:?} }}\n\
         [[test]]\nname = \"all-counters\"\npath = \"counters.rs\"\n[[test]]\nname = \"other\"\npath = \"other.rs\"\n"
    );
    let counters = r#"
        use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
        use omnilink_harness::Component;
        #[test]
        fn racy() {
            Component::new("racy", || AtomicI64::new(0))
                .op("inc()", |n| n.store(n.load(SeqCst) + 1, SeqCst))
                .op("get()", |n| n.load(SeqCst))
                .test();
        }
        #[test]
        fn sound() {
            Component::new("sound", || AtomicI64::new(0)).op("inc()", |n| n.fetch_add(1, SeqCst)).test();
        }
        #[test]
        fn ordinary() {}
    "#;
    let package = folder(&[
        ("Cargo.toml", &manifest),
        ("lib.rs", ""),
        ("counters.rs", counters),
        ("other.rs", "#[test]\nfn nothing() {}\n"),
    ]);
    let ran = omnilink_in(package.path(), &["lineup", "--auto", "2", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let json = ran.json();
    let verdicts: Vec<(&str, &str)> = json
        .iter()
        .map(|one| (one["input"].as_str().unwrap(), one["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(verdicts, [("racy", "violation"), ("sound", "valid")], "{ran:?}");
    let one = [
        "lineup",
        "--test",
        "all-counters",
        "--case",
        "sound",
        "--auto",
        "2",
    ];
    assert_eq!(omnilink_in(package.path(), &one).code, 0);
    // `cargo test` does the same: the test of the racy counter fails with the report.
    let cargo = std::process::Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--test", "all-counters"])
        .env("OMNILINK", env!("CARGO_BIN_EXE_omnilink"))
        .env("OMNILINK_LINEUP_ARGS", "--auto 2")
        .current_dir(package.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&cargo.stdout);
    assert!(!cargo.status.success(), "{said}");
    for part in [
        "2 passed; 1 failed",
        "racy: not linearizable",
        "No serial run explains",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let none = omnilink_in(package.path(), &["lineup", "--test", "other"]);
    refused_after_building(&none, &["no #[test] function offers a component"]);
}

#[test]
fn what_cannot_be_checked_is_refused_with_what_to_do() {
    let refused =
        |arguments: &[&str], words: &[&str]| refused_after_building(&lineup("counter", arguments), words);
    refused(
        &["--matrix", "inc() | jump()"],
        &["no call \"jump()\"", "inc(), get()"],
    );
    refused(
        &["--matrix", "inc()", "--schedule", "often"],
        &["schedule: word 1 is `often`", "0x3"],
    );
    refused(&["--consistency", "causal"], &["needs a --model or a --spec"]);
    refused(&["--model", "kettle"], &["kettle"]);
    refused(&["--spec", "nowhere.tla"], &["nowhere.tla"]);
    refused(&["--spec", &example("Queue.tla")], &["inc", "Queue.tla"]);
    refused(&["--config", "x.cfg"], &["--spec"]);
    omnilink(&["lineup", "--harness", "/bin/true"]).refused(&["/bin/true"]);
    let package = folder(&[
        (
            "Cargo.toml",
            "[package]\nname = \"empty\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n",
        ),
        ("lib.rs", ""),
    ]);
    omnilink_in(package.path(), &["lineup"]).refused(&[
        "no target lies in a folder `lineup`",
        "harness = false",
        "`.test()`",
    ]);
}
