//! What somebody runs into who uses the command for the first time: each mistake is told in the words of its remedy.

use super::ran::{Ran, folder, omnilink, omnilink_in};

const STORE: &str = r"---- MODULE Store ----
EXTENDS Naturals
CONSTANT Keys
VARIABLE held
Init == held = [key \in Keys |-> 0]
Put(key, value) == held' = [held EXCEPT ![key] = value]
Get(key, result) == held[key] = result /\ UNCHANGED held
Next == \E key \in Keys, value \in 0..1 : Put(key, value) \/ Get(key, value)
====
";

const RUN: &str = r#"{"thread":0,"op":"Put","args":{"key":"a","value":1},"start":0,"end":1}
{"thread":0,"op":"Get","args":{"key":"a"},"ret":1,"start":2,"end":3}
"#;

fn in_folder(files: &[(&str, &str)], arguments: &[&str]) -> Ran {
    omnilink_in(folder(files).path(), arguments)
}

#[test]
fn a_constant_means_the_same_in_every_command() {
    let files = [("Store.tla", STORE), ("run.ndjson", RUN)];
    let states = |value: &str| {
        let ran = in_folder(&files, &["mc", "Store.tla", "--no-deadlock", "--const", value]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout.contains("4 distinct states")
    };
    assert!(states("Keys={a, b}") && states(r#"Keys={"a", "b"}"#));
    let validate =
        |value: &str| in_folder(&files, &["validate", "Store.tla", "run.ndjson", "--const", value]);
    assert_eq!(validate(r#"Keys={"a", "b"}"#).code, 0);
    // Names are model values, as for mc; a trace has none, and that is said.
    let ran = validate("Keys={a, b}");
    assert_ne!(ran.code, 0, "{ran:?}");
    assert!(!ran.stderr.contains("not defined"), "{ran:?}");
    assert!(
        ran.stderr
            .contains("\"a\" is a text, and the a of the configuration is a model value"),
        "{ran:?}"
    );
}

#[test]
fn a_set_that_the_shell_has_taken_apart_is_recognised() {
    omnilink(&["mc", "Store.tla", "--const", "Keys=1", "Keys=2"])
        .refused(&["the shell has taken it apart", "--const 'Keys={1,2}'"]);
    omnilink(&[
        "validate",
        "Store.tla",
        "--const",
        "Keys=1",
        "Keys=2",
        "run.ndjson",
    ])
    .refused(&["--const 'Keys={1,2}'"]);
}

#[test]
fn a_number_where_a_text_was_written_is_noted() {
    let lines = r#"{"thread":0,"op":"write","args":{"value":1},"start":0,"end":1}
{"thread":0,"op":"read","ret":"1","start":2,"end":3}
"#;
    let ran = in_folder(
        &[("h.ndjson", lines)],
        &["check", "h.ndjson", "--model", "register"],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stderr
            .contains("h.ndjson:2: \"1\" was returned and 1 was passed in (h.ndjson:1)"),
        "{ran:?}"
    );
    let ran = in_folder(
        &[("h.ndjson", &lines.replace("\"1\"", "3"))],
        &["check", "h.ndjson", "--model", "register"],
    );
    assert!(!ran.stderr.contains("was passed in"), "{ran:?}");
}

#[test]
fn files_of_one_thread_name_are_told_to_be_qualified() {
    let record = |start: i64| {
        format!(
            "{{\"thread\":0,\"op\":\"read\",\"ret\":1,\"start\":{start},\"end\":{}}}\n",
            start + 5
        )
    };
    let (first, later, overlapping) = (record(0), record(9), record(3));
    let files = [
        ("a.ndjson", first.as_str()),
        ("b.ndjson", later.as_str()),
        ("c.ndjson", overlapping.as_str()),
    ];
    let merge = |more: &[&str]| in_folder(&files, &[&["trace", "merge", "a.ndjson"], more].concat());
    merge(&["c.ndjson"]).refused(&["c.ndjson:1", "--qualify"]);
    let ran = merge(&["b.ndjson"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("thread 0 is also in a.ndjson") && ran.stderr.contains("--qualify"),
        "{ran:?}"
    );
    let ran = merge(&["c.ndjson", "--qualify"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
}

#[test]
fn what_is_not_there_is_told_with_what_there_is() {
    let files = [("h.ndjson", RUN), ("Store.tla", STORE)];
    in_folder(&files, &["check", "h.ndjson", "--model", "ledger"])
        .refused(&["there is no model \"ledger\"", "--spec FILE.tla"]);
    let numbered = RUN.replace("Put", "0").replace("Get", "1");
    in_folder(
        &[("h.ndjson", &numbered), ("Store.tla", STORE)],
        &["validate", "Store.tla", "h.ndjson", "--collect", "Keys=key"],
    )
    .refused(&["no action `0`", "--ops 0=NAME", "\n  [ops.0]\n  action = "]);
    let spaced = RUN.replace("Put", "put it");
    in_folder(
        &[("h.ndjson", &spaced), ("Store.tla", STORE)],
        &["validate", "Store.tla", "h.ndjson", "--collect", "Keys=key"],
    )
    .refused(&["[ops.\"put it\"]"]);
    in_folder(
        &files,
        &["check", "h.ndjson", "--model", "kv", "--memory-limit", "2"],
    )
    .refused(&["\"2\" has no unit; write 2GB"]);
}

#[test]
fn a_specification_without_a_step_is_noted_and_its_errors_go_to_standard_error() {
    let stuck = STORE.replace("value \\in 0..1", "value \\in {}");
    let mc = |spec: &str| {
        in_folder(
            &[("Store.tla", spec)],
            &["mc", "Store.tla", "--no-deadlock", "--const", "Keys={a}"],
        )
    };
    let ran = mc(&stuck);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("no step is possible in any state"), "{ran:?}");
    assert!(!mc(STORE).stderr.contains("no step is possible"));
    let wrong = STORE.replace("held[key] = result", "held[key].field = result");
    let ran = mc(&wrong);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(ran.stdout, "", "{ran:?}");
    assert!(ran.stderr.contains("Store.tla:7"), "{ran:?}");
}

#[test]
fn an_interrupted_checkpoint_says_how_to_go_on() {
    let large = STORE.replace("0..1", "0..9");
    let arguments = [
        "mc",
        "Store.tla",
        "--no-deadlock",
        "--const",
        "Keys=1..12",
        "--time-limit",
        "1s",
        "--checkpoint",
        "a folder",
    ];
    let ran = in_folder(&[("Store.tla", &large)], &arguments);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.stderr.contains("--resume 'a folder' instead of --checkpoint"),
        "{ran:?}"
    );
}

#[test]
fn deadlock_in_a_configuration_is_told_its_name() {
    let config = "INIT Init\nNEXT Next\nCONSTANT Keys = {a}\nDEADLOCK FALSE\n";
    in_folder(
        &[("Store.tla", STORE), ("Store.cfg", config)],
        &["mc", "Store.tla"],
    )
    .refused(&["`DEADLOCK` begins no section", "write `CHECK_DEADLOCK FALSE`"]);
}
