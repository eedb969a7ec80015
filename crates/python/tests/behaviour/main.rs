//! Loads the extension into Python, as an installed package has it, and runs the tests of the Python side. Skipped without Python 3.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The extension that Cargo built for this test.
fn extension() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its path");
    let deps = test.parent().expect("it is in a folder");
    deps.join("libomnilink_python.so")
}

/// The package as it is installed: the Python files and the extension.
fn install(into: &Path) {
    let package = into.join("omnilink");
    fs::create_dir_all(&package).expect("a new folder");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/omnilink");
    for file in fs::read_dir(sources)
        .expect("the Python files are there")
        .flatten()
    {
        if file.path().is_file() {
            fs::copy(file.path(), package.join(file.file_name())).expect("a file can be copied");
        }
    }
    fs::copy(extension(), package.join("_native.abi3.so")).expect("Cargo has built the extension");
}

#[test]
fn the_package_behaves_in_python() {
    let is_there = Command::new("python3").arg("--version").output();
    if !cfg!(target_os = "linux") || !is_there.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: the tests of the Python package need Linux and python3");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    install(folder.path());
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour");
    let output = Command::new("python3")
        .args(["-m", "unittest", "discover", "-p", "*_test.py", "-s"])
        .arg(&tests)
        .env("PYTHONPATH", folder.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env(
            "OMNILINK_REPOSITORY",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        )
        .current_dir(folder.path())
        .output()
        .expect("Python starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&output.stdout)
    );
    // Python says OK also if it found no test.
    assert!(!told.contains("Ran 0 tests"), "{told}");
}
