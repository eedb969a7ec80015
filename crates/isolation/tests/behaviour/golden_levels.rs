//! Labelled small histories: every level that the labels know, decided by two independent formulations elsewhere.
//!
//! `tests/data/isolation/labels.jsonl` has one history a line: Jepsen's events, with the levels and the anomalies.

use std::collections::BTreeSet;

use omnilink_engine::Limits;
use omnilink_isolation::{Isolation, RecordedHistory, check_transactions, infer_recorded_transactions};
use omnilink_trace::{OpenOptions, Trace};
use omnilink_value::Value;

/// The name of a level in the labels, and ours.
const NAMES: [(&str, &str); 22] = [
    ("PL-1", "read-uncommitted"),
    ("strong-session-PL-1", "strong-session-read-uncommitted"),
    ("strong-PL-1", "strong-read-uncommitted"),
    ("PL-2", "read-committed"),
    ("strong-session-PL-2", "strong-session-read-committed"),
    ("strong-PL-2", "strong-read-committed"),
    ("read-committed-BE", "strong-session-monotonic-atomic-view"),
    ("read-atomic", "read-atomic"),
    ("read-atomic-BE", "strong-session-read-atomic"),
    ("causal-weak", "weak-causal"),
    ("causal-BE", "causal"),
    ("PL-2+", "consistent-view"),
    ("parallel-SI", "parallel-snapshot-isolation"),
    ("prefix-BE", "prefix"),
    ("SI", "snapshot-isolation"),
    ("strong-session-SI", "strong-session-snapshot-isolation"),
    ("strong-SI", "strong-snapshot-isolation"),
    ("update-serializable", "update-serializable"),
    ("PL-2.99", "repeatable-read"),
    ("serializable", "serializable"),
    ("strong-session-serializable", "strong-session-serializable"),
    ("strict-serializable", "strict-serializable"),
];

pub(crate) fn labels() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/isolation/labels.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| Value::from_json(line.as_bytes()).unwrap())
        .collect()
}

pub(crate) fn history(label: &Value) -> RecordedHistory {
    let id = label.field("id").unwrap().as_str().unwrap();
    let events = label.field("history").unwrap().as_str().unwrap().to_owned();
    let trace = Trace::from_reader(
        id,
        std::io::Cursor::new(events.into_bytes()),
        &OpenOptions::default(),
    )
    .unwrap();
    let operations: Vec<_> = trace.collect::<Result<_, _>>().unwrap();
    RecordedHistory::from_operations(id, operations).unwrap()
}

#[test]
fn every_level_of_the_labels_is_decided_as_labelled() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for label in labels() {
        let id = label.field("id").unwrap().as_str().unwrap();
        let recorded = history(&label);
        let is_list = label.field("kind").unwrap().as_str() == Some("list");
        for (name, ours) in NAMES {
            let Some(expected) = label.field("levels").unwrap().field(name).unwrap().as_bool() else {
                continue;
            };
            let level = ours.parse::<Isolation>().unwrap();
            let verdict = check_transactions(&recorded, level, Limits::default()).unwrap();
            // The labels know the last element of a list only, not that a list shows all that its reader has seen.
            let is_coarser = is_list && name == "causal-weak" && expected;
            if verdict.is_valid() != expected && !is_coarser {
                wrong.push(format!("{id} {name}: {verdict:?}"));
            }
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 400, "{compared}");
}

/// Names that the labels do not have.
const UNLABELLED: [&str; 4] = ["G-SIa", "G-SIb", "non-monotonic-reads", "non-monotonic-writes"];

/// The names of the anomalies that are found.
fn names(recorded: &RecordedHistory) -> BTreeSet<String> {
    let evidence = infer_recorded_transactions(recorded, Limits::default()).unwrap();
    let findings = evidence.isolation.unwrap();
    findings
        .anomalies
        .into_iter()
        .map(|anomaly| anomaly.name)
        .filter(|name| !UNLABELLED.contains(&name.as_str()))
        .collect()
}

fn texts(list: &Value) -> BTreeSet<String> {
    let list = list.as_tuple().unwrap_or_default();
    list.iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// What is named is what every order of versions has, and where orders differ, what one of them has that cannot have less.
#[test]
fn the_anomalies_are_those_of_the_labels() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for label in labels() {
        let certain = label.field("anomalies").unwrap();
        if certain.is_null() {
            // Values repeat.
            continue;
        }
        let least = label.field("minimal_sets").unwrap().as_tuple();
        let expected: Vec<BTreeSet<String>> = match least {
            None => vec![texts(certain)],
            Some(least) => least
                .iter()
                .map(texts)
                .map(|one| &one | &texts(certain))
                .collect(),
        };
        let recorded = history(&label);
        let found = names(&recorded);
        if !expected.contains(&found) {
            wrong.push(format!("{}: {found:?}, not {expected:?}", recorded.id));
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 250, "{compared}");
}
