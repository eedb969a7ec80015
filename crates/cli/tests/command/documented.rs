//! Every command in the README, in `docs` and in the pages of `examples` is one that this program takes, and those whose inputs are
//! in the repository run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What stands in for `omnilink`. First it only reads the arguments: `--help` in front of a `--` makes it parse all before that, and
/// do nothing. Then it runs what is quick and leaves nothing behind. What goes wrong is written to the file FAILED.
const STAND_IN: &str = r#"#!/bin/sh
if [ "$MODE" = read ]; then
  left=$#; is_in=no
  while [ $left -gt 0 ]; do
    word=$1; shift; left=$((left - 1))
    if [ "$word" = -- ] && [ $is_in = no ]; then set -- "$@" --help; is_in=yes; fi
    set -- "$@" "$word"
  done
  [ $is_in = yes ] || set -- "$@" --help
  "$OMNILINK" "$@" > /dev/null 2> "$FAILED.err" || { echo "omnilink $*"; cat "$FAILED.err"; } >> "$FAILED"
  exit 0
fi
case $1 in
  check | validate | trace | tla | mc | link | report) ;;
  *) exit 0 ;;
esac
"$OMNILINK" "$@" 2> "$FAILED.err"
code=$?
if [ $code -eq 2 ]; then
  if [ "$MAY_MISS" = yes ] && grep -qi 'no such \|cannot read' "$FAILED.err"; then exit 0; fi
  { echo "omnilink $*"; cat "$FAILED.err"; } >> "$FAILED"
fi
exit $code
"#;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// All pages with commands.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![repository().join("README.md")];
    let mut folders = vec![repository().join("docs"), repository().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|extension| extension == "md") => pages.push(path),
                false => {}
            }
        }
    }
    pages.sort();
    pages
}

/// The commands of each fenced block: the lines of `sh`, the lines after a prompt of `console`.
fn blocks(page: &str) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Vec<String>)> = None;
    for line in page.lines() {
        let trimmed = line.trim();
        match (&mut open, trimmed.strip_prefix("```")) {
            (None, Some(kind)) => open = Some((kind, Vec::new())),
            (Some(_), Some(_)) => {
                let lines = open.take().map(|(_, lines)| lines);
                blocks.extend(lines.filter(|lines| !lines.is_empty()));
            }
            (Some(("sh" | "bash", lines)), None) => lines.push(trimmed.to_owned()),
            (Some(("console", lines)), None) => lines.extend(trimmed.strip_prefix("$ ").map(str::to_owned)),
            _ => {}
        }
    }
    blocks
}

/// Lines that go on after a backslash, as one.
fn joined(lines: &[String]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        let part = line.trim_end_matches('\\').trim_end();
        match whole.last_mut().filter(|_| goes_on) {
            Some(last) => *last = format!("{last} {part}"),
            None => whole.push(part.to_owned()),
        }
        goes_on = line.ends_with('\\');
    }
    whole
}

/// A folder that looks like the repository, with the histories of its `examples` beside them. Commands write files into `examples`, so
/// that is a copy; everything else is only read.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(repository()).unwrap().flatten() {
        let name = entry.file_name();
        if name != ".git" && name != "examples" {
            symlink(entry.path(), folder.path().join(name)).unwrap();
        }
    }
    copy(&repository().join("examples"), &folder.path().join("examples"));
    for entry in fs::read_dir(repository().join("examples")).unwrap().flatten() {
        let to = folder.path().join(entry.file_name());
        if entry.path().is_file() && !to.exists() {
            fs::copy(entry.path(), to).unwrap();
        }
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            // What was built there is large, and nobody's input.
            true if entry.file_name() == "target" => {}
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

#[test]
fn every_documented_command_is_taken_and_runs() {
    let bin = super::ran::folder_with_program("omnilink", STAND_IN);
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let failed = bin.path().join("failed");
    let mut commands = 0;
    let mut problems = String::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let folder = folder();
        for block in blocks(&text) {
            let lines = joined(&block);
            let is_ours = |line: &&String| line.starts_with("omnilink ") || line.starts_with("cd ");
            let ours: Vec<&String> = lines.iter().filter(is_ours).collect();
            commands += ours.len();
            // What another command makes is not there.
            let is_made = |line: &String| {
                let words = ["lineup", "fuzz", "demo", "gen", "runs", "replay"];
                !is_ours(&line) && !line.starts_with('#')
                    || words
                        .iter()
                        .any(|word| line.starts_with(&format!("omnilink {word} ")))
            };
            let may_miss = lines.iter().any(is_made);
            for mode in ["read", "run"] {
                let script: Vec<&str> = ours.iter().map(|line| line.as_str()).collect();
                let status = Command::new("sh")
                    .arg("-c")
                    .arg(script.join("\n"))
                    .current_dir(folder.path())
                    .env("PATH", &path)
                    .env("OMNILINK", env!("CARGO_BIN_EXE_omnilink"))
                    .env("FAILED", &failed)
                    .env("MODE", mode)
                    .env("MAY_MISS", if may_miss { "yes" } else { "no" })
                    // As a job of a batch system has it.
                    .env("SLURM_ARRAY_TASK_ID", "1")
                    .env("GITHUB_STEP_SUMMARY", bin.path().join("summary"))
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status();
                status.unwrap();
                if let Ok(text) = fs::read_to_string(&failed) {
                    problems.push_str(&format!("{} ({mode}):\n{text}\n", page.display()));
                    fs::remove_file(&failed).unwrap();
                }
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
    assert!(commands > 100, "only {commands} commands were found");
}
