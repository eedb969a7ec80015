//! What CI systems read: reports of campaigns, runs and stores; places that are files, or none.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::ran::{folder, folder_with_program, omnilink_in};

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
[ $((OMNILINK_RUN % 5)) = 4 ] && kill -ABRT $$
exit 0
"#;

fn campaign(runs: &str, more: &[&str]) -> (TempDir, super::ran::Ran) {
    let folder = folder_with_program("harness", HARNESS);
    let arguments = [
        &["fuzz", "--chaos", "none", "--model", "register", "--runs", runs],
        more,
        &["--", "./harness"],
    ]
    .concat();
    let ran = omnilink_in(folder.path(), &arguments);
    (folder, ran)
}

#[test]
fn a_campaign_writes_its_findings_for_other_tools() {
    let files = ["--evidence", "e.json", "--junit", "j.xml", "--sarif", "s.sarif"];
    let (folder, ran) = campaign("10", &files);
    assert_eq!(ran.code, 1, "{ran:?}");
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    let evidence: Vec<Value> = read("e.json")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(evidence.len(), 2, "{evidence:?}");
    let verdict = |word: &str| evidence.iter().filter(|one| one["verdict"] == word).count();
    assert_eq!((verdict("violation"), verdict("error")), (1, 1), "{evidence:?}");
    let junit = read("j.xml");
    assert!(
        junit.contains("tests=\"2\" failures=\"1\" errors=\"1\""),
        "{junit}"
    );
    assert!(junit.contains("crash: "), "{junit}");
    let sarif: Value = serde_json::from_str(&read("s.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{sarif}");
    // A run in a store is no file.
    assert!(
        results.iter().all(|result| result["locations"].is_null()),
        "{sarif}"
    );
    assert!(
        results[0]["message"]["text"]
            .as_str()
            .unwrap()
            .starts_with("run "),
        "{sarif}"
    );
}

#[test]
fn a_campaign_that_finds_nothing_is_one_test_that_passed() {
    let (folder, ran) = campaign("2", &["--junit", "j.xml", "--sarif", "s.sarif"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let junit = fs::read_to_string(folder.path().join("j.xml")).unwrap();
    assert!(
        junit.contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""),
        "{junit}"
    );
    assert!(junit.contains("2 runs of omnilink-runs.db"), "{junit}");
    let (_, ran) = campaign("1", &["--junit", "no/such/folder/j.xml"]);
    ran.refused(&["no/such/folder/j.xml", "choose a file"]);
}

#[test]
fn a_run_has_one_number_everywhere() {
    let (folder, _) = campaign("3", &[]);
    // The second campaign in the same store: its run 3 is the store's run 7.
    let again = [
        "fuzz",
        "--chaos",
        "none",
        "--model",
        "register",
        "--runs",
        "4",
        "--",
        "./harness",
    ];
    let ran = omnilink_in(folder.path(), &again);
    assert!(ran.stdout.contains("violation in run 7 "), "{ran:?}");
    assert!(ran.stdout.contains("omnilink runs show 7"), "{ran:?}");
    let shown = omnilink_in(folder.path(), &["runs", "show", "7"]);
    assert!(shown.stdout.starts_with("run 7 "), "{shown:?}");
    let report = omnilink_in(folder.path(), &["report", "7"]);
    assert_eq!(report.code, 1, "{report:?}");
    assert!(
        report.stdout.contains("run 7 of omnilink-runs.db (seed "),
        "{report:?}"
    );
}

#[test]
fn a_run_and_a_store_are_reported_like_evidence() {
    let (folder, _) = campaign("5", &["--store", "my runs.db"]);
    let path = folder.path();
    let run = omnilink_in(path, &["report", "4", "--store", "my runs.db"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("read() = 1"), "{run:?}");
    let store = omnilink_in(path, &["report", "my runs.db", "--junit"]);
    assert!(
        store.stdout.contains("tests=\"2\" failures=\"1\" errors=\"1\""),
        "{store:?}"
    );
    omnilink_in(path, &["report", "99", "--store", "my runs.db"]).refused(&["there is no run 99"]);
    let listed = omnilink_in(
        path,
        &[
            "fuzz",
            "--chaos",
            "none",
            "--model",
            "register",
            "--runs",
            "4",
            "--store",
            "my runs.db",
            "--",
            "./harness",
        ],
    );
    assert!(listed.stdout.contains("--store 'my runs.db'"), "{listed:?}");
    fs::write(
        path.join("t.ndjson"),
        "{\"thread\":0,\"op\":\"read\",\"ret\":1,\"start\":0,\"end\":1}\n",
    )
    .unwrap();
    omnilink_in(path, &["report", "t.ndjson"]).refused(&["this is no evidence", "--evidence FILE"]);
}

#[test]
fn a_place_is_a_file_with_a_line() {
    let folder = folder(&[
        (
            "stale.ndjson",
            "{\"thread\":0,\"op\":\"write\",\"args\":{\"value\":1},\"start\":0,\"end\":1}\n{\"thread\":0,\"op\":\"read\",\"ret\":7,\"start\":2,\"end\":3}\n",
        ),
        (
            "bad.ndjson",
            "{\"omnilink\":1}\n{\"thread\":0,\"op\":\"raed\",\"start\":2,\"end\":3}\n",
        ),
    ]);
    let path = folder.path();
    omnilink_in(
        path,
        &[
            "check",
            "stale.ndjson",
            "bad.ndjson",
            "--model",
            "register",
            "--evidence",
            "e.json",
        ],
    );
    let sarif = omnilink_in(path, &["report", "e.json", "--sarif"]);
    let sarif: Value = serde_json::from_str(&sarif.stdout).unwrap();
    let place = |at: usize| &sarif["runs"][0]["results"][at]["locations"][0]["physicalLocation"];
    for (at, file) in [(0, "stale.ndjson"), (1, "bad.ndjson")] {
        assert_eq!(place(at)["artifactLocation"]["uri"], file, "{sarif}");
        assert_eq!(place(at)["region"]["startLine"], 2, "{sarif}");
    }
    let annotations = omnilink_in(path, &["report", "e.json", "--github"]);
    assert!(
        annotations
            .stdout
            .contains("::error file=stale.ndjson,line=2,title="),
        "{annotations:?}"
    );
}
