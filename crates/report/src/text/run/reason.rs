//! Why nothing explains the history of a run.

use omnilink_evidence::{Continuation, Counterexample, FailingRun, ThreadName, Unexplained};

use crate::look::{Look, Tone};
use crate::paragraph::wrapped;

/// How many alternatives are shown.
const ALTERNATIVES_MAX: usize = 5;

pub(super) fn text(run: &FailingRun, is_specified: bool, look: &Look) -> String {
    let mut page = String::new();
    match &run.why {
        Unexplained::Results { counterexample } => {
            let explains = if is_specified {
                "Nothing that the specification allows explains"
            } else {
                "No serial run explains"
            };
            let text = format!(
                "{explains} {}. What came back before can be explained, but then:",
                look.clean(&counterexample.op.text)
            );
            page.push_str(&wrapped("", &text, look));
            alternatives(&mut page, counterexample, look);
        }
        Unexplained::Crash { call, counterexample } => {
            page.push_str(&wrapped("", &format!("No serial run crashes in {call}:"), look));
            alternatives(&mut page, counterexample, look);
        }
        Unexplained::CrashAlone { call, signal } => {
            let text = if run.serial {
                format!(
                    "The process dies ({signal}) in {call} although one call is made after the other: it takes no concurrency."
                )
            } else {
                format!("The process dies ({signal}) in {call}, which no specification allows.")
            };
            page.push_str(&wrapped("", &text, look));
        }
        Unexplained::Stuck { calls } => {
            for stuck in calls {
                let thread = match &stuck.thread {
                    ThreadName::Number(thread) => format!("thread {thread}"),
                    ThreadName::Name(name) => name.clone(),
                };
                let text = format!(
                    "{} of {thread} is stuck for ever, and no serial run is stuck in it here:",
                    stuck.call
                );
                page.push_str(&wrapped("", &text, look));
                alternatives(&mut page, &stuck.counterexample, look);
            }
        }
        Unexplained::Blocked { calls } => {
            let also = if run.serial { " in a serial run" } else { "" };
            let text = format!(
                "{} never comes back{also}, and it was said that no call blocks.",
                calls.join(" and ")
            );
            page.push_str(&wrapped("", &text, look));
        }
        Unexplained::Race { accesses } => {
            page.push_str(
                "Nothing orders these two accesses to the same memory, and one of them is a write:\n",
            );
            for access in accesses {
                page.push_str(&wrapped("  ", &look.clean(access), look));
            }
            let text = "What the compiler and the machine make of that is anything. Make both atomic, or order them: a lock, or \
                        a release that the other thread acquires.";
            page.push_str(&wrapped("", text, look));
        }
        Unexplained::Specification { text } => page.push_str(text),
    }
    for line in &run.memory_error {
        page.push_str(&wrapped("  ", &look.clean(line), look));
    }
    if !run.stack.is_empty() {
        page.push_str("Where it crashed, the innermost function first:\n");
        for line in &run.stack {
            page.push_str(&format!("  {}\n", look.clean(line)));
        }
    }
    if !run.output.trim().is_empty() {
        page.push_str("What it printed:\n");
        for line in run.output.trim_end().lines() {
            page.push_str(&format!("  {}\n", look.clean(line)));
        }
    }
    if !matches!(run.why, Unexplained::Race { .. })
        && let Some(race) = run.races.first()
    {
        let text = format!("There is a data race in this run: {}.", race.join("; "));
        page.push_str(&wrapped("", &look.clean(&text), look));
    }
    page
}

/// Each way to explain what came before, and what becomes of the calls that could come next.
fn alternatives(page: &mut String, counterexample: &Counterexample, look: &Look) {
    for alternative in counterexample.alternatives.iter().take(ALTERNATIVES_MAX) {
        page.push_str(&wrapped("  ", &look.clean(&alternative.state), look));
        for candidate in &alternative.candidates {
            let op = look.clean(&candidate.op.text).into_owned();
            let op = match candidate.op.thread {
                ThreadName::Number(thread) => format!("{thread}: {op}"),
                ThreadName::Name(_) => op,
            };
            let line = match &candidate.continuation {
                Continuation::Refused {
                    reason: Some(reason), ..
                } => {
                    format!("{}: {}", look.paint(Tone::Bad, &op), look.clean(reason))
                }
                Continuation::Refused { reason: None, .. } => {
                    format!("{}: impossible", look.paint(Tone::Bad, &op))
                }
                Continuation::LeadsTo { .. } => format!("{op}: possible, but leads no further"),
            };
            page.push_str(&wrapped("    ", &line, look));
        }
    }
    let more = counterexample
        .alternatives_total
        .saturating_sub(ALTERNATIVES_MAX as u64);
    if more > 0 {
        page.push_str(&format!("  … and {more} more\n"));
    }
}
