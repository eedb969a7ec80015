//! What is consistent at one level is consistent at every weaker one, whichever way the history is read.

use std::fmt::Write;
use std::path::Path;

use fastrand::Rng;

use super::ran::{folder, omnilink, omnilink_in, repository};

const LEVELS: [&str; 12] = [
    "linearizable",
    "sequential",
    "causal",
    "causal-convergence",
    "peer",
    "monotonic",
    "weak",
    "writes-follow-reads",
    "monotonic-writes",
    "monotonic-reads",
    "read-my-writes",
    "return-value",
];

/// The arrows of docs/consistency.md.
const IMPLICATIONS: [(&str, &str); 14] = [
    ("linearizable", "causal"),
    ("linearizable", "sequential"),
    ("sequential", "causal-convergence"),
    ("causal", "causal-convergence"),
    ("causal", "peer"),
    ("causal", "writes-follow-reads"),
    ("peer", "monotonic"),
    ("peer", "monotonic-writes"),
    ("monotonic", "weak"),
    ("monotonic", "monotonic-reads"),
    ("weak", "read-my-writes"),
    ("read-my-writes", "return-value"),
    ("monotonic-reads", "return-value"),
    ("monotonic-writes", "return-value"),
];

/// Calls of a model, each with its results; none: it returns nothing.
type Calls = [(&'static str, &'static [&'static str])];

const REGISTER: &Calls = &[
    (r#""write","args":{"value":1}"#, &[]),
    (r#""write","args":{"value":2}"#, &[]),
    (r#""read""#, &["null", "1", "2"]),
];
const QUEUE: &Calls = &[
    (r#""enqueue","args":{"value":1}"#, &[]),
    (r#""enqueue","args":{"value":2}"#, &[]),
    (r#""dequeue""#, &["null", "1", "2"]),
];
const COUNTER: &Calls = &[
    (r#""add","args":{"value":1}"#, &[]),
    (r#""fetch-add","args":{"value":1}"#, &["0", "1", "2"]),
    (r#""read""#, &["0", "1", "2"]),
];
const KV: &Calls = &[
    (r#""put","args":{"key":"x","value":"1"}"#, &[]),
    (r#""put","args":{"key":"y","value":"1"}"#, &[]),
    (r#""get","args":{"key":"x"}"#, &["\"\"", "\"1\""]),
    (r#""get","args":{"key":"y"}"#, &["\"\"", "\"1\""]),
];

/// The records of a history of three threads by a coarse clock: ties are everywhere.
fn random_history(calls: &Calls, rng: &mut Rng) -> Vec<String> {
    let mut clocks = [Some(0); 3];
    let mut records: Vec<(u64, String)> = Vec::new();
    for _ in 0..rng.usize(3..8) {
        let thread = rng.usize(..3);
        let Some(clock) = clocks[thread] else { continue };
        let (call, results) = calls[rng.usize(..calls.len())];
        let start = clock + rng.u64(..2);
        let end = start + rng.u64(..3);
        let is_pending = rng.u64(..9) == 0;
        clocks[thread] = (!is_pending).then_some(end);
        let mut record = format!(r#"{{"thread":{thread},"op":{call},"start":{start}"#);
        if !is_pending {
            let _ = write!(record, r#","end":{end}"#);
            if !results.is_empty() {
                let _ = write!(record, r#","ret":{}"#, results[rng.usize(..results.len())]);
            }
        }
        records.push((start, record + "}"));
    }
    records.sort_by_key(|(start, _)| *start);
    records.into_iter().map(|(_, record)| record).collect()
}

/// The verdicts of all inputs, or of all histories of one.
fn verdicts(folder: &Path, inputs: &[&str], model: &str, level: &str) -> Vec<String> {
    let mut arguments = vec!["check", "--model", model, "--consistency", level, "--json"];
    arguments.extend(inputs);
    let ran = omnilink_in(folder, &arguments);
    let verdict = |answer: &serde_json::Value| answer["verdict"].as_str().unwrap_or_default().to_owned();
    ran.json().iter().map(verdict).collect()
}

/// Checks the arrows for the same histories at every level.
fn assert_inclusions(at: &[(&str, Vec<String>)], histories: &[String]) {
    let of = |level: &str| &at.iter().find(|(name, _)| *name == level).unwrap().1;
    for (stronger, weaker) in IMPLICATIONS {
        for (number, (strong, weak)) in of(stronger).iter().zip(of(weaker)).enumerate() {
            let history = &histories[number];
            assert!(
                strong != "valid" || weak != "violation",
                "{stronger} but not {weaker}: {history}"
            );
        }
    }
}

#[test]
fn weaker_levels_accept_what_stronger_ones_do_in_both_forms() {
    let mut rng = Rng::with_seed(1);
    for (model, calls) in [
        ("register", REGISTER),
        ("queue", QUEUE),
        ("counter", COUNTER),
        ("kv", KV),
    ] {
        let histories: Vec<Vec<String>> = (0..80).map(|_| random_history(calls, &mut rng)).collect();
        let traces: Vec<(String, String)> = histories
            .iter()
            .enumerate()
            .map(|(number, records)| (format!("{number}.ndjson"), records.join("\n") + "\n"))
            .collect();
        let lines: Vec<String> = histories
            .iter()
            .map(|records| format!("{{\"ops\":[{}]}}", records.join(",")))
            .collect();
        let all = lines.join("\n") + "\n";
        let mut files: Vec<(&str, &str)> = traces.iter().map(|(name, text)| (&**name, &**text)).collect();
        files.push(("all.jsonl", &all));
        let folder = folder(&files);
        let names: Vec<&str> = traces.iter().map(|(name, _)| &**name).collect();
        let mut at = Vec::new();
        for level in LEVELS {
            let as_traces = verdicts(folder.path(), &names, model, level);
            let as_histories = verdicts(folder.path(), &["all.jsonl"], model, level);
            assert_eq!(as_traces.len(), histories.len(), "{model}, {level}");
            for (number, (a, b)) in as_traces.iter().zip(&as_histories).enumerate() {
                assert_eq!(a, b, "{model}, {level}: {}", lines[number]);
            }
            at.push((level, as_traces));
        }
        let valid = at[0].1.iter().filter(|verdict| *verdict == "valid").count();
        assert!(
            (10..70).contains(&valid),
            "{model}: {valid} of {}",
            histories.len()
        );
        assert_inclusions(&at, &lines);
    }
}

/// Every history in the repository that some model explains: small ones at every level, large ones at the two that have no
/// limit on their number of operations.
#[test]
fn weaker_levels_accept_what_stronger_ones_do_on_all_data() {
    let data = |path: &str| repository().join(path).display().to_string();
    let small = [
        ("examples/register-valid.ndjson", "register"),
        ("examples/register-stale-read.ndjson", "register"),
        ("examples/queue-taken-twice.ndjson", "queue"),
        ("examples/counter-lost-update.edn", "counter"),
        ("examples/kv-unexplained-append.json", "kv"),
        (
            "crates/trace/tests/data/knossos/cas-register/bad/bad-analysis.edn",
            "cas-register",
        ),
        (
            "crates/trace/tests/data/knossos/cas-register/bad/immediate-failure.edn",
            "cas-register",
        ),
        (
            "crates/trace/tests/data/knossos/cas-register/bad/rethink-fail-minimal.edn",
            "cas-register",
        ),
        (
            "crates/trace/tests/data/knossos/cas-register/good/cas-register-bug.edn",
            "cas-register",
        ),
    ];
    for (path, model) in small {
        let input = data(path);
        let at = |level: &'static str| (level, verdicts(&repository(), &[&input], model, level));
        assert_inclusions(&LEVELS.map(at), &[path.to_owned()]);
    }
    let folders = [
        (
            "crates/trace/tests/data/knossos/cas-register/good",
            "cas-register",
        ),
        ("crates/trace/tests/data/knossos/cas-register/bad", "cas-register"),
        ("crates/trace/tests/data/setbench", "map"),
    ];
    for (folder, model) in folders {
        let mut paths: Vec<String> = std::fs::read_dir(repository().join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path().display().to_string())
            .filter(|path| path.ends_with(".edn") || path.ends_with(".ndjson"))
            .collect();
        paths.sort();
        let both = ["linearizable", "sequential"].map(|level| {
            let mut arguments = vec!["check", "--model", model, "--consistency", level, "--json"];
            arguments.extend(["--config-limit", "20000"]);
            arguments.extend(paths.iter().map(String::as_str));
            let ran = omnilink(&arguments);
            ran.json()
                .iter()
                .map(|answer| answer["verdict"].to_string())
                .collect::<Vec<_>>()
        });
        let [linearizable, sequential] = both;
        for ((strong, weak), path) in linearizable.iter().zip(&sequential).zip(&paths) {
            assert!(
                strong != "\"valid\"" || weak != "\"violation\"",
                "linearizable but not sequential: {path}"
            );
        }
    }
}
