//! Transactions: names of levels, anomalies by name, cycles with reasons, every level at once, texts of other checkers.

use std::path::Path;

use crate::ran::{Ran, interrupted_in, omnilink, omnilink_in, omnilink_reading};

fn check(file: &str, more: &[&str]) -> Ran {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/transactions")
        .join(file);
    let mut arguments = vec!["check", path.to_str().unwrap()];
    arguments.extend(more);
    omnilink(&arguments)
}

/// Checks a history of these lines.
fn checked(text: &str, more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h"), text).unwrap();
    let mut arguments = vec!["check", "h"];
    arguments.extend(more);
    omnilink_in(folder.path(), &arguments)
}

fn at(level: &str) -> [&str; 2] {
    ["--consistency", level]
}

#[test]
fn read_committed_is_pl_2_and_allows_read_skew() {
    let file = "02_read_skew_at_read_committed.edn";
    assert_eq!(check(file, &at("read-committed")).code, 0);
    assert_eq!(check(file, &at("PL-2")).code, 0);
    let ran = check(file, &at("monotonic-read-committed"));
    assert_eq!(ran.code, 1, "{ran:?}");
    for words in [
        "G-single",
        "fractured-read",
        "-wr->",
        "-rw->",
        "violated, at the least: monotonic-atomic-view",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
}

#[test]
fn a_level_without_a_prefix_has_no_sessions() {
    let file = "03_session_order_at_plain_snapshot_isolation.edn";
    assert_eq!(check(file, &at("snapshot-isolation")).code, 0);
    assert_eq!(check(file, &at("serializable")).code, 0);
    let ran = check(file, &at("strong-session-snapshot-isolation"));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("G-single-process"), "{}", ran.stdout);
}

#[test]
fn every_edge_of_the_cycle_of_a_write_skew_is_shown() {
    let ran = check("05_write_skew_hidden_edge.ndjson", &at("serializable"));
    assert_eq!(ran.code, 1, "{ran:?}");
    for words in [
        r#"#1 before #2: #1 read "y" = 0, which #2 overwrote"#,
        r#"#2 before #1: #2 read "x" = 0, which #1 overwrote"#,
        "write-skew",
        "holds, at the most: strong-snapshot-isolation",
        "confirmed",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
}

#[test]
fn a_stronger_level_that_holds_decides_the_weaker_ones() {
    for level in [
        "read-atomic",
        "strong-session-read-atomic",
        "causal",
        "serializable",
        "strict-serializable",
    ] {
        let ran = check(
            "07_repeated_values_read_atomic.ndjson.zst",
            &[&at(level)[..], &["--time-limit", "60s"]].concat(),
        );
        assert_eq!(ran.code, 0, "{level}: {ran:?}");
    }
}

#[test]
fn infer_lists_every_level_with_a_mark() {
    let ran = check("05_write_skew_hidden_edge.ndjson", &["--infer"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for line in [
        "  yes read-committed  (PL-2)",
        "  yes snapshot-isolation  (PL-SI, generalized SI)",
        "  no  serializable  (PL-3)",
        "  yes causal  (CC of Biswas/Enea, CCv, TCC of Plume, causal+)",
    ] {
        assert!(
            ran.stdout.lines().any(|other| other == line),
            "{line}: {}",
            ran.stdout
        );
    }
    let json = check("05_write_skew_hidden_edge.ndjson", &["--infer", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let levels = json["isolation"]["levels"].as_array().unwrap();
    assert!(levels.len() > 30);
    let edge = &json["isolation"]["anomalies"][0]["cycle"][0];
    assert_eq!(
        (edge["kind"].as_str(), edge["key"].as_str()),
        (Some("rw"), Some("\"y\"")),
        "{json}"
    );
}

#[test]
fn a_level_that_does_not_exist_is_refused_with_those_that_do() {
    let ran = check("05_write_skew_hidden_edge.ndjson", &at("strong-pram"));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("parallel-snapshot-isolation"), "{ran:?}");
}

/// A lost update in the text of other checkers; AWDIT has no initial state.
#[test]
fn texts_of_other_checkers_are_recognised() {
    let plume = "r(1,0,0,0)\nw(1,5,0,0)\nr(1,0,1,1)\nw(1,6,1,1)\n";
    let dbcop = "[x==? x:=5]\n---\n[x==? x:=6]\n";
    let awdit = "w 0 1\n=\nr 0 1\nw 0 2\n=\nr 0 1\nw 0 3\n";
    for text in [plume, dbcop, awdit] {
        assert_eq!(checked(text, &at("causal")).code, 0, "{text}");
        let ran = checked(text, &at("snapshot-isolation"));
        assert_eq!(ran.code, 1, "{text}: {ran:?}");
        assert!(ran.stdout.contains("lost-update"), "{text}: {}", ran.stdout);
    }
    // These texts have no times, so real time orders nothing.
    let stale = "w(1,5,0,0)\nr(1,0,1,1)\n";
    assert_eq!(checked(stale, &at("strict-serializable")).code, 0);
}

#[test]
fn histories_of_awdit_hold_at_the_levels_of_their_folders() {
    let levels = ["monotonic-read-committed", "strong-session-read-atomic", "causal"];
    let mut compared = 0;
    for (folder, held) in [
        ("none", 0),
        ("read-committed", 1),
        ("read-atomic", 2),
        ("causal", 3),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data/transactions/awdit")
            .join(folder);
        for file in std::fs::read_dir(path).unwrap() {
            let file = file.unwrap().path();
            for (place, level) in levels.into_iter().enumerate() {
                let ran = omnilink(&["check", file.to_str().unwrap(), "--consistency", level]);
                assert_eq!(
                    ran.code,
                    i32::from(place >= held),
                    "{level} {}: {ran:?}",
                    file.display()
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn a_cycle_is_written_for_graphviz() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.edn"), SKEW).unwrap();
    let check = [
        "check",
        "h.edn",
        "--consistency",
        "serializable",
        "--evidence",
        "why.json",
    ];
    assert_eq!(omnilink_in(folder.path(), &check).code, 1);
    let ran = omnilink_in(folder.path(), &["report", "why.json", "--dot"]);
    assert!(
        ran.stdout.starts_with("digraph") && ran.stdout.contains("label=\"G2-item\""),
        "{ran:?}"
    );
}

/// A file of the repository.
fn in_repository(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(path).to_str().unwrap().to_owned()
}

#[test]
fn every_example_of_an_anomaly_is_named_after_it() {
    let mut count = 0;
    for file in std::fs::read_dir(in_repository("examples/consistency/anomalies")).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let ran = omnilink(&["check", file.to_str().unwrap(), "--infer", "--json"]);
        let json = &ran.json()[0];
        let found = json["isolation"]["anomalies"].as_array().unwrap();
        let found: Vec<&str> = found.iter().filter_map(|one| one["name"].as_str()).collect();
        assert!(found.contains(&name.as_str()), "{name}: {found:?}");
        count += 1;
    }
    assert!(count >= 19, "{count}");
}

#[test]
fn binary_logs_and_csv_are_recognised() {
    let cobra = in_repository("crates/trace/tests/data/cobra/cock-blog");
    let ran = omnilink(&["check", &cobra, "--consistency", "strong-session-serializable"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    // Real bugs of PostgreSQL and YugabyteDB, collected by IsoVista.
    for (bug, level) in [("pg_ser_bug", "serializable"), ("yugabyte_tcc", "causal")] {
        let file = in_repository(&format!("crates/trace/tests/data/isovista/{bug}.txt"));
        assert_eq!(
            omnilink(&["check", &file, "--consistency", level]).code,
            1,
            "{bug}"
        );
        assert_eq!(
            omnilink(&["check", &file, "--consistency", "read-committed"]).code,
            0,
            "{bug}"
        );
    }
    let csv = "session,txn,op,key,value\n0,1,r,x,\n0,1,w,y,1\n1,2,r,y,\n1,2,w,x,2\n";
    let ran = checked(csv, &at("serializable"));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("write-skew"), "{}", ran.stdout);
    checked("session,txn,op,key,value\n0,1,r\n", &at("serializable")).refused(&["h:2"]);
}

#[test]
fn sets_deletes_and_ranges_are_read() {
    let missed = r#"{"thread":0,"op":"txn","args":{"value":[["add","s",1]]},"start":0,"end":1}
{"thread":1,"op":"txn","ret":[["r","s",[1]]],"start":2,"end":3}
{"thread":2,"op":"txn","ret":[["r","s",[]]],"start":4,"end":5}
"#;
    assert_eq!(checked(missed, &at("serializable")).code, 0);
    assert_eq!(checked(missed, &at("strict-serializable")).code, 1);
    // Each looked for what the other inserted.
    let phantom = r#"{"thread":0,"op":"txn","ret":[["range",1,9,[]],["w",3,1]],"start":0,"end":1}
{"thread":1,"op":"txn","ret":[["range",1,9,[]],["w",5,1]],"start":0,"end":1}
"#;
    assert_eq!(checked(phantom, &at("snapshot-isolation")).code, 0);
    let ran = checked(phantom, &at("serializable"));
    assert_eq!(ran.code, 1, "{ran:?}");
    let outside = phantom.replace("[\"w\",5,1]", "[\"w\",50,1]");
    assert_eq!(checked(&outside, &at("serializable")).code, 0);
    let deleted = r#"{"thread":0,"op":"txn","args":{"value":[["w","x",1]]},"start":0,"end":1}
{"thread":0,"op":"txn","args":{"value":[["delete","x"]]},"start":2,"end":3}
{"thread":1,"op":"txn","ret":[["r","x",null]],"start":4,"end":5}
"#;
    assert_eq!(checked(deleted, &at("strict-serializable")).code, 0);
    let undead = deleted.replace("[\"r\",\"x\",null]", "[\"r\",\"x\",1]");
    assert_eq!(checked(&undead, &at("strict-serializable")).code, 1);
}

const SKEW: &str = r#"{:process 0, :type :invoke, :f :txn, :value [[:r :x nil] [:w :y 1]]}
{:process 1, :type :invoke, :f :txn, :value [[:r :y nil] [:w :x 1]]}
{:process 0, :type :ok, :f :txn, :value [[:r :x nil] [:w :y 1]]}
{:process 1, :type :ok, :f :txn, :value [[:r :y nil] [:w :x 1]]}
"#;

const CIRCLE: &str = r#"{:process 0, :type :invoke, :f :txn, :value [[:append :x 1] [:r :y nil]]}
{:process 1, :type :invoke, :f :txn, :value [[:append :y 1] [:r :x nil]]}
{:process 0, :type :ok, :f :txn, :value [[:append :x 1] [:r :y [1]]]}
{:process 1, :type :ok, :f :txn, :value [[:append :y 1] [:r :x [1]]]}
"#;

#[test]
fn transactions_are_followed_through_a_pipe_and_in_a_growing_file() {
    let ran = omnilink_reading(
        SKEW.as_bytes(),
        &["check", "-", "--follow", "--consistency", "serializable"],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("write-skew"), "{}", ran.stdout);
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["check", "h.edn", "--follow", "--consistency"];
    // The last event is still being written. Nothing is wrong yet: Ctrl-C ends it.
    let cut = SKEW.rfind("[:w :x 1]").unwrap();
    std::fs::write(folder.path().join("h.edn"), &SKEW[..cut]).unwrap();
    let ran = interrupted_in(folder.path(), &[&arguments[..], &["serializable"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    // A violation ends it without, once nothing that may come could explain it: registers may be deleted, lists only grow.
    std::fs::write(folder.path().join("h.edn"), CIRCLE).unwrap();
    let ran = omnilink_in(folder.path(), &[&arguments[..], &["serializable"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    std::fs::write(folder.path().join("h.edn"), SKEW).unwrap();
    let ran = interrupted_in(folder.path(), &[&arguments[..], &["snapshot-isolation"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_long_run_that_is_followed_holds_within_the_window() {
    let line =
        |at: i64| format!(r#"{{"thread":0,"op":"txn","ret":[["w","x",{at}]],"start":{at},"end":{at}}}"#);
    let text: Vec<String> = (1..200).map(line).collect();
    let arguments = [
        "check",
        "-",
        "--follow",
        "--window",
        "20",
        "--consistency",
        "serializable",
    ];
    let ran = omnilink_reading(text.join("\n").as_bytes(), &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("within the window"), "{ran:?}");
}

#[test]
fn a_level_of_single_operations_is_told_apart() {
    let ran = checked(SKEW, &at("monotonic"));
    ran.refused(&["monotonic is a level of single operations", "serializable"]);
}

#[test]
fn following_is_for_transactions() {
    omnilink(&["check", "-", "--follow"]).refused(&["--follow checks transactions", "serializable"]);
    omnilink(&["check", "a", "b", "--follow", "--consistency", "serializable"]).refused(&["one file"]);
    omnilink(&["check", "none.edn", "--follow", "--consistency", "serializable"]).refused(&["none.edn"]);
    let garbage = omnilink_reading(
        b"{:process 0, :type",
        &["check", "-", "--follow", "--consistency", "pl-3"],
    );
    assert_eq!(garbage.code, 2, "{garbage:?}");
}
