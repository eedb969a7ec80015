//! Whole pages, as a reader sees them.

use super::ran::{Ran, omnilink, omnilink_in, repository};

/// Standard output without what differs from run to run.
fn page(ran: &Ran) -> String {
    let is_cost = |line: &&str| !line.starts_with('(');
    ran.stdout
        .lines()
        .filter(is_cost)
        .map(|line| format!("{line}\n"))
        .collect()
}

fn in_examples(arguments: &[&str]) -> Ran {
    omnilink_in(&repository().join("examples"), arguments)
}

#[test]
fn a_violation() {
    let ran = in_examples(&["check", "register-stale-read.ndjson", "--model", "register"]);
    insta::assert_snapshot!(page(&ran));
}

#[test]
fn a_violation_shrunk() {
    let ran = in_examples(&[
        "check",
        "queue-taken-twice.ndjson",
        "--model",
        "queue",
        "--minimize",
    ]);
    insta::assert_snapshot!(page(&ran));
}

#[test]
fn statistics() {
    insta::assert_snapshot!(in_examples(&["trace", "stats", "queue-taken-twice.ndjson"]).stdout);
}

#[test]
fn a_trace_drawn() {
    insta::assert_snapshot!(in_examples(&["trace", "show", "queue-taken-twice.ndjson"]).stdout);
    insta::assert_snapshot!(
        in_examples(&[
            "trace",
            "show",
            "queue-taken-twice.ndjson",
            "--op",
            "dequeue",
            "--list"
        ])
        .stdout
    );
}

#[test]
fn every_command_has_help_with_examples() {
    for command in [
        &["--help"][..],
        &["check", "--help"],
        &["demo", "--help"],
        &["trace", "--help"],
        &["trace", "stats", "--help"],
        &["trace", "show", "--help"],
        &["trace", "convert", "--help"],
        &["trace", "merge", "--help"],
        &["trace", "retime", "--help"],
    ] {
        let ran = omnilink(command);
        assert_eq!(ran.code, 0, "{command:?}");
        assert!(ran.stdout.contains("Examples:"), "{command:?}: {}", ran.stdout);
    }
}

#[test]
fn the_list_of_models_names_every_operation_and_option() {
    let ran = omnilink(&["check", "--list-models"]);
    assert_eq!(ran.code, 0);
    for entry in omnilink_models::catalogue() {
        assert!(ran.stdout.contains(entry.name) && ran.stdout.contains(entry.summary));
        for op in entry.ops {
            assert!(ran.stdout.contains(&format!("    {}(", op.name)), "{}", op.name);
        }
    }
}
