//! Child processes that crash: this test binary runs itself in a given role.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

const ROLE: &str = "OMNILINK_RECORD_TEST_ROLE";
const DIRECTORY: &str = "OMNILINK_RECORD_TEST_DIRECTORY";

/// Starts the test `test` of this binary as a child process in the given role that records into
/// `directory`.
pub fn start(test: &str, role: &str, directory: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(DIRECTORY, directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The role of this process and its directory, if it is a child.
pub fn role() -> Option<(String, std::path::PathBuf)> {
    Some((std::env::var(ROLE).ok()?, std::env::var_os(DIRECTORY)?.into()))
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
