//! What `omnilink validate` shows of a violation: the minimal history, where explanations agree, who wrote last.

use crate::ran::{folder, omnilink_in};
use crate::validate::{REGISTER, line, stale, validate};

#[test]
fn a_violation_can_be_shrunk_and_kept() {
    let folder = folder(&[("Register.tla", REGISTER), ("run.ndjson", &stale())]);
    let arguments = [
        "validate",
        "Register.tla",
        "run.ndjson",
        "--minimize",
        "--evidence",
        "evidence.json",
    ];
    let ran = omnilink_in(folder.path(), &arguments);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("One operation alone cannot be explained"),
        "{}",
        ran.stdout
    );
    let evidence = std::fs::read_to_string(folder.path().join("evidence.json")).unwrap();
    assert!(evidence.contains("\"violation\""), "{evidence}");
}

#[test]
fn a_minimal_history_comes_with_its_own_alternatives_and_the_state_directly_before() {
    // A write that matters, many that do not, and a read that is wrong.
    let mut trace = line(0, "Write", r#""value":1"#, 0, 1);
    for number in 0..40 {
        trace += &line(
            1,
            "Write",
            &format!("\"value\":{}", number % 3),
            2 + 4 * number,
            3 + 4 * number,
        );
        trace += &line(
            2,
            "Read",
            &format!("\"result\":{}", number % 3),
            4 + 4 * number,
            5 + 4 * number,
        );
    }
    trace += &line(0, "Write", r#""value":2"#, 300, 301);
    trace += &line(1, "Read", r#""result":3"#, 302, 303);
    let ran = validate(&trace, &["--minimize"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("One operation alone cannot be explained"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("Before it the state was x = 2"),
        "{}",
        ran.stdout
    );
    assert!(
        !ran.stdout.contains("Write("),
        "only what belongs to it: {}",
        ran.stdout
    );
}

#[test]
fn where_explanations_agree_and_who_wrote_last_is_told() {
    let trace = line(0, "Write", r#""value":3"#, 0, 1)
        + &line(0, "Write", r#""value":1"#, 10, 20)
        + &line(1, "Write", r#""value":2"#, 11, 21)
        + &line(2, "Read", r#""result":3"#, 30, 40);
    let ran = validate(&trace, &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let told = ran
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('\u{a0}', " ");
    for words in [
        "All explanations agree on the state x = 3, after thread 0's Write(value: 3) [0, 1] (run.ndjson:1).",
        "Since then came thread 0: Write(value: 1), thread 1: Write(value: 2).",
        "was left by thread",
    ] {
        assert!(told.contains(words), "{words:?} is missing: {}", ran.stdout);
    }
    // Every operation that the text names is drawn.
    let drawing: Vec<&str> = ran.stdout.lines().filter(|line| line.contains("|-")).collect();
    for op in [
        "Write(value: 1)",
        "Write(value: 2)",
        "Write(value: 3)",
        "Read(result: 3)",
    ] {
        assert!(
            drawing.iter().any(|line| line.contains(op)),
            "{op} is not drawn: {}",
            ran.stdout
        );
    }
    let report = &validate(&trace, &["--json"]).json()[0];
    assert_eq!(
        report["violation"]["agreed"]["states"],
        serde_json::json!(["x = 3"])
    );
    let writer = &report["last_writers"][0];
    assert_eq!(writer["cell"], "x", "{report}");
    assert!(
        writer["by"]["place"].as_str().unwrap().starts_with("run.ndjson:"),
        "{report}"
    );
}

#[test]
fn the_cell_that_was_read_is_told_with_its_last_writer() {
    let spec = "---- MODULE Map ----\nEXTENDS Integers\nVARIABLE m\nInit == m = [k \\in 1..3 |-> 0]\n\
        Put(key, value) == m' = [m EXCEPT ![key] = value]\nGet(key, result) == result = m[key] /\\ UNCHANGED m\n====\n";
    let trace = line(0, "Put", r#""key":1,"value":5"#, 0, 1)
        + &line(4, "Put", r#""key":2,"value":6"#, 2, 3)
        + &line(0, "Put", r#""key":1,"value":7"#, 4, 5)
        + &line(1, "Get", r#""key":2,"result":9"#, 6, 7);
    let folder = folder(&[("Map.tla", spec), ("run.ndjson", &trace)]);
    let ran = omnilink_in(folder.path(), &["validate", "Map.tla", "run.ndjson"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let told = ran
        .stdout
        .replace('\u{a0}', " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        told.contains("m[2] = 6 was left by thread 4's Put(key: 2, value: 6) [2, 3] (run.ndjson:2)."),
        "{}",
        ran.stdout
    );
    let trace = line(1, "Get", r#""key":3,"result":9"#, 6, 7);
    std::fs::write(folder.path().join("run.ndjson"), trace).unwrap();
    let ran = omnilink_in(folder.path(), &["validate", "Map.tla", "run.ndjson"]);
    assert!(
        ran.stdout.contains("m[3] = 0 is what it was at the beginning"),
        "{}",
        ran.stdout.replace('\u{a0}', " ")
    );
}

#[test]
fn a_result_that_no_state_can_give_is_said_to_be_one() {
    let spec = "---- MODULE Bit ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\n\
        Flip(result) == result \\in {0, 1} /\\ x' = 1 - x /\\ result = x'\n====\n";
    let folder = folder(&[
        ("Bit.tla", spec),
        ("run.ndjson", &line(0, "Flip", r#""result":7"#, 0, 1)),
    ]);
    let ran = omnilink_in(folder.path(), &["validate", "Bit.tla", "run.ndjson"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("No state at all allows this operation"),
        "{}",
        ran.stdout
    );
    std::fs::write(
        folder.path().join("run.ndjson"),
        line(0, "Flip", r#""result":0"#, 0, 1),
    )
    .unwrap();
    let ran = omnilink_in(folder.path(), &["validate", "Bit.tla", "run.ndjson"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!ran.stdout.contains("No state at all"), "{}", ran.stdout);
}

/// The text on one line.
fn told(stdout: &str) -> String {
    let words = stdout.replace('\u{a0}', " ");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Locks by resource; a count of those that are held; an account that may be overdrawn only by asking.
const LOCKS: &str = "---- MODULE Locks ----\nEXTENDS Integers, FiniteSets\nVARIABLES owner, left\n\
    Init == owner = [r \\in 1..3 |-> -1] /\\ left = 5\n\
    Take(r, who, ok) == IF owner[r] = -1 /\\ left > 0\n  THEN ok /\\ owner' = [owner EXCEPT ![r] = who] /\\ left' = left - 1\n\
    \x20 ELSE ~ok /\\ UNCHANGED <<owner, left>>\n\
    Held(result) == result = Cardinality({r \\in 1..3 : owner[r] # -1}) /\\ UNCHANGED <<owner, left>>\n\
    Guess(result) == (result = Cardinality({r \\in 1..3 : owner[r] # -1}) /\\ UNCHANGED <<owner, left>>)\n\
    \x20 \\/ (left = 0 /\\ UNCHANGED <<owner, left>>)\n====\n";

#[test]
fn a_count_of_more_than_there_is_is_impossible_in_every_state() {
    let trace = |result: u8| {
        line(0, "Take", r#""r":1,"who":0,"ok":true"#, 0, 1)
            + &line(1, "Held", &format!("\"result\":{result}"), 2, 3)
    };
    let folder = folder(&[("Locks.tla", LOCKS), ("run.ndjson", &trace(4))]);
    for arguments in [&[][..], &["--minimize"][..]] {
        let arguments = [&["validate", "Locks.tla", "run.ndjson"], arguments].concat();
        let ran = omnilink_in(folder.path(), &arguments);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stdout.contains("No state at all allows"), "{}", ran.stdout);
    }
    std::fs::write(folder.path().join("run.ndjson"), trace(3)).unwrap();
    let ran = omnilink_in(folder.path(), &["validate", "Locks.tla", "run.ndjson"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!ran.stdout.contains("No state at all"), "{}", ran.stdout);
    // A state without any left allows it by another branch.
    let guess = line(1, "Guess", r#""result":4"#, 2, 3);
    std::fs::write(folder.path().join("run.ndjson"), guess).unwrap();
    let ran = omnilink_in(folder.path(), &["validate", "Locks.tla", "run.ndjson"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!ran.stdout.contains("No state at all"), "{}", ran.stdout);
}

/// Who wrote last is told as a fact only where every order of the operations has the same last writer.
#[test]
fn a_last_writer_that_another_order_does_not_have_is_said_to_be_of_one_explanation() {
    let spec = "---- MODULE Sum ----\nEXTENDS Integers\nVARIABLES n, x\nInit == n = 0 /\\ x = 0\n\
        Add(by) == n' = n + by /\\ UNCHANGED x\nSet(to) == x' = to /\\ UNCHANGED n\n\
        Get(result) == result = n /\\ UNCHANGED <<n, x>>\nSeen(result) == result = x /\\ UNCHANGED <<n, x>>\n====\n";
    let told_of = |trace: &str| {
        let folder = folder(&[("Sum.tla", spec), ("run.ndjson", trace)]);
        let ran = omnilink_in(folder.path(), &["validate", "Sum.tla", "run.ndjson"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        told(&ran.stdout)
    };
    let adds = line(0, "Add", r#""by":1"#, 0, 10) + &line(1, "Add", r#""by":2"#, 1, 11);
    let told = told_of(&(adds + &line(2, "Get", r#""result":9"#, 20, 30)));
    assert!(told.contains("n = 3 was left by thread"), "{told}");
    assert!(told.contains(", in one explanation."), "{told}");
    // Both leave 5.
    let sets = line(0, "Set", r#""to":5"#, 0, 10) + &line(1, "Set", r#""to":5"#, 1, 11);
    let told = told_of(&(sets + &line(2, "Seen", r#""result":9"#, 20, 30)));
    assert!(told.contains(", in one explanation."), "{told}");
    // All others have ended; then another that is open may have come last.
    let sets = line(0, "Set", r#""to":5"#, 0, 1)
        + &line(0, "Set", r#""to":4"#, 2, 3)
        + &line(1, "Set", r#""to":5"#, 4, 5);
    let seen = line(2, "Seen", r#""result":9"#, 20, 30);
    let told = told_of(&(sets.clone() + &seen));
    assert!(
        told.contains("x = 5 was left by thread 1's Set(to: 5) [4, 5] (run.ndjson:3)."),
        "{told}"
    );
    let told = told_of(&(sets + &line(3, "Set", r#""to":5"#, 15, 40) + &seen));
    assert!(told.contains(", in one explanation."), "{told}");
    // Nobody may have written it, or somebody may have.
    let told = told_of(&seen);
    assert!(told.contains("x = 0 is what it was at the beginning."), "{told}");
    let told = told_of(&(line(3, "Set", r#""to":5"#, 15, 40) + &seen));
    assert!(told.contains("in one explanation."), "{told}");
}

#[test]
fn the_condition_that_led_to_a_refusing_branch_is_told_and_who_made_it_so() {
    let trace = line(4, "Take", r#""r":2,"who":4,"ok":true"#, 0, 1)
        + &line(5, "Take", r#""r":1,"who":5,"ok":true"#, 2, 3)
        + &line(6, "Take", r#""r":2,"who":6,"ok":true"#, 4, 5);
    let folder = folder(&[("Locks.tla", LOCKS), ("run.ndjson", &trace)]);
    let ran = omnilink_in(folder.path(), &["validate", "Locks.tla", "run.ndjson"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let told = told(&ran.stdout);
    for words in [
        "`~ok` is false, given that `owner[r] = -1 /\\ left > 0` is false",
        "owner[2] = 4 was left by thread 4's Take(r: 2, who: 4, ok: TRUE) [0, 1] (run.ndjson:1).",
    ] {
        assert!(told.contains(words), "{words:?} is missing: {}", ran.stdout);
    }
}

#[test]
fn a_relaxed_history_that_the_spec_cannot_evaluate_does_not_stop_shrinking() {
    // An empty stack is compared with a text, any other with a number. Only relaxed histories find it empty.
    let spec = "---- MODULE Stack ----\nEXTENDS Integers, Sequences\nVARIABLE s\nInit == s = <<>>\nPush(v) == s' = Append(s, v)\n\
        Pop(result) == IF s = <<>> THEN result = \"none\" /\\ UNCHANGED s\n  ELSE result = s[Len(s)] /\\ s' = SubSeq(s, 1, Len(s) - 1)\n====\n";
    let trace = line(0, "Push", r#""v":1"#, 0, 1)
        + &line(1, "Push", r#""v":2"#, 2, 3)
        + &line(0, "Push", r#""v":3"#, 4, 5)
        + &line(0, "Pop", r#""result":2"#, 6, 7);
    let folder = folder(&[("Stack.tla", spec), ("run.ndjson", &trace)]);
    let ran = omnilink_in(
        folder.path(),
        &["validate", "Stack.tla", "run.ndjson", "--minimize"],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!ran.stderr.contains("not complete"), "{}", ran.stderr);
    assert!(ran.stdout.contains("alone cannot be explained"), "{}", ran.stdout);
}

#[test]
fn several_first_states_are_not_one_that_all_agree_on() {
    let spec = "---- MODULE Any ----\nEXTENDS Integers\nVARIABLE x\nInit == x \\in {1, 2}\nSet(v) == x' = v\n\
        Get(result) == result = x /\\ UNCHANGED x\n====\n";
    let trace = line(0, "Set", r#""v":3"#, 0, 9)
        + &line(1, "Set", r#""v":4"#, 1, 8)
        + &line(2, "Get", r#""result":7"#, 10, 11);
    let folder = folder(&[("Any.tla", spec), ("run.ndjson", &trace)]);
    let ran = omnilink_in(folder.path(), &["validate", "Any.tla", "run.ndjson"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let told = told(&ran.stdout);
    assert!(!told.contains("agree on the state x = 1 or"), "{told}");
    assert!(
        told.contains("The explanations share no operation; they start in the state x = 1 or x = 2."),
        "{told}"
    );
}
