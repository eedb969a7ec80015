//! Golden runs for finer points of TLC: verdict, kind of error, violated name and counts, where the corpus demands agreement (`must`).
//!
//! `OMNILINK_GOLDEN` selects another corpus of the same layout.

use std::path::{Path, PathBuf};

use omnilink_mc::report::{Answer, Kind, Report};
use omnilink_mc::{CheckOptions, SearchProgress, check};
use omnilink_tla::diagnostic::{Class, Diagnostic};
use omnilink_tla::model::{BuildOptions, CompiledSpec, absent_behaviour, build};
use omnilink_tla::{SpecOptions, check as read};
use serde_json::{Value, json};

fn corpus() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tla/tests/golden");
    std::env::var_os("OMNILINK_GOLDEN")
        .map_or(own, PathBuf::from)
        .join("fidelity")
}

/// The answer for a spec that is rejected before the search.
fn rejection(diagnostics: &[Diagnostic]) -> Value {
    let first = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let kind = first.map_or("?", |diagnostic| match diagnostic.class {
        Class::Config => "config",
        Class::Level => "action-level-property",
        _ => "parse",
    });
    json!({ "verdict": "error", "error_kind": kind, "error": first.map(|first| &first.message) })
}

/// The verdict in the terms of the corpus.
fn verdict(model: &CompiledSpec, report: &Report) -> (&'static str, Option<&'static str>) {
    let Answer::Wrong(violation) = &report.answer else {
        return match &report.answer {
            Answer::Limit(limit) => (limit.word(), None),
            _ => ("ok", None),
        };
    };
    let is_named = |formulas: &[omnilink_tla::model::NamedFormula]| {
        let name = violation.violated.as_deref();
        formulas.iter().any(|formula| Some(&*formula.name) == name)
    };
    match violation.kind {
        // TLC reports a constant invariant that is false as a configuration error.
        Kind::Invariant if violation.trace.is_empty() => ("error", Some("config")),
        Kind::Invariant => ("invariant", None),
        Kind::Property => ("property", None),
        Kind::Deadlock => ("deadlock", None),
        Kind::Assert => ("assert", None),
        Kind::Assumption => ("error", Some("assumption")),
        Kind::Postcondition => ("error", Some("postcondition")),
        Kind::Incomplete => ("error", Some("incomplete-next")),
        Kind::Evaluation if is_named(&model.assumptions) => ("error", Some("assumption-eval")),
        Kind::Evaluation if is_named(&model.postconditions) => ("error", Some("postcondition")),
        Kind::Evaluation => ("error", Some("eval")),
    }
}

fn answer(item: &Value) -> Value {
    let folder = corpus().join(item["dir"].as_str().unwrap_or_default());
    let file = |key: &str| folder.join(item[key].as_str().unwrap_or_default());
    let options = SpecOptions {
        config: Some(file("cfg")),
        ..SpecOptions::default()
    };
    let checked = read(&file("spec"), &options);
    if !checked.is_ok() {
        return rejection(&checked.diagnostics);
    }
    let config = checked.config.unwrap_or_default();
    if let Some(absent) = absent_behaviour(&checked.spec, &config) {
        return rejection(&[absent]);
    }
    let model = match build(checked.spec, &config, &BuildOptions::default()) {
        Ok(model) => model,
        Err(rejected) => return rejection(&rejected.diagnostics),
    };
    let report = check(
        &model,
        "golden",
        &CheckOptions::default(),
        &SearchProgress::default(),
        &|_| {},
        None,
    );
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    let (verdict, error_kind) = verdict(&model, &report);
    let violation = match &report.answer {
        Answer::Wrong(violation) => Some(violation),
        _ => None,
    };
    let violated = violation.and_then(|violation| violation.violated.clone());
    json!({
        "verdict": verdict,
        "error_kind": error_kind,
        "violated": violated,
        "property": violated,
        "distinct": report.figures.distinct,
        "depth": report.figures.depth,
        "trace_len": violation.map(|violation| violation.trace.len()),
        "error": violation.and_then(|violation| violation.error.clone()),
    })
}

/// Whether two answers agree in a field. Some configuration errors that TLC meets during evaluation are reported before the search
/// here.
fn agrees(item: &Value, answer: &Value, key: &str) -> bool {
    item[key] == answer[key] || (key == "error_kind" && item[key] == "eval" && answer[key] == "config")
}

#[test]
fn golden_fidelity_runs_agree() {
    let text = std::fs::read_to_string(corpus().join("golden.json"));
    let items: Vec<Value> = text
        .map_err(|error| error.to_string())
        .and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()))
        .unwrap_or_else(|error| panic!("{}: {error}", corpus().display()));
    let mut wrong = Vec::new();
    for item in &items {
        let id = item["id"].as_str().unwrap_or_default();
        let answer = answer(item);
        let must = item["must"].as_array().into_iter().flatten();
        let differences: Vec<String> = must
            .filter_map(Value::as_str)
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
