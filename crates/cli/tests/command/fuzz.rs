//! Campaigns from the command line: findings, the store, and what to do with them later.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::ran::{Ran, folder, folder_with_program, omnilink_in};

/// A register that serves a stale read in every fourth run, and dies in every fifth.
const HARNESS: &str = r#"#!/bin/sh
mkdir $OMNILINK_TRACE
read=2
[ $((OMNILINK_RUN % 4)) = 3 ] && read=1
{
  echo '{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}'
  echo '{"thread":0,"op":"write","args":{"value":2},"start":2,"end":3}'
  echo "{\"thread\":1,\"op\":\"read\",\"args\":{},\"ret\":$read,\"start\":4,\"end\":5}"
} > $OMNILINK_TRACE/0.ndjson
echo "seed $OMNILINK_SEED threads $OMNILINK_THREADS"
[ $((OMNILINK_RUN % 5)) = 4 ] && { echo "broken invariant at 0x$OMNILINK_RUN" >&2; kill -ABRT $$; }
exit 0
"#;

const SPEC: &str = "---- MODULE Register ----
EXTENDS Naturals
VARIABLE cell
Init == cell = 0
write(value) == cell' = value
read(result) == result = cell /\\ UNCHANGED cell
Next == \\E v \\in 0..3 : write(v) \\/ read(v)
====
";

fn fuzz(folder: &Path, arguments: &[&str]) -> Ran {
    let all = [&["fuzz", "--chaos", "none"], arguments, &["--", "./harness"]].concat();
    omnilink_in(folder, &all)
}

#[test]
fn every_run_is_checked_and_findings_of_one_cause_are_told_once() {
    let folder = folder_with_program("harness", HARNESS);
    let ran = fuzz(
        folder.path(),
        &["--model", "register", "--runs", "20", "--jobs", "2"],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    // Runs 3, 7, 11, 15, 19 are stale; 4, 9, 14, 19 die; in 19 the crash counts more.
    for part in [
        "20 runs",
        "5 violation",
        "violation in 4 runs",
        "crash in 4 runs",
        "nothing explains read() = 1 of thread 1",
        "see it:    omnilink runs show",
        "repeat it: omnilink runs rerun",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
    let announced = ran.stdout.lines().filter(|line| line.contains("(seed ")).count();
    assert_eq!(announced, 2, "{ran:?}");
}

#[test]
fn runs_are_listed_shown_exported_repeated_and_forgotten() {
    let folder = folder_with_program("harness", HARNESS);
    let path = folder.path();
    fuzz(
        path,
        &[
            "--model",
            "register",
            "--runs",
            "8",
            "--threads",
            "3",
            "--seed",
            "7",
        ],
    );
    let list = omnilink_in(path, &["runs", "ls"]);
    assert!(
        list.stdout
            .contains("8 runs of ./harness against register, chaos none, seed 7"),
        "{list:?}"
    );
    let violations = omnilink_in(path, &["runs", "ls", "--finding", "violation", "--json"]).json();
    let numbers: Vec<i64> = violations
        .iter()
        .map(|run| run["run"]["number"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers, [3, 7]);
    let run = violations[0]["run"]["id"].to_string();
    let show = omnilink_in(path, &["runs", "show", &run]);
    assert!(
        show.stdout.contains("read() = 1") && show.stdout.contains("threads 3"),
        "{show:?}"
    );
    let shown = omnilink_in(path, &["runs", "show", &run, "--json"]).json();
    assert_eq!(shown[0]["evidence"]["verdict"], "violation");
    assert_eq!(omnilink_in(path, &["runs", "export", &run, "out"]).code, 0);
    assert_eq!(
        omnilink_in(path, &["check", "out/trace", "--model", "register"]).code,
        1
    );
    omnilink_in(path, &["runs", "export", &run, "out"]).refused(&["it is there already"]);
    let again = omnilink_in(path, &["runs", "rerun", &run]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(
        again.stdout.contains("violation before, violation now"),
        "{again:?}"
    );
    // The repeated run gets what the first one was told.
    let repeated = again.stdout.split("omnilink runs show ").nth(1).unwrap().trim();
    let show = omnilink_in(path, &["runs", "show", repeated]);
    assert!(show.stdout.contains("threads 3"), "{show:?}");
    let collected = omnilink_in(path, &["runs", "gc"]);
    assert!(collected.stdout.contains("5 valid runs"), "{collected:?}");
    omnilink_in(path, &["runs", "show", "99"]).refused(&["there is no run 99"]);
}

#[test]
fn a_campaign_that_would_be_checked_otherwise_than_asked_is_refused() {
    let folder = folder_with_program("harness", HARNESS);
    let path = folder.path();
    let weak = ["--model", "register", "--runs", "1", "--consistency", "causal"];
    fuzz(path, &weak).refused(&["linearizable or sequential", "omnilink check"]);
    fuzz(path, &["--model", "register", "--runs", "1"]);
    fuzz(path, &["--model", "cas-register", "--runs", "1"]);
    let several = omnilink_in(path, &["runs", "revalidate"]);
    several.refused(&["cas-register, register", "--campaign", "--model"]);
    let named = omnilink_in(path, &["runs", "revalidate", "--model", "register"]);
    assert_eq!(named.code, 0, "{named:?}");
}

#[test]
fn a_changed_spec_is_tried_on_the_stored_traces() {
    let folder = folder_with_program("harness", HARNESS);
    let path = folder.path();
    fs::write(path.join("Register.tla"), SPEC).unwrap();
    let ran = fuzz(path, &["--spec", "Register.tla", "--runs", "4"]);
    assert!(ran.stdout.contains("3 valid, 1 violation"), "{ran:?}");
    assert!(ran.stdout.contains("actions and branches"), "{ran:?}");
    // Reads may now be stale.
    let weaker = SPEC.replace("result = cell", "result \\in 0..cell");
    fs::write(path.join("Register.tla"), weaker).unwrap();
    let revised = omnilink_in(path, &["runs", "revalidate", "--jobs", "2"]);
    assert_eq!(revised.code, 0, "{revised:?}");
    assert!(
        revised.stdout.contains("violation before, valid now"),
        "{revised:?}"
    );
    assert!(
        revised.stdout.contains("4 runs checked again, 1 verdict changed"),
        "{revised:?}"
    );
    let violations = omnilink_in(path, &["runs", "ls", "--verdict", "violation", "--json"]);
    assert_eq!(violations.stdout, "");
}

#[test]
fn shards_of_a_campaign_merge_into_one_store() {
    let folder = folder_with_program("harness", HARNESS);
    let path = folder.path();
    for shard in ["1", "2"] {
        let (store, part) = (format!("shard-{shard}.db"), format!("{shard}/2"));
        let shared = ["--campaign", "nightly", "--shard", &part, "--store", &store];
        fuzz(
            path,
            &[&["--model", "register", "--runs", "6"], &shared[..]].concat(),
        );
    }
    let merged = omnilink_in(path, &["runs", "import", "shard-1.db", "shard-2.db"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    let again = omnilink_in(path, &["runs", "import", "shard-1.db"]);
    assert!(
        again.stdout.contains("0 runs added, 3 there already"),
        "{again:?}"
    );
    let list = omnilink_in(path, &["runs", "ls"]);
    assert!(list.stdout.contains("campaign nightly: 6 runs"), "{list:?}");
}

#[test]
fn what_cannot_be_run_or_stored_is_said_before_anything_is_run() {
    let folder = folder_with_program("harness", "#!/bin/sh\ntouch was-run\n");
    let path = folder.path();
    fs::write(path.join("notes.txt"), "x".repeat(2_000)).unwrap();
    fuzz(path, &[]).refused(&["against what?", "--model"]);
    fuzz(path, &["--model", "quue"]).refused(&["queue"]);
    fuzz(path, &["--spec", "None.tla"]).refused(&["None.tla"]);
    fuzz(path, &["--model", "queue", "--shard", "3/2"]).refused(&["I/N"]);
    fuzz(path, &["--model", "queue", "--store", "notes.txt"]).refused(&["not a store"]);
    fuzz(path, &["--model", "queue", "--store", "no/such/folder.db"]).refused(&["folder"]);
    let schedule = omnilink_in(
        path,
        &[
            "fuzz",
            "--model",
            "queue",
            "--chaos",
            "schedule",
            "--",
            "./harness",
        ],
    );
    schedule.refused(&["instrumentation", "--chaos signals"]);
    let loud = omnilink_in(
        path,
        &["fuzz", "--model", "queue", "--chaos", "loud", "--", "./harness"],
    );
    loud.refused(&["signals"]);
    let missing = omnilink_in(
        path,
        &["fuzz", "--model", "queue", "--chaos", "none", "--", "./none"],
    );
    missing.refused(&["cannot be started"]);
    omnilink_in(path, &["runs", "ls", "--store", "none.db"]).refused(&["there is no such store"]);
    assert!(!path.join("was-run").exists());
    // A harness that writes nothing is a finding of its own, and no crash of ours.
    let silent = fuzz(path, &["--model", "queue", "--runs", "2"]);
    assert_eq!(silent.code, 2, "{silent:?}");
    assert!(
        silent.stdout.contains("no trace into OMNILINK_TRACE"),
        "{silent:?}"
    );
}

#[test]
fn abstract_states_are_part_of_what_runs_cover() {
    let folder = folder_with_program("harness", HARNESS);
    let path = folder.path();
    fs::write(path.join("Register.tla"), SPEC).unwrap();
    fs::write(path.join("Register.toml"), "abstraction = \"cell > 1\"\n").unwrap();
    let ran = fuzz(path, &["--spec", "Register.tla", "--runs", "2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("2 abstract states were reached"), "{ran:?}");
    let coverage = &omnilink_in(path, &["runs", "show", "1", "--json"]).json()[0]["run"]["coverage"];
    // Two writes and a read: FALSE after the first, TRUE after the others. It says nothing about which states are equal.
    assert_eq!(coverage["state FALSE"], 1, "{coverage}");
    assert_eq!(coverage["state TRUE"], 2, "{coverage}");
    // The view of the configuration is the abstraction where there is no other.
    fs::remove_file(path.join("Register.toml")).unwrap();
    fs::write(path.join("Register.cfg"), "VIEW seen\nINIT Init\n").unwrap();
    fs::write(
        path.join("Register.tla"),
        SPEC.replace("Next ==", "seen == <<cell>>\nNext =="),
    )
    .unwrap();
    fuzz(
        path,
        &["--spec", "Register.tla", "--runs", "1", "--store", "view.db"],
    );
    let shown = omnilink_in(path, &["runs", "show", "1", "--json", "--store", "view.db"]).json();
    assert_eq!(shown[0]["run"]["coverage"]["state <<2>>"], 2, "{shown:?}");
}

/// A register that is read before anything was written.
const EARLY_READ: &str = r#"#!/bin/sh
mkdir $OMNILINK_TRACE
echo '{"thread":1,"op":"read","args":{},"ret":7,"start":4,"end":5}' > $OMNILINK_TRACE/0.ndjson
"#;

#[test]
fn what_a_specification_was_given_is_given_to_it_again() {
    let folder = folder_with_program("harness", EARLY_READ);
    let path = folder.path();
    let spec = SPEC
        .replace("VARIABLE cell", "CONSTANTS First, Top\nVARIABLE cell")
        .replace("cell = 0", "cell = First");
    fs::write(path.join("Register.tla"), spec).unwrap();
    fs::write(path.join("other.cfg"), "CONSTANT Top = 9\nINIT Init\n").unwrap();
    let given = [
        "--spec",
        "Register.tla",
        "--const",
        "First=7",
        "--config",
        "other.cfg",
        "--strict",
    ];
    let ran = fuzz(path, &[&given[..], &["--runs", "1"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("1 run in") && ran.stdout.contains("1 operation,"),
        "{ran:?}"
    );
    let again = omnilink_in(path, &["runs", "rerun", "1"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(again.stdout.contains("nothing before, nothing now"), "{again:?}");
    // Also in another folder.
    let elsewhere = TempDir::new().unwrap();
    let store = path.join("omnilink-runs.db").display().to_string();
    let far = omnilink_in(elsewhere.path(), &["runs", "revalidate", "--store", &store]);
    assert_eq!(far.code, 0, "{far:?}");
    assert!(far.stdout.contains("0 verdicts changed"), "{far:?}");
    let page = omnilink_in(
        elsewhere.path(),
        &["view", "1", "--store", &store, "--html", "page.html"],
    );
    assert_eq!(page.code, 0, "{page:?}");
    // One constant is another one now, and the configuration is as it was.
    let other = omnilink_in(
        path,
        &[
            "runs",
            "revalidate",
            "--campaign",
            &campaign_of(path),
            "--const",
            "First=8",
        ],
    );
    assert_eq!(other.code, 1, "{other:?}");
    assert!(other.stdout.contains("1 verdict changed"), "{other:?}");
    // What a model has no use for is refused, as before.
    let refused = fuzz(path, &["--model", "register", "--const", "First=7"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("--const belongs to a specification"),
        "{refused:?}"
    );
}

/// The campaign of the first run.
fn campaign_of(folder: &Path) -> String {
    let listed = omnilink_in(folder, &["runs", "show", "1", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&listed.stdout).unwrap();
    json["run"]["campaign"].as_str().unwrap().to_owned()
}

/// A program counts as instrumented if it has the runtime's variables in it. What matters here is which libraries it needs.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
fn a_schedule_says_which_libraries_it_cannot_switch_inside_of() {
    let program = r#"#include <stdlib.h>
        int put(void);
        const char *volatile runtime = "OMNILINK_CHANGES";
        int main(void) { return put() + system("mkdir $OMNILINK_TRACE; : > $OMNILINK_TRACE/0.ndjson") * 0; }
    "#;
    let folder = folder(&[("main.c", program), ("store.c", "int put(void) { return 0; }")]);
    let path = folder.path();
    let compiled = |arguments: &[&str]| {
        let compiler = std::process::Command::new("cc")
            .args(arguments)
            .current_dir(path)
            .output();
        compiler.is_ok_and(|ran| ran.status.success())
    };
    if !compiled(&["-shared", "-fPIC", "store.c", "-o", "libstore.so"]) {
        return;
    }
    let linked = ["main.c", "-o", "harness", "-L.", "-lstore", "-Wl,-rpath,$ORIGIN"];
    assert!(compiled(&linked));
    let arguments = ["fuzz", "--model", "queue", "--runs", "1", "--chaos", "schedule"];
    let ran = omnilink_in(path, &[&arguments[..], &["--", "./harness"]].concat());
    let words = "threads are not switched inside of libstore.so: not instrumented. --chaos signals";
    assert!(ran.stderr.contains(words), "{ran:?}");
    let ran = omnilink_in(path, &[&arguments[..], &["--json", "--", "./harness"]].concat());
    let json = ran.json();
    let campaign = json.last().expect("a line about the campaign");
    assert_eq!(campaign["not_switched_inside"][0], "libstore.so", "{ran:?}");
}

/// A server that detaches itself, as `redis-server --daemonize` does, and inherits standard output.
const DAEMON: &str = r#"#!/bin/sh
mkdir $OMNILINK_TRACE
echo '{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}' > $OMNILINK_TRACE/0.ndjson
setsid sleep 600 &
echo $! > "$PIDS"
echo started
exit 0
"#;

#[test]
fn a_server_that_outlives_its_harness_does_not_keep_the_run() {
    let folder = folder_with_program("harness", DAEMON);
    let pids = folder.path().join("pids");
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_omnilink"))
        .args([
            "fuzz",
            "--chaos",
            "none",
            "--model",
            "register",
            "--runs",
            "1",
            "--",
            "./harness",
        ])
        .current_dir(folder.path())
        .env("PIDS", &pids)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let pid = fs::read_to_string(&pids).unwrap();
    let _ = std::process::Command::new("kill").arg(pid.trim()).status();
    assert!(ran.status.success(), "{ran:?}");
}
