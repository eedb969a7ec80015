//! `omnilink tla`: specifications checked and shown, expressions evaluated.

use crate::ran::{folder, omnilink, omnilink_in, omnilink_reading};

fn example(file: &str) -> String {
    format!("{}/../../examples/tla/{file}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_good_specification_is_ok() {
    let ran = omnilink(&[
        "tla",
        "check",
        &example("Fifo.tla"),
        "--config",
        &example("Fifo.cfg"),
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("ok"), "{ran:?}");
}

#[test]
fn its_actions_are_shown_with_where_their_parameters_range() {
    let ran = omnilink(&["tla", "show", &example("Fifo.tla"), "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let shown = &ran.json()[0];
    let actions: Vec<&str> = shown["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|action| action["name"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["Enqueue", "Dequeue"]);
    assert_eq!(shown["actions"][0]["arguments"][0]["ranges_over"], "Values");
}

#[test]
fn mistakes_are_pointed_at_and_end_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let spec = "---- MODULE Bad ----\nEXTENDS Naturals\nA == 1 +\nB == Lenn(<<>>)\nC == 1 = 2 = 3\n====\n";
    std::fs::write(folder.path().join("Bad.tla"), spec).unwrap();
    let ran = omnilink_in(folder.path(), &["tla", "check", "Bad.tla"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stdout.contains("Bad.tla:") && ran.stdout.contains('^'),
        "{ran:?}"
    );
    let ran = omnilink_in(folder.path(), &["tla", "check", "Bad.tla", "--json"]);
    assert_eq!(ran.json()[0]["verdict"], "error");
    assert!(
        ran.json()[0]["diagnostics"].as_array().unwrap().len() >= 2,
        "{ran:?}"
    );
}

#[test]
fn a_missing_file_is_an_error_and_not_a_panic() {
    let ran = omnilink(&["tla", "check", "no-such-file.tla"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    let ran = omnilink(&["tla", "show", "no-such-file.tla"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn an_expression_is_evaluated() {
    let ran = omnilink(&["tla", "eval", "{x * x : x \\in 1..3}"]);
    assert_eq!((ran.code, &*ran.stdout), (0, "{1, 4, 9}\n"), "{ran:?}");
    let ran = omnilink(&["tla", "eval", "PrintT(\"on the way\")", "--json"]);
    assert_eq!(ran.json()[0]["value"], "TRUE");
    assert_eq!(ran.json()[0]["printed"][0], "\"on the way\"");
}

#[test]
fn an_expression_without_a_value_ends_with_2_and_says_where_and_why() {
    let ran = omnilink(&["tla", "eval", "\\A x \\in {1, 0} : 1 \\div x > 0"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stderr.contains("x = 0") && ran.stderr.contains('^'),
        "{ran:?}"
    );
    let ran = omnilink(&["tla", "eval", "1 + TRUE", "--json"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(ran.json()[0]["class"], "type");
}

#[test]
fn an_expression_may_be_about_a_specification_and_its_constants() {
    let spec = "---- MODULE Sized ----\nEXTENDS Naturals\nCONSTANT N\nArea == N * N\n====\n";
    let folder = folder(&[("Sized.tla", spec), ("Sized.cfg", "CONSTANT N = 3")]);
    let area = |more: &[&str]| {
        let arguments = [&["tla", "eval", "Area", "--in", "Sized.tla"][..], more].concat();
        omnilink_in(folder.path(), &arguments)
    };
    assert_eq!(area(&["--config", "Sized.cfg"]).stdout, "9\n");
    assert_eq!(
        area(&["--config", "Sized.cfg", "--const", "N=2+2"]).stdout,
        "16\n"
    );
    let ran = area(&["--const", "M=1"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("`M` is not a constant"), "{ran:?}");
    assert_eq!(area(&["--const", "N"]).code, 2);
}

#[test]
fn commands_are_run_only_when_allowed() {
    let ran = omnilink(&["tla", "eval", "IOExec(<<\"true\">>).exitValue"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("--allow-exec"), "{ran:?}");
}

#[test]
fn definitions_entered_line_by_line_are_kept() {
    let ran = omnilink_reading(b"n == 4\nf(x) == x + \\\n  n\nf(\n1)\n", &["tla", "repl"]);
    assert_eq!((ran.code, &*ran.stdout), (0, "5\n"), "{ran:?}");
    let ran = omnilink_reading(b"1 +\n2\n", &["tla", "repl"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(ran.stdout, "2\n", "{ran:?}");
}
