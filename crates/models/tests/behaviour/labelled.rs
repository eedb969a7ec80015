//! Histories of real systems and test cases of other checkers, with known verdicts.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::check_file;
use omnilink_engine::Conclusion;

/// The folders of this name in the test data of this crate and of `omnilink-trace`.
fn folders(name: &str) -> impl Iterator<Item = PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let all = [here.join("tests/data"), here.join("../trace/tests/data")];
    all.map(|data| data.join(name))
        .into_iter()
        .filter(|folder| folder.is_dir())
}

fn files(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = folders(folder)
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no data in {folder}");
    files
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap()
}

/// Checks a file with a model and compares the verdict with the known one.
#[track_caller]
fn expect(spec: &str, path: &Path, is_valid: bool) {
    let outcome = check_file(spec, path).unwrap_or_else(|error| panic!("{spec}: {error}"));
    let verdict = match outcome.conclusion {
        Conclusion::Valid(_) => Some(true),
        Conclusion::Violation(_) => Some(false),
        Conclusion::Unknown(_) => None,
    };
    assert_eq!(verdict, Some(is_valid), "{spec}: {}", path.display());
}

#[test]
fn setbench_maps() {
    let files = files("setbench");
    assert_eq!(files.len(), 22);
    for path in files {
        expect("map", &path, name(&path).contains("_ok"));
    }
}

#[test]
fn etcd_under_jepsen_with_both_meanings_of_a_failed_cas() {
    let folder = folders("porcupine").next().unwrap();
    let verdicts = fs::read_to_string(folder.join("VERDICTS.tsv")).unwrap();
    let mut checked = 0;
    for (file, verdict) in verdicts.lines().filter_map(|line| line.split_once('\t')) {
        if file.starts_with("jepsen/") {
            for spec in ["cas-register", "cas-register:failed-cas=differed"] {
                expect(spec, &folder.join(file), verdict.trim() == "true");
            }
            checked += 1;
        }
    }
    assert_eq!(checked, 52);
}

#[test]
fn porcupine_key_value_stores() {
    for path in files("porcupine/kv") {
        expect("kv", &path, name(&path).contains("-ok"));
    }
}

#[test]
fn fastlin_stacks_queues_and_priority_queues() {
    for (folder, spec) in [
        ("stack", "stack"),
        ("queue", "queue"),
        ("priorityqueue", "priority-queue"),
    ] {
        for path in files(&format!("fastlin/{folder}")) {
            expect(spec, &path, name(&path).starts_with("lin"));
        }
    }
}

/// Generated histories with distinct values. Public tools and a reference implementation agree on the verdicts.
#[test]
fn generated_collections() {
    let files = files("collections");
    assert_eq!(files.len(), 20);
    for path in files {
        let kind = name(&path).split('-').nth(1).unwrap();
        let spec = if kind == "priorityqueue" {
            "priority-queue"
        } else {
            kind
        };
        expect(spec, &path, name(&path).contains("-valid"));
    }
}

#[test]
fn knossos_registers() {
    for (folder, is_valid) in [("good", true), ("bad", false)] {
        for path in files(&format!("knossos/cas-register/{folder}")) {
            expect("cas-register", &path, is_valid);
        }
    }
}

/// In the MongoDB histories a cas also fails for other reasons. There the stronger claim turns a valid history into a
/// violation, so it is not the default.
#[test]
fn the_stronger_meaning_of_a_failed_cas_can_refute_a_valid_history() {
    for path in files("knossos/cas-register/good")
        .iter()
        .filter(|path| name(path).starts_with("mongodb"))
    {
        expect("cas-register:failed-cas=differed", path, false);
    }
}
