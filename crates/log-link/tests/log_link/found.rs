//! Logs that were once judged wrongly, and what every answer must say: by what it was confirmed or replayed.

use std::path::Path;

use omnilink_engine::Limits;
use omnilink_evidence::{Confirmation, Evidence, Verdict};
use omnilink_link::{LinkFile, LinkOptions};
use omnilink_log_link::{LogCheck, check_log};

use super::data;

fn checked(spec: &Path, log: &Path, is_naive: bool) -> Evidence {
    let mut check = LogCheck::new(spec, LinkOptions::default(), Limits::default());
    check.is_naive = is_naive;
    check_log(&check, None, "log", &[log.to_owned()], &mut |_| {})
}

fn verdict(spec: &str, log: &str) -> Verdict {
    let [found, naive] = [false, true].map(|is_naive| checked(&data(spec), &data(log), is_naive));
    assert_eq!(found.error, None, "{log}");
    assert_eq!(found.verdict, naive.verdict, "{log}");
    match found.verdict {
        Verdict::Valid => assert!(found.figures.replayed > Some(0), "{:?}", found.notes),
        _ => assert!(
            found
                .confirmation
                .as_ref()
                .is_some_and(Confirmation::is_confirmed),
            "{:?}",
            found.confirmation
        ),
    }
    found.verdict
}

#[test]
fn actions_behind_operators_and_lets_are_steps() {
    for log in ["log", "log2", "log3"] {
        let log = format!("higher_order/{log}.ndjson");
        assert_eq!(verdict("higher_order/Ho.tla", &log), Verdict::Valid, "{log}");
    }
}

#[test]
fn lines_that_conflict_by_a_universal_quantifier_come_in_any_order() {
    for spec in ["Lg", "Lg3"] {
        for log in ["add-first", "only-first"] {
            let (spec, log) = (format!("for_all/{spec}.tla"), format!("for_all/{log}.ndjson"));
            assert_eq!(verdict(&spec, &log), Verdict::Valid, "{spec} {log}");
        }
    }
}

/// The verdict on a log of a spec whose next-state relation is this.
fn answer(next: &str, link: &str, log: &str, is_naive: bool) -> Evidence {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let spec = folder.path().join("Spec.tla");
    let text = format!(
        "---- MODULE Spec ----\nEXTENDS Integers\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n\
         Set(k) == x' = k /\\ y' = y\nGo(k) == y' = k /\\ x' = x\n{next}\n===="
    );
    std::fs::write(&spec, text).unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("log.ndjson");
    std::fs::write(&file, log).unwrap_or_else(|error| panic!("{error}"));
    let options = LinkOptions {
        file: LinkFile::parse(link).unwrap_or_else(|error| panic!("{error}")),
        ..LinkOptions::default()
    };
    let mut check = LogCheck::new(&spec, options, Limits::default());
    check.is_naive = is_naive;
    check_log(&check, None, "log", &[file], &mut |_| {})
}

#[test]
fn a_line_is_a_step_through_the_action_that_it_names() {
    let log = r#"{"event":"Set","args":[2],"state":{"x":2}}"#;
    let valid = [
        "Next == \\E k \\in 1..2 : Set(k) \\/ Go(k)",
        "Pick(Op(_)) == \\E k \\in 1..2 : Op(k)\nNext == Pick(Set) \\/ Pick(Go)",
        "RECURSIVE Down(_)\nDown(k) == IF k = 2 THEN Set(k) ELSE Down(k - 1)\nNext == Down(5)",
        "Next == LET go(k) == Set(k) IN go(2)",
        "Wrap(act) == act\nNext == Wrap(Wrap(Set(2)))",
        "Next == \\A k \\in {2} : Set(k)",
        "Next == x = 0 => Set(2)",
    ];
    for next in valid {
        for is_naive in [false, true] {
            let found = answer(next, "", log, is_naive);
            assert_eq!((found.verdict, found.error), (Verdict::Valid, None), "{next}");
        }
    }
    // Steps that look the same, but go through another action, or through it with another argument.
    let violations = [
        "Next == \\E k \\in 1..2 : Go(k) \\/ (x' = k /\\ y' = y) \\/ (k = 1 /\\ Set(k))",
        "Pick(Op(_), k) == Op(k)\nNext == Pick(Set, 1) \\/ (x' = 2 /\\ y' = y)",
        "Next == LET go(k) == Set(k) IN go(3) \\/ (x' = 2 /\\ y' = y)",
        "RECURSIVE Down(_)\nDown(k) == IF k = 1 THEN Set(k) ELSE Down(k - 1)\nNext == Down(5) \\/ (x' = 2 /\\ y' = y)",
    ];
    for next in violations {
        for is_naive in [false, true] {
            let found = answer(next, "", log, is_naive);
            assert_eq!((found.verdict, found.error), (Verdict::Violation, None), "{next}");
            assert!(
                matches!(found.confirmation, Some(Confirmation::Confirmed { .. })),
                "{next}"
            );
        }
    }
}

#[test]
fn what_a_formula_says_about_the_next_state_conflicts_with_other_lines() {
    // The line of b is possible before that of a only, and that of c after it only.
    let link = "[log]\norder = \"clock\"\n[log.events.Go]\nensures = \"x' < 1\"\n";
    let next = "Next == \\E k \\in 1..2 : Set(k) \\/ Go(k)";
    let line =
        |node: &str, event: &str| format!("{{\"node\":\"{node}\",\"clock\":1,\"event\":\"{event}\"}}\n");
    for log in [
        line("a", "Set") + &line("b", "Go"),
        line("b", "Go") + &line("a", "Set"),
    ] {
        let found = answer(next, link, &log, false);
        assert_eq!((found.verdict, found.error), (Verdict::Valid, None), "{log}");
    }
}

#[test]
fn what_cannot_be_decided_again_is_not_confirmed() {
    // All of the next-state relation cannot be evaluated, although the line can.
    let next = "Next == (\\E k \\in 1..2 : Set(k)) \\/ (\\E k \\in {\"a\"} : Go(k + 1))";
    let found = answer(next, "", r#"{"event":"Set","args":[3]}"#, false);
    assert_eq!((found.verdict, found.error), (Verdict::Violation, None));
    assert!(
        matches!(&found.confirmation, Some(Confirmation::NotConfirmed { reason }) if reason.contains("failed")),
        "{:?}",
        found.confirmation
    );
}
