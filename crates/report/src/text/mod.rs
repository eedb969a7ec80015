//! The report for a person: the answer in plain words first, then the picture, then why.

mod agreement;
mod alternatives;
mod differences;
mod findings;
mod violation;

use omnilink_engine::{Consistency, Decider, Exhausted, OpView, Unfinished, Verdict, Witness};

use crate::figures::{bytes, count, counted, seconds};
use crate::look::{Look, Tone};
use crate::paragraph::{glued, push_wrapped};
use crate::report::{Answer, Report};

/// How much of an operation's text a line of prose takes; a drawing or the evidence has more.
const CALL_MAX: usize = 60;

/// How a limit came to end a check, in words.
pub(crate) fn limit_reached(limit: Exhausted) -> &'static str {
    match limit {
        Exhausted::Time => "the time limit was reached",
        Exhausted::Memory => "the memory limit was reached",
        Exhausted::Configurations => "the limit on configurations was reached",
        Exhausted::Interrupt => "it was interrupted",
        Exhausted::Length => "there are more operations than can be searched",
    }
}

impl Report {
    /// The report as text, ending with a newline.
    pub fn to_text(&self, look: &Look) -> String {
        let mut page = match &self.answer {
            Answer::Failed { message, .. } => {
                return self.headline(look, Tone::Bad, "cannot be checked", &look.clean(message));
            }
            Answer::Checked { outcome, minimal } => match &outcome.verdict {
                Verdict::Valid(witness) => self.valid(witness, look),
                Verdict::Violation(counterexample) => {
                    self.violation(counterexample, minimal.as_deref(), look)
                }
                Verdict::Unknown(unfinished) => self.unknown(unfinished, look),
            },
        };
        if let Some(findings) = &self.findings {
            self.push_findings(&mut page, findings, look);
        }
        self.push_keys(&mut page, look);
        page
    }

    /// `input: word: sentence`, the word in colour.
    fn headline(&self, look: &Look, tone: Tone, word: &str, sentence: &str) -> String {
        let input = look.clean(&self.input);
        let mut page = String::new();
        let plain = format!("{input}: {word}: ");
        push_wrapped(&mut page, &plain, "  ", sentence, look);
        let painted = format!(
            "{}: {}: ",
            look.paint(Tone::Strong, &input),
            look.paint(tone, word)
        );
        page.replacen(&plain, &painted, 1)
    }

    fn valid(&self, witness: &Witness, look: &Look) -> String {
        let figures = self.figures();
        let operations = counted(figures.operations, "operation", "operations");
        let threads = counted(self.threads.len() as u64, "thread", "threads");
        let mut sentence = match figures.operations {
            0 => "there are no operations, so there is nothing to explain".to_owned(),
            1 => format!("{operations} of {threads} is explained by {}", self.model),
            _ => format!("{operations} of {threads} are explained by {}", self.model),
        };
        if figures.operations > 0 {
            sentence.push_str(match self.consistency {
                Consistency::Linearizable => ", in an order that respects all timeboxes",
                Consistency::Sequential => ", in an order that keeps each thread's own",
            });
        }
        let findings = self.findings.iter();
        if findings
            .flat_map(|findings| &findings.vacuity)
            .any(|reason| reason.is_serious)
        {
            sentence.push_str("; but this means little: see the notes");
        }
        let mut details = self.cost();
        if witness.replayed > 0 {
            details.push(format!("{} replayed", counted(witness.replayed, "step", "steps")));
        }
        sentence.push_str(&format!(" ({})", details.join(", ")));
        self.headline(look, Tone::Good, "valid", &sentence)
    }

    /// What the check took.
    fn cost(&self) -> Vec<String> {
        let figures = self.figures();
        let mut cost = vec![seconds(self.seconds)];
        cost.extend(self.peak_bytes.map(bytes));
        if figures.frontier_max > 0 {
            cost.push(format!(
                "at most {} alive",
                counted(figures.frontier_max, "configuration", "configurations")
            ));
        }
        if figures.decider == Some(Decider::Monitor) {
            cost.push("decided by a monitor".to_owned());
        }
        if figures.partitions > 1 {
            cost.push(format!("{} parts", count(figures.partitions)));
        }
        cost
    }

    fn unknown(&self, unfinished: &Unfinished, look: &Look) -> String {
        let sentence = format!(
            "{} before there was an answer ({})",
            limit_reached(unfinished.limit),
            self.cost().join(", ")
        );
        let mut page = self.headline(look, Tone::Unsure, "unknown", &sentence);
        let figures = self.figures();
        let explained = counted(unfinished.explained, "return is", "returns are");
        let mut reached = format!("{explained} explained so far");
        match &unfinished.at {
            Some(op) => reached.push_str(&format!(
                "; the search stopped at the return of {}, with {} alive.",
                self.sentence_of(op, look),
                counted(unfinished.frontier, "configuration", "configurations"),
            )),
            None => reached.push('.'),
        }
        push_wrapped(&mut page, "  ", "  ", &reached, look);
        for alternative in unfinished.alternatives.iter().take(1) {
            let state = look.clean(&alternative.state);
            push_wrapped(
                &mut page,
                "  ",
                "  ",
                &format!(
                    "{} the state {state}.",
                    if unfinished.frontier == 1 {
                        "It has"
                    } else {
                        "One of them has"
                    }
                ),
                look,
            );
        }
        let mut advice = vec![match unfinished.limit {
            Exhausted::Time => "give it a higher --time-limit",
            Exhausted::Memory => {
                "give it a higher --memory-limit, or --strategy sweep, which keeps only the frontier"
            }
            Exhausted::Configurations => "give it a higher --config-limit",
            Exhausted::Interrupt => "let it run to its end, or give it a --time-limit",
            Exhausted::Length => "split the history",
        }];
        if figures.pending > 0 {
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
    fn sentence_of(&self, op: &OpView, look: &Look) -> String {
        let name = self.threads.name(op.thread);
        let text = look.clean(&op.text);
        let call = format!("thread {}'s {}", look.clean(&name), look.shorten(&text, CALL_MAX));
        let mut sentence = format!("{} {}", glued(&call), glued(&timebox(op)));
        if let Some(place) = self.place(op) {
            sentence.push_str(&format!(" ({})", look.clean(place)));
        }
        sentence
    }
}

/// `[120, 140]`, or `[120, pending)`.
fn timebox(op: &OpView) -> String {
    match op.timebox.end {
        Some(end) => format!("[{}, {end}]", op.timebox.start),
        None => format!("[{}, pending)", op.timebox.start),
    }
}
