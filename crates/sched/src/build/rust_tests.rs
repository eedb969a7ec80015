//! The test programs of a cargo project.

use super::BuildError;
use super::rust::{cargo, host_triple, no_compiler, prepare_cargo, target_directory};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The tests of a cargo project, as `cargo test` would build them.
#[derive(Debug, Clone)]
pub struct RustTests {
    /// Where cargo is called.
    pub directory: PathBuf,
    /// Arguments of `cargo test`, such as `--package` and `--features`.
    pub arguments: Vec<String>,
    /// Compile the standard library too. Needs its source: `rustup component add rust-src`.
    pub instruments_std: bool,
}

/// A program with tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestBinary {
    /// The program.
    pub path: PathBuf,
    /// The name of the target: a library, a program, or a file of integration tests.
    pub target: String,
    /// The directory of its package, in which cargo runs it.
    pub directory: PathBuf,
}

/// The crate rustix, on which async-io and others build, makes system calls in assembly, which nobody can see, unless it is asked to call the
/// C library. Some functions of that it looks up when the program runs: they have to be found in the program.
const CALLS_THROUGH_LIBC: [&str; 4] = [
    "--cfg=rustix_use_libc",
    "-Clink-arg=-Wl,--export-dynamic-symbol=timerfd_*",
    "-Clink-arg=-Wl,--export-dynamic-symbol=epoll_*",
    "-Clink-arg=-Wl,--export-dynamic-symbol=ppoll",
];

impl RustTests {
    /// Builds the tests. Cargo's messages go to standard error. Tests in documentation are not programs, and not among them.
    ///
    /// # Errors
    /// When they cannot be built.
    pub fn build(&self) -> Result<Vec<TestBinary>, BuildError> {
        let mut command = Command::new(cargo());
        command
            .current_dir(&self.directory)
            .args(["test", "--no-run", "--message-format=json-render-diagnostics"])
            .args(["--target", &host_triple()?, "--target-dir"])
            .arg(target_directory(false))
            .args(&self.arguments);
        if self.instruments_std {
            command.arg("-Zbuild-std");
        }
        prepare_cargo(
            &mut command,
            self.profile(),
            false,
            self.instruments_std,
            &CALLS_THROUGH_LIBC,
        )?;
        let output = command
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(no_compiler("cargo"))?;
        if output.status.success() {
            Ok(binaries_in(&String::from_utf8_lossy(&output.stdout)))
        } else {
            Err(BuildError::Failed {
                command: super::command_line(&command),
                output: String::new(),
            })
        }
    }

    fn profile(&self) -> &str {
        let mut arguments = self.arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--release" | "-r" => return "release",
                "--profile" => return arguments.next().map_or("test", String::as_str),
                other => {
                    if let Some(profile) = other.strip_prefix("--profile=") {
                        return profile;
                    }
                }
            }
        }
        "test"
    }
}

/// The test programs among cargo's messages.
fn binaries_in(messages: &str) -> Vec<TestBinary> {
    let binary = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        if message.pointer("/profile/test")?.as_bool() != Some(true) {
            return None;
        }
        let manifest = Path::new(message.get("manifest_path")?.as_str()?);
        Some(TestBinary {
            path: PathBuf::from(message.get("executable")?.as_str()?),
            target: message.pointer("/target/name")?.as_str()?.to_owned(),
            directory: manifest.parent()?.to_owned(),
        })
    };
    messages.lines().filter_map(binary).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_without_tests_and_other_messages_are_left_out() {
        let messages = r#"{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","target":{"name":"a"},"profile":{"test":true},"executable":"/t/a-1"}
not a message
{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","target":{"name":"a"},"profile":{"test":false},"executable":"/t/a"}
{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","target":{"name":"a"},"profile":{"test":true},"executable":null}"#;
        let found = binaries_in(messages);
        assert_eq!(
            found,
            [TestBinary {
                path: "/t/a-1".into(),
                target: "a".into(),
                directory: "/w/a".into()
            }]
        );
    }

    #[test]
    fn the_profile_is_that_of_the_arguments() {
        let profile = |arguments: &[&str]| {
            let tests = RustTests {
                directory: ".".into(),
                arguments: arguments.iter().map(ToString::to_string).collect(),
                instruments_std: false,
            };
            tests.profile().to_owned()
        };
        assert_eq!(profile(&["--lib"]), "test");
        assert_eq!(profile(&["-p", "a", "--release"]), "release");
        assert_eq!(profile(&["--profile", "slow"]), "slow");
        assert_eq!(profile(&["--profile=slow"]), "slow");
    }
}
