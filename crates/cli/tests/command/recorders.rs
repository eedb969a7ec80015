//! Examples with recorders in other languages. Left out on a machine without the compiler of the language; `crates/record/tests/conformance` tests the
//! recorders themselves.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a program printed; `None` if there is no such program.
fn run(command: &mut Command) -> Option<Output> {
    command.output().ok()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The last lines of an example that runs a right and a wrong system.
fn example(folder: &str) -> Option<String> {
    let ran = run(Command::new(root().join(folder).join("run.sh"))
        .arg(env!("CARGO_BIN_EXE_omnilink"))
        .env("NO_COLOR", "1"))?;
    assert!(ran.status.success(), "{}{}", text(&ran.stdout), text(&ran.stderr));
    Some(text(&ran.stdout))
}

#[test]
fn the_two_phase_commit_in_java_is_right_without_its_bug_only() {
    if run(Command::new("javac").arg("-version")).is_none() {
        return;
    }
    let printed = example("examples/java/two-phase").unwrap();
    assert!(
        printed.contains("/right: valid") && printed.contains("/wrong: violation"),
        "{printed}"
    );
    assert!(printed.contains("`tmPrepared = RM` is false"), "{printed}");
}

#[test]
fn the_methods_of_a_java_collection_have_levels() {
    if run(Command::new("javac").arg("-version")).is_none() {
        return;
    }
    let surveyed = |args: &[&str]| {
        let script = root().join("examples/java/concurrent/run.sh");
        run(Command::new(script).args(args)).expect("a shell")
    };
    let omnilink = env!("CARGO_BIN_EXE_omnilink");
    let ran = surveyed(&["--seconds", "0.02", omnilink, "CopyOnWriteArrayList"]);
    assert!(ran.status.success(), "{}{}", text(&ran.stdout), text(&ran.stderr));
    let printed = text(&ran.stdout);
    assert!(
        printed.contains("| CopyOnWriteArrayList | add, remove, contains,"),
        "{printed}"
    );
    let ran = surveyed(&[omnilink, "Vector"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("there is no class Vector here"));
}

#[test]
fn the_go_recorder_passes_its_tests_and_finds_a_lost_update() {
    if run(Command::new("go").arg("version")).is_none() {
        return;
    }
    let tests = run(Command::new("go")
        .args(["test", "./..."])
        .current_dir(root().join("recorders/go")))
    .unwrap();
    assert!(
        tests.status.success(),
        "{}{}",
        text(&tests.stdout),
        text(&tests.stderr)
    );
    for folder in ["examples/go/sharded-map", "examples/go/register"] {
        let printed = example(folder).unwrap();
        assert!(
            printed.contains("/right: valid") && printed.contains("/wrong: violation"),
            "{printed}"
        );
    }
}
