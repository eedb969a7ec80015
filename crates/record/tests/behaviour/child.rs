//! Processes that are meant to die: this test binary runs itself, with a part to play.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

const PART: &str = "OMNILINK_RECORD_TEST_PART";
const DIRECTORY: &str = "OMNILINK_RECORD_TEST_DIRECTORY";

/// Starts the test `test` of this binary again, as a process of its own that plays `part` and records into
/// `directory`.
pub fn start(test: &str, part: &str, directory: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(PART, part)
        .env(DIRECTORY, directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The part that this process is to play and where it records, if it is such a process.
pub fn part() -> Option<(String, std::path::PathBuf)> {
    Some((std::env::var(PART).ok()?, std::env::var_os(DIRECTORY)?.into()))
}

/// The bytes of all trace files, by name.
pub fn files(directory: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = directory
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}
