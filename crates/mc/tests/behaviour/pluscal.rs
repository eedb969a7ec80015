//! The golden PlusCal algorithms: translated in memory, they have TLC's verdicts, counts and depths.

use std::path::{Path, PathBuf};

use omnilink_tla::semantics::pluscal::{
    TranslationOptions, find_algorithm, find_markers, translate, with_translation,
};
use serde_json::Value;

use crate::common::answer_of;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../pluscal/tests/golden")
}

/// The module of a case, translated with its options if it has some; else as it is.
fn module(case: &Value, scratch: &Path) -> PathBuf {
    let file = folder().join(case["file"].as_str().unwrap_or_default());
    let arguments: Vec<&str> = case["args"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    // The author of this file has switched off that an old translation is noticed.
    let is_unchecked = case["id"] == "layout/LayChkIgnore";
    if arguments.is_empty() && !is_unchecked {
        return file;
    }
    let text = std::fs::read_to_string(&file).expect("the corpus is in the repository");
    let options = TranslationOptions::from_arguments(arguments).expect("options");
    let translation = translate(&text, &options).expect("an algorithm without mistakes");
    let place = find_algorithm(&text).expect("an algorithm");
    let markers = find_markers(&text).expect("two markers or none");
    let path = scratch.join(file.file_name().expect("a name"));
    let written = with_translation(&text, &place, markers.as_ref(), &translation);
    std::fs::write(&path, written).expect("a file in a new folder");
    path
}

fn disagreement(case: &Value, scratch: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for run in case["check"].as_array().into_iter().flatten() {
        let config = run["cfg"].as_str().unwrap_or_default();
        let answer = answer_of(&module(case, scratch), folder().join(config), 1);
        let must = &run["must"];
        let expected = match must["verdict"].as_str() {
            Some("liveness") => "property",
            Some(verdict) => verdict,
            None => continue,
        };
        let is_lasso = answer["is_lasso"] == true;
        let mut pairs = vec![("verdict", Value::from(expected), &answer["verdict"])];
        for (field, own) in [
            ("distinct", "distinct"),
            ("depth", "depth"),
            ("property", "property"),
        ] {
            pairs.push((field, must[field].clone(), &answer[own]));
        }
        if !is_lasso {
            pairs.push(("trace_states", must["trace_states"].clone(), &answer["trace_len"]));
        }
        let wrong = pairs
            .iter()
            .filter(|(_, wanted, had)| !wanted.is_null() && wanted != *had);
        found.extend(
            wrong.map(|(field, wanted, had)| format!("{config}: {field} is {had}, not {wanted}: {answer}")),
        );
    }
    found
}

#[test]
fn golden_algorithms_have_tlcs_states_and_verdicts() {
    let text =
        std::fs::read_to_string(folder().join("golden.json")).expect("the corpus is in the repository");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("the corpus is JSON");
    let scratch = tempfile::tempdir().expect("a new folder");
    let runs: usize = cases
        .iter()
        .map(|case| case["check"].as_array().map_or(0, Vec::len))
        .sum();
    assert!(runs > 200, "{runs} runs");
    let wrong: Vec<String> = cases
        .iter()
        .flat_map(|case| disagreement(case, scratch.path()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Algorithms that check themselves by assertions, invariants and properties: sorting and moving discs with recursive procedures, readers and writers under
/// fairness, jumps between nested labels, messages in arrays of records.
#[test]
fn algorithms_that_check_themselves_are_right() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pluscal/tests/own");
    for (name, distinct) in [
        ("Sorts", 1701),
        ("Tower", 40),
        ("Gate", 694),
        ("Machine", 17),
        ("Mail", 97),
    ] {
        let answer = answer_of(
            &own.join(format!("{name}.tla")),
            own.join(format!("{name}.cfg")),
            1,
        );
        assert_eq!(answer["verdict"], "ok", "{name}: {answer}");
        assert_eq!(answer["distinct"], distinct, "{name}");
    }
}
