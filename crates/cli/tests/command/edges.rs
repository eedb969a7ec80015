//! Results that are missing or null, and the places of what is wrong with a history.

use std::path::{Path, PathBuf};

use crate::ran::{Ran, omnilink, omnilink_in};

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/edges")
        .join(file)
}

fn check(file: &str, more: &[&str]) -> Ran {
    let path = data(file);
    let mut arguments = vec!["check", path.to_str().unwrap()];
    arguments.extend(more);
    omnilink(&arguments)
}

/// Checks a history of these lines.
fn checked(lines: &[&str], more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h"), lines.join("\n") + "\n").unwrap();
    let mut arguments = vec!["check", "h"];
    arguments.extend(more);
    omnilink_in(folder.path(), &arguments)
}

const SERIALIZABLE: [&str; 2] = ["--consistency", "serializable"];

#[test]
fn a_transaction_without_a_result_read_something_unknown_in_every_reader() {
    let ran = check("txn_without_result.ndjson", &SERIALIZABLE);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = check("txn_without_result.ndjson", &["--model", "multi-register"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // Separate operations, and a file of histories.
    let ran = checked(
        &[
            r#"{"thread":0,"op":"write","args":{"key":"x","value":1},"start":0,"end":1}"#,
            r#"{"thread":0,"op":"read","args":{"key":"x"},"start":2,"end":3}"#,
            r#"{"thread":0,"op":"read","args":{"key":"x","value":null},"start":4,"end":5}"#,
        ],
        &SERIALIZABLE,
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let history = r#"{"ops":[{"thread":0,"op":"txn","args":{"value":[["w","x",1]]}},{"thread":0,"op":"txn","args":{"value":[["r","x",null]]}}]}"#;
    let ran = checked(&[history], &SERIALIZABLE);
    assert_eq!(ran.code, 0, "{ran:?}");
    // An explicit null is what was read.
    let read_nil = history.replace(
        r#"[["r","x",null]]}"#,
        r#"[["r","x",null]]},"ret":[["r","x",null]]"#,
    );
    let ran = checked(&[&read_nil], &["--consistency", "strong-session-serializable"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let no_list = history.replace(r#"[["r","x",null]]}"#, r#"[["r","x",null]]},"ret":null"#);
    checked(&[&no_list], &SERIALIZABLE).refused(&["h:1: operation 1: the result is null; expected a list"]);
}

#[test]
fn a_null_result_that_the_model_does_not_have_is_refused_with_its_place() {
    check("null_result_is_unknown.edn", &["--model", "counter"]).refused(&[
        "null_result_is_unknown.edn:3: read: the result is null; expected the count, a number",
        "leave \"ret\" out if it is not known",
    ]);
}

#[test]
fn a_completion_that_differs_from_its_call_is_refused_with_its_place() {
    check("completion_differs.ndjson", &SERIALIZABLE).refused(&[
        "completion_differs.ndjson:1: operation 0: the transaction was called with",
        r#"<<"w", "x", 1>>"#,
        r#"returned <<"w", "y", 1>>"#,
    ]);
    let call = r#"{"thread":0,"op":"txn","args":{"value":[["r","x",null],["append","y",1]]},"ret":RET,"start":0,"end":1}"#;
    for (returned, at) in [
        (r#"[["r","x",[]]]"#, "returned nothing"),
        (
            r#"[["r","x",[]],["append","y",1],["r","z",[]]]"#,
            "called with nothing",
        ),
        (
            r#"[["r","z",[]],["append","y",1]]"#,
            r#"returned <<"r", "z", <<>>>>"#,
        ),
        (
            r#"[["append","y",1],["r","x",[]]]"#,
            r#"returned <<"append", "y", 1>>"#,
        ),
        (
            r#"[["r","x",[]],["append","y",2]]"#,
            r#"returned <<"append", "y", 2>>"#,
        ),
    ] {
        checked(&[&call.replace("RET", returned)], &SERIALIZABLE).refused(&["h:1: ", at]);
    }
    let ran = checked(
        &[&call.replace("RET", r#"[["r","x",[]],["append","y",1]]"#)],
        &SERIALIZABLE,
    );
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn an_element_that_is_appended_twice_is_refused_with_both_places() {
    check("error_without_place.ndjson", &SERIALIZABLE).refused(&[
        "error_without_place.ndjson:1: transaction #0 appends 1 to \"x\", which it appends as well",
        "append each element once",
    ]);
    let append = |thread: u32| {
        format!(
            r#"{{"thread":{thread},"op":"txn","args":{{"value":[["append","x",1]]}},"ret":[["append","x",1]],"start":{thread},"end":9}}"#
        )
    };
    checked(&[&append(0), &append(1)], &SERIALIZABLE)
        .refused(&["h:2: transaction #1 appends 1 to \"x\", which #0 (h:1) appends as well"]);
    let written = append(1).replace(r#""append","x",1"#, r#""w","x",1"#);
    checked(&[&append(0), &written], &SERIALIZABLE)
        .refused(&["h:2: transaction #1: \"x\" is written as well as appended to"]);
}

#[test]
fn an_enqueue_without_a_result_on_a_bounded_queue_may_not_have_fitted() {
    let ran = check("enqueue_without_result.ndjson", &["--model", "queue:capacity=1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_result_of_a_call_that_never_returned_is_refused() {
    checked(
        &[r#"{"thread":0,"op":"read","ret":3,"start":0,"end":null}"#],
        &["--model", "register"],
    )
    .refused(&[
        "h:1: read has a result (\"ret\") but no \"end\"",
        "leave the result out",
    ]);
    checked(
        &[r#"{"ops":[{"thread":0,"op":"read","ret":3,"start":0}]}"#],
        &["--model", "register"],
    )
    .refused(&[
        "h:1: \"ret\" of operation 0 is 3",
        "who has a result has returned",
    ]);
    let ran = checked(
        &[r#"{"thread":0,"op":"read","ret":null,"start":0,"end":null}"#],
        &["--model", "register"],
    );
    // It is read, but a run of which nothing returned says nothing.
    assert_eq!(ran.code, 3, "{ran:?}");
}

#[test]
fn a_line_that_is_no_text_is_refused_with_line_and_column() {
    check("utf8.jsonl", &SERIALIZABLE).refused(&["utf8.jsonl:2: column 9 is not UTF-8"]);
}

#[test]
fn a_first_history_of_more_than_a_mebibyte_is_a_history() {
    let txn =
        |key: usize| format!(r#"{{"thread":0,"op":"txn","args":{{"value":[["w","key number {key}",1]]}}}}"#);
    let ops: Vec<String> = (0..20_000).map(txn).collect();
    let line = format!(r#"{{"id":"large","ops":[{}]}}"#, ops.join(","));
    assert!(line.len() > 1 << 20);
    let ran = checked(&[&line], &SERIALIZABLE);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("history large: valid"), "{}", ran.stdout);
}

#[test]
fn a_file_whose_title_names_another_object_is_noted() {
    let ran = check("type_contradicts_model.log", &["--model", "queue"]);
    let note = "the file says that its object is a stack, and it is checked as a queue; if the file is right: --model stack";
    assert!(ran.stderr.contains(note), "{ran:?}");
    let ran = check(
        "type_contradicts_model.log",
        &["--model", "queue", "--consistency", "weak"],
    );
    assert!(ran.stderr.contains(note), "{ran:?}");
    let ran = check("type_contradicts_model.log", &["--model", "stack"]);
    assert!(!ran.stderr.contains("the file says"), "{ran:?}");
}

#[test]
fn an_initial_state_that_would_explain_a_violation_is_named() {
    let bank = [
        "{:process 0 :type :invoke :f :read :value nil}",
        "{:process 0 :type :ok :f :read :value {0 100 1 100}}",
        "{:process 0 :type :invoke :f :transfer :value {:from 0 :to 1 :amount 5}}",
        "{:process 0 :type :ok :f :transfer :value {:from 0 :to 1 :amount 5}}",
    ];
    let ran = checked(&bank, &["--model", "bank"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stderr
            .contains("with --model bank:accounts=0:100/1:100 that operation"),
        "{ran:?}"
    );
    // The first thing that is seen is no longer the beginning.
    let ran = checked(
        &[
            bank[2],
            bank[3],
            bank[0],
            "{:process 0 :type :ok :f :read :value {0 95 1 105}}",
        ],
        &["--model", "bank"],
    );
    assert!(
        ran.stderr
            .contains("with --model bank:balance=100 that operation"),
        "{ran:?}"
    );
    let read_zero = r#"{"thread":0,"op":"read","ret":0,"start":0,"end":1}"#;
    let ran = checked(&[read_zero], &["--model", "register"]);
    assert!(
        ran.stderr
            .contains("with --model register:initial=0 that operation"),
        "{ran:?}"
    );
    let json = checked(&[read_zero], &["--model", "register", "--json"]).json();
    assert!(
        json[0]["notes"].to_string().contains("register:initial=0"),
        "{json:?}"
    );
}

#[test]
fn no_initial_state_is_named_that_explains_nothing() {
    let write = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}"#;
    let stale = r#"{"thread":0,"op":"read","ret":0,"start":2,"end":3}"#;
    for (lines, model) in [
        (&[write, stale][..], "register"),
        (
            &[r#"{"thread":0,"op":"read","ret":0,"start":2,"end":3}"#],
            "register:initial=7",
        ),
    ] {
        let ran = checked(lines, &["--model", model]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(!ran.stderr.contains("has an explanation"), "{ran:?}");
    }
}

#[test]
fn a_model_for_transactions_is_refused_and_transactions_without_options_are_recognised() {
    let txn =
        r#"{"thread":0,"op":"txn","args":{"value":[["w","x",1]]},"ret":[["w","x",1]],"start":0,"end":1}"#;
    checked(&[txn], &["--model", "kv", "--consistency", "serializable"])
        .refused(&["--consistency serializable is about transactions, which need no model: drop --model"]);
    checked(&[txn], &[]).refused(&["These are transactions: give --consistency serializable"]);
    checked(
        &[r#"{"ops":[{"thread":0,"txn":1,"op":"write","args":["x",1]}]}"#],
        &[],
    )
    .refused(&["These are transactions: give --consistency serializable"]);
    let ran = checked(
        &[r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}"#],
        &[],
    );
    ran.refused(&["Give --model NAME"]);
    assert!(!ran.stderr.contains("transactions"), "{ran:?}");
}

#[test]
fn damaged_compressed_data_are_called_that() {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (0..5_000)
        .map(|at| {
            let value = at * 7_919 % 104_729;
            format!(
                "{{\"thread\":0,\"op\":\"write\",\"args\":{{\"value\":{value}}},\"start\":{},\"end\":{}}}\n",
                2 * at,
                2 * at + 1
            )
        })
        .collect();
    std::fs::write(folder.path().join("whole.ndjson"), lines).unwrap();
    let packed = omnilink_in(
        folder.path(),
        &["trace", "convert", "whole.ndjson", "-o", "packed.ndjson.zst"],
    );
    assert_eq!(packed.code, 0, "{packed:?}");
    let mut bytes = std::fs::read(folder.path().join("packed.ndjson.zst")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].iter_mut().for_each(|byte| *byte = 0xff);
    std::fs::write(folder.path().join("packed.ndjson.zst"), bytes).unwrap();
    omnilink_in(
        folder.path(),
        &["check", "packed.ndjson.zst", "--model", "register"],
    )
    .refused(&["packed.ndjson.zst", "the compressed data are damaged", "zstd -t"]);
}

/// A stack of which four threads push and pop five values, again and again: which of the equal ones was popped matters later, so the
/// explanations multiply. An answer without a decision has the figure that tells so.
#[test]
fn what_makes_a_search_large_is_among_its_figures() {
    let file = "stack_with_repeated_values.ndjson.zst";
    let options = ["--model", "stack", "--config-limit", "300000"];
    let ran = check(file, &[&options[..], &["--json"]].concat());
    let evidence = &ran.json()[0];
    if evidence["verdict"] == "unknown" {
        assert!(evidence["frontier_max"].as_u64() > Some(1_000), "{evidence}");
        let told = check(file, &options).stdout;
        assert!(told.contains("configurations alive"), "{told}");
    }
}
