//! The same with a client library of other people: the package `mcp` of PyPI.

use std::path::Path;
use std::process::Command;

/// A virtual environment with the library; it is kept for the next run. None without Python or a network.
fn python() -> Option<std::path::PathBuf> {
    if let Some(python) = std::env::var_os("OMNILINK_MCP_PYTHON") {
        return Some(python.into());
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-client");
    let python = target.join("bin/python");
    let has_it = |python: &Path| {
        let found = Command::new(python).args(["-c", "import mcp"]).output();
        found.is_ok_and(|output| output.status.success())
    };
    if !has_it(&python) {
        let made = Command::new("python3").args(["-m", "venv"]).arg(&target).output();
        made.ok().filter(|output| output.status.success())?;
        let pip = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--retries",
            "1",
            "--timeout",
            "20",
            "mcp",
        ];
        Command::new(&python).args(pip).output().ok()?;
    }
    has_it(&python).then_some(python)
}

#[test]
fn a_client_library_can_use_all_of_it() {
    let Some(python) = python() else {
        eprintln!("skipped: the client library needs python3 and PyPI");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/mcp/other_client.py");
    let output = Command::new(python)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_omnilink"))
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&output.stdout)
    );
}
