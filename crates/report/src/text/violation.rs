//! A violation: what happened, a picture of it, and why nothing explains it.

use std::collections::BTreeMap;

use omnilink_engine::{Consistency, Counterexample, OpView};

use crate::figures::{count, counted};
use crate::look::{Look, Tone};
use crate::minimal::MinimalHistory;
use crate::paragraph::push_wrapped;
use crate::report::Report;
use crate::timeline::{Bar, Mark, draw};

/// How many operations are drawn: more would fill the page without helping.
const DRAWN_MAX: usize = 24;

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
        let shown = match minimal {
            Some(minimal) => {
                self.push_minimal(&mut page, minimal, look);
                &minimal.counterexample
            }
            None => {
                self.push_window(&mut page, counterexample, look);
                counterexample
            }
        };
        page.push('\n');
        self.push_alternatives(&mut page, shown, look);
        let cost = format!(
            "{} operations, {}",
            count(self.figures().operations),
            self.cost().join(", ")
        );
        page.push_str(&look.paint(Tone::Faint, &format!("({} checked: {cost})", self.model)));
        page.push('\n');
        page
    }

    fn push_minimal(&self, page: &mut String, minimal: &MinimalHistory, look: &Look) {
        let left = counted(minimal.operations.len() as u64, "operation", "operations");
        let heading = match minimal.is_cut_short {
            false => format!("A smallest part of the history that cannot be explained either ({left}):"),
            true => format!(
                "A part of the history that cannot be explained either ({left}; a limit ended the search for a smaller one):"
            ),
        };
        push_wrapped(page, "", "", &heading, look);
        page.push('\n');
        self.push_drawing(page, &minimal.operations, minimal.counterexample.op.id, look);
    }

    /// Draws what the evidence speaks of, the latest operations first in line if that is too much.
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
        ops.sort_by_key(|op| (op.timebox.start, op.id));
        let earliest = ops.iter().map(|op| op.id).min().unwrap_or(0);
        if earliest > 0 {
            let before = counted(earliest, "operation", "operations");
            page.push_str(&look.paint(Tone::Faint, &format!("{} {before} before", look.dots())));
            page.push('\n');
        }
        self.push_drawing(page, &ops, unexplained.id, look);
    }

    fn push_drawing(&self, page: &mut String, ops: &[OpView], unexplained: u64, look: &Look) {
        let bars: Vec<Bar> = ops
            .iter()
            .map(|op| Bar {
                thread: op.thread,
                text: op.text.clone(),
                timebox: op.timebox,
                mark: if op.id == unexplained {
                    Mark::Unexplained
                } else {
                    Mark::Plain
                },
            })
            .collect();
        page.push_str(&draw(&bars, &self.threads, look));
    }
}
