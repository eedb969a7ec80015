//! A violation: what happened, a picture of it, and why nothing explains it.

use std::collections::BTreeMap;

use omnilink_engine::{BrokenRule, Consistency, Counterexample, OpView};

use crate::figures::{count, counted};
use crate::look::{Look, Tone};
use crate::minimal::MinimalHistory;
use crate::paragraph::{glued, push_wrapped};
use crate::report::Report;
use crate::timeline::{Bar, Mark, draw};

/// How many operations are drawn: more would fill the page without helping.
const DRAWN_MAX: usize = 24;
/// So many are drawn even if that takes more than one band.
const DRAWN_MIN: usize = 6;
/// How many states before a minimal history are written out.
const STATES_MAX: usize = 3;

impl Report {
    pub(super) fn violation(
        &self,
        counterexample: &Counterexample,
        minimal: Option<&MinimalHistory>,
        look: &Look,
    ) -> String {
        let order = match self.consistency {
            Consistency::Linearizable => "No order of the operations that respects their timeboxes explains",
            Consistency::Sequential => "No order of the operations that keeps each thread's own explains",
        };
        let sentence = format!("{order} {}.", self.sentence_of(&counterexample.op, look));
        let mut page = self.headline(look, Tone::Bad, "violation", &sentence);
        page.push('\n');
        match (minimal, &counterexample.broken) {
            (Some(minimal), _) => self.push_minimal(&mut page, minimal, counterexample.op.id, look),
            (None, Some(broken)) => self.push_broken(&mut page, broken, counterexample.op.id, look),
            (None, None) => self.push_window(&mut page, counterexample, look),
        }
        page.push('\n');
        self.push_alternatives(&mut page, counterexample, look);
        let operations = counted(self.figures().operations, "operation", "operations");
        let cost = format!(
            "({} checked: {operations}, {})",
            self.model,
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
            let shown: Vec<String> = from
                .iter()
                .take(STATES_MAX)
                .map(|state| glued(&look.clean(state)))
                .collect();
            let mut states = shown.join(" or ");
            if from.len() > STATES_MAX {
                states.push_str(&format!(" or {} others", count((from.len() - STATES_MAX) as u64)));
            }
            page.push('\n');
            push_wrapped(
                page,
                "",
                "",
                &format!("Before them the state was {states}."),
                look,
            );
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
        let drawn = broken.operations.get(..DRAWN_MAX).unwrap_or(&broken.operations);
        page.push_str(&self.drawing(drawn, unexplained, look));
    }

    /// Draws what the evidence speaks of: as much of it as fits side by side.
    fn push_window(&self, page: &mut String, counterexample: &Counterexample, look: &Look) {
        let unexplained = &counterexample.op;
        let mut spoken_of: BTreeMap<u64, &OpView> = BTreeMap::new();
        for alternative in &counterexample.alternatives {
            let candidates = alternative.candidates.iter().map(|candidate| &candidate.op);
            let ops = alternative
                .recent
                .iter()
                .chain(&alternative.placed)
                .chain(candidates);
            spoken_of.extend(ops.map(|op| (op.id, op)));
        }
        spoken_of.insert(unexplained.id, unexplained);
        let mut ops: Vec<OpView> = spoken_of.into_values().cloned().collect();
        // What was still running matters more than what was over long before.
        ops.sort_by_key(|op| {
            (
                op.id != unexplained.id,
                std::cmp::Reverse(op.timebox.end.unwrap_or(i64::MAX)),
            )
        });
        ops.truncate(DRAWN_MAX);
        let mut drawing = self.drawing(&ops, unexplained.id, look);
        while ops.len() > DRAWN_MIN && drawing.contains("\n\n") {
            ops.pop();
            drawing = self.drawing(&ops, unexplained.id, look);
        }
        let earliest = ops.iter().map(|op| op.id).min().unwrap_or(0);
        if earliest > 0 {
            let before = counted(earliest, "operation", "operations");
            page.push_str(&look.paint(Tone::Faint, &format!("{} {before} before", look.dots())));
            page.push('\n');
        }
        page.push_str(&drawing);
    }

    fn drawing(&self, ops: &[OpView], unexplained: u64, look: &Look) -> String {
        let bar = |op: &OpView| Bar {
            thread: op.thread,
            text: op.text.clone(),
            timebox: op.timebox,
            mark: if op.id == unexplained {
                Mark::Unexplained
            } else {
                Mark::Plain
            },
        };
        let bars: Vec<Bar> = ops.iter().map(bar).collect();
        draw(&bars, &self.threads, look)
    }
}
