//! The proof of `omnilink drive`: three mutants of each system of `examples/drive` are killed by generated behaviours. Left out on a
//! machine without the compiler of the language.

use std::fs::{create_dir_all, read_dir};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::ran::omnilink;

fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A system of `examples/drive`, and how it is built and run.
struct Proof {
    example: &'static str,
    language: &'static str,
    /// The specification and its options.
    spec: Vec<String>,
    observe: Vec<&'static str>,
    build: Vec<String>,
    driver: Vec<String>,
    bugs: [&'static str; 3],
}

/// Generates driver and tests for an example, and drives the system, which is right, and its three mutants, which are not.
fn prove(folder: &TempDir, proof: &Proof) {
    let copy = folder.path().join("driver");
    copy_folder(&root().join("examples/drive").join(proof.example), &copy);
    let out = copy.display().to_string();
    let tests = folder.path().join("tests").display().to_string();
    let spec: Vec<&str> = proof.spec.iter().map(String::as_str).collect();
    let run = |before: &[&str], after: &[&str]| omnilink(&[before, &spec, after].concat());
    let ran = run(
        &["gen", "driver"],
        &["--lang", proof.language, "--out", &out, "--states-max", "1500"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    // The example has a section for each action, with the same parameters.
    assert!(
        !ran.stdout.contains("added: ") && !ran.stdout.contains("changed: "),
        "{ran:?}"
    );
    let ran = run(&["gen", "tests"], &["--out", &tests, "--states-max", "1500"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    if let Some((program, arguments)) = proof.build.split_first() {
        let Ok(built) = Command::new(program)
            .args(arguments)
            .env("CARGO_TARGET_DIR", copy.join("target"))
            .output()
        else {
            return;
        };
        assert!(built.status.success(), "{built:?}");
    }
    let observed = proof.observe.iter().flat_map(|one| ["--observe", one]);
    let observed: Vec<&str> = observed.collect();
    let driver: Vec<&str> = proof.driver.iter().map(String::as_str).collect();
    let drive = |bug: &str| {
        let setting = format!("BUG={bug}");
        let after = [
            &["--tests", &tests],
            &observed[..],
            &["--", "env", &setting],
            &driver[..],
        ]
        .concat();
        run(&["drive"], &after)
    };
    let ran = drive("");
    assert_eq!(ran.code, 0, "{ran:?}");
    for bug in proof.bugs {
        let ran = drive(bug);
        assert_eq!(ran.code, 1, "{bug} survives: {ran:?}");
    }
}

fn copy_folder(from: &Path, to: &Path) {
    create_dir_all(to).expect("a folder");
    for entry in read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target)
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

fn words(words: &[&dyn AsRef<Path>]) -> Vec<String> {
    words
        .iter()
        .map(|word| word.as_ref().display().to_string())
        .collect()
}

const TWO_PHASE_BUGS: [&str; 3] = ["count-messages", "ignore-abort", "silent-commit"];
const CAN_COMMIT: &str = "canCommit=tmState = \"init\" /\\ tmPrepared = RM";

fn two_phase() -> Vec<String> {
    let config = root().join("examples/drive/two-phase/TwoPhase.cfg");
    words(&[
        &root().join("examples/logs/two-phase/TwoPhase.tla"),
        &"--config",
        &config,
    ])
}

#[test]
fn mutants_of_two_phase_commit_in_python_are_killed() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let driver = folder.path().join("driver/omnilink/driver.py");
    prove(
        &folder,
        &Proof {
            example: "two-phase",
            language: "python",
            spec: two_phase(),
            observe: vec![CAN_COMMIT],
            build: Vec::new(),
            driver: words(&[&"python3", &driver]),
            bugs: TWO_PHASE_BUGS,
        },
    );
}

#[test]
fn mutants_of_two_phase_commit_in_java_are_killed() {
    if Command::new("javac").arg("-version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let driver = folder.path().join("driver");
    prove(
        &folder,
        &Proof {
            example: "two-phase-java",
            language: "java",
            spec: two_phase(),
            observe: vec![CAN_COMMIT],
            build: words(&[&"make", &"-C", &driver]),
            driver: words(&[&"java", &"-cp", &driver.join("classes"), &"omnilink.Driver"]),
            bugs: TWO_PHASE_BUGS,
        },
    );
}

#[test]
fn mutants_of_a_raft_in_rust_are_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let driver = folder.path().join("driver");
    let manifest = driver.join("Cargo.toml");
    prove(
        &folder,
        &Proof {
            example: "raft",
            language: "rust",
            spec: words(&[
                &root().join("examples/drive/raft/RaftDriven.tla"),
                &"-L",
                &root().join("examples/logs/raft"),
            ]),
            observe: Vec::new(),
            build: words(&[&"cargo", &"build", &"--offline", &"--manifest-path", &manifest]),
            driver: words(&[&driver.join("target/debug/driver")]),
            bugs: ["votes-twice", "no-check", "stale-leader"],
        },
    );
}

#[test]
fn mutants_of_a_store_in_cpp_are_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let driver = folder.path().join("driver");
    prove(
        &folder,
        &Proof {
            example: "store",
            language: "cpp",
            spec: words(&[
                &root().join("examples/drive/store/StoreDriven.tla"),
                &"-L",
                &root().join("examples/validate/store"),
            ]),
            observe: Vec::new(),
            build: words(&[&"make", &"-C", &driver]),
            driver: words(&[&driver.join("driver")]),
            bugs: ["lost-update", "latest-value", "whole-snapshot"],
        },
    );
}
