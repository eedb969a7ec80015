//! `omnilink tla`: specifications checked and shown.

use crate::ran::{omnilink, omnilink_in};

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
