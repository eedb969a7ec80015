//! Several inputs, standard input, and inputs that are read more than once.

use super::ran::{example, folder, omnilink, omnilink_in, omnilink_reading};

#[test]
fn answers_come_in_the_order_of_the_inputs_and_the_worst_decides() {
    let (good, bad) = (
        example("register-valid.ndjson"),
        example("register-stale-read.ndjson"),
    );
    for jobs in ["1", "4"] {
        let ran = omnilink(&[
            "check", &good, &bad, &good, &bad, &good, "--model", "register", "--jobs", jobs, "--json",
        ]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let verdicts: Vec<String> = ran
            .json()
            .iter()
            .map(|json| json["verdict"].to_string())
            .collect();
        assert_eq!(
            verdicts,
            ["valid", "violation", "valid", "violation", "valid"].map(|word| format!("{word:?}"))
        );
    }
    let ran = omnilink(&[
        "check",
        &bad,
        "nowhere.ndjson",
        &good,
        "--model",
        "register",
        "--json",
    ]);
    assert_eq!(ran.code, 2, "{ran:?}");
    let verdicts: Vec<String> = ran
        .json()
        .iter()
        .map(|json| json["verdict"].to_string())
        .collect();
    assert_eq!(verdicts, ["\"violation\"", "\"error\"", "\"valid\""]);
}

#[test]
fn standard_input_gets_the_same_answer_as_the_file() {
    for (history, model) in [
        ("register-valid.ndjson", "register"),
        ("queue-taken-twice.ndjson", "queue"),
        ("counter-lost-update.edn", "counter"),
        ("kv-unexplained-append.json", "kv"),
    ] {
        let path = example(history);
        let bytes = std::fs::read(&path).unwrap();
        let piped = omnilink_reading(&bytes, &["check", "-", "--model", model, "--minimize"]);
        let read = omnilink(&["check", &path, "--model", model, "--minimize"]);
        assert_eq!(piped.code, read.code, "{history}: {piped:?}");
        let timeless = |text: &str| text.split(" (").next().map(str::to_owned);
        let stdin_name = piped.stdout.replacen("-: ", &format!("{path}: "), 1);
        assert_eq!(
            timeless(&stdin_name).map(|text| text.split_whitespace().collect::<String>()),
            timeless(&read.stdout).map(|text| text.split_whitespace().collect::<String>())
        );
    }
}

#[test]
fn a_transaction_that_spans_keys_is_checked_in_a_pipe_too() {
    // The transaction touches two registers that were being checked apart: the pipe has to be read again.
    let history = r#"{"thread":0,"op":"write","args":{"key":"x","value":1},"start":0,"end":1}
{"thread":0,"op":"write","args":{"key":"y","value":2},"start":2,"end":3}
{"thread":1,"op":"txn","args":{"value":[["r","x",1],["r","y",2]]},"start":4,"end":9}
{"thread":0,"op":"read","args":{"key":"z"},"ret":5,"start":10,"end":12}
"#;
    let ran = omnilink_reading(history.as_bytes(), &["check", "-", "--model", "multi-register"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("stdin:4"), "{ran:?}");
}

#[test]
fn a_directory_is_one_trace_of_one_file_per_thread() {
    let folder = folder(&[
        (
            "a.ndjson",
            "{\"op\":\"write\",\"args\":{\"value\":1},\"start\":0,\"end\":9}\n",
        ),
        (
            "b.ndjson",
            "{\"op\":\"read\",\"args\":{},\"ret\":2,\"start\":12,\"end\":19}\n",
        ),
    ]);
    let ran = omnilink_in(folder.path(), &["check", ".", "--model", "register"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("thread b's read() = 2"), "{ran:?}");
}

#[test]
fn a_witness_is_a_trace_that_can_be_checked_itself() {
    let folder = folder(&[]);
    let path = example("register-valid.ndjson");
    let ran = omnilink_in(
        folder.path(),
        &["check", &path, "--model", "register", "--witness", "w.ndjson"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let again = omnilink_in(
        folder.path(),
        &["check", "w.ndjson", "--model", "register", "--json"],
    );
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(again.json()[0]["frontier_max"], 1);
    let stats = omnilink_in(folder.path(), &["trace", "stats", "w.ndjson", "--json"]);
    assert!(stats.json()[0]["operations"].as_u64() >= Some(5), "{stats:?}");
}

#[test]
fn there_is_no_witness_of_a_violation() {
    let folder = folder(&[]);
    let path = example("register-stale-read.ndjson");
    let ran = omnilink_in(
        folder.path(),
        &["check", &path, "--model", "register", "--witness", "w.ndjson"],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stderr.contains("no witness was written") && !folder.path().join("w.ndjson").exists(),
        "{ran:?}"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_omnilink"))
        .args(["check", "--list-models"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
