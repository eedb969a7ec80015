//! Golden runs with temporal properties: verdict, violated property and counts, where the corpus demands agreement (`must`).

use omnilink_mc::Evaluators;
use serde_json::Value;

use crate::common::{answer, runs};

/// Whether an answer agrees with TLC's in a field.
fn agrees(item: &Value, answer: &Value, key: &str) -> bool {
    let names = |value: &Value| match value {
        Value::Array(names) => names.clone(),
        name => vec![name.clone()],
    };
    match key {
        "property" => names(&item["property"]).contains(&answer["property"]),
        "property in violable" => names(&item["violable"]).contains(&answer["property"]),
        // TLC prints a message of its own for a predicate that is not Boolean.
        "error_kind" if item[key] == "non-boolean" => answer[key] == "eval",
        // A violation may be seen before all states are known; TLC looks when they are.
        "distinct" | "generated" | "depth" if !answer["property"].is_null() => {
            answer[key].as_u64() <= item[key].as_u64()
        }
        _ => item[key] == answer[key],
    }
}

/// Whether TLC's answer is not binding, because it refuses a form that has a meaning.
fn is_exempt(item: &Value) -> bool {
    item["extension_ok"] == true
}

#[test]
fn golden_liveness_runs_agree() {
    compare(Evaluators::Interpreter);
}

#[test]
fn golden_liveness_runs_agree_with_labels_by_compiled_code_and_the_evaluator() {
    compare(Evaluators::Both);
}

fn compare(evaluators: Evaluators) {
    let items = runs("liveness");
    let mut wrong = Vec::new();
    for item in &items {
        let id = item["id"].as_str().unwrap_or_default();
        let answer = answer("liveness", item, evaluators);
        let must = item["must"].as_array().into_iter().flatten();
        let differences: Vec<String> = must
            .filter_map(Value::as_str)
            .filter(|_| !is_exempt(item))
            .filter(|key| !agrees(item, &answer, key))
            .map(|key| format!("{key}: TLC {}, here {}", item[key], answer[key]))
            .collect();
        if !differences.is_empty() {
            wrong.push(format!("{id}: {} {}", differences.join("; "), answer["error"]));
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
