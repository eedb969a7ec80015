//! The step of the GitHub Action, run as GitHub runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use super::ran::folder;

const STALE: &str = "{\"thread\":0,\"op\":\"write\",\"args\":{\"value\":1},\"start\":0,\"end\":1}\n\
                     {\"thread\":1,\"op\":\"read\",\"ret\":2,\"start\":2,\"end\":3}\n";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with histories, and the step in it; none without Python.
fn step(command: &str) -> Option<(TempDir, Output)> {
    let place = folder(&[("bad run.ndjson", STALE), ("output", ""), ("summary", "")]);
    let omnilink = Path::new(env!("CARGO_BIN_EXE_omnilink"));
    let old = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{old}", omnilink.parent().unwrap().display());
    let run = Command::new("python3")
        .arg(repository().join("dist/action/run.py"))
        .current_dir(place.path())
        .env("PATH", path)
        .env("OMNILINK_COMMAND", command)
        .env("OMNILINK_PACKAGE", "")
        .env("RUNNER_TEMP", place.path())
        .env("GITHUB_OUTPUT", place.path().join("output"))
        .env("GITHUB_STEP_SUMMARY", place.path().join("summary"))
        .output();
    match run {
        Ok(output) => Some((place, output)),
        Err(_) => {
            eprintln!("skipped: the action needs python3");
            None
        }
    }
}

fn output_of(place: &TempDir, name: &str) -> Option<String> {
    let text = fs::read_to_string(place.path().join("output")).unwrap();
    text.lines()
        .find_map(|line| Some(line.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
}

#[test]
fn a_violation_fails_the_step_and_leaves_what_is_uploaded() {
    let Some((place, output)) = step("check 'bad run.ndjson' --model register") else {
        return;
    };
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(output_of(&place, "verdict").as_deref(), Some("violation"));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("::error"), "{told}");
    let file = |name: &str| fs::read_to_string(output_of(&place, name).unwrap()).unwrap();
    assert!(file("sarif").contains("\"2.1.0\""));
    assert!(file("page").contains("<html"));
    assert!(file("evidence").contains("\"violation\""));
    let summary = fs::read_to_string(place.path().join("summary")).unwrap();
    assert!(summary.contains("bad run.ndjson"), "{summary}");
}

#[test]
fn wildcards_are_expanded_and_nothing_else_of_a_shell_is() {
    let Some((place, output)) = step("check *.ndjson --model register --time-limit 10s") else {
        return;
    };
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let Some((_, output)) = step("check none.ndjson --model $(touch pwned) `touch pwned`; touch pwned")
    else {
        return;
    };
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!place.path().join("pwned").exists());
}

#[test]
fn an_unknown_verdict_is_a_warning() {
    let Some((place, output)) =
        step("check 'bad run.ndjson' --model register --config-limit 0 --strategy sweep")
    else {
        return;
    };
    assert_eq!(
        output_of(&place, "verdict").as_deref(),
        Some("unknown"),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("::warning"),
        "{output:?}"
    );
}

#[test]
fn commands_that_make_no_sense_are_refused() {
    for (command, expected) in [
        ("", "it begins with"),
        ("sh -c ls", "it begins with"),
        ("check 'open", "No closing quotation"),
        ("check a --model queue --evidence x", "is added by the action"),
    ] {
        let Some((_, output)) = step(command) else { return };
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.contains("::error") && told.contains(expected), "{told}");
    }
}

#[test]
fn the_action_hands_over_what_its_script_reads() {
    let action = fs::read_to_string(repository().join("action.yml")).unwrap();
    let script = fs::read_to_string(repository().join("dist/action/run.py")).unwrap();
    for variable in ["OMNILINK_COMMAND", "OMNILINK_PACKAGE", "OMNILINK_FAIL_ON_UNKNOWN"] {
        assert!(
            action.contains(&format!("{variable}: ${{{{ inputs.")) && script.contains(variable),
            "{variable}"
        );
    }
    for output in ["verdict", "evidence", "page", "sarif", "folder"] {
        assert!(
            action.contains(&format!("steps.run.outputs.{output}")) && script.contains(&format!("{output}=")),
            "{output}"
        );
    }
}
