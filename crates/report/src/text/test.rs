//! A test under many schedules: what failed, what the failure needs, where threads were switched, how to repeat it.

use std::fmt::Write as _;

use omnilink_evidence::{Evidence, FailingTest, TestCoverage, Verdict, Violation};

use crate::figures::counted;
use crate::look::{Look, Tone};

/// Lines of output that are shown.
const OUTPUT_LINES: usize = 20;
/// Functions of a call stack that are shown.
const STACK_LINES: usize = 8;

/// The report of a test: all about its failure, or one line.
pub(super) fn text(evidence: &Evidence, look: &Look) -> String {
    match &evidence.violation {
        Some(Violation::Test(failing)) => failure(&evidence.input, failing, look),
        _ => format!("{}\n", test_line(evidence, look)),
    }
}

/// One line about a test.
pub fn test_line(evidence: &Evidence, look: &Look) -> String {
    let name = look.clean(&evidence.input);
    let (tone, answer) = match (&evidence.violation, evidence.verdict) {
        (Some(Violation::Test(failing)), Verdict::Unknown) => {
            (Tone::Unsure, format!("SUSPECTED: {}", failing.failure))
        }
        (Some(Violation::Test(failing)), _) => {
            let word = if failing.flaky { "FLAKY" } else { "FAILED" };
            (Tone::Bad, format!("{word}: {}", failing.failure))
        }
        (_, Verdict::Valid) => (Tone::Good, "ok".to_owned()),
        (_, Verdict::Error) => (Tone::Bad, evidence.error.clone().unwrap_or_default()),
        _ => {
            let reason = evidence
                .unknown
                .as_ref()
                .and_then(|unknown| unknown.reason.clone());
            (Tone::Unsure, reason.unwrap_or_else(|| "unknown".to_owned()))
        }
    };
    let mut text = format!("{name} ... {}", look.paint(tone, &look.clean(&answer)));
    let is_run = evidence.test.as_deref().filter(|test| test.schedules > 0);
    if let Some(test) = is_run.filter(|_| evidence.verdict != Verdict::Error) {
        let _ = write!(text, " ({})", coverage(test));
        if !test.never_waited.is_empty() && evidence.violation.is_none() {
            let _ = write!(
                text,
                ", no thread waited at {} of {} where one may",
                test.never_waited.len(),
                counted(test.waiting_points, "place", "places")
            );
        }
        if test.weak_orders && !test.weak_memory && evidence.violation.is_none() {
            text.push_str(", sequentially consistent");
        }
        if !test.outside.is_empty() {
            text.push_str(", not all controlled");
        }
        if !test.all_races && evidence.violation.is_none() {
            text.push_str(", races only among the first 32 threads");
        }
    }
    text
}

fn coverage(test: &TestCoverage) -> String {
    match test.threads {
        0 | 1 => "one thread".to_owned(),
        threads => format!(
            "{}, {} different, {threads} threads, {}",
            counted(test.schedules, "schedule", "schedules"),
            test.interleavings,
            counted(test.steps, "step", "steps"),
        ),
    }
}

fn failure(name: &str, failing: &FailingTest, look: &Look) -> String {
    let (tone, what) = match failing.suspected {
        Some(_) => (Tone::Unsure, format!("{} suspected", failing.failure)),
        None => (Tone::Bad, failing.failure.clone()),
    };
    let mut text = format!("{}: {}\n", look.clean(name), look.paint(tone, &look.clean(&what)));
    let mut add = |line: &str| {
        let _ = writeln!(text, "  {}", look.clean(line));
    };
    failing.details.iter().for_each(|line| add(line));
    for waiting in &failing.waiting {
        let (thread, place) = (&waiting.thread, at(waiting.place.as_deref()));
        add(&format!("{thread} waits {place}"));
        // The first line is the one that was just told.
        for line in waiting.stack.iter().skip(1).take(STACK_LINES) {
            add(&format!("  called at {line}"));
        }
    }
    if let Some(reason) = &failing.suspected {
        add(&format!("It is suspected only: {reason}."));
    }
    add(&failing.needs_text);
    for decision in &failing.decisions {
        add(&format!(
            "  {} stops {}; {} goes on {}",
            decision.from,
            at(decision.place.as_deref()),
            decision.to,
            at(decision.to_place.as_deref())
        ));
    }
    if failing.decisions_left_out > 0 {
        add(&format!("  … and {} more", failing.decisions_left_out));
    }
    if !failing.stack.is_empty() {
        add("It was in:");
        for function in failing.stack.iter().take(STACK_LINES) {
            add(&format!("  {function}"));
        }
    }
    let printed: Vec<&str> = failing.output.lines().collect();
    if !printed.is_empty() {
        add("It printed:");
        for line in printed.iter().skip(printed.len().saturating_sub(OUTPUT_LINES)) {
            add(&format!("  {line}"));
        }
    }
    add(&format!("Repeat it:  {}", failing.rerun));
    text
}

/// Where a thread stands, in words.
fn at(place: Option<&str>) -> String {
    match place {
        Some(place) => format!("before {place}"),
        None => "at its beginning".to_owned(),
    }
}
