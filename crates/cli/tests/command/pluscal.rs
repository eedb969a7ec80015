//! PlusCal algorithms: checked without a translation, translated on request.

use crate::ran::{folder, omnilink, omnilink_in};

fn example(file: &str) -> String {
    format!("{}/../../examples/pluscal/{file}", env!("CARGO_MANIFEST_DIR"))
}

const COUNTER: &str = "---- MODULE Counter ----
EXTENDS Naturals
(* --algorithm Counter {
  variables n = 0;
  process (P \\in 1..2)
    variables seen = 0;
  {
    get: seen := n;
    put: n := seen + 1;
  }
} *)
Both == (\\A p \\in 1..2 : pc[p] = \"Done\") => n = 2
====
";
const CONFIG: &str = "SPECIFICATION Spec\nINVARIANT Both\n";

#[test]
fn the_examples_have_the_answers_that_the_page_shows() {
    let ran = omnilink(&["mc", &example("Ticket.tla"), "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()[0]["distinct"], 82, "{ran:?}");
    let ran = omnilink(&["mc", &example("Handover.tla")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("4  client 1, bump: next := mine + 1  (")
            && ran.stdout.contains("Handover.tla:13)"),
        "{ran:?}"
    );
}

#[test]
fn a_counterexample_has_lines_of_the_algorithm_with_and_without_a_translation() {
    let folder = folder(&[("Counter.tla", COUNTER), ("Counter.cfg", CONFIG)]);
    let check = |options: &[&str]| {
        let arguments: Vec<&str> = ["mc", "Counter.tla"].iter().chain(options).copied().collect();
        omnilink_in(folder.path(), &arguments)
    };
    let lines = |ran: &crate::ran::Ran| {
        let steps = ran
            .stdout
            .lines()
            .filter(|line| line.contains("Counter.tla:") && line.contains("seen"));
        steps
            .map(|line| line.rsplit(':').next().unwrap_or("").to_owned())
            .collect::<Vec<_>>()
    };
    let ran = check(&[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(lines(&ran), ["8)", "8)", "9)", "9)"], "{ran:?}");
    let written = omnilink_in(folder.path(), &["tla", "translate", "Counter.tla"]);
    assert_eq!(written.code, 0, "{written:?}");
    assert_eq!(lines(&check(&["--pluscal", "use"])), ["8)", "8)", "9)", "9)"]);
    let ran = omnilink_in(folder.path(), &["tla", "translate", "--check", "Counter.tla"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn operations_of_a_trace_are_bound_to_labels() {
    let validate = |trace: &str| omnilink(&["validate", &example("Lock.tla"), &example(trace)]);
    let ran = validate("lock-valid.ndjson");
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = validate("lock-taken-twice.ndjson");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("`owner = 0` is false: owner = 2"), "{ran:?}");
}

#[test]
fn operations_of_a_queue_are_runs_through_several_labels() {
    let validate = |trace: &str| omnilink(&["validate", &example("Queue.tla"), &example(trace)]);
    let ran = validate("queue-valid.ndjson");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.stderr.contains("so nothing is known about"), "{ran:?}");
    let ran = validate("queue-lost.ndjson");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout
            .contains("explains thread 1's dequeue(self: 1, ret: 0)")
            && ran.stdout.contains("step of dequeue(self: 2, ret: 7)"),
        "{ran:?}"
    );
}

#[test]
fn a_trace_is_checked_against_the_translation_that_was_asked_for() {
    let read = |file: &str| std::fs::read_to_string(example(file)).unwrap();
    let folder = folder(&[
        ("Lock.tla", &read("Lock.tla")),
        ("Lock.toml", &read("Lock.toml")),
        ("run.ndjson", &read("lock-taken-twice.ndjson")),
    ]);
    let run = |arguments: &[&str]| omnilink_in(folder.path(), arguments);
    assert_eq!(run(&["tla", "translate", "Lock.tla"]).code, 0);
    let file = folder.path().join("Lock.tla");
    let text = std::fs::read_to_string(&file).unwrap();
    // Without its condition, a lock may be taken twice.
    std::fs::write(&file, text.replacen("await owner = 0; ", "", 1)).unwrap();
    let validate = |choice: &str| run(&["validate", "Lock.tla", "run.ndjson", "--pluscal", choice]);
    assert_eq!(validate("translate").code, 0, "{:?}", validate("translate"));
    assert_eq!(validate("auto").code, 0);
    let stored = validate("use");
    assert_eq!(stored.code, 1, "{stored:?}");
    assert!(stored.stderr.contains("it is used as it is"), "{stored:?}");
    validate("error").refused(&["the translation is not that of the algorithm"]);
}

#[test]
fn the_step_back_of_an_infinite_behaviour_is_a_step_of_the_algorithm() {
    let text = "---- MODULE Swing ----
EXTENDS Naturals
(* --algorithm Swing {
  variables x = 0;
  fair process (p \\in {7}) {
    up: while (TRUE) {
          x := 1;
    down: x := 0;
    }
  }
} *)
Stays == <>[](x = 0)
====
";
    let folder = folder(&[
        ("Swing.tla", text),
        ("Swing.cfg", "SPECIFICATION Spec\nPROPERTY Stays\n"),
    ]);
    let ran = omnilink_in(folder.path(), &["mc", "Swing.tla"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout
            .contains("back to state 1: p 7, down: x := 0  (Swing.tla:8)"),
        "{ran:?}"
    );
}

#[test]
fn a_second_algorithm_is_a_warning() {
    let two = COUNTER.replace(
        "Both ==",
        "(* --algorithm Other { variables m = 0; { a: m := 1 } } *)\nBoth ==",
    );
    let folder = folder(&[("Counter.tla", &two), ("Counter.cfg", "SPECIFICATION Spec\n")]);
    let told = "second one of this file";
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla"]);
    assert!(ran.code == 0 && ran.stderr.contains(told), "{ran:?}");
    let ran = omnilink_in(folder.path(), &["tla", "translate", "Counter.tla"]);
    assert!(ran.code == 0 && ran.stderr.contains(told), "{ran:?}");
}

#[test]
fn a_stale_translation_is_said_and_not_used() {
    let folder = folder(&[("Counter.tla", COUNTER), ("Counter.cfg", CONFIG)]);
    omnilink_in(folder.path(), &["tla", "translate", "Counter.tla"]);
    let file = folder.path().join("Counter.tla");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.replace("get: seen := n;\n    put: n := seen + 1;", "put: n := n + 1;"),
    )
    .unwrap();
    let ran = omnilink_in(folder.path(), &["mc", "Counter.tla"]);
    assert_eq!(ran.code, 0, "the algorithm was corrected: {ran:?}");
    assert!(
        ran.stderr
            .contains("the translation is not that of the algorithm"),
        "{ran:?}"
    );
    assert_eq!(
        omnilink_in(folder.path(), &["mc", "Counter.tla", "--pluscal", "use"]).code,
        1
    );
    for options in [["--pluscal", "error"], ["--pluscal=auto", "--strict"]] {
        let ran = omnilink_in(folder.path(), &[&["mc", "Counter.tla"][..], &options].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
    }
    let ran = omnilink_in(folder.path(), &["tla", "translate", "--check", "Counter.tla"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn options_of_the_translator_follow_the_file() {
    let folder = folder(&[("Counter.tla", COUNTER)]);
    let ran = omnilink_in(
        folder.path(),
        &[
            "tla",
            "translate",
            "--stdout",
            "Counter.tla",
            "-sf",
            "-noDoneDisjunct",
        ],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("\\A self \\in 1..2 : SF_vars(P(self))"),
        "{ran:?}"
    );
    assert!(!ran.stdout.contains("Terminating"), "{ran:?}");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("Counter.tla")).unwrap(),
        COUNTER
    );
    let ran = omnilink_in(folder.path(), &["tla", "translate", "Counter.tla", "-turbo"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("`-turbo` is not an option"), "{ran:?}");
}

#[test]
fn mistakes_in_an_algorithm_end_with_2_and_are_all_shown() {
    let wrong = COUNTER
        .replace("get: seen", "seen")
        .replace("n := seen + 1", "m := seen + 1");
    let folder = folder(&[
        ("Counter.tla", &wrong),
        ("Plain.tla", "---- MODULE Plain ----\n====\n"),
    ]);
    for arguments in [
        &["tla", "translate", "Counter.tla"][..],
        &["mc", "Counter.tla"],
        &["tla", "check", "Counter.tla"],
    ] {
        let ran = omnilink_in(folder.path(), arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            said.contains("Counter.tla:8:5")
                && said.contains("Counter.tla:9:10")
                && said.contains("2 errors"),
            "{ran:?}"
        );
    }
    for file in ["Plain.tla", "none.tla"] {
        let ran = omnilink_in(folder.path(), &["tla", "translate", file]);
        assert_eq!(ran.code, 2, "{ran:?}");
    }
}

#[test]
fn a_trace_of_an_edited_algorithm_is_checked_against_the_algorithm_and_strictly_not_at_all() {
    let read = |file: &str| std::fs::read_to_string(example(file)).unwrap();
    let folder = folder(&[
        ("Lock.tla", &read("Lock.tla")),
        ("Lock.toml", &read("Lock.toml")),
        ("run.ndjson", &read("lock-valid.ndjson")),
    ]);
    let run = |arguments: &[&str]| omnilink_in(folder.path(), arguments);
    assert_eq!(run(&["tla", "translate", "Lock.tla"]).code, 0);
    let strict = ["validate", "Lock.tla", "run.ndjson", "--strict"];
    let fresh = run(&strict);
    assert_eq!(fresh.code, 0, "{fresh:?}");
    let file = folder.path().join("Lock.tla");
    let edited = std::fs::read_to_string(&file)
        .unwrap()
        .replacen("owner := 0;", "owner := self - self;", 1);
    std::fs::write(&file, edited).unwrap();
    let ran = run(&["validate", "Lock.tla", "run.ndjson"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr
            .contains("the translation is not that of the algorithm"),
        "{ran:?}"
    );
    run(&strict).refused(&[
        "the translation is not that of the algorithm",
        "--strict does not accept",
    ]);
}
