//! A history checked for a level weaker than linearizability: an order, and which operations each operation sees.
//!
//! That an operation sees everything before it is the usual case. So the text lists what operations do **not** see.

use std::collections::{BTreeMap, BTreeSet};

use omnilink_evidence::{
    Evidence, Limit, PlacedOperation, ReportedOperation, Unknown, Verdict, Violation, VisibilityRefutation,
    Witness,
};

use super::{history_headline, limit_reached};
use crate::figures::{counted, seconds};
use crate::look::Look;
use crate::paragraph::push_wrapped;

/// The most operations that the search over visibilities takes.
const SEARCHED_MAX: usize = 128;

/// The report of a history as text.
pub(super) fn text(evidence: &Evidence, look: &Look) -> String {
    let page = history_headline(evidence, &sentence(evidence), look);
    match evidence.verdict {
        // A witness has a line for every operation: it is for --witness.
        Verdict::Valid => page,
        _ => page + &reason(evidence, look),
    }
}

/// `6 operations of 3 threads against java-map, weak (0.2 ms)`
fn sentence(evidence: &Evidence) -> String {
    let figures = &evidence.figures;
    let cost = seconds(figures.seconds);
    let level = evidence.consistency.as_deref().unwrap_or_default();
    let operations = counted(figures.ops, "operation", "operations");
    if let Some(unknown) = evidence.unknown.as_ref().filter(|unknown| unknown.unread) {
        let limit = limit_reached(unknown.limit);
        return format!("{limit} after {operations} had been read, {level} ({cost})");
    }
    let threads = counted(figures.threads.unwrap_or(0), "thread", "threads");
    let model = evidence.model.as_deref().unwrap_or("the model");
    let claim = match (&evidence.implied_by, &evidence.witness) {
        (Some(stronger), _) => format!(", since {stronger}"),
        (None, Some(Witness::Visibility { order })) if sees_everything(order) => {
            ", and every operation sees all operations before it".to_owned()
        }
        _ => String::new(),
    };
    format!("{operations} of {threads} against {model}, {level}{claim} ({cost})")
}

/// Whether every operation sees all operations before it, as far as that is known.
fn sees_everything(order: &[PlacedOperation]) -> bool {
    let mut before: BTreeSet<u64> = BTreeSet::new();
    order.iter().all(|placed| {
        let sees = placed.sees.as_ref();
        let sees_all = sees.is_some_and(|sees| sees.iter().copied().eq(before.iter().copied()));
        before.insert(placed.op.id);
        sees_all
    })
}

/// Why there is no explanation, or no answer: lines that end with a newline.
pub(super) fn reason(evidence: &Evidence, look: &Look) -> String {
    let mut page = Page {
        look,
        text: String::new(),
    };
    match (&evidence.violation, &evidence.unknown) {
        (Some(Violation::Visibility(refutation)), _) => page.refutation(refutation),
        (Some(Violation::Transactions(anomaly)), _) => {
            for line in anomaly.to_string().lines() {
                page.line("  ", &look.clean(line));
            }
        }
        (_, Some(unknown)) => page.unknown(unknown, evidence),
        _ => {}
    }
    page.text
}

struct Page<'a> {
    look: &'a Look,
    text: String,
}

impl Page<'_> {
    fn line(&mut self, margin: &str, line: &str) {
        let hanging = format!("{margin}    ");
        push_wrapped(&mut self.text, margin, &hanging, line, self.look);
    }

    fn refutation(&mut self, refutation: &VisibilityRefutation) {
        let explained = &refutation.explained.order;
        if explained.is_empty() && refutation.candidates.is_empty() && refutation.core.is_none() {
            let op = &refutation.op;
            let line = format!("no order explains thread {}: {}", op.thread, op.text);
            let line = self.look.clean(&line).into_owned();
            return self.line("  ", &line);
        }
        let op = self.op(&refutation.op);
        self.line("  ", &format!("nothing that it could have seen explains {op}"));
        if explained.is_empty() {
            self.line("  ", "nothing can come before it");
        } else {
            self.line("  ", "after the longest order that can be explained:");
            self.order("    ", explained);
        }
        let names: BTreeMap<u64, String> = explained
            .iter()
            .map(|placed| (placed.op.id, placed.op.name()))
            .collect();
        for candidate in &refutation.candidates {
            let reason = candidate
                .reason
                .as_deref()
                .unwrap_or("the model refuses it there");
            let line = format!(
                "seeing {}: {}",
                self.names(candidate.sees.iter(), &names),
                self.look.clean(reason)
            );
            self.line("  ", &line);
        }
        if let Some(core) = &refutation.core {
            self.line(
                "  ",
                "returns that cannot be explained together (with any one forgotten, the rest can):",
            );
            for op in core {
                let op = self.op(op);
                self.line("    ", &op);
            }
        }
    }

    fn unknown(&mut self, unknown: &Unknown, evidence: &Evidence) {
        let line = match unknown.limit {
            _ if unknown.unread => return,
            Limit::Inconclusive if unknown.reason.is_some() => unknown.reason.clone().unwrap_or_default(),
            Limit::Operations => format!(
                "no stronger level holds, and more than {SEARCHED_MAX} operations cannot be searched for this one: split the \
                 history, or record reads and writes of registers (models register and kv) that write no value twice"
            ),
            limit if evidence.figures.configurations.is_none() => {
                format!("{} before there was an answer", limit_reached(limit))
            }
            limit => format!(
                "{}; {} of {} were explained until then",
                limit_reached(limit),
                unknown.explained,
                counted(evidence.figures.ops, "operation", "operations")
            ),
        };
        self.line("  ", &line);
    }

    /// One operation a line, with the operations before it that it does not see, if they could have changed something.
    fn order(&mut self, margin: &str, order: &[PlacedOperation]) {
        let mut writers: BTreeMap<u64, String> = BTreeMap::new();
        for placed in order {
            let sees: BTreeSet<u64> = placed.sees.iter().flatten().copied().collect();
            let missed: Vec<&u64> = writers.keys().filter(|writer| !sees.contains(writer)).collect();
            let mut line = self.op(&placed.op);
            if placed.sees.is_some() && !missed.is_empty() {
                let missed = self.names(missed.into_iter(), &writers);
                line.push_str(&format!("   does not see {missed}"));
            }
            self.line(margin, &line);
            if placed.writes {
                writers.insert(placed.op.id, placed.op.name());
            }
        }
    }

    /// `#3 thread 1: size() = 0`
    fn op(&self, op: &ReportedOperation) -> String {
        let pending = if op.pending { " (pending)" } else { "" };
        let line = format!("#{} thread {}: {}{pending}", op.name(), op.thread, op.text);
        self.look.clean(&line).into_owned()
    }

    /// `#3 #7`, or `nothing`.
    fn names<'i>(&self, ids: impl Iterator<Item = &'i u64>, names: &BTreeMap<u64, String>) -> String {
        let name = |id: &u64| match names.get(id) {
            Some(name) => format!("#{}", self.look.clean(name)),
            None => format!("#{id}"),
        };
        let names: Vec<String> = ids.map(name).collect();
        if names.is_empty() {
            "nothing".to_owned()
        } else {
            names.join(" ")
        }
    }
}
