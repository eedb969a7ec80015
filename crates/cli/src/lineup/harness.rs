//! From what a user points at to harnesses that can be run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use omnilink_lineup::CPP_HEADER;
use omnilink_sched::build::{CppBuild, RustBuild, RustTarget};
use serde_json::Value;
use tempfile::TempDir;

use crate::error::CliError;

/// What to check.
#[derive(Debug, Args)]
pub(super) struct Target {
    /// The cargo package whose `lineup/*.rs` targets are checked
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
    /// One test target of the package (with `harness = false`)
    #[arg(long, value_name = "NAME", group = "which")]
    test: Option<String>,
    /// Features of the package
    #[arg(long, value_name = "FEATURES")]
    features: Vec<String>,
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
    pub program: PathBuf,
    pub command: String,
    /// Where it lies, until it has been run.
    _folder: Option<TempDir>,
}

impl Target {
    /// Builds everything that is asked for.
    pub(super) fn build(&self) -> Result<Vec<Built>, CliError> {
        if let Some(program) = &self.harness {
            let command = format!("omnilink lineup --harness {}", program.display());
            return Ok(vec![built(program.clone(), command)]);
        }
        if !self.cpp.is_empty() {
            return Ok(vec![self.build_cpp()?]);
        }
        let directory = self.directory.display();
        let named = |kind: &str, name: &str, target: RustTarget| {
            let command = format!("omnilink lineup {directory} --{kind} {name}");
            self.build_rust(target, command).map(|built| vec![built])
        };
        match (&self.bin, &self.example, &self.test) {
            (Some(name), _, _) => named("bin", name, RustTarget::Bin(name.clone())),
            (_, Some(name), _) => named("example", name, RustTarget::Example(name.clone())),
            (_, _, Some(name)) => named("test", name, RustTarget::Test(name.clone())),
            _ => self
                .lineup_targets()?
                .into_iter()
                .map(|name| {
                    let command = format!("omnilink lineup {directory} --test {name}");
                    self.build_rust(RustTarget::Test(name), command)
                })
                .collect(),
        }
    }

    fn build_rust(&self, target: RustTarget, command: String) -> Result<Built, CliError> {
        let build = RustBuild {
            package: self.package.clone(),
            target,
            features: self.features.clone(),
            ..RustBuild::new(&self.directory)
        };
        let program = build
            .build()
            .map_err(|error| CliError::Usage(error.to_string()))?;
        Ok(built(program, command))
    }

    fn build_cpp(&self) -> Result<Built, CliError> {
        let folder = tempfile::tempdir().map_err(|error| CliError::Write {
            path: std::env::temp_dir(),
            error,
        })?;
        let header = folder.path().join("lineup.hpp");
        std::fs::write(&header, CPP_HEADER).map_err(|error| CliError::Write { path: header, error })?;
        let (libraries, flags) = self
            .cxxflag
            .iter()
            .cloned()
            .partition(|flag| flag.starts_with("-l") || flag.starts_with("-L"));
        let build = CppBuild {
            sources: self.cpp.clone(),
            includes: vec![folder.path().to_owned()],
            flags,
            libraries,
            ..CppBuild::default()
        };
        let program = folder.path().join("harness");
        build
            .build(&program)
            .map_err(|error| CliError::Usage(error.to_string()))?;
        let files: Vec<String> = self.cpp.iter().map(|file| file.display().to_string()).collect();
        Ok(Built {
            program,
            command: format!("omnilink lineup --cpp {}", files.join(" ")),
            _folder: Some(folder),
        })
    }

    /// The test targets of the package that lie in a folder `lineup`.
    fn lineup_targets(&self) -> Result<Vec<String>, CliError> {
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
        let names = lineup_targets_in(&metadata, &directory, self.package.as_deref());
        match names.is_empty() {
            true => Err(CliError::Usage(format!(
                "{}: no target lies in a folder `lineup`; write lineup/NAME.rs and name it in Cargo.toml ([[test]] name = \"NAME\", \
                 path = \"lineup/NAME.rs\", harness = false), or name a --bin, --example, --test, --cpp or --harness",
                self.directory.display()
            ))),
            false => Ok(names),
        }
    }
}

fn built(program: PathBuf, command: String) -> Built {
    Built {
        program,
        command,
        _folder: None,
    }
}

fn lineup_targets_in(metadata: &Value, directory: &Path, package: Option<&str>) -> Vec<String> {
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
        is_test
            && path
                .parent()
                .and_then(Path::file_name)
                .is_some_and(|folder| folder == "lineup")
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
    fn test_targets_in_a_folder_lineup_are_found() {
        let metadata: Value = serde_json::from_str(
            r#"{"packages":[
                {"name":"a","manifest_path":"/w/a/Cargo.toml","targets":[
                    {"name":"queue","kind":["test"],"src_path":"/w/a/lineup/queue.rs"},
                    {"name":"unit","kind":["test"],"src_path":"/w/a/tests/unit.rs"},
                    {"name":"a","kind":["lib"],"src_path":"/w/a/lineup/lib.rs"}]},
                {"name":"b","manifest_path":"/w/b/Cargo.toml","targets":[
                    {"name":"map","kind":["test"],"src_path":"/w/b/lineup/map.rs"}]}]}"#,
        )
        .unwrap();
        assert_eq!(lineup_targets_in(&metadata, Path::new("/w/a"), None), ["queue"]);
        assert_eq!(lineup_targets_in(&metadata, Path::new("/w"), Some("b")), ["map"]);
        assert!(lineup_targets_in(&metadata, Path::new("/w"), None).is_empty());
        assert!(lineup_targets_in(&Value::Null, Path::new("/w"), None).is_empty());
    }
}
