//! Golden runs for finer points of TLC: verdict, kind of error, violated name and counts, where the corpus demands agreement (`must`).
//!
//! `OMNILINK_GOLDEN` selects another corpus of the same layout.

use crate::common::{answer, runs};
use omnilink_mc::Evaluators;
use serde_json::Value;

/// Whether two answers agree in a field. Some configuration errors that TLC meets during evaluation are reported before the search
/// here.
fn agrees(item: &Value, answer: &Value, key: &str) -> bool {
    item[key] == answer[key] || (key == "error_kind" && item[key] == "eval" && answer[key] == "config")
}

#[test]
fn golden_fidelity_runs_agree() {
    let items = runs("fidelity");
    let mut wrong = Vec::new();
    let modes = [Evaluators::Compiled, Evaluators::Interpreter, Evaluators::Both];
    for (item, evaluators) in items.iter().flat_map(|item| modes.map(|mode| (item, mode))) {
        let id = item["id"].as_str().unwrap_or_default();
        let answer = answer("fidelity", item, evaluators);
        let must = item["must"].as_array().into_iter().flatten();
        let differences: Vec<String> = must
            .filter_map(Value::as_str)
            .filter(|key| !agrees(item, &answer, key))
            .map(|key| format!("{key}: TLC {}, here {}", item[key], answer[key]))
            .collect();
        if !differences.is_empty() {
            wrong.push(format!(
                "{id}, {evaluators:?}: {} {}",
                differences.join("; "),
                answer["error"]
            ));
        }
    }
    assert!(!items.is_empty());
    assert!(
        wrong.is_empty(),
        "{} of {} disagree:\n{}",
        wrong.len(),
        items.len(),
        wrong.join("\n")
    );
}
