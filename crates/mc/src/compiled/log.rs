//! What was compiled, what was not, and why: for `--explain-compile`.

use omnilink_tla::ir::Program;
use omnilink_tla_compile::NotCompiled;

use crate::source_line::file_and_line;

/// Places that are listed.
const PLACES_MAX: usize = 20;

/// How much of a search was done by compiled code.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompilationLog {
    /// States that compiled code has expanded.
    pub(crate) compiled: u64,
    /// States that the evaluator has expanded: the first ones, and those on which compiled code gave up.
    pub(crate) interpreted: u64,
    /// Of these, the ones on which compiled code gave up.
    pub(crate) given_up: u64,
    /// Formulas in states or steps on which compiled code gave up.
    pub(crate) formulas_given_up: u64,
    /// Violations that the evaluator did not confirm: mistakes of this program.
    pub(crate) disagreements: u64,
    /// How often the code was made anew, because a value did not fit the layout or memory was full.
    pub(crate) made: u64,
    /// The number of instructions.
    pub(crate) instructions: usize,
    /// Initial states that compiled code has enumerated.
    pub(crate) initial: u64,
    /// States whose labels for temporal properties compiled code has evaluated.
    pub(crate) labelled: u64,
    /// Labels of these states that were left to the evaluator.
    pub(crate) labels_given_up: u64,
    /// What is left to the evaluator, with place and reason.
    places: Vec<String>,
}

impl CompilationLog {
    /// Adds what is left to the evaluator.
    pub(crate) fn add_places(&mut self, reasons: &[NotCompiled], program: &Program) {
        for NotCompiled { at, reason } in reasons {
            let text = program.text(*at).lines().next().unwrap_or_default();
            let place = format!("{}: {reason}: {text}", file_and_line(program, *at));
            if !self.places.contains(&place) {
                self.places.push(place);
            }
        }
    }

    /// Adds the log of another worker.
    pub(crate) fn add(&mut self, other: &CompilationLog) {
        self.compiled += other.compiled;
        self.interpreted += other.interpreted;
        self.given_up += other.given_up;
        self.formulas_given_up += other.formulas_given_up;
        self.disagreements += other.disagreements;
        self.made += other.made;
        self.instructions = self.instructions.max(other.instructions);
        self.initial += other.initial;
        self.labelled += other.labelled;
        self.labels_given_up += other.labels_given_up;
        for place in &other.places {
            if !self.places.contains(place) {
                self.places.push(place.clone());
            }
        }
    }

    /// The log in words.
    pub(crate) fn notes(&self) -> Vec<String> {
        let all = self.compiled + self.interpreted;
        let share = 100.0 * self.compiled as f64 / all.max(1) as f64;
        let mut notes = vec![match (all, self.made) {
            (0, _) => "nothing is compiled: this search is left to the evaluator".to_owned(),
            (_, 0) if self.places.is_empty() => format!(
                "nothing was compiled yet: the layout is learned from the first states, and there were {all}"
            ),
            _ => format!(
                "compiled code has expanded {} of {all} states ({share:.1} %), with {} instructions; it was made {} time(s) and gave up on {} states",
                self.compiled, self.instructions, self.made, self.given_up
            ),
        }];
        if self.initial > 0 {
            notes.push(format!(
                "compiled code has enumerated {} initial states",
                self.initial
            ));
        }
        if self.labelled > 0 {
            notes.push(format!(
                "compiled code has labelled {} states for temporal properties, and left {} of their formulas to the evaluator",
                self.labelled, self.labels_given_up
            ));
        }
        if self.formulas_given_up > 0 {
            notes.push(format!(
                "compiled code left {} answers of formulas in states and steps to the evaluator",
                self.formulas_given_up
            ));
        }
        if self.disagreements > 0 {
            notes.push(format!(
                "internal error: compiled code called {} states violations that are none; the evaluator was believed",
                self.disagreements
            ));
        }
        let places = self.places.iter().take(PLACES_MAX);
        notes.extend(places.map(|place| format!("left to the evaluator: {place}")));
        if let Some(more) = self.places.len().checked_sub(PLACES_MAX + 1) {
            notes.push(format!("left to the evaluator: {} more places", more + 1));
        }
        notes
    }
}
