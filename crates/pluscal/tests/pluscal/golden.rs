//! The golden corpus: labels, operators, variables and mistakes as the reference translator has them.

use std::path::{Path, PathBuf};

use omnilink_pluscal::{AlgorithmError, Translation, TranslationOptions, translate};
use serde_json::Value;

use crate::told;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The strings of a field that is a list.
fn list<'v>(value: &'v Value, field: &str) -> Vec<&'v str> {
    let items = value[field].as_array().into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}

#[test]
fn translations_agree_with_the_golden_corpus() {
    let text =
        std::fs::read_to_string(folder().join("golden.json")).expect("the corpus is in the repository");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("the corpus is JSON");
    assert!(cases.len() > 200, "{} cases", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| Some(format!("{}: {}", case["id"], wrong_with(case)?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with our answer to a case.
fn wrong_with(case: &Value) -> Option<String> {
    let file = folder().join(case["file"].as_str()?);
    let text = std::fs::read_to_string(file).expect("the corpus is in the repository");
    let arguments = list(case, "args");
    let result = TranslationOptions::from_arguments(arguments)
        .map_err(|fault| vec![fault])
        .and_then(|options| translate(&text, &options));
    let must = &case["translate"]["must"];
    let mut exits = list(must, "exit_in");
    exits.extend(must["exit"].as_str());
    if must["error_reported"] == true {
        exits = vec!["error"];
    }
    match result {
        // What the reference translates into a module that does not parse may be refused by either.
        Ok(_) if !exits.contains(&"ok") && !exits.contains(&"rejected") => Some("translated".to_owned()),
        Ok(translation) if must["labels"].is_array() => wrong_translation(must, &translation),
        Ok(_) => None,
        Err(faults) if !exits.contains(&"error") && !exits.contains(&"rejected") => {
            Some(told(&text, &faults))
        }
        Err(faults) => wrong_fault(must, &faults).map(|wrong| format!("{wrong}\n{}", told(&text, &faults))),
    }
}

fn wrong_fault(must: &Value, faults: &[AlgorithmError]) -> Option<String> {
    let mut classes = list(must, "class_also");
    classes.extend(must["class"].as_str());
    let found = faults.first()?.kind.word();
    let has_place = faults.iter().all(|fault| fault.help.is_some());
    (!classes.is_empty() && !classes.contains(&found) || !has_place)
        .then(|| format!("{found}, not {classes:?}"))
}

fn wrong_translation(must: &Value, translation: &Translation) -> Option<String> {
    let text = &translation.text;
    let mut operators: Vec<&str> = heads(text).collect();
    let mut expected = list(must, "operators");
    // The parameters of operators of define blocks are compared by their names alone.
    let name = |operator: &str| operator.split(['(', '[']).next().unwrap_or("").to_owned();
    let defined: Vec<String> = list(must, "define_operators").into_iter().map(name).collect();
    operators.retain(|operator| !defined.contains(&name(operator)));
    expected.retain(|operator| !defined.contains(&name(operator)));
    operators.sort_unstable();
    expected.sort_unstable();
    if operators != expected {
        return Some(format!("operators {operators:?}, not {expected:?}"));
    }
    let variables: Vec<&str> = section(text, "vars == <<")?.split(',').map(str::trim).collect();
    if variables != list(must, "variables") {
        return Some(format!("variables {variables:?}"));
    }
    let mut added: Vec<&str> = translation
        .added_labels
        .iter()
        .map(|(label, _)| &**label)
        .collect();
    let mut expected = list(must, "labels_added");
    added.sort_unstable();
    expected.sort_unstable();
    if added != expected {
        return Some(format!("added labels {added:?}, not {expected:?}"));
    }
    let mut labels = list(must, "labels");
    // The corpus counts the label of `Init` in one case.
    labels.dedup();
    let actions: Vec<&str> = heads(text)
        .map(|head| head.trim_end_matches("(self)"))
        .filter(|head| labels.contains(head))
        .collect();
    if must["pc"] == true && actions != labels {
        return Some(format!("labels {actions:?}, not {labels:?}"));
    }
    if must["pc"] == true && text.contains("Terminating") != (must["terminating"] == true) {
        return Some("Terminating".to_owned());
    }
    let renamed = must["renamed"].as_array().map_or(0, Vec::len);
    if renamed != translation.renamings.len() {
        return Some(format!("renamed {:?}", translation.renamings));
    }
    None
}

/// The left sides of definitions.
fn heads(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (head, _) = line.split_once(" ==")?;
        let is_name = line.starts_with(|char: char| char.is_alphanumeric() || char == '_');
        is_name.then_some(head)
    })
}

fn section<'t>(text: &'t str, from: &str) -> Option<&'t str> {
    let rest = &text[text.find(from)? + from.len()..];
    Some(&rest[..rest.find(">>")?])
}
