//! From what a user points at to harnesses that can be run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};
use omnilink_lineup::{CPP_HEADER, HarnessCommand};
use omnilink_sched::build::{CppBuild, RustBuild, RustTarget};
use serde_json::Value;
use tempfile::TempDir;

use crate::error::CliError;

/// What runs the component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Engine {
    /// Compiled with instrumentation, every step decided: all runs up to a bound, and each can be repeated. Inline assembly
    /// and prebuilt libraries are not seen into: nothing happens in between while they run
    #[default]
    Instrumented,
    /// Compiled as ever, threads stalled at random: samples, for what cannot be instrumented, such as prebuilt libraries
    Native,
}

/// What to check.
#[derive(Debug, Args)]
pub(super) struct Target {
    /// What runs the component
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t)]
    pub(super) engine: Engine,
    /// The cargo package whose `lineup/*.rs` targets and tests that use omnilink_harness are checked
    #[arg(value_name = "DIRECTORY", default_value = ".")]
    directory: PathBuf,
    /// The package, in a workspace
    #[arg(long, short, value_name = "NAME")]
    package: Option<String>,
    /// A binary of the package instead
    #[arg(long, value_name = "NAME", group = "which")]
    bin: Option<String>,
    /// An example of the package instead
    #[arg(long, value_name = "NAME", group = "which")]
    example: Option<String>,
    /// One test target of the package
    #[arg(long, value_name = "NAME", group = "which")]
    test: Option<String>,
    /// One `#[test]` function of the test target
    #[arg(long, value_name = "NAME", requires = "test")]
    case: Option<String>,
    /// Features of the package
    #[arg(long, value_name = "FEATURES")]
    features: Vec<String>,
    /// Compile Rust's standard library too, so that every access in it is a step. Needs its source: `rustup component add
    /// rust-src`
    #[arg(long, conflicts_with_all = ["cpp", "harness"])]
    build_std: bool,
    /// A C++ harness that includes "lineup.hpp"; several files are linked together
    #[arg(long, value_name = "FILE", num_args = 1.., group = "which")]
    cpp: Vec<PathBuf>,
    /// A flag for the C++ compiler, such as -Iinclude or -ltbb
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    cxxflag: Vec<String>,
    /// A harness that has been built already
    #[arg(long, value_name = "PROGRAM", group = "which")]
    harness: Option<PathBuf>,
}

/// A harness that can be run, and how to ask for it again.
#[derive(Debug)]
pub(super) struct Built {
    pub harness: HarnessCommand,
    pub command: String,
    /// A `#[test]` function that may or may not offer a component: only running it tells.
    pub is_a_guess: bool,
    /// Where it lies, until it has been run.
    _folder: Option<TempDir>,
}

impl Target {
    /// Builds everything that is asked for.
    pub(super) fn build(&self) -> Result<Vec<Built>, CliError> {
        if let Some(program) = &self.harness {
            return Ok(vec![
                self.built(program, &format!("--harness {}", program.display())),
            ]);
        }
        if !self.cpp.is_empty() {
            return Ok(vec![self.build_cpp()?]);
        }
        let directory = self.directory.display();
        let named = |kind: &str, name: &str, target: RustTarget| {
            let program = self.build_rust(target)?;
            Ok(vec![
                self.built(&program, &format!("{directory} --{kind} {name}")),
            ])
        };
        match (&self.bin, &self.example, &self.test) {
            (Some(name), _, _) => named("bin", name, RustTarget::Bin(name.clone())),
            (_, Some(name), _) => named("example", name, RustTarget::Example(name.clone())),
            (_, _, Some(name)) => self.build_test(&self.test_target(name)),
            _ => {
                let mut all = Vec::new();
                for name in self.test_targets()? {
                    all.extend(self.build_test(&name)?);
                }
                Ok(all)
            }
        }
    }

    /// A test target is one component, or has one in some of its `#[test]` functions.
    fn build_test(&self, name: &str) -> Result<Vec<Built>, CliError> {
        let program = self.build_rust(RustTarget::Test(name.to_owned()))?;
        let whole = self.built(&program, &format!("{} --test {name}", self.directory.display()));
        let cases = cases_of(&program)?;
        if cases.is_empty() {
            return Ok(vec![whole]);
        }
        if let Some(case) = self.case.as_ref().filter(|case| !cases.contains(case)) {
            return Err(CliError::Usage(format!(
                "--case {case}: there is no such #[test] function in {name}; there are {}",
                cases.join(", ")
            )));
        }
        let asked = cases
            .iter()
            .filter(|case| self.case.as_ref().is_none_or(|asked| asked == *case));
        let one = |case: &String| Built {
            harness: HarnessCommand {
                program: program.clone(),
                arguments: ["--exact", case, "--nocapture", "--test-threads=1"]
                    .map(Into::into)
                    .to_vec(),
            },
            command: format!("{} --case {case}", whole.command),
            is_a_guess: self.case.is_none(),
            _folder: None,
        };
        Ok(asked.map(one).collect())
    }

    fn build_rust(&self, target: RustTarget) -> Result<PathBuf, CliError> {
        let build = RustBuild {
            package: self.package.clone(),
            target,
            features: self.features.clone(),
            native: self.engine == Engine::Native,
            instruments_std: self.build_std,
            ..RustBuild::new(&self.directory)
        };
        build.build().map_err(|error| CliError::Usage(error.to_string()))
    }

    fn built(&self, program: &Path, target: &str) -> Built {
        let engine = match self.engine {
            Engine::Instrumented => "",
            Engine::Native => " --engine native",
        };
        let library = if self.build_std { " --build-std" } else { "" };
        Built {
            harness: program.into(),
            command: format!("omnilink lineup {target}{engine}{library}"),
            is_a_guess: false,
            _folder: None,
        }
    }

    fn build_cpp(&self) -> Result<Built, CliError> {
        // A compiler would take it for something to link, and say so in its own words.
        if let Some(path) = self.cpp.iter().find(|path| !path.is_file()) {
            let message = format!("{}: not a file; --cpp takes C and C++ sources", path.display());
            return Err(CliError::Usage(message));
        }
        let folder = tempfile::tempdir().map_err(|error| CliError::write(std::env::temp_dir(), error))?;
        let header = folder.path().join("lineup.hpp");
        std::fs::write(&header, CPP_HEADER).map_err(|error| CliError::write(header, error))?;
        let (libraries, flags) = self
            .cxxflag
            .iter()
            .cloned()
            .partition(|flag| ["-l", "-L", "-Wl,"].iter().any(|prefix| flag.starts_with(prefix)));
        let build = CppBuild {
            sources: self.cpp.clone(),
            includes: vec![folder.path().to_owned()],
            flags,
            libraries,
            native: self.engine == Engine::Native,
            ..CppBuild::default()
        };
        let program = folder.path().join("harness");
        build
            .build(&program)
            .map_err(|error| CliError::Usage(error.to_string()))?;
        let files: Vec<String> = self.cpp.iter().map(|file| file.display().to_string()).collect();
        Ok(Built {
            _folder: Some(folder),
            ..self.built(
                &program,
                &format!("--cpp {}{}", files.join(" "), self.compiler_flags()),
            )
        })
    }

    /// The flags for the compiler, as they were given.
    fn compiler_flags(&self) -> String {
        let quoted = |flag: &String| {
            if flag
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_=./+:,".contains(c))
            {
                format!(" --cxxflag={flag}")
            } else {
                format!(" '--cxxflag={}'", flag.replace('\'', r"'\''"))
            }
        };
        self.cxxflag.iter().map(quoted).collect()
    }

    /// The test target of this name, or of the name that its program has: `my_test` for `my-test`. Cargo refuses a wrong name.
    fn test_target(&self, name: &str) -> String {
        let mut targets = if name.contains('_') {
            self.test_targets().unwrap_or_default().into_iter()
        } else {
            Vec::new().into_iter()
        };
        targets
            .find(|target| target.replace('-', "_") == name)
            .unwrap_or_else(|| name.to_owned())
    }

    /// The test targets of the package that lie in a folder `lineup` or use our harness.
    fn test_targets(&self) -> Result<Vec<String>, CliError> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(&self.directory)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| {
                CliError::Usage(format!(
                    "{}: cargo cannot be started there: {error}; name the directory of a cargo package",
                    self.directory.display()
                ))
            })?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(CliError::Usage(format!(
                "{}: {message}",
                self.directory.display()
            )));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let directory = std::fs::canonicalize(&self.directory).unwrap_or_else(|_| self.directory.clone());
        let uses_harness = |source: &Path| {
            std::fs::read_to_string(source).is_ok_and(|text| text.contains("omnilink_harness"))
        };
        let names = test_targets_in(&metadata, &directory, self.package.as_deref(), &uses_harness);
        if names.is_empty() {
            Err(CliError::Usage(format!(
                "{}: no target lies in a folder `lineup`, and no test uses omnilink_harness; write lineup/NAME.rs and name it in \
                 Cargo.toml ([[test]] name = \"NAME\", path = \"lineup/NAME.rs\", harness = false), or a #[test] function that ends \
                 in `.test()`, or name a --bin, --example, --test, --cpp or --harness",
                self.directory.display()
            )))
        } else {
            Ok(names)
        }
    }
}

/// The `#[test]` functions of a test program; none if it is a program of its own (`harness = false`).
fn cases_of(program: &Path) -> Result<Vec<String>, CliError> {
    let output = Command::new(program)
        .arg("--list")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| CliError::Usage(format!("{}: cannot be started: {error}", program.display())))?;
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let cases = listed.lines().filter_map(|line| line.strip_suffix(": test"));
    Ok(cases.map(str::to_owned).collect())
}

fn test_targets_in(
    metadata: &Value,
    directory: &Path,
    package: Option<&str>,
    uses_harness: &dyn Fn(&Path) -> bool,
) -> Vec<String> {
    let list = |value: &Value, name: &str| {
        value
            .get(name)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let text = |value: &Value, name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let is_asked = |one: &Value| match package {
        Some(name) => text(one, "name") == name,
        None => Path::new(&text(one, "manifest_path")).parent() == Some(directory),
    };
    let targets = list(metadata, "packages")
        .into_iter()
        .filter(is_asked)
        .flat_map(|one| list(&one, "targets"));
    let is_lineup = |target: &Value| {
        let is_test = list(target, "kind").iter().any(|kind| kind == "test");
        let path = PathBuf::from(text(target, "src_path"));
        let folder = path.parent().and_then(Path::file_name);
        is_test && (folder.is_some_and(|folder| folder == "lineup") || uses_harness(&path))
    };
    targets
        .filter(is_lineup)
        .map(|target| text(&target, "name"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_in_a_folder_lineup_or_with_our_harness_are_found() {
        let metadata: Value = serde_json::from_str(
            r#"{"packages":[
                {"name":"a","manifest_path":"/w/a/Cargo.toml","targets":[
                    {"name":"queue","kind":["test"],"src_path":"/w/a/lineup/queue.rs"},
                    {"name":"unit","kind":["test"],"src_path":"/w/a/tests/unit.rs"},
                    {"name":"with","kind":["test"],"src_path":"/w/a/tests/with.rs"},
                    {"name":"a","kind":["lib"],"src_path":"/w/a/lineup/lib.rs"}]},
                {"name":"b","manifest_path":"/w/b/Cargo.toml","targets":[
                    {"name":"map","kind":["test"],"src_path":"/w/b/lineup/map.rs"}]}]}"#,
        )
        .unwrap();
        let found = |metadata: &Value, directory: &str, package: Option<&str>| {
            let uses_harness = |path: &Path| path == Path::new("/w/a/tests/with.rs");
            test_targets_in(metadata, Path::new(directory), package, &uses_harness)
        };
        assert_eq!(found(&metadata, "/w/a", None), ["queue", "with"]);
        assert_eq!(found(&metadata, "/w", Some("b")), ["map"]);
        assert!(found(&metadata, "/w", None).is_empty());
        assert!(found(&Value::Null, "/w", None).is_empty());
    }
}
