//! Running the command.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// What a run of the command left behind.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    fn new(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let ran = Self {
            code: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        };
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        ran
    }

    /// Each line of standard output as JSON.
    pub fn json(&self) -> Vec<serde_json::Value> {
        let parsed = self.stdout.lines().map(serde_json::from_str);
        parsed
            .collect::<Result<_, _>>()
            .unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks that the input was refused, with these words.
    pub fn refused(&self, words: &[&str]) {
        assert_eq!(self.code, 2, "{self:?}");
        let is_told = self.stderr.starts_with("error: ") || self.stderr.starts_with("error[");
        assert!(is_told && !self.stderr.contains("error: error"), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is missing: {self:?}");
        }
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_omnilink"));
    command
        .args(arguments)
        .env_remove("RUST_BACKTRACE")
        .env("NO_COLOR", "1");
    command
}

/// Runs `omnilink` with these arguments.
pub fn omnilink(arguments: &[&str]) -> Ran {
    Ran::new(&command(arguments).stdin(Stdio::null()).output().unwrap())
}

/// The same in a folder.
pub fn omnilink_in(folder: &Path, arguments: &[&str]) -> Ran {
    Ran::new(
        &command(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .unwrap(),
    )
}

/// The same with something on standard input.
pub fn omnilink_reading(input: &[u8], arguments: &[&str]) -> Ran {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let bytes = input.to_vec();
    // A command that has its answer may stop reading; that is its right.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Ran::new(&output)
}

/// Runs `omnilink` in a folder, and presses Ctrl-C when it has been busy for a while.
pub fn interrupted_in(folder: &Path, arguments: &[&str]) -> Ran {
    let mut child = command(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    press_ctrl_c(&mut child);
    Ran::new(&child.wait_with_output().unwrap())
}

/// Waits until a child listens to signals and has had a moment to begin its work, and sends it what Ctrl-C sends.
fn press_ctrl_c(child: &mut Child) {
    let id = child.id();
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        // SIGINT is the second signal.
        caught.is_some_and(|mask| mask & 0b10 != 0)
    };
    while !listens() && child.try_wait().is_ok_and(|ended| ended.is_none()) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(100));
    // One that has ended already is told apart by what it left behind.
    let _ = Command::new("kill")
        .args(["-INT", &id.to_string()])
        .stderr(Stdio::null())
        .status();
}

impl Ran {
    /// Runs `omnilink` with some input and no end of it, and presses Ctrl-C.
    pub fn interrupted_reading(folder: &Path, input: &str, arguments: &[&str]) -> Self {
        let mut child = command(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        stdin.flush().unwrap();
        press_ctrl_c(&mut child);
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        Self::new(&output)
    }
}

/// A folder with these files.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    folder
}

/// A folder with a program in it. A process of its own writes the program: one that this process has open for writing cannot be executed
/// as long as a child of another thread has that file open, too.
pub fn folder_with_program(name: &str, text: &str) -> tempfile::TempDir {
    let folder = folder(&[("program-text", text)]);
    let from = folder.path().join("program-text");
    let installed = Command::new("install")
        .args(["-m", "755"])
        .args([&from, &folder.path().join(name)])
        .status();
    assert!(installed.unwrap().success());
    std::fs::remove_file(from).unwrap();
    folder
}

/// Runs `check` with a model on a file of this name and content, in a folder of its own.
pub fn check(model: &str, name: &str, content: &str) -> Ran {
    let folder = folder(&[(name, content)]);
    omnilink_in(folder.path(), &["check", name, "--model", model])
}

/// A history that ships with the repository.
pub fn example(name: &str) -> String {
    repository().join("examples").join(name).display().to_string()
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
