//! A history checked for linearizability or sequential consistency: the answer in plain words, the picture, the reason.

mod agreement;
mod alternatives;
mod differences;
mod findings;
mod keys;
mod violation;

use omnilink_evidence::{
    Decider, Evidence, Limit, ReportedOperation, Unknown, VacuityFindings, Verdict, Violation,
};

use super::{TextOptions, limit_reached};
use crate::figures::{bytes, count, counted, seconds};
use crate::look::{Look, Tone};
use crate::paragraph::{glued, push_wrapped};

/// How much of an operation's text a line of prose takes; a drawing or the evidence has more.
const CALL_MAX: usize = 60;

/// The report of a history as text.
pub(super) fn text(evidence: &Evidence, options: &TextOptions) -> String {
    let look = &options.look;
    let page = Page { evidence };
    let mut text = match (evidence.verdict, &evidence.violation, &evidence.unknown) {
        (_, Some(Violation::Operation(counterexample)), _) => {
            page.violation(counterexample, evidence.minimal.as_deref(), look)
        }
        (Verdict::Unknown, _, Some(unknown)) => page.unknown(unknown, look),
        _ => page.valid(look),
    };
    if let Some(findings) = &evidence.spec {
        page.push_findings(&mut text, findings, options.coverage, look);
    }
    page.push_keys(&mut text, look);
    text
}

/// A page about one history.
#[derive(Clone, Copy)]
struct Page<'a> {
    evidence: &'a Evidence,
}

impl Page<'_> {
    fn is_sequential(&self) -> bool {
        self.evidence.consistency.as_deref() == Some("sequential")
    }

    fn model(&self) -> &str {
        self.evidence.model.as_deref().unwrap_or("the model")
    }

    /// `input: word: sentence`, the word in colour.
    fn headline(&self, look: &Look, tone: Tone, word: &str, sentence: &str) -> String {
        super::headline(&self.evidence.input, look, tone, word, sentence)
    }

    fn valid(&self, look: &Look) -> String {
        let figures = &self.evidence.figures;
        let operations = counted(figures.ops, "operation", "operations");
        let threads = counted(figures.threads.unwrap_or(0), "thread", "threads");
        let mut sentence = match figures.ops {
            0 => "there are no operations, so there is nothing to explain".to_owned(),
            1 => format!("{operations} of {threads} is explained by {}", self.model()),
            _ => format!("{operations} of {threads} are explained by {}", self.model()),
        };
        if figures.ops > 0 {
            sentence.push_str(if self.is_sequential() {
                ", in an order that keeps each thread's own"
            } else {
                ", in an order that respects all timeboxes"
            });
        }
        let is_serious = |reasons: &Vec<VacuityFindings>| reasons.iter().any(|reason| reason.is_serious);
        if self.evidence.vacuity.as_ref().is_some_and(is_serious) {
            sentence.push_str("; but this means little: see the notes");
        }
        let mut details = self.cost();
        if let Some(replayed) = figures.replayed.filter(|replayed| *replayed > 0) {
            details.push(format!("{} replayed", counted(replayed, "step", "steps")));
        }
        sentence.push_str(&format!(" ({})", details.join(", ")));
        self.headline(look, Tone::Good, "valid", &sentence)
    }

    /// What the check cost.
    fn cost(&self) -> Vec<String> {
        let figures = &self.evidence.figures;
        let mut cost = vec![seconds(figures.seconds)];
        cost.extend(figures.peak_bytes.map(bytes));
        if let Some(alive) = figures.frontier_max.filter(|alive| *alive > 0) {
            cost.push(format!(
                "at most {} alive",
                counted(alive, "configuration", "configurations")
            ));
        }
        if figures.decided_by == Some(Decider::Monitor) {
            cost.push("decided by a monitor".to_owned());
        }
        if figures.decided_by == Some(Decider::Plain) {
            cost.push("decided by trying every order".to_owned());
        }
        if let Some(parts) = figures.partitions.filter(|parts| *parts > 1) {
            cost.push(format!("{} parts", count(parts)));
        }
        cost
    }

    fn unknown(&self, unknown: &Unknown, look: &Look) -> String {
        if let (Limit::Inconclusive, Some(reason)) = (unknown.limit, &unknown.reason) {
            return self.headline(look, Tone::Unsure, "unknown", &look.clean(reason));
        }
        let sentence = format!(
            "{} before there was an answer ({})",
            limit_reached(unknown.limit),
            self.cost().join(", ")
        );
        let mut page = self.headline(look, Tone::Unsure, "unknown", &sentence);
        let explained = counted(unknown.explained, "return is", "returns are");
        let mut reached = format!("{explained} explained so far");
        match &unknown.at {
            Some(op) => reached.push_str(&format!(
                "; the search stopped at the return of {}, with {} alive.",
                self.sentence_of(op, look),
                counted(unknown.frontier, "configuration", "configurations"),
            )),
            None => reached.push('.'),
        }
        push_wrapped(&mut page, "  ", "  ", &reached, look);
        for alternative in unknown.alternatives.iter().take(1) {
            let state = look.state(&alternative.state);
            push_wrapped(
                &mut page,
                "  ",
                "  ",
                &format!(
                    "{} the state {state}.",
                    if unknown.frontier == 1 {
                        "It has"
                    } else {
                        "One of them has"
                    }
                ),
                look,
            );
        }
        let mut advice = vec![match unknown.limit {
            Limit::Time => "give it a higher --time-limit",
            Limit::Memory => {
                "give it a higher --memory-limit, or --strategy sweep, which keeps only the frontier"
            }
            Limit::Configurations => "give it a higher --config-limit",
            Limit::Interrupt => "let it run to its end, or give it a --time-limit",
            Limit::Operations | Limit::Behaviours | Limit::Depth | Limit::Unchecked | Limit::Inconclusive => {
                "split the history"
            }
        }];
        if self.evidence.figures.pending > 0 {
            advice
                .push("find out what became of the pending operations: each doubles what may have happened");
        }
        advice.push("record narrower timeboxes: every overlap is a choice");
        push_wrapped(
            &mut page,
            "  What to try: ",
            "  ",
            &format!("{}.", advice.join("; ")),
            look,
        );
        page
    }

    /// `thread 3's dequeue() = 5 [120, 140] (queue.ndjson:17)`
    fn sentence_of(&self, op: &ReportedOperation, look: &Look) -> String {
        let thread = op.thread.to_string();
        let text = look.clean(&op.text);
        let call = format!(
            "thread {}'s {}",
            look.clean(&thread),
            look.shorten(&text, CALL_MAX)
        );
        let mut sentence = format!("{} {}", glued(&call), glued(&timebox(op)));
        if let Some(place) = &op.place {
            sentence.push_str(&format!(" ({})", look.clean(place)));
        }
        sentence
    }
}

/// `[120, 140]`, or `[120, pending)`.
fn timebox(op: &ReportedOperation) -> String {
    let start = op.start.unwrap_or(0);
    match op.end {
        Some(end) => format!("[{start}, {end}]"),
        None => format!("[{start}, pending)"),
    }
}
