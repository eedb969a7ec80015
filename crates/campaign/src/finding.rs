//! What a run found, and what findings of one cause have in common.

use std::fmt;

use crate::process::ProcessEnding;

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// The trace is not one of the specification's.
    Violation,
    /// The process died.
    Crash,
    /// The process did not end.
    Hang,
    /// A sanitizer reported something.
    Sanitizer,
    /// Memory was not freed.
    Leak,
    /// The run could not be checked: the harness failed, or wrote no trace.
    Error,
}

impl FindingKind {
    /// The word in the store and in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Violation => "violation",
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Sanitizer => "sanitizer",
            Self::Leak => "leak",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a run found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Of which kind.
    pub kind: FindingKind,
    /// What findings of one cause have in common: two runs with the same signature are counted together.
    pub signature: String,
    /// In a sentence.
    pub headline: String,
}

impl Finding {
    /// A finding, whose signature is its kind with what `cause` says after numbers and addresses are taken out.
    pub(crate) fn new(kind: FindingKind, cause: &str, headline: impl Into<String>) -> Self {
        Self {
            kind,
            signature: format!("{kind}: {}", without_numbers(cause)),
            headline: headline.into(),
        }
    }

    /// What the end of the process says, before its trace is looked at.
    pub(crate) fn of_process(ending: ProcessEnding, stderr: &str, stacks: Option<&str>) -> Option<Self> {
        if let Some(report) = sanitizer_report(stderr) {
            return Some(report);
        }
        match ending {
            ProcessEnding::Exit(0) | ProcessEnding::Stopped => None,
            ProcessEnding::Signal(signal) => {
                let name = signal_name(signal);
                let cause = last_line(stderr).map_or_else(|| name.clone(), |line| format!("{name}: {line}"));
                Some(Self::new(
                    FindingKind::Crash,
                    &cause,
                    format!("the process died by {cause}"),
                ))
            }
            ProcessEnding::Hung(limit) => {
                let frames = stacks.map(frames).unwrap_or_default();
                let cause = frames.join(" < ");
                let place = frames
                    .first()
                    .map_or_else(String::new, |frame| format!(", a thread is in {frame}"));
                let headline = format!("the process did not end within {} s{place}", limit.as_secs_f64());
                Some(Self::new(FindingKind::Hang, &cause, headline))
            }
            // Deadlock or livelock, as the scheduler's runtime reports it.
            ProcessEnding::Exit(86) => {
                let line = last_line(stderr).unwrap_or("deadlock or livelock");
                Some(Self::new(FindingKind::Hang, line, line))
            }
            ProcessEnding::Exit(code) => {
                let line = last_line(stderr).unwrap_or("it printed nothing to standard error");
                let headline = format!("the harness ended with exit code {code}: {line}");
                Some(Self::new(
                    FindingKind::Error,
                    &format!("exit {code}: {line}"),
                    headline,
                ))
            }
        }
    }
}

/// The first report of a sanitizer in what a process printed.
fn sanitizer_report(stderr: &str) -> Option<Finding> {
    let mut lines = stderr.lines();
    let first = lines.find(|line| {
        line.contains("Sanitizer:") && (line.contains("ERROR: ") || line.contains("WARNING: "))
            || line.contains(": runtime error: ")
    })?;
    let text = first
        .split_once("ERROR: ")
        .or_else(|| first.split_once("WARNING: "));
    let text = text.map_or(first, |(_, text)| text).trim();
    // The first frame of the program's own code says more than the address.
    let frame = lines.find_map(|line| {
        let (_, place) = line.trim().strip_prefix('#')?.split_once(" in ")?;
        (!place.starts_with("__") && !place.starts_with("operator ")).then(|| place.trim().to_owned())
    });
    let kind = if text.starts_with("LeakSanitizer") {
        FindingKind::Leak
    } else {
        FindingKind::Sanitizer
    };
    let what = text.split(" on address").next().unwrap_or(text);
    let cause = frame.map_or_else(|| what.to_owned(), |frame| format!("{what} in {frame}"));
    Some(Finding::new(kind, &cause, cause.clone()))
}

/// The functions on top of the stacks, the same for every run that hangs in the same way.
fn frames(stacks: &str) -> Vec<String> {
    let function = |line: &str| {
        let rest = line.trim().strip_prefix('#')?;
        let rest = rest.split_once(" in ").map_or(rest, |(_, rest)| rest);
        let name = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
        let name = name.split([' ', '(']).next()?;
        let is_waiting = name.starts_with("__") || name.contains("futex") || name.is_empty() || name == "??";
        (!is_waiting).then(|| name.to_owned())
    };
    let mut frames: Vec<String> = Vec::new();
    for thread in stacks.split("\nThread ") {
        if let Some(frame) = thread.lines().find_map(function)
            && !frames.contains(&frame)
        {
            frames.push(frame);
        }
    }
    frames.sort();
    frames
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

/// Numbers and addresses differ from run to run; `N` stands for them.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let starts_number = c.is_ascii_digit() && !before.is_alphanumeric() && before != '_';
        if starts_number {
            while chars.next_if(char::is_ascii_alphanumeric).is_some() {}
            out.push('N');
            before = 'N';
        } else {
            out.push(c);
            before = c;
        }
    }
    const LENGTH_MAX: usize = 240;
    match out.char_indices().nth(LENGTH_MAX) {
        Some((at, _)) => out[..at].to_owned(),
        None => out,
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGKILL => "SIGKILL",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGPIPE => "SIGPIPE",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn runs_of_one_cause_have_one_signature() {
        let crash = |line: &str| Finding::of_process(ProcessEnding::Signal(libc::SIGABRT), line, None);
        let (one, other) = (
            crash("x.c:12: assertion x == 3 failed\n"),
            crash("x.c:12: assertion x == 4 failed\n\n"),
        );
        assert_eq!(
            one.as_ref().map(|one| &one.signature),
            other.as_ref().map(|other| &other.signature)
        );
        assert_ne!(one, other);
        assert_eq!(one.map(|one| one.kind), Some(FindingKind::Crash));
    }

    #[test]
    fn sanitizers_count_more_than_the_exit_code() {
        let report = "==42==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1\n    \
                      #0 0x4f in __interceptor_free lib.c:1\n    #1 0x50 in Queue::pop(int) queue.cpp:17\n";
        let finding = Finding::of_process(ProcessEnding::Exit(1), report, None).expect("a finding");
        assert_eq!(finding.kind, FindingKind::Sanitizer);
        assert_eq!(
            finding.headline,
            "AddressSanitizer: heap-use-after-free in Queue::pop(int) queue.cpp:17"
        );
        let leak = "==9==ERROR: LeakSanitizer: detected memory leaks\n";
        let finding = Finding::of_process(ProcessEnding::Exit(23), leak, None).expect("a finding");
        assert_eq!(finding.kind, FindingKind::Leak);
    }

    #[test]
    fn a_hang_is_known_by_where_its_threads_are() {
        let stacks = "Thread 2 (Thread 0x7f (LWP 11)):\n#0  0x00 in __lll_lock_wait () from libc\n#1  0x01 in Queue::push (this=0x1)\n\
                      \nThread 1 (Thread 0x7f (LWP 10)):\n#0  futex_wait ()\n#1  0x2 in Queue::pop (this=0x1)\n";
        let hung = ProcessEnding::Hung(Duration::from_secs(3));
        let finding = Finding::of_process(hung, "", Some(stacks)).expect("a finding");
        assert_eq!(finding.signature, "hang: Queue::pop < Queue::push");
        assert!(finding.headline.contains("within 3 s"));
        assert_eq!(
            Finding::of_process(ProcessEnding::Exit(0), "warning\n", None),
            None
        );
    }
}
