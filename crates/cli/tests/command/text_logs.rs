//! Logs of text: rules, drafts, and what is wrong with them.

use std::fs;

use super::ran::{folder, omnilink, omnilink_in};

const SPEC: &str = "---- MODULE Turns ----\nEXTENDS Naturals\nVARIABLE last\nInit == last = 0\nTake(n) == last # n /\\ last' = n\nNext == \\E n \\in 1..3 : Take(n)\n====\n";
const RULES: &str = "format = \"logback\"\n[[event]]\nname = \"Take\"\npattern = 'takes turn (?<who>\\d+)'\nargs = { n = \"{who}\" }\n";

fn line(second: u32, text: &str) -> String {
    format!("2026-11-18 09:00:{second:02},000 [main] INFO game.Turns - {text}\n")
}

#[test]
fn the_example_is_explained_and_the_mistake_in_its_neighbour_is_found() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/logs");
    let check = |log: &str| {
        omnilink(&[
            "validate",
            &format!("{examples}/two-phase/TwoPhase.tla"),
            &format!("{examples}/text/{log}"),
            "--extract",
            &format!("{examples}/text/rules.toml"),
            "--const",
            "RM={\"rm-0\",\"rm-1\",\"rm-2\"}",
        ])
    };
    let ran = check("server.log");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("no rule is about 2 others"), "{ran:?}");
    let ran = check("counted-twice.log");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("counted-twice.log:11"), "{ran:?}");
}

#[test]
fn rules_are_drafted_tried_and_used() {
    let log = [
        line(1, "player takes turn 1"),
        line(2, "player takes turn 2"),
        line(3, "tea"),
    ]
    .concat();
    let folder = folder(&[("Turns.tla", SPEC), ("game.log", &log)]);
    let draft = [
        "logs",
        "draft",
        "game.log",
        "Turns.tla",
        "-o",
        "rules.toml",
        "--link-file",
        "link.toml",
    ];
    let ran = omnilink_in(folder.path(), &draft);
    assert_eq!(ran.code, 0, "{ran:?}");
    let rules = fs::read_to_string(folder.path().join("rules.toml")).unwrap();
    assert!(
        rules.contains("format = \"logback\"") && rules.contains("DECIDE"),
        "{rules}"
    );
    fs::write(folder.path().join("own.toml"), RULES).unwrap();
    let ran = omnilink_in(folder.path(), &["logs", "extract", "own.toml", "game.log"]);
    assert_eq!(ran.json()[0]["args"]["n"], 1, "{ran:?}");
    assert!(
        ran.stderr.contains("2 events; no rule is about 1 lines"),
        "{ran:?}"
    );
    let ran = omnilink_in(
        folder.path(),
        &["validate", "Turns.tla", "game.log", "--extract", "own.toml"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let twice = [line(1, "player takes turn 1"), line(2, "player takes turn 1")].concat();
    fs::write(folder.path().join("twice.log"), twice).unwrap();
    let ran = omnilink_in(
        folder.path(),
        &["validate", "Turns.tla", "twice.log", "--extract", "own.toml"],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("twice.log:2"), "{ran:?}");
}

#[test]
fn rules_and_logs_that_make_no_sense_are_refused_with_their_places() {
    let folder = folder(&[
        ("Turns.tla", SPEC),
        ("rules.toml", RULES),
        ("game.log", &line(1, "nothing")),
        ("wrong.toml", "format = \"logback\"\n[[event]]\nnam = \"Take\"\n"),
        (
            "timed.toml",
            &format!("clock = \"{{message}}\"\ntime = \"message\"\n{RULES}"),
        ),
        (
            "named.toml",
            "format = \"logback\"\n[[event]]\nname = \"{action}\"\n",
        ),
    ]);
    let with = |rules: &str| {
        omnilink_in(
            folder.path(),
            &["validate", "Turns.tla", "game.log", "--extract", rules],
        )
    };
    with("rules.toml").refused(&["no line is an event", "omnilink logs extract"]);
    with("wrong.toml").refused(&[
        "wrong.toml:3",
        "nothing is called nam in [event]",
        "there are name",
    ]);
    with("missing.toml").refused(&["missing.toml"]);
    with("named.toml").refused(&["named.toml", "no group or field is called `action`"]);
    fs::write(folder.path().join("game.log"), line(1, "player takes turn 1")).unwrap();
    with("timed.toml").refused(&["game.log:1", "is no time"]);
    let ran = omnilink_in(folder.path(), &["logs", "extract", "rules.toml", "absent.log"]);
    ran.refused(&["absent.log"]);
    let ran = omnilink_in(folder.path(), &["logs", "draft", "absent.log", "Turns.tla"]);
    ran.refused(&["absent.log"]);
    fs::write(folder.path().join("empty.log"), "\n\n").unwrap();
    let ran = omnilink_in(folder.path(), &["logs", "draft", "empty.log", "Turns.tla"]);
    ran.refused(&["empty.log", "there is no line"]);
    let from_stdin = ["logs", "draft", "-", "Turns.tla", "--link-file", "link.toml"];
    omnilink_in(folder.path(), &from_stdin).refused(&["standard input"]);
    assert!(!folder.path().join("link.toml").exists());
}

#[test]
fn a_draft_is_written_for_a_compressed_log_too() {
    let folder = folder(&[("Turns.tla", SPEC), ("game.log", &line(1, "player takes turn 1"))]);
    let Ok(packed) = std::process::Command::new("gzip")
        .arg("game.log")
        .current_dir(folder.path())
        .status()
    else {
        return;
    };
    assert!(packed.success());
    let ran = omnilink_in(folder.path(), &["logs", "draft", "game.log.gz", "Turns.tla"]);
    assert!(
        ran.code == 0 && ran.stdout.contains("format = \"logback\""),
        "{ran:?}"
    );
}

const MAIL: &str = "---- MODULE Mail ----\nEXTENDS Naturals\nVARIABLES sent, got\nInit == sent = 0 /\\ got = 0\n\
    Send == sent' = sent + 1 /\\ UNCHANGED got\nReceive == got < sent /\\ got' = got + 1 /\\ UNCHANGED sent\nNext == Send \\/ Receive\n====\n";

/// A log of two nodes, whose clocks are in nanoseconds; `more` is what each line says besides.
fn mail(receive: i64, more: [&str; 2]) -> tempfile::TempDir {
    let of = |node: &str, event: &str, clock: i64, more: &str| {
        format!("{{\"node\":\"{node}\",\"event\":\"{event}\",\"clock\":{clock}{more}}}\n")
    };
    let (a, b) = (
        of("a", "Send", 5_000_000, more[0]),
        of("b", "Receive", receive, more[1]),
    );
    folder(&[("Mail.tla", MAIL), ("a.ndjson", &a), ("b.ndjson", &b)])
}

#[test]
fn clocks_order_lines_only_where_they_are_further_apart_than_their_skew() {
    let check = |receive: i64, skew: &[&str]| {
        let folder = mail(receive, ["", ""]);
        let arguments = [&["validate", "Mail.tla", "a.ndjson", "b.ndjson", "--merge"], skew].concat();
        omnilink_in(folder.path(), &arguments).code
    };
    assert_eq!(check(6_000_000, &[]), 0);
    assert_eq!(check(1_000_000, &[]), 1, "received before it was sent");
    assert_eq!(check(1_000_000, &["--skew", "1ms"]), 1);
    assert_eq!(check(1_000_000, &["--skew", "4ms"]), 0);
    let folder = mail(1, ["", ""]);
    fs::write(folder.path().join("Mail.toml"), "[log]\nclock_unit = \"s\"\n").unwrap();
    let arguments = [
        "validate", "Mail.tla", "a.ndjson", "b.ndjson", "--merge", "--skew", "1s",
    ];
    assert_eq!(omnilink_in(folder.path(), &arguments).code, 1);
    fs::write(folder.path().join("Mail.toml"), "[log]\norder = \"lines\"\n").unwrap();
    omnilink_in(folder.path(), &arguments).refused(&["--skew is about clocks"]);
}

#[test]
fn messages_order_lines_however_clocks_disagree() {
    let check = |receive: i64, skew: &str, more: [&str; 2]| {
        let folder = mail(receive, more);
        omnilink_in(
            folder.path(),
            &[
                "validate", "Mail.tla", "a.ndjson", "b.ndjson", "--merge", "--skew", skew,
            ],
        )
    };
    let message = [",\"sends\":\"m1\"", ",\"receives\":\"m1\""];
    let ran = check(1_000_000, "4ms", message);
    assert_eq!(ran.code, 0, "{ran:?}");
    let note = "of 2 lines of 2 nodes, 0 come after lines of other nodes by their clocks, and 1 by messages";
    assert!(ran.stderr.contains(note), "{ran:?}");
    // The other way round the log says that it was received first.
    let reversed = [",\"receives\":\"m1\"", ",\"sends\":\"m1\""];
    assert_eq!(check(1_000_000, "4ms", reversed).code, 1);
    check(1_000_000, "1ms", message).refused(&["b.ndjson:1", "--skew"]);
    let unknown = ["", ",\"receives\":\"m7\",\"after\":\"nobody\""];
    assert_eq!(
        check(1_000_000, "4ms", unknown).code,
        0,
        "nobody who writes a log has sent it"
    );
}

#[test]
fn a_violation_runs_a_command_and_figures_are_kept() {
    let folder = mail(1_000_000, ["", ""]);
    let check = |more: &[&str]| {
        let arguments = [&["validate", "Mail.tla", "a.ndjson", "b.ndjson", "--merge"], more].concat();
        omnilink_in(folder.path(), &arguments)
    };
    let ran = check(&[
        "--metrics",
        "mail.prom",
        "--on-violation",
        "cat > why.json; echo $OMNILINK_LOG > name",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let why: serde_json::Value = serde_json::from_str(&read("why.json")).unwrap();
    assert_eq!(why["verdict"], "violation");
    assert!(!read("name").trim().is_empty());
    assert!(
        read("mail.prom").contains("omnilink_log_violated{log=\"a.ndjson\"} 1\n"),
        "{}",
        read("mail.prom")
    );
    let ran = check(&["--on-violation", "exit 3"]);
    assert!(ran.code == 1 && ran.stderr.contains("exit status: 3"), "{ran:?}");
    let ran = check(&["--skew", "9ms", "--on-violation", "touch never"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!folder.path().join("never").exists());
    check(&["--metrics", "nowhere/mail.prom"]).refused(&["nowhere/mail.prom"]);
}
