//! Exploration inside `cargo test`: a test that is not driven by `omnilink lineup` runs it on itself.
//!
//! The command builds an instrumented twin of the test program, in a target folder of its own that is kept, and checks the component
//! of the one test function. The test fails with the report if there is a violation.

use std::env;
use std::ffi::OsString;
use std::io;
use std::process::{Command, Output};

/// The command, if it is not `omnilink` on the path; `skip` passes tests without checking anything.
const COMMAND: &str = "OMNILINK";
/// More arguments, separated by spaces.
const ARGUMENTS: &str = "OMNILINK_LINEUP_ARGS";
/// What one test may take if the arguments do not say it.
const TIME_LIMIT: &str = "60s";
/// How many random matrices of each shape a test checks if the arguments do not say it. The command itself would go on until the time
/// is up, and so would every test of a correct component.
const SAMPLES: &str = "100";

/// What the exploration answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Exploration {
    /// Nothing was found, or nothing was to be done: this text says what that covers.
    Passed(String),
    /// There is a violation, or the component could not be checked.
    Failed(String),
}

/// Has the component of the current test explored.
pub(crate) fn explore(component: &str) -> Exploration {
    let command = env::var_os(COMMAND).unwrap_or_else(|| OsString::from("omnilink"));
    if command == "skip" {
        return Exploration::Passed(format!("{component}: not checked, because {COMMAND}=skip"));
    }
    // Cargo tells a test the folder of its package. A program that is started in another way is no test.
    let (Some(folder), Some(target)) = (env::var_os("CARGO_MANIFEST_DIR"), target_name()) else {
        return Exploration::Failed(format!(
            "{component}: start this test with `cargo test`, or check it with `omnilink lineup`"
        ));
    };
    let given = env::var(ARGUMENTS).unwrap_or_default();
    let mut arguments: Vec<OsString> = vec!["lineup".into(), folder, "--test".into(), target.into()];
    // With one test thread, libtest uses the main thread, whose name is not that of the test: all tests of the program are checked.
    if let Some(case) = std::thread::current().name().filter(|name| *name != "main") {
        arguments.extend(["--case".into(), case.into()]);
    }
    arguments.extend(chosen(&given).into_iter().map(OsString::from));
    answer(component, Command::new(&command).args(arguments).output())
}

/// The arguments that were given, and those that a test has unless they say otherwise.
fn chosen(given: &str) -> Vec<&str> {
    let mut arguments: Vec<&str> = given.split_whitespace().collect();
    for (name, value) in [("--time-limit", TIME_LIMIT), ("--samples", SAMPLES)] {
        let is_name = |word: &&str| word.split('=').next() == Some(name);
        if !arguments.iter().any(is_name) {
            arguments.extend([name, value]);
        }
    }
    arguments
}

fn answer(component: &str, output: io::Result<Output>) -> Exploration {
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            return Exploration::Failed(format!(
                "{component}: the omnilink command cannot be started ({error}); install it, or set {COMMAND} to its path, or to \
                 `skip` to pass without checking anything"
            ));
        }
    };
    let report = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    match output.status.code() {
        // Unknown is no failure: the report says what was covered until the limit.
        Some(0 | 3) => Exploration::Passed(report),
        Some(1) => Exploration::Failed(report),
        _ => Exploration::Failed(format!(
            "{report}\n{}",
            String::from_utf8_lossy(&output.stderr).trim_end()
        )),
    }
}

/// The name of the test target, from that of the program: `queue-0123456789abcdef`.
fn target_name() -> Option<String> {
    let program = env::current_exe().ok()?;
    let (name, _hash) = program.file_stem()?.to_str()?.rsplit_once('-')?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_not_there_fails_the_test_and_says_what_to_do() {
        let missing = Command::new("/no/such/omnilink").output();
        let Exploration::Failed(message) = answer("queue", missing) else {
            panic!("nothing was checked");
        };
        assert!(
            message.contains("queue: the omnilink command") && message.contains("skip"),
            "{message}"
        );
    }

    #[test]
    fn a_test_ends_when_what_is_asked_for_has_been_checked() {
        assert_eq!(chosen(""), ["--time-limit", "60s", "--samples", "100"]);
        let given = ["--samples=5", "--auto", "3", "--time-limit", "9s"];
        assert_eq!(chosen(&given.join(" ")), given);
    }

    #[test]
    fn only_violations_and_failures_fail() {
        let exit = |code: u8| {
            answer(
                "queue",
                Command::new("sh")
                    .args(["-c", &format!("echo report; exit {code}")])
                    .output(),
            )
        };
        let passed = Exploration::Passed("report".to_owned());
        assert_eq!(
            (exit(0), exit(3)),
            (passed, Exploration::Passed("report".to_owned()))
        );
        assert_eq!(exit(1), Exploration::Failed("report".to_owned()));
        assert!(matches!(exit(2), Exploration::Failed(_)));
    }
}
