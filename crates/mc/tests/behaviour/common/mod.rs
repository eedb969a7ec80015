//! Golden runs: what is answered to a run of TLC.

use std::path::{Path, PathBuf};

use omnilink_mc::report::{Answer, PropertyKind, Report};
use omnilink_mc::{CheckOptions, Evaluators, GraphSink, ModelCheckError, SearchProgress};
use omnilink_tla::diagnostic::{Class, Diagnostic};
use omnilink_tla::model::{BuildOptions, CompiledSpec, absent_behaviour, build};
use omnilink_tla::{SpecOptions, check as read};
use serde_json::{Value, json};

/// Checks a model. Compiled code and the evaluator must not differ, in any test.
pub fn check(
    model: &CompiledSpec,
    input: &str,
    options: &CheckOptions<'_>,
    progress: &SearchProgress,
    print: &(dyn Fn(&str) + Sync),
    sink: Option<&mut dyn GraphSink>,
) -> Result<Report, ModelCheckError> {
    let report = omnilink_mc::check(model, input, options, progress, print, sink)?;
    assert_eq!(report.disagreement, None, "compiled code is wrong");
    Ok(report)
}

/// A part of the corpus. `OMNILINK_GOLDEN` selects another corpus of the same layout.
pub fn corpus(part: &str) -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tla/tests/golden");
    std::env::var_os("OMNILINK_GOLDEN")
        .map_or(own, PathBuf::from)
        .join(part)
}

/// The runs of a part of the corpus.
pub fn runs(part: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(corpus(part).join("golden.json"));
    text.map_err(|error| error.to_string())
        .and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()))
        .unwrap_or_else(|error| panic!("{}: {error}", corpus(part).display()))
}

/// The answer for a spec that is rejected before the search.
fn rejection(diagnostics: &[Diagnostic], level_error: &str) -> Value {
    let first = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let kind = first.map_or("?", |diagnostic| match diagnostic.class {
        Class::Config => "config",
        Class::Level => level_error,
        Class::Temporal => "temporal-form",
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
        // TLC reports a constant invariant or property that is false as a configuration error.
        PropertyKind::Invariant | PropertyKind::Property if violation.states.is_empty() => {
            ("error", Some("config"))
        }
        PropertyKind::Invariant => ("invariant", None),
        PropertyKind::Property => ("property", None),
        PropertyKind::Deadlock => ("deadlock", None),
        PropertyKind::Assert => ("assert", None),
        PropertyKind::Assumption => ("error", Some("assumption")),
        PropertyKind::Postcondition => ("error", Some("postcondition")),
        PropertyKind::Incomplete => ("error", Some("incomplete-next")),
        PropertyKind::Evaluation if is_named(&model.assumptions) => ("error", Some("assumption-eval")),
        PropertyKind::Evaluation if is_named(&model.postconditions) => ("error", Some("postcondition")),
        PropertyKind::Evaluation | PropertyKind::Replay | PropertyKind::Driven => ("error", Some("eval")),
    }
}

/// The answer to a run, in the terms of the corpus.
pub fn answer(part: &str, item: &Value, evaluators: Evaluators) -> Value {
    let folder = corpus(part).join(item["dir"].as_str().unwrap_or_default());
    let file = |key: &str| folder.join(item[key].as_str().unwrap_or_default());
    answer_by(&file("spec"), file("cfg"), 1, evaluators)
}

/// The answer for a specification with a configuration.
pub fn answer_of(spec: &Path, config: PathBuf, workers: usize) -> Value {
    answer_by(spec, config, workers, Evaluators::of_environment())
}

fn answer_by(spec: &Path, config: PathBuf, workers: usize, evaluators: Evaluators) -> Value {
    let options = SpecOptions {
        config: Some(config),
        ..SpecOptions::default()
    };
    let checked = read(spec, &options);
    if !checked.is_ok() {
        return rejection(&checked.diagnostics, "parse");
    }
    let config = checked.config.unwrap_or_default();
    if let Some(absent) = absent_behaviour(&checked.spec, &config) {
        return rejection(&[absent], "parse");
    }
    let model = match build(checked.spec, &config, &BuildOptions::default()) {
        Ok(model) => model,
        Err(rejected) => return rejection(&rejected.diagnostics, "action-level-property"),
    };
    let report = check(
        &model,
        "golden",
        &CheckOptions {
            workers,
            evaluators,
            ..CheckOptions::default()
        },
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
        "is_lasso": violation.is_some_and(|violation| violation.lasso.is_some()),
        "trace_len": violation.map(|violation| violation.states.len()),
        "error": violation.and_then(|violation| violation.error.clone()),
    })
}
