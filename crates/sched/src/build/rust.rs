//! Rust harnesses, through cargo or the compiler alone.

use super::rustc_wrapper::RustcWrapper;
use super::{BuildError, runtime_object, std_stubs};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A harness in a cargo package.
#[derive(Debug, Clone)]
pub struct RustBuild {
    /// The directory of the package.
    pub directory: PathBuf,
    /// The package within its workspace, if not that of the directory.
    pub package: Option<String>,
    /// Which of its programs.
    pub target: RustTarget,
    /// Features, as cargo takes them.
    pub features: Vec<String>,
    /// The profile; `release` if none is named.
    pub profile: Option<String>,
    /// Compile the standard library too. Needs its source: `rustup component add rust-src`.
    pub instruments_std: bool,
    /// Compile without instrumentation, to run the component with native threads.
    pub native: bool,
}

/// Settings that override the profile. Reports name source lines, which a release build would strip; and link-time optimisation
/// would inline the functions of the standard library before which the linker puts stubs.
const SETTINGS: [(&str, &str); 3] = [("DEBUG", "line-tables-only"), ("STRIP", "none"), ("LTO", "off")];

/// A program of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RustTarget {
    /// The only one.
    Only,
    /// `--bin NAME`.
    Bin(String),
    /// `--example NAME`.
    Example(String),
    /// `--test NAME`.
    Test(String),
}

impl RustBuild {
    /// The only program of the package in a directory.
    pub fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            package: None,
            target: RustTarget::Only,
            features: Vec::new(),
            profile: None,
            instruments_std: false,
            native: false,
        }
    }

    /// Builds it and returns the path of the program. Cargo's output goes to standard error.
    ///
    /// # Errors
    /// When it cannot be built.
    pub fn build(&self) -> Result<PathBuf, BuildError> {
        let host = host_triple()?;
        let mut command = Command::new(cargo());
        command
            .current_dir(&self.directory)
            .arg("build")
            .args(["--message-format=json-render-diagnostics"]);
        command
            .args(["--target", &host])
            .args(["--target-dir"])
            .arg(target_directory(self.native));
        let profile = self.profile.as_deref().unwrap_or("release");
        command.args(["--profile", profile]);
        if let Some(package) = &self.package {
            command.args(["--package", package]);
        }
        match &self.target {
            RustTarget::Only => &mut command,
            RustTarget::Bin(name) => command.args(["--bin", name]),
            RustTarget::Example(name) => command.args(["--example", name]),
            RustTarget::Test(name) => command.args(["--test", name]),
        };
        if !self.features.is_empty() {
            command.args(["--features", &self.features.join(",")]);
        }
        if self.instruments_std {
            command.arg("-Zbuild-std");
        }
        prepare_cargo(&mut command, profile, self.native, self.instruments_std, &[])?;
        let output = command
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(no_compiler("cargo"))?;
        if !output.status.success() {
            return Err(BuildError::Failed {
                command: super::command_line(&command),
                output: String::new(),
            });
        }
        // Cargo builds the binaries of a package with each of its tests.
        let kind = matches!(self.target, RustTarget::Test(_)).then_some("test");
        let programs = programs_in(&String::from_utf8_lossy(&output.stdout), kind);
        match programs.as_slice() {
            [program] => Ok(program.clone()),
            several => Err(BuildError::NotOneProgram {
                directory: self.directory.clone(),
                found: several.len(),
            }),
        }
    }

    /// Builds a harness that is one file without dependencies.
    ///
    /// # Errors
    /// When it cannot be built.
    pub fn build_file(source: &Path, program: &Path, arguments: &[&str]) -> Result<(), BuildError> {
        let mut command = Command::new(compiler());
        command
            .args(["--edition=2024", "-Copt-level=2"])
            .args(instrument_flags()?)
            .args(arguments);
        command
            .arg(source)
            .arg("-o")
            .arg(program)
            .env("RUSTC_BOOTSTRAP", "1");
        let output = command.output().map_err(no_compiler("rustc"))?;
        if output.status.success() {
            Ok(())
        } else {
            Err(BuildError::Failed {
                command: super::command_line(&command),
                output: String::from_utf8_lossy(&output.stderr).into_owned(),
            })
        }
    }
}

/// Instrumented, native and other builds share no files, and would otherwise rebuild each other's.
pub(super) fn target_directory(native: bool) -> PathBuf {
    let own = if native { "omnilink-native" } else { "omnilink" };
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => PathBuf::from(directory).join(own),
        None => PathBuf::from("target").join(own),
    }
}

/// Makes cargo link what it builds in a profile with the runtime, and instrument it unless it is to be native. Further flags are those of the
/// compiler.
pub(super) fn prepare_cargo(
    command: &mut Command,
    profile: &str,
    native: bool,
    instruments_std: bool,
    more_flags: &[&str],
) -> Result<(), BuildError> {
    let mut flags = given_flags();
    flags.extend(more_flags.iter().map(ToString::to_string));
    if !native {
        let wrapper = RustcWrapper::store()?;
        flags.push(wrapper.cfg.clone());
        wrapper.apply(command);
    }
    flags.extend(native_flags()?);
    match (native, instruments_std) {
        (true, _) => {}
        (false, true) => {
            flags.push(std_stubs::instrumented_argument());
            command.env("RUSTC_BOOTSTRAP", "1");
        }
        (false, false) => flags.extend(std_stubs::link_arguments()?),
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    for (setting, value) in SETTINGS {
        command.env(
            format!("CARGO_PROFILE_{}_{setting}", name_in_environment(profile)),
            value,
        );
    }
    Ok(())
}

/// The flags with which Rust code is instrumented and linked with the runtime. They need `RUSTC_BOOTSTRAP=1` on a stable
/// toolchain.
///
/// # Errors
/// When the runtime or the standard library is not available.
pub fn instrument_flags() -> Result<Vec<String>, BuildError> {
    Ok([tsan_flags()?, native_flags()?, std_stubs::link_arguments()?].concat())
}

/// The flags with which code is instrumented.
pub(super) fn tsan_flags() -> Result<Vec<String>, BuildError> {
    let mut flags: Vec<String> = [
        "-Zsanitizer=thread",
        "-Zexternal-clangrt",
        // Generic functions that another crate, such as the prebuilt standard library, has instantiated are not instrumented.
        "-Zshare-generics=no",
        // Races of volatile accesses are expected.
        "-Cllvm-args=-tsan-distinguish-volatile",
        "-Cdebuginfo=line-tables-only",
    ]
    .map(str::to_owned)
    .to_vec();
    if knows_abi_mismatch_flag()? {
        flags.push("-Cunsafe-allow-abi-mismatch=sanitizer".to_owned());
    }
    Ok(flags)
}

/// The flags with which Rust code is linked with the runtime, without instrumentation.
fn native_flags() -> Result<Vec<String>, BuildError> {
    let runtime = runtime_object()?;
    Ok(vec![
        "--cfg=omnilink_instrumented".to_owned(),
        format!("-Clink-arg={}", runtime.display()),
    ])
}

/// Whether the compiler knows the flag without which newer ones refuse to link instrumented with other crates.
fn knows_abi_mismatch_flag() -> Result<bool, BuildError> {
    let mut command = Command::new(compiler());
    command
        .args([
            "--crate-type=lib",
            "--crate-name=omnilink_probe",
            "--emit=metadata=-",
            "-Zsanitizer=thread",
        ])
        .args(["-Cunsafe-allow-abi-mismatch=sanitizer", "-"])
        .env("RUSTC_BOOTSTRAP", "1")
        .stdin(Stdio::null());
    Ok(command.output().map_err(no_compiler("rustc"))?.status.success())
}

pub(super) fn host_triple() -> Result<String, BuildError> {
    let mut command = Command::new(compiler());
    command.arg("-vV");
    let output = command.output().map_err(no_compiler("rustc"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.lines().find_map(|line| line.strip_prefix("host: ")) {
        Some(host) => Ok(host.to_owned()),
        None => Err(BuildError::Failed {
            command: super::command_line(&command),
            output: text + &String::from_utf8_lossy(&output.stderr),
        }),
    }
}

/// The name of a profile in cargo's environment variables.
fn name_in_environment(profile: &str) -> String {
    // Cargo has two names for each of these profiles.
    let profile = match profile {
        "debug" | "test" => "dev",
        "bench" => "release",
        profile => profile,
    };
    profile.to_uppercase().replace('-', "_")
}

pub(super) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

pub(super) fn compiler() -> String {
    std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned())
}

pub(super) fn no_compiler(program: &str) -> impl Fn(std::io::Error) -> BuildError {
    move |source| BuildError::Compiler {
        program: program.to_owned(),
        source,
        advice: "install Rust from https://rustup.rs",
    }
}

/// The flags that the user has set in the environment.
fn given_flags() -> Vec<String> {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    match (set("CARGO_ENCODED_RUSTFLAGS"), set("RUSTFLAGS")) {
        (Some(encoded), _) => encoded.split('\u{1f}').map(str::to_owned).collect(),
        (None, Some(flags)) => flags.split_whitespace().map(str::to_owned).collect(),
        (None, None) => Vec::new(),
    }
}

/// The programs among cargo's messages; with a kind of target, only those of this kind.
fn programs_in(messages: &str, kind: Option<&str>) -> Vec<PathBuf> {
    let executable = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        let kinds = message.pointer("/target/kind").and_then(Value::as_array);
        let is_asked = |kind: &str| kinds.is_some_and(|kinds| kinds.iter().any(|one| one == kind));
        if !kind.is_none_or(is_asked) {
            return None;
        }
        Some(PathBuf::from(message.get("executable")?.as_str()?))
    };
    messages.lines().filter_map(executable).collect()
}
