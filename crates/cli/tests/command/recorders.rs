//! Recorders in other languages: what they write is what the command reads. Left out on a machine without the compiler of the language.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::ran::omnilink;

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

/// The conformance program for the Java recorder, built in a folder.
struct Java {
    folder: tempfile::TempDir,
}

impl Java {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        run(Command::new("javac").arg("-version"))?;
        let recorder = root().join("recorders/java");
        let built = run(Command::new(recorder.join("build")).arg(folder.path()))?;
        assert!(built.status.success(), "{}", text(&built.stderr));
        let compiled = run(Command::new("javac")
            .args(["--release", "17", "-Xlint:all", "-Werror", "-cp"])
            .arg(folder.path().join("omnilink.jar"))
            .arg("-d")
            .arg(folder.path().join("classes"))
            .arg(recorder.join("tests/Conformance.java")))?;
        assert!(compiled.status.success(), "{}", text(&compiled.stderr));
        Some(Self { folder })
    }

    /// The trace that a part of the program leaves, and what it prints.
    fn part(&self, part: &str, more: &[&str]) -> (String, Output) {
        let trace = self.folder.path().join(part).display().to_string();
        let output = Command::new("java")
            .arg("-cp")
            .arg(self.folder.path().join("classes"))
            .args(["Conformance", part, &trace])
            .args(more)
            .output()
            .unwrap();
        (trace, output)
    }
}

#[test]
fn what_the_java_recorder_writes_is_what_happened() {
    let Some(java) = Java::new() else { return };
    let (trace, ran) = java.part("values", &[]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let stats = omnilink(&["trace", "stats", &trace]);
    assert_eq!(stats.code, 0, "{stats:?}");
    assert!(stats.stdout.contains("20"), "{stats:?}");
    let (trace, ran) = java.part("threads", &["100"]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let checked = omnilink(&["check", &trace, "--model", "queue"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert!(
        checked.stdout.contains("4,100 operations of 100 threads"),
        "{checked:?}"
    );
    // The process ends in the middle of the second write, which may have happened.
    let (trace, ran) = java.part("halt", &[]);
    assert_eq!(ran.status.code(), Some(9));
    let json = omnilink(&["check", &trace, "--model", "register", "--json"]).json();
    assert_eq!(
        (json[0]["ops"].as_u64(), json[0]["pending"].as_u64()),
        (Some(2), Some(1)),
        "{json:?}"
    );
    // Of four writes one had no reply, one was refused, and one was never tried.
    let (trace, ran) = java.part("pending", &[]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let json = omnilink(&["check", &trace, "--model", "register", "--json"]).json();
    assert_eq!(
        (json[0]["verdict"].as_str(), json[0]["pending"].as_u64()),
        (Some("valid"), Some(1)),
        "{json:?}"
    );
}

#[test]
fn mistakes_in_the_use_of_the_java_recorder_are_told() {
    let Some(java) = Java::new() else { return };
    let (_, ran) = java.part("misuse", &[]);
    let printed = text(&ran.stdout);
    let expected = [
        "a trace needs a new folder",
        "a thread is a number or a string, not 1.5",
        "NaN cannot be recorded",
        "a java.lang.Object cannot be recorded",
        "does it contain itself?",
        "f of this thread has not ended",
        "f has ended already",
        "h returned what cannot be recorded",
        "the recorder is closed",
        "the recorder is closed",
    ];
    assert_eq!(printed.lines().count(), expected.len(), "{printed}");
    for (line, words) in printed.lines().zip(expected) {
        assert!(line.contains(words), "{line} does not say {words}");
    }
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
    let printed = example("examples/go/sharded-map").unwrap();
    assert!(
        printed.contains("/right: valid") && printed.contains("/wrong: violation"),
        "{printed}"
    );
}
