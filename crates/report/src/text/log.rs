//! A log checked against a specification: the answer, the line that nothing explains, why, and what would have to be different.

use omnilink_evidence::{
    Continuation, Counterexample, Evidence, LogCoverage, LogEnding, LogFindings, ReportedOperation, Unknown,
    VacuityFindings, Verdict, Violation,
};

use super::{TextOptions, headline, limit_reached};
use crate::figures::{bytes, count, counted, seconds};
use crate::look::{Look, Tone};
use crate::paragraph::push_wrapped;

/// How many states before the line are written out.
const STATES_MAX: usize = 4;
/// How many of the lines before it are written out.
const RECENT_MAX: usize = 6;
/// How many other ends of explanations are written out.
const ENDINGS_MAX: usize = 4;
/// How many candidates are written out for each state.
const CANDIDATES_MAX: usize = 6;

/// The report of a log as text.
pub(super) fn text(evidence: &Evidence, options: &TextOptions) -> String {
    let look = &options.look;
    let mut page = match (evidence.verdict, &evidence.violation, &evidence.unknown) {
        (_, Some(Violation::Operation(counterexample)), _) => violation(evidence, counterexample, look),
        (Verdict::Unknown, _, Some(unknown)) => unknown_text(evidence, unknown, look),
        _ => valid(evidence, look),
    };
    if let Some(findings) = evidence.log.as_deref().filter(|_| options.coverage) {
        push_coverage(&mut page, findings, look);
    }
    page
}

fn model(evidence: &Evidence) -> &str {
    evidence.model.as_deref().unwrap_or("the specification")
}

fn cost(evidence: &Evidence) -> String {
    let figures = &evidence.figures;
    let mut cost = vec![seconds(figures.seconds)];
    cost.extend(figures.peak_bytes.map(bytes));
    cost.extend(
        figures
            .configurations
            .map(|states| counted(states, "state", "states")),
    );
    cost.join(", ")
}

fn valid(evidence: &Evidence, look: &Look) -> String {
    let lines = counted(evidence.figures.ops, "line", "lines");
    let are = if evidence.figures.ops == 1 { "is" } else { "are" };
    let mut sentence = match evidence.figures.ops {
        0 => "there are no lines, so there is nothing to explain".to_owned(),
        _ => format!("{lines} {are} explained by a behaviour of {}", model(evidence)),
    };
    // Words without effect and lines that no rule is about take nothing from what was checked; only --strict minds them.
    let means_little =
        |reason: &VacuityFindings| reason.is_serious && !matches!(&*reason.kind, "unused" | "no_rule");
    if evidence.vacuity.iter().flatten().any(means_little) {
        sentence.push_str("; but this means little: see the notes");
    }
    let choices = evidence.log.as_deref().map_or(0, |log| log.choices);
    if choices > 0 {
        sentence.push_str("; the log leaves a choice of steps");
        if let Some(first) = evidence.log.as_deref().and_then(|log| log.first_choice.as_ref()) {
            sentence.push_str(&format!(", first at {first}"));
        }
    }
    sentence.push_str(&format!(" ({})", cost(evidence)));
    headline(&evidence.input, look, Tone::Good, "valid", &sentence)
}

fn unknown_text(evidence: &Evidence, unknown: &Unknown, look: &Look) -> String {
    let sentence = format!(
        "{} before there was an answer; {} explained so far, by {} ({})",
        limit_reached(unknown.limit),
        counted(unknown.explained, "line is", "lines are"),
        counted(unknown.frontier, "state", "states"),
        cost(evidence)
    );
    let mut page = headline(&evidence.input, look, Tone::Unsure, "unknown", &sentence);
    let advice = "A log that says more is easier: log the names of events, arguments, or the variables that they change; declare \
                  variables that are always logged (`tracked` in the link file); or give it a higher limit.";
    push_wrapped(&mut page, "  ", "  ", advice, look);
    page
}

fn described(op: &ReportedOperation, look: &Look) -> String {
    let place = op.place.as_deref().unwrap_or("the beginning");
    look.clean(&format!("{place} (node {}): {}", op.thread, op.text))
        .into_owned()
}

fn violation(evidence: &Evidence, counterexample: &Counterexample, look: &Look) -> String {
    let op = &counterexample.op;
    let place = op.place.as_deref().unwrap_or("the log");
    let sentence = match &counterexample.broken {
        Some(broken) => format!(
            "{} after {place}, whatever explains the lines ({})",
            broken.rule,
            cost(evidence)
        ),
        None => format!(
            "no behaviour of {} explains {place} ({})",
            model(evidence),
            cost(evidence)
        ),
    };
    let mut page = headline(&evidence.input, look, Tone::Bad, "violation", &sentence);
    push_wrapped(&mut page, "  ", "    ", &described(op, look), look);
    if let Some(alternative) = counterexample.alternatives.first() {
        let from = alternative.recent.len().saturating_sub(RECENT_MAX);
        let recent = &alternative.recent[from..];
        if !recent.is_empty() {
            page.push_str("\nThe lines before it, in one of the explanations:\n");
        }
        for op in recent {
            push_wrapped(&mut page, "  ", "    ", &described(op, look), look);
        }
    }
    let total = counterexample.alternatives_total;
    let heading = match total {
        0 => "No initial state is possible.".to_owned(),
        1 => "They lead to one state:".to_owned(),
        total => format!(
            "Lines before it can be explained in ways that lead to {} states:",
            count(total)
        ),
    };
    page.push('\n');
    push_wrapped(&mut page, "", "", &heading, look);
    for alternative in counterexample.alternatives.iter().take(STATES_MAX) {
        push_wrapped(&mut page, "  ", "     ", &look.clean(&alternative.state), look);
        for candidate in alternative.candidates.iter().take(CANDIDATES_MAX) {
            let Continuation::Refused { reason, .. } = &candidate.continuation else {
                continue;
            };
            let reason = reason.as_deref().unwrap_or("it is not possible");
            let text = look
                .clean(&format!("{}: {reason}", candidate.op.text))
                .into_owned();
            push_wrapped(&mut page, "    - ", "      ", &text, look);
        }
    }
    if total > STATES_MAX as u64 {
        page.push_str(&format!("  … and {} more\n", count(total - STATES_MAX as u64)));
    }
    let endings = evidence
        .log
        .as_deref()
        .map_or(&[] as &[LogEnding], |log| &log.endings);
    if endings.len() > 1 {
        page.push_str("\nOther explanations end elsewhere:\n");
        for ending in endings.iter().skip(1).take(ENDINGS_MAX) {
            let text = format!(
                "after {}, before {} ({})",
                counted(ending.lines, "line", "lines"),
                ending.refused.join(", "),
                counted(ending.states, "state", "states")
            );
            push_wrapped(&mut page, "  - ", "    ", &look.clean(&text), look);
        }
        if endings.len() > ENDINGS_MAX + 1 {
            page.push_str("  … and others\n");
        }
    }
    let guesses = evidence
        .log
        .as_deref()
        .map_or(&[] as &[String], |log| &log.guesses);
    if !guesses.is_empty() {
        page.push_str("\nWhat may be wrong:\n");
        for guess in guesses {
            push_wrapped(&mut page, "  - ", "    ", &look.clean(guess), look);
        }
    }
    page
}

fn push_coverage(page: &mut String, findings: &LogFindings, look: &Look) {
    page.push_str("\nHow often each action was taken, in the explanations that were tried:\n");
    for action in &findings.actions {
        let text = format!("{} {} ({})", count(action.taken), action.action, action.at);
        push_wrapped(page, "  ", "    ", &look.clean(&text), look);
    }
}

/// What several logs exercised together, as text.
pub fn log_coverage_text(coverage: &LogCoverage, look: &Look) -> String {
    let mut page = format!(
        "\nHow often each action was taken in {}, in the explanations that were tried:\n",
        counted(coverage.logs, "log", "logs")
    );
    for action in &coverage.actions {
        let logs = match action.taken {
            0 => "never".to_owned(),
            taken => format!("{} in {}", count(taken), counted(action.logs, "log", "logs")),
        };
        let text = format!("{}: {logs} ({})", action.action, action.at);
        push_wrapped(&mut page, "  ", "    ", &look.clean(&text), look);
    }
    page
}
