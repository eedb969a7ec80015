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
fn every_command_says_of_itself_what_the_list_says_of_it() {
    // Without line breaks: they differ with the width that is left.
    let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let list = in_one_line(&omnilink(&["--help"]).stdout);
    for command in [
        "check",
        "demo",
        "drive",
        "fuzz",
        "gen",
        "init",
        "replay",
        "runs",
        "report",
        "view",
        "lineup",
        "test",
        "trace",
        "mc",
        "mcp",
        "step",
        "tla",
        "validate",
        "link",
        "logs",
        "completions",
        "man",
    ] {
        let help = omnilink(&["help", command]).stdout;
        let about = in_one_line(help.split("\n\n").next().unwrap_or_default());
        assert!(
            !about.is_empty() && list.contains(&format!("{command} {about}")),
            "{command}: {help}"
        );
    }
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
