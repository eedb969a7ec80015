//! The report of a weak check for a person.

use omnilink_consistency::{
    Answer, Explanation, Inference, IsolationVerdict, Judgement, LongVerdict, OpSet, Refutation, ShownOp,
    Unfinished, WeakVerdict,
};

use omnilink_engine::Exhausted;

use super::{WeakReport, thread_count};
use crate::figures::{counted, seconds};
use crate::look::{Look, Tone};
use crate::paragraph::push_wrapped;
use crate::text::limit_reached;

impl WeakReport {
    /// The report as text, ending with a newline.
    pub fn to_text(&self, look: &Look) -> String {
        let verdict = self.judgement.verdict();
        let tone = match verdict {
            "valid" => Tone::Good,
            "violation" => Tone::Bad,
            _ => Tone::Unsure,
        };
        let mut page = look.paint(Tone::Strong, &look.clean(&self.input)).into_owned();
        let id = look.clean(&self.judgement.id);
        match &self.judgement.answer {
            Answer::Inferred(_) => page.push_str(&format!(": {id}")),
            // A trace is one history, and goes by the name of its file.
            _ if self.judgement.id == self.input => {}
            _ => page.push_str(&format!(": history {id}")),
        }
        page.push_str(&format!(
            ": {}: {}\n",
            look.paint(tone, verdict),
            look.clean(&self.sentence())
        ));
        match verdict {
            // The order of a valid history is for a witness: it would be a line for every operation.
            "valid" if !matches!(self.judgement.answer, Answer::Inferred(_)) => page,
            _ => page + &weak_evidence(&self.judgement, look),
        }
    }

    /// `6 operations of 3 threads are weak by java-map (0.2 ms)`
    fn sentence(&self) -> String {
        let took = seconds(self.seconds);
        let asked = &self.judgement.question;
        let by = &self.model;
        match &self.judgement.answer {
            Answer::Operations { ops, outcome, .. } => {
                let size = size(ops);
                let claim = match &outcome.verdict {
                    WeakVerdict::Valid(explanation) if explanation.is_complete() => {
                        ", and everyone sees everything before them"
                    }
                    _ => "",
                };
                format!("{size} against {by}, {asked}{claim} ({took})")
            }
            Answer::Long { ops, verdict, .. } => {
                let size = size(ops);
                let claim = match verdict {
                    LongVerdict::Valid { by: Some(by), .. } if by.name() != asked => format!(", since {by}"),
                    _ => String::new(),
                };
                format!("{size} against {by}, {asked}{claim} ({took})")
            }
            Answer::Unread { operations, limit } => {
                let ops = counted(*operations as u64, "operation", "operations");
                format!(
                    "{} after {ops} had been read, {asked} ({took})",
                    limit_reached(*limit)
                )
            }
            Answer::Transactions { operations, .. } => {
                let ops = counted(*operations as u64, "operation", "operations");
                format!("{ops} in transactions, {asked} ({took})")
            }
            Answer::Inferred(_) => format!("strongest levels against {by} ({took})"),
        }
    }
}

fn size(ops: &[ShownOp]) -> String {
    let threads = counted(thread_count(ops) as u64, "thread", "threads");
    let ops = counted(ops.len() as u64, "operation", "operations");
    format!("{ops} of {threads}")
}

/// The evidence of an answer as text: lines that end with a newline, or nothing where the answer says it all.
pub fn weak_evidence(judgement: &Judgement, look: &Look) -> String {
    match &judgement.answer {
        Answer::Operations { ops, outcome, .. } => {
            let mut page = Page {
                ops,
                look,
                text: String::new(),
            };
            match &outcome.verdict {
                WeakVerdict::Valid(explanation) => page.explanation(explanation),
                WeakVerdict::Violation(refutation) => page.refutation(refutation),
                WeakVerdict::Unknown(unfinished) => page.unfinished(unfinished),
            }
            page.text
        }
        Answer::Unread { .. } => String::new(),
        Answer::Long { ops, verdict, .. } => {
            let line = match verdict {
                LongVerdict::Valid { .. } => return String::new(),
                LongVerdict::Anomaly(anomaly) => {
                    return anomaly_lines(&IsolationVerdict::Violation(anomaly.clone()), look);
                }
                LongVerdict::Violation(op) => {
                    let shown = ops.get(*op).map_or("", |op| op.text.as_str());
                    let thread = ops.get(*op).map_or("", |op| op.thread.as_str());
                    format!("no order explains thread {thread}: {shown}")
                }
                LongVerdict::Unknown(Exhausted::Length) => format!(
                    "no stronger level holds, and more than {} operations cannot be searched for this one: split the history, or record \
                     reads and writes of registers (models register and kv) in which no value is written twice",
                    OpSet::CAPACITY
                ),
                LongVerdict::Unknown(limit) => {
                    format!("{} before there was an answer", limit_reached(*limit))
                }
            };
            let mut text = String::new();
            push_wrapped(&mut text, "  ", "      ", &look.clean(&line), look);
            text
        }
        Answer::Transactions {
            verdict: IsolationVerdict::Unknown(limit),
            ..
        } => format!("  {} before there was an answer\n", limit_reached(*limit)),
        Answer::Transactions { verdict, .. } => anomaly_lines(verdict, look),
        Answer::Inferred(inference) => inferred(inference, look),
    }
}

fn anomaly_lines(verdict: &IsolationVerdict, look: &Look) -> String {
    let mut text = String::new();
    for line in verdict.to_string().lines() {
        push_wrapped(&mut text, "  ", "      ", &look.clean(line), look);
    }
    text
}

fn inferred(inference: &Inference, look: &Look) -> String {
    let mut text = String::new();
    for (method, level) in &inference.levels {
        text.push_str(&format!("  {}: {level}\n", look.clean(method)));
    }
    let together = inference.together.map_or("no level", |level| level.name());
    text.push_str(&format!("  all methods together: {together}\n"));
    let mut list = |what: &str, ids: &[String]| {
        if !ids.is_empty() {
            let ids = ids.join(" ");
            push_wrapped(
                &mut text,
                "  ",
                "    ",
                &format!("{what}: {}", look.clean(&ids)),
                look,
            );
        }
    };
    list("left out, as they satisfy no level", &inference.unexplained);
    list("undecided within the limits", &inference.undecided);
    text
}

/// A page about one history.
struct Page<'a> {
    ops: &'a [ShownOp],
    look: &'a Look,
    text: String,
}

impl Page<'_> {
    fn line(&mut self, margin: &str, line: &str) {
        let hanging = format!("{margin}    ");
        push_wrapped(&mut self.text, margin, &hanging, line, self.look);
    }

    fn explanation(&mut self, explanation: &Explanation) {
        if explanation.is_complete() {
            return;
        }
        self.line("  ", "an order, and what operations do not see of it:");
        self.order("    ", &explanation.linearization, &explanation.visible);
    }

    fn refutation(&mut self, refutation: &Refutation) {
        let op = self.op(refutation.op);
        self.line("  ", &format!("nothing that it could have seen explains {op}"));
        if refutation.explained.is_empty() {
            self.line("  ", "nothing can come before it");
        } else {
            self.line("  ", "after the longest order that can be explained:");
            self.order("    ", &refutation.explained, &refutation.visible);
        }
        for candidate in &refutation.candidates {
            let reason = candidate
                .reason
                .as_deref()
                .unwrap_or("the model refuses it there");
            let line = format!(
                "seeing {}: {}",
                self.labels(candidate.sees),
                self.look.clean(reason)
            );
            self.line("  ", &line);
        }
        if let Some(core) = refutation.core {
            self.line(
                "  ",
                "returns that cannot be explained together (with any one forgotten, the rest can):",
            );
            for op in core.iter() {
                let op = self.op(op);
                self.line("    ", &op);
            }
        }
    }

    fn unfinished(&mut self, unfinished: &Unfinished) {
        let explained = unfinished.explained.len();
        let limit = limit_reached(unfinished.limit);
        let line = format!(
            "{limit}; {explained} of {} were explained until then",
            counted(self.ops.len() as u64, "operation", "operations")
        );
        self.line("  ", &line);
    }

    /// One operation a line. Only what an operation does not see is worth a word, and only if it could have changed
    /// something.
    fn order(&mut self, margin: &str, order: &[usize], visible: &[OpSet]) {
        let mut writers = OpSet::EMPTY;
        for op in order {
            let missed = writers.minus(visible.get(*op).copied().unwrap_or_default());
            let mut line = self.op(*op);
            if !missed.is_empty() {
                line.push_str(&format!("   does not see {}", self.labels(missed)));
            }
            self.line(margin, &line);
            if self.ops.get(*op).is_some_and(|op| op.is_writer) {
                writers = writers.with(*op);
            }
        }
    }

    /// `#3 thread 1: size() = 0`
    fn op(&self, op: usize) -> String {
        let Some(shown) = self.ops.get(op) else {
            return format!("#{op}");
        };
        let pending = if shown.is_pending { " (pending)" } else { "" };
        let clean = |text: &str| self.look.clean(text).into_owned();
        let (label, thread, text) = (clean(&shown.label), clean(&shown.thread), clean(&shown.text));
        format!("#{label} thread {thread}: {text}{pending}")
    }

    fn labels(&self, ops: OpSet) -> String {
        let label = |op: usize| match self.ops.get(op) {
            Some(shown) => format!("#{}", self.look.clean(&shown.label)),
            None => format!("#{op}"),
        };
        match ops.is_empty() {
            true => "nothing".to_owned(),
            false => ops.iter().map(label).collect::<Vec<_>>().join(" "),
        }
    }
}
