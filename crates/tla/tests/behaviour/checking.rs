//! What `check` says about a spec with its configuration.

use std::path::Path;

use crate::common::golden;
use omnilink_tla::{SpecOptions, check};

/// What is wrong with a run of the golden specs: its configuration does not fit, or it is no run.
fn misfit(folder: &Path, run: &serde_json::Value) -> Option<String> {
    let text = |key: &str| run[key].as_str();
    let (Some(dir), Some(spec), Some(config)) = (text("dir"), text("spec"), text("cfg")) else {
        return Some("it lacks `dir`, `spec` or `cfg`".into());
    };
    let options = SpecOptions {
        config: Some(folder.join(dir).join(config)),
        ..SpecOptions::default()
    };
    let stem = spec.strip_suffix(".tla").unwrap_or(spec);
    let checked = check(&folder.join(dir).join(format!("{stem}.tla")), &options);
    (!checked.is_ok()).then(|| format!("{:?}", checked.diagnostics))
}

#[test]
fn every_golden_configuration_fits_its_spec() {
    let folder = golden("specs");
    let runs = std::fs::read_to_string(folder.join("golden.json")).unwrap();
    let runs: Vec<serde_json::Value> = serde_json::from_str(&runs).unwrap();
    let wrong: Vec<String> = runs
        .iter()
        .filter_map(|run| Some(format!("{}: {}", run["id"], misfit(&folder, run)?)))
        .collect();
    println!(
        "golden configurations: {} of {} fit",
        runs.len() - wrong.len(),
        runs.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_missing_configuration_is_a_diagnostic() {
    let options = SpecOptions {
        config: Some("/nowhere/at/all.cfg".into()),
        ..SpecOptions::default()
    };
    let path = golden("specs/AltBit/AltBit.tla");
    let checked = check(&path, &options);
    assert_eq!(checked.diagnostics.len(), 1);
    assert!(
        checked.diagnostics[0]
            .message
            .starts_with("cannot read /nowhere/at/all.cfg")
    );
}
