//! Bad axioms, orders, methods, results and files: exit code 2, and a message that says where and what to do.

use std::path::Path;

use crate::ran::{Ran, omnilink_in};

/// Two operations of one history, each as the text of an object without `id` and `thread`, and an order.
fn history(first: &str, second: &str, order: &str) -> String {
    format!(
        r#"{{"id":"h","ops":[{{"id":"p","thread":0,{first}}},{{"id":"q","thread":1,{second}}}],"hb":{order}}}"#
    )
}

const PUT: &str = r#""method":"put","args":[1,1],"ret":"null""#;
const SIZE: &str = r#""method":"size","args":[],"ret":"1""#;

fn check(folder: &Path, more: &[&str]) -> Ran {
    let mut arguments = vec!["check", "--model", "java-map"];
    arguments.extend(more);
    omnilink_in(folder, &arguments)
}

/// Checks one history for weak consistency.
fn checked(line: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.jsonl"), format!("{line}\n")).unwrap();
    check(folder.path(), &["h.jsonl", "--consistency", "weak"])
}

#[test]
fn a_history_that_makes_no_sense_is_refused_with_its_place() {
    checked(&history(PUT, SIZE, r#"[["p","q"],["q","p"]]"#)).refused(&[
        "h.jsonl:1:",
        "cyclic",
        "q -> p -> q",
    ]);
    checked(&history(PUT, SIZE, r#"[["p","r"]]"#)).refused(&["h.jsonl:1:", "\"r\""]);
    checked(&history(PUT, SIZE, r#"[["p"]]"#)).refused(&["h.jsonl:1:", "\"hb\"", "pairs"]);
    checked(&history(PUT, SIZE, "7")).refused(&["h.jsonl:1:", "\"hb\"", "pairs"]);
    let unknown = PUT.replace("put", "putt");
    checked(&history(&unknown, SIZE, "[]")).refused(&["h.jsonl:1:", "operation p", "putt", "put"]);
    let wrong_result = SIZE.replace("\"1\"", "\"many\"");
    checked(&history(PUT, &wrong_result, "[]")).refused(&["h.jsonl:1:", "operation q", "a number"]);
    let wrong_arguments = PUT.replace("[1,1]", "[1]");
    checked(&history(&wrong_arguments, SIZE, "[]")).refused(&[
        "h.jsonl:1:",
        "operation p",
        "a key and a value",
    ]);
    let pending = PUT.replace(r#","ret":"null""#, r#","pending":true"#);
    checked(&history(&pending, SIZE, r#"[["p","q"]]"#))
        .refused(&["operation p never returned", "operation q"]);
    checked(r#"{"id":1,"ops":[{"id":0,"thread":0}]}"#).refused(&["h.jsonl:1:", "\"method\""]);
}

#[test]
fn a_file_that_is_cut_off_or_empty_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let good = history(PUT, SIZE, "[]");
    let cut = &good[..good.len() - 20];
    std::fs::write(folder.path().join("later.jsonl"), format!("{good}\n{cut}\n")).unwrap();
    std::fs::write(folder.path().join("first.jsonl"), format!("{cut}\n{good}\n")).unwrap();
    std::fs::write(folder.path().join("empty.jsonl"), "").unwrap();
    let weak = |file: &str| check(folder.path(), &[file, "--consistency", "weak"]);
    let later = weak("later.jsonl");
    assert_eq!(later.code, 2, "{later:?}");
    assert!(later.stderr.contains("later.jsonl:2:"), "{later:?}");
    assert!(later.stdout.contains("history h: valid"), "{later:?}");
    weak("first.jsonl").refused(&["first.jsonl:1:"]);
    weak("empty.jsonl").refused(&["empty.jsonl", "nothing in it"]);
    weak("missing.jsonl").refused(&["missing.jsonl"]);
}

#[test]
fn bad_axioms_are_shown_where_they_are_wrong() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.jsonl"), history(PUT, SIZE, "[]") + "\n").unwrap();
    let with = |axioms: &str| {
        std::fs::write(folder.path().join("axioms.txt"), axioms).unwrap();
        check(folder.path(), &["h.jsonl", "--axioms", "axioms.txt"])
    };
    with("vis >= hb\nvis >= hbb\n").refused(&["axioms.txt:2:8", "vis >= hbb", "^^^", "hb"]);
    with("vis >=\n").refused(&["axioms.txt:1:"]);
    with("vis >= (po;vis\n").refused(&["axioms.txt:1:", "^"]);
    with("drop lin >= hb\nvis >= vis;hb\n").refused(&[
        "axioms.txt:1:",
        "`vis >= vis;hb` uses hb",
        "add `lin >= hb`",
    ]);
    with("putt: vis = lin\n").refused(&["there is no method putt", "put"]);
}

#[test]
fn bad_levels_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.jsonl"), history(PUT, SIZE, "[]") + "\n").unwrap();
    let with = |levels: &str| {
        std::fs::write(folder.path().join("levels.txt"), levels).unwrap();
        check(folder.path(), &["h.jsonl", "--levels", "levels.txt"])
    };
    with("put: weak\nsize: strong\n").refused(&["levels.txt:2:", "strong", "monotonic"]);
    with("put weak\n").refused(&["levels.txt:1:", "method: level"]);
    with("putt: weak, *: weak\n").refused(&["there is no method putt", "put"]);
    with("put: weak\n").refused(&["the method size has no level", "size: LEVEL"]);
    with("*: sequential\n").refused(&["sequential is no level for single methods"]);
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.jsonl"), history(PUT, SIZE, "[]") + "\n").unwrap();
    let with = |more: &[&str]| check(folder.path(), &[&["h.jsonl"], more].concat());
    with(&["--consistency", "causall"]).refused(&["causall", "causal-convergence", "snapshot-isolation"]);
    with(&["--consistency", "serializable"]).refused(&["which need no model: drop --model"]);
    omnilink_in(
        folder.path(),
        &["check", "h.jsonl", "--consistency", "serializable"],
    )
    .refused(&["\"size\" is no operation of a transaction"]);
    with(&["--infer", "--consistency", "weak"]).refused(&["--infer", "--consistency"]);
    with(&["--ret", "some"]).refused(&["some", "own"]);
    let without_model = omnilink_in(folder.path(), &["check", "h.jsonl", "--consistency", "weak"]);
    without_model.refused(&["--model", "--spec"]);
}
