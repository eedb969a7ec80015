//! What scripts rely on: exit codes and the first words.

use super::ran::{check, example, omnilink, omnilink_in, repository};

#[test]
fn a_history_with_an_explanation_exits_with_0() {
    let ran = omnilink_in(
        &repository().join("examples"),
        &["check", "register-valid.ndjson", "--model", "register"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout
            .contains("valid: 6 operations of 3 threads are explained"),
        "{ran:?}"
    );
}

#[test]
fn a_history_without_one_exits_with_1() {
    let ran = omnilink_in(
        &repository().join("examples"),
        &["check", "register-stale-read.ndjson", "--model", "register"],
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("violation: No order of the operations"),
        "{ran:?}"
    );
}

#[test]
fn an_exhausted_budget_exits_with_3() {
    let mut history = String::new();
    for thread in 0..12 {
        history.push_str(&format!(
            "{{\"thread\":{thread},\"op\":\"write\",\"args\":{{\"value\":{thread}}},\"start\":0,\"end\":{}}}\n",
            100 + thread
        ));
    }
    history.push_str(r#"{"thread":12,"op":"read","args":{},"ret":99,"start":200,"end":201}"#);
    let folder = super::ran::folder(&[("many.ndjson", &history)]);
    let path = folder.path().join("many.ndjson").display().to_string();
    let arguments = [
        "check",
        &path,
        "--model",
        "register",
        "--config-limit",
        "300",
        "--no-minimal-frontier",
    ];
    let ran = omnilink(&arguments);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.stdout
            .contains("unknown: the limit on configurations was reached"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("--config-limit"), "{ran:?}");
}

#[test]
fn no_operations_need_no_explanation() {
    let ran = check("register", "empty.ndjson", "{\"omnilink\":1}\n");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("no operations"), "{ran:?}");
}

#[test]
fn program_order_alone_allows_more_than_real_time() {
    // b reads what a overwrote, long after: only real time forbids that.
    let history = r#"{"thread":"a","op":"write","args":{"value":1},"start":0,"end":1}
{"thread":"a","op":"write","args":{"value":2},"start":2,"end":3}
{"thread":"b","op":"read","args":{},"ret":1,"start":9,"end":10}"#;
    let folder = super::ran::folder(&[("stale.ndjson", history)]);
    let path = folder.path().join("stale.ndjson").display().to_string();
    let check = |level: &str| omnilink(&["check", &path, "--model", "register", "--consistency", level]).code;
    assert_eq!(check("linearizable"), 1);
    assert_eq!(check("sequential"), 0);
}

#[test]
fn every_strategy_and_every_reduction_switched_off_agree() {
    let switches: [&[&str]; 9] = [
        &["--strategy", "portfolio"],
        &["--strategy", "sweep"],
        &["--strategy", "depth-first"],
        &["--no-absorption"],
        &["--no-minimal-frontier"],
        &["--no-dominance"],
        &["--no-symmetry"],
        &["--no-footprints"],
        &["--no-partitions"],
    ];
    for (history, model, code) in [
        ("register-valid.ndjson", "register", 0),
        ("register-stale-read.ndjson", "register", 1),
        ("queue-taken-twice.ndjson", "queue", 1),
    ] {
        let path = example(history);
        for switch in switches {
            let arguments = [&["check", &path, "--model", model], switch].concat();
            assert_eq!(omnilink(&arguments).code, code, "{arguments:?}");
        }
    }
}

#[test]
fn every_shipped_example_has_the_verdict_that_its_page_promises() {
    for (history, model, code) in [
        ("register-valid.ndjson", "register", 0),
        ("register-stale-read.ndjson", "register", 1),
        ("queue-taken-twice.ndjson", "queue", 1),
        ("counter-lost-update.edn", "counter", 1),
        ("kv-unexplained-append.json", "kv", 1),
    ] {
        let ran = omnilink(&["check", &example(history), "--model", model, "--minimize"]);
        assert_eq!(ran.code, code, "{history}: {ran:?}");
    }
}
