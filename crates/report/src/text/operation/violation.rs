//! A violation: what happened, a picture of it, and why nothing explains it.

use std::collections::BTreeMap;

use omnilink_evidence::{BrokenRule, Counterexample, MinimalHistory, ReportedOperation};

use super::Page;
use crate::figures::{count, counted};
use crate::look::{Look, Tone};
use crate::paragraph::push_wrapped;
use crate::timeline::{Bar, Mark, draw};

/// How many states before a minimal history are written out.
const STATES_MAX: usize = 3;

/// How many operations that break a rule are drawn.
const DRAWN_MAX: usize = 24;

impl<'a> Page<'a> {
    pub(super) fn violation(
        &self,
        counterexample: &'a Counterexample,
        minimal: Option<&'a MinimalHistory>,
        look: &Look,
    ) -> String {
        let order = if self.is_sequential() {
            "No order of the operations that keeps each thread's own explains"
        } else {
            "No order of the operations that respects their timeboxes explains"
        };
        let sentence = format!("{order} {}.", self.sentence_of(&counterexample.op, look));
        let mut page = self.headline(look, Tone::Bad, "violation", &sentence);
        page.push('\n');
        match (minimal, &counterexample.broken) {
            (Some(minimal), _) => self.push_minimal(&mut page, minimal, minimal.counterexample.op.id, look),
            (None, Some(broken)) => self.push_broken(&mut page, broken, counterexample.op.id, look),
            (None, None) => self.push_window(&mut page, counterexample, look),
        }
        page.push('\n');
        // A minimal history has explanations of its own, with operations of its own.
        let explained = minimal.map_or(counterexample, |minimal| &minimal.counterexample);
        if explained.broken.is_none() || explained.alternatives_total > 0 {
            self.push_alternatives(&mut page, explained, look);
        }
        let tells_start = minimal.is_some_and(|minimal| minimal.from.is_some());
        self.push_agreement(&mut page, explained, tells_start, look);
        if explained.op.id == counterexample.op.id {
            self.push_impossibility(&mut page, look);
        }
        if minimal.is_none() {
            self.push_writers(&mut page, look);
        }
        let operations = counted(self.evidence.figures.ops, "operation", "operations");
        let cost = format!(
            "({} checked: {operations}, {})",
            self.model(),
            self.cost().join(", ")
        );
        let mut last = String::new();
        push_wrapped(&mut last, "", "", &cost, look);
        page.push_str(&look.paint(Tone::Faint, last.trim_end()));
        page.push('\n');
        page
    }

    fn push_minimal(&self, page: &mut String, minimal: &MinimalHistory, unexplained: u64, look: &Look) {
        let shown = minimal.operations.len() as u64;
        let heading = match shown {
            1 => "One operation alone cannot be explained".to_owned(),
            _ => format!("These {} operations alone cannot be explained", count(shown)),
        };
        let others = match minimal.left_out {
            0 => String::new(),
            1 => ", whatever the other one did".to_owned(),
            others => format!(", whatever the {} others did", count(others)),
        };
        push_wrapped(page, "", "", &format!("{heading}{others}:"), look);
        page.push('\n');
        page.push_str(&self.drawing(&minimal.operations, unexplained, look));
        if let Some(from) = &minimal.from {
            let listed: Vec<String> = from
                .iter()
                .take(STATES_MAX)
                .map(|state| look.state(state).into_owned())
                .collect();
            let mut states = listed.join(" or ");
            if from.len() > STATES_MAX {
                states.push_str(&format!(" or {} others", count((from.len() - STATES_MAX) as u64)));
            }
            page.push('\n');
            let before = match shown {
                1 => "Before it",
                _ => "Before them",
            };
            push_wrapped(page, "", "", &format!("{before} the state was {states}."), look);
        }
    }

    /// Draws the operations that break a rule.
    fn push_broken(&self, page: &mut String, broken: &BrokenRule, unexplained: u64, look: &Look) {
        let shown = broken.operations.len() as u64;
        let heading = match shown {
            1 => "This operation cannot be explained".to_owned(),
            _ => format!("These {} operations cannot be explained together", count(shown)),
        };
        push_wrapped(page, "", "", &format!("{heading}: {}.", broken.rule), look);
        page.push('\n');
        // The last ones: the operation that cannot be explained is among them.
        let before = broken.operations.len().saturating_sub(DRAWN_MAX);
        if before > 0 {
            let before = counted(before as u64, "operation", "operations");
            page.push_str(&look.paint(Tone::Faint, &format!("{} {before} before", look.dots())));
            page.push('\n');
        }
        page.push_str(&self.drawing(&broken.operations[before..], unexplained, look));
    }

    /// Draws every operation that the text names.
    fn push_window(&self, page: &mut String, counterexample: &'a Counterexample, look: &Look) {
        let unexplained = &counterexample.op;
        let named = self
            .named_by_alternatives(counterexample)
            .into_iter()
            .chain(self.named_by_agreement(counterexample))
            .chain([unexplained]);
        let named: BTreeMap<u64, &ReportedOperation> = named.map(|op| (op.id, op)).collect();
        let ops: Vec<ReportedOperation> = named.into_values().cloned().collect();
        let drawing = self.drawing(&ops, unexplained.id, look);
        let earliest = ops.iter().map(|op| op.id).min().unwrap_or(0);
        if earliest > 0 {
            let before = counted(earliest, "operation", "operations");
            page.push_str(&look.paint(Tone::Faint, &format!("{} {before} before", look.dots())));
            page.push('\n');
        }
        page.push_str(&drawing);
    }

    fn drawing(&self, ops: &[ReportedOperation], unexplained: u64, look: &Look) -> String {
        let mark = |op: &ReportedOperation| {
            if op.id == unexplained {
                Mark::Unexplained
            } else {
                Mark::Plain
            }
        };
        let bars: Vec<Bar> = ops.iter().map(|op| Bar::new(op, mark(op))).collect();
        draw(&bars, look)
    }
}
