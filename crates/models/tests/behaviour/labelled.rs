//! Histories of real systems and other checkers' test cases, each with a verdict that is known.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::check_file;
use omnilink_engine::Conclusion;

/// The folder of this name, here or beside the readers of traces.
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
fn etcd_under_jepsen_whatever_a_failed_cas_means() {
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

#[test]
fn knossos_registers() {
    for (folder, is_valid) in [("good", true), ("bad", false)] {
        for path in files(&format!("knossos/cas-register/{folder}")) {
            expect("cas-register", &path, is_valid);
        }
    }
}

/// In the MongoDB histories a cas fails for other reasons as well: there the stronger claim would accuse a good history,
/// which is why it has to be asked for.
#[test]
fn taking_every_failed_cas_for_a_look_at_the_register_can_accuse_a_good_history() {
    for path in files("knossos/cas-register/good")
        .iter()
        .filter(|path| name(path).starts_with("mongodb"))
    {
        expect("cas-register:failed-cas=differed", path, false);
    }
}
