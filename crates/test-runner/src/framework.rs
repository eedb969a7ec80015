//! Which tests a program has, and how one of them is run alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde::{Deserialize, Serialize};

/// A test: a program with the arguments that make it run this test only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduledTest {
    /// The program.
    pub program: PathBuf,
    /// What the program is called: a target of cargo, or the name of the file.
    pub target: String,
    /// The name of the test.
    pub name: String,
    /// The arguments.
    pub arguments: Vec<OsString>,
    /// Where it runs.
    pub directory: Option<PathBuf>,
    /// Further environment variables.
    pub environment: Vec<(OsString, OsString)>,
    /// Threads that are there besides those of the test.
    pub harness_threads: u8,
}

impl ScheduledTest {
    /// What a thread of it is called in reports.
    pub(crate) fn thread_name(&self, thread: u8) -> String {
        match thread {
            thread if thread == self.harness_threads => "the test".to_owned(),
            0 => "the main thread".to_owned(),
            thread => format!("thread {thread}"),
        }
    }

    /// Its name in reports: `target::name`, or the target alone if that is all there is.
    pub fn full_name(&self) -> String {
        if self.name.is_empty() {
            self.target.clone()
        } else {
            format!("{}::{}", self.target, self.name)
        }
    }
}

/// Why the tests of a program are not known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// The program cannot be started.
    #[error("{}: it cannot be started: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The program refuses to list its tests.
    #[error("{}: it does not list its tests ({status}):\n{output}", program.display())]
    Refused {
        /// The program.
        program: PathBuf,
        /// How it ended.
        status: String,
        /// What it printed.
        output: String,
    },
}

fn started(program: &Path, arguments: &[&str], directory: Option<&Path>) -> Result<Output, ListError> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    command.output().map_err(|source| ListError::Start {
        program: program.to_owned(),
        source,
    })
}

/// The tests of a program that Rust's test harness runs, restricted by its own filters (`--skip`, `--exact`, `--ignored`, names).
///
/// # Errors
/// When it does not list them. A target with `harness = false` is one test.
pub fn rust_tests(
    program: &Path,
    target: &str,
    directory: &Path,
    filters: &[String],
) -> Result<Vec<ScheduledTest>, ListError> {
    let mut arguments = vec!["--list", "--format", "terse"];
    arguments.extend(filters.iter().map(String::as_str));
    let output = started(program, &arguments, Some(directory))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let environment = vec![("CARGO_MANIFEST_DIR".into(), directory.as_os_str().to_owned())];
    let test = |name: &str, arguments: Vec<OsString>| ScheduledTest {
        program: program.to_owned(),
        target: target.to_owned(),
        name: name.to_owned(),
        arguments,
        directory: Some(directory.to_owned()),
        environment: environment.clone(),
        // A test has a thread of its own, for which the main thread waits.
        harness_threads: u8::from(!name.is_empty()),
    };
    if !output.status.success() {
        let refused = String::from_utf8_lossy(&output.stderr).into_owned();
        return if filters.is_empty() {
            Ok(vec![test("", Vec::new())])
        } else {
            Err(ListError::Refused {
                program: program.to_owned(),
                status: output.status.to_string(),
                output: refused,
            })
        };
    }
    let runs_ignored = filters
        .iter()
        .any(|filter| matches!(filter.as_str(), "--ignored" | "--include-ignored"));
    // Without such a filter the list has the ignored tests too, which are not run.
    let ignored = if runs_ignored {
        String::new()
    } else {
        let mut arguments = arguments.clone();
        arguments.push("--ignored");
        let output = started(program, &arguments, Some(directory))?;
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let ignored: Vec<&str> = names_in(&ignored).collect();
    let alone = |name: &str| {
        let mut arguments: Vec<OsString> = ["--exact", name, "--nocapture", "--test-threads=1"]
            .map(OsString::from)
            .to_vec();
        if runs_ignored {
            arguments.push("--include-ignored".into());
        }
        arguments
    };
    Ok(names_in(&text)
        .filter(|name| !ignored.contains(name))
        .map(|name| test(name, alone(name)))
        .collect())
}

/// The names in a list of Rust's test harness, without benchmarks.
fn names_in(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter_map(|line| line.strip_suffix(": test"))
}

/// The tests of a C++ program, made with GoogleTest, Catch2 or doctest, whose names contain one of the filters, if there are any. Any other
/// program is one test.
///
/// # Errors
/// When the program cannot be started.
pub fn cpp_tests(program: &Path, filters: &[String]) -> Result<Vec<ScheduledTest>, ListError> {
    let file_name = program.file_name().unwrap_or(program.as_os_str());
    let target = file_name.to_string_lossy().into_owned();
    // A name without a folder would be looked up on the path.
    let program = std::path::absolute(program).unwrap_or_else(|_| program.to_owned());
    let test = |name: String, arguments: Vec<String>| ScheduledTest {
        program: program.clone(),
        target: target.clone(),
        name,
        arguments: arguments.into_iter().map(OsString::from).collect(),
        directory: None,
        environment: Vec::new(),
        harness_threads: 0,
    };
    let is_asked =
        |name: &String| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
    let library = CppLibrary::of(&program);
    let Some(library) = library else {
        return Ok(vec![test(String::new(), Vec::new())]);
    };
    let output = started(&program, library.list_arguments(), None)?;
    let names = library.names_in(&String::from_utf8_lossy(&output.stdout));
    Ok(names
        .into_iter()
        .filter(is_asked)
        .map(|name| {
            let arguments = library.arguments_of(&name);
            test(name, arguments)
        })
        .collect())
}

/// A library for tests in C++.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CppLibrary {
    GoogleTest,
    /// Version 2, which has an option for the names alone.
    Catch2,
    /// Version 3, which prints the names alone if it is to be quiet.
    Catch3,
    Doctest,
}

impl CppLibrary {
    /// The library that a program is made with, by the options that only that library has. They are in the file as text, so that a program
    /// that has none of them is not started to find that out.
    fn of(program: &Path) -> Option<Self> {
        let bytes = std::fs::read(program).ok()?;
        let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        [
            ("gtest_list_tests", Self::GoogleTest),
            ("doctest_with_main", Self::Doctest),
            ("dt-list-test-cases", Self::Doctest),
            ("list-test-names-only", Self::Catch2),
            ("list-tests", Self::Catch3),
        ]
        .into_iter()
        .find_map(|(option, library)| has(option).then_some(library))
    }

    fn list_arguments(self) -> &'static [&'static str] {
        match self {
            Self::GoogleTest => &["--gtest_list_tests"],
            Self::Catch2 => &["--list-test-names-only"],
            Self::Catch3 => &["--list-tests", "--verbosity", "quiet"],
            Self::Doctest => &["--list-test-cases", "--no-colors=true"],
        }
    }

    fn names_in(self, list: &str) -> Vec<String> {
        match self {
            Self::GoogleTest => google_tests(list),
            Self::Catch2 | Self::Catch3 => list
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect(),
            Self::Doctest => list
                .lines()
                .filter(|line| !line.starts_with("[doctest]") && !line.starts_with("===") && !line.is_empty())
                .map(str::to_owned)
                .collect(),
        }
    }

    fn arguments_of(self, name: &str) -> Vec<String> {
        match self {
            Self::GoogleTest => vec![format!("--gtest_filter={name}"), "--gtest_color=no".to_owned()],
            // A comma separates names, and brackets are tags.
            Self::Catch2 | Self::Catch3 => vec![escaped(name, &[',', '[', '\\'])],
            Self::Doctest => vec![
                format!("--test-case={}", escaped(name, &[',', '\\'])),
                "--no-colors=true".to_owned(),
            ],
        }
    }
}

fn escaped(name: &str, special: &[char]) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        if special.contains(&letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

/// A list of GoogleTest: suites end with a dot, their tests are indented, and what follows `#` describes parameters.
fn google_tests(list: &str) -> Vec<String> {
    let mut suite = "";
    let mut names = Vec::new();
    for line in list.lines() {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        match line.strip_prefix("  ") {
            Some(test) => names.push(format!("{suite}{test}")),
            None if line.ends_with('.') => suite = line,
            // What the main function prints.
            None => {}
        }
    }
    let is_disabled = |name: &String| name.split(['.', '/']).any(|part| part.starts_with("DISABLED_"));
    names.retain(|name| !is_disabled(name));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rust_tests_are_lines_that_end_with_their_kind() {
        let list = "queue::pops: test\nqueue::speed: benchmark\nstacks: test\n\n2 tests, 1 benchmark\n";
        assert_eq!(names_in(list).collect::<Vec<_>>(), ["queue::pops", "stacks"]);
    }

    #[test]
    fn google_tests_are_named_by_suite_and_test() {
        let list = "Running main() from gmock_main.cc\nQueue.\n  Pops\n  DISABLED_Later\nAll/Sized.  # TypeParam = int\n  Pops/0  # GetParam() = 3\n";
        assert_eq!(google_tests(list), ["Queue.Pops", "All/Sized.Pops/0"]);
        assert_eq!(
            CppLibrary::GoogleTest.arguments_of("Queue.Pops")[0],
            "--gtest_filter=Queue.Pops"
        );
    }

    #[test]
    fn lists_of_the_other_libraries_are_read() {
        let doctest = "[doctest] listing all test case names\n===\npops, then pushes\n===\n[doctest] unskipped test cases passing the current filters: 1\n";
        assert_eq!(CppLibrary::Doctest.names_in(doctest), ["pops, then pushes"]);
        assert_eq!(
            CppLibrary::Doctest.arguments_of("pops, then pushes")[0],
            "--test-case=pops\\, then pushes"
        );
        assert_eq!(
            CppLibrary::Catch3.names_in("pops\n  pushes [x]\n"),
            ["pops", "pushes [x]"]
        );
        assert_eq!(CppLibrary::Catch2.arguments_of("pushes [x]"), ["pushes \\[x]"]);
    }

    #[test]
    fn a_program_that_is_not_there_has_no_tests() {
        assert!(matches!(
            rust_tests(Path::new("/nonexistent"), "a", Path::new("/"), &[]),
            Err(ListError::Start { .. })
        ));
    }
}
