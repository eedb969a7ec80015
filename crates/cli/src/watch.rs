//! What happens while a log is watched, and when it is violated: figures for Prometheus, and a command.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use omnilink_evidence::{Evidence, Verdict};
use omnilink_verify::{NewFile, ProgressCounter};

use crate::error::CliError;

/// How often figures are written.
const INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Args)]
pub(crate) struct WatchArgs {
    /// Run this command with `sh -c` when a log is violated; it gets the evidence, a line of JSON, as its input
    #[arg(long, value_name = "COMMAND")]
    on_violation: Option<String>,
    /// Keep figures in this file, every second, in the text format of Prometheus
    #[arg(long, value_name = "FILE.prom")]
    metrics: Option<PathBuf>,
}

impl WatchArgs {
    /// Finds out now whether figures can be written: of one log, and to this file.
    pub(crate) fn check(&self, logs: usize) -> Result<(), CliError> {
        match (&self.metrics, logs) {
            (Some(path), 0 | 1) => Ok(NewFile::check(path).map(drop)?),
            (Some(_), _) => Err(CliError::Usage(
                "--metrics takes one log; run the command once for each".to_owned(),
            )),
            (None, _) => Ok(()),
        }
    }

    /// Refuses what is for logs only.
    pub(crate) fn refuse(&self) -> Result<(), CliError> {
        match (&self.metrics, &self.on_violation) {
            (None, None) => Ok(()),
            _ => Err(CliError::Usage(
                "--metrics and --on-violation are for logs; the exit code tells the verdict about a trace of operations".to_owned(),
            )),
        }
    }

    /// Checks a log, with figures while it runs, and the command if it is violated.
    pub(crate) fn over(
        &self,
        log: &str,
        progress: &ProgressCounter,
        check: impl FnOnce() -> Evidence,
    ) -> Evidence {
        let mut evidence = match &self.metrics {
            None => check(),
            Some(path) => std::thread::scope(|scope| {
                let (ended, end) = channel::<()>();
                scope.spawn(move || {
                    // What cannot be written now may be written in a second; the last time it is told.
                    while end.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                        let _ = write_figures(path, log, progress.operations(), None);
                    }
                });
                let mut evidence = check();
                drop(ended);
                if let Err(error) = write_figures(path, log, progress.operations(), Some(&evidence)) {
                    evidence.notes.push(error.to_string());
                }
                evidence
            }),
        };
        if let (Some(command), Verdict::Violation) = (&self.on_violation, evidence.verdict)
            && let Err(problem) = run(command, log, &evidence)
        {
            evidence
                .notes
                .push(format!("--on-violation {command}: {problem}"));
        }
        evidence
    }
}

fn write_figures(path: &Path, log: &str, lines: u64, answer: Option<&Evidence>) -> Result<(), CliError> {
    NewFile::check(path)?.write(figures(log, lines, answer).as_bytes())?;
    Ok(())
}

/// The figures of a log, in the text format of Prometheus.
fn figures(log: &str, lines: u64, answer: Option<&Evidence>) -> String {
    let log = log
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    let is = |verdict: Verdict| u8::from(answer.is_some_and(|answer| answer.verdict == verdict));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut text = String::new();
    let mut add = |name: &str, kind: &str, help: &str, value: String| {
        text.push_str(&format!(
            "# HELP {name} {help}\n# TYPE {name} {kind}\n{name}{{log=\"{log}\"}} {value}\n"
        ));
    };
    let running = u8::from(answer.is_none());
    add(
        "omnilink_log_watched",
        "gauge",
        "Whether the log is being checked.",
        running.to_string(),
    );
    add(
        "omnilink_log_lines_explained_total",
        "counter",
        "Lines that the specification explains.",
        lines.to_string(),
    );
    add(
        "omnilink_log_violated",
        "gauge",
        "Whether a line cannot be explained.",
        is(Verdict::Violation).to_string(),
    );
    add(
        "omnilink_log_failed",
        "gauge",
        "Whether the check ended with an error.",
        is(Verdict::Error).to_string(),
    );
    add(
        "omnilink_log_updated_seconds",
        "gauge",
        "When these figures were written.",
        now.as_secs().to_string(),
    );
    text
}

/// Runs a command with the evidence as its input.
fn run(command: &str, log: &str, evidence: &Evidence) -> Result<(), String> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .env("OMNILINK_LOG", log)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    if let Some(mut input) = child.stdin.take() {
        // A command that does not read its input is none the worse for it.
        let _ = writeln!(input, "{}", evidence.to_json());
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("it ended with {status}")),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_form_that_prometheus_reads() {
        let text = figures("a\"b\n", 3, None);
        assert!(
            text.contains("omnilink_log_lines_explained_total{log=\"a\\\"b\\n\"} 3\n"),
            "{text}"
        );
        assert!(
            text.contains("omnilink_log_watched{log=\"a\\\"b\\n\"} 1\n"),
            "{text}"
        );
        let is_line = |line: &str| {
            line.starts_with("# ")
                || line
                    .split("} ")
                    .nth(1)
                    .is_some_and(|value| value.parse::<u64>().is_ok())
        };
        assert!(text.lines().all(is_line), "{text}");
    }
}
