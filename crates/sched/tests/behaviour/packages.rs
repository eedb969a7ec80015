//! Harnesses in cargo packages.

use crate::support::program;
use omnilink_sched::build::{BuildError, RustBuild, RustTarget};
use omnilink_sched::{Ending, Executor, HarnessExecutor, HarnessOptions, RunOptions, Schedule};
use std::path::Path;

/// A package with the components of the tests as its programs `one` and `two`, and a program that is not Rust.
fn package() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("there is room");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/components/main.rs");
    let write =
        |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("there is room");
    write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"package\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
             [[bin]]\nname = \"one\"\npath = {source:?}\n[[bin]]\nname = \"two\"\npath = \"two.rs\"\n\
             [[example]]\nname = \"broken\"\npath = \"broken.rs\"\n[lints.rust]\nunexpected_cfgs = \"allow\"\n"
        ),
    );
    write("two.rs", "fn main() {}\n");
    write("broken.rs", "this is not Rust\n");
    directory
}

#[test]
fn a_harness_is_built_by_cargo_and_serves() {
    let package = package();
    let build = RustBuild {
        target: RustTarget::Bin("one".into()),
        ..RustBuild::new(package.path())
    };
    let built = build.build().unwrap_or_else(|error| panic!("{error}"));
    let options = HarnessOptions {
        arguments: vec!["counter".into()],
        ..Default::default()
    };
    let mut harness = HarnessExecutor::start(&built, &options).unwrap_or_else(|error| panic!("{error}"));
    let execution = harness
        .run(&program("0 0"), &RunOptions::follow(Schedule::default()))
        .unwrap();
    assert_eq!(execution.ending, Ending::Finished);
    assert_eq!(execution.steps.len(), 4);
    let anything = RustBuild::new(package.path()).build().unwrap_err();
    assert!(
        matches!(anything, BuildError::NotOneProgram { found: 2, .. }),
        "{anything}"
    );
    let broken = RustBuild {
        target: RustTarget::Example("broken".into()),
        ..RustBuild::new(package.path())
    };
    assert!(matches!(broken.build(), Err(BuildError::Failed { .. })));
}
