//! Monitors: asked for by name, and declared for a specification.

use std::fs;

use super::ran::{example, folder, omnilink, omnilink_in};

#[test]
fn a_monitor_that_is_asked_for_decides_or_says_why_it_cannot() {
    let queue = example("queue-taken-twice.ndjson");
    let decided = omnilink(&[
        "check",
        &queue,
        "--model",
        "queue",
        "--strategy",
        "monitor",
        "--json",
    ]);
    assert_eq!(decided.code, 1, "{decided:?}");
    assert_eq!(decided.json()[0]["decided_by"], "monitor");
    let counter = example("counter-lost-update.edn");
    omnilink(&["check", &counter, "--model", "counter", "--strategy", "monitor"])
        .refused(&["monitor", "queues, stacks"]);
}

#[test]
fn a_declared_specification_is_decided_by_a_monitor_and_a_wrong_declaration_is_refused() {
    let spec = fs::read_to_string(example("validate/queue/Queue.tla")).unwrap();
    let validate = |declaration: &str, trace: &str| {
        let folder = folder(&[
            ("Queue.tla", spec.as_str()),
            ("Queue.toml", &format!("acts-as = \"{declaration}\"\n")),
        ]);
        let trace = example(&format!("validate/queue/{trace}"));
        let arguments = ["validate", "Queue.tla", &trace, "--const", "Nothing=0", "--json"];
        omnilink_in(folder.path(), &arguments)
    };
    let ok = validate("queue", "ok.ndjson");
    assert_eq!(ok.code, 0, "{ok:?}");
    assert_eq!(ok.json()[0]["decided_by"], "monitor");
    for bug in [
        "bug-lost.ndjson",
        "bug-out-of-order.ndjson",
        "bug-taken-twice.ndjson",
    ] {
        assert_eq!(validate("queue", bug).code, 1, "{bug}");
    }
    let wrong = validate("stack", "ok.ndjson");
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("accepts what no stack does"), "{wrong:?}");
    let unknown = validate("heap", "ok.ndjson");
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.stderr.contains("priority-queue"), "{unknown:?}");
}
