//! An explanation is checked again before a log is reported to be valid.
//!
//! One state is followed through all lines: each step is [evaluated](crate::plain_step) over the whole next-state relation, and every invariant in
//! every state. Identities have the names that the log gives them: a renaming of the search is taken back, so it is checked, too.

use std::rc::Rc;

use omnilink_tla::eval::State;
use omnilink_value::Value;

use crate::error::LogError;
use crate::expansion::Expander;
use crate::interchange::{Renaming, renamed_state};
use crate::lines::Lines;
use crate::plain_lines::lines_of_step;
use crate::witness::{Cause, WitnessStep};

/// Follows an explanation.
pub(crate) struct Replay<'s> {
    expander: Expander<'s>,
    /// The state that is reached.
    at: Option<State>,
    /// What the search calls an identity, and its name.
    names: Vec<(Value, Value)>,
    /// How many steps were replayed.
    pub steps: u64,
    /// The first line that is not replayed yet.
    pub next_line: u32,
    /// Why no more steps are replayed.
    pub problem: Option<String>,
}

impl<'s> Replay<'s> {
    /// One that begins with an initial state. The expander must be a plain one.
    pub fn new(expander: Expander<'s>) -> Self {
        Self {
            expander,
            at: None,
            names: Vec::new(),
            steps: 0,
            next_line: 0,
            problem: None,
        }
    }

    /// Follows steps, of which the first may have been followed already.
    ///
    /// # Errors
    /// If one of them is none.
    pub fn follow(&mut self, path: &[Rc<WitnessStep>], lines: &Lines<'s>) -> Result<(), LogError> {
        let skipped = usize::from(self.at.is_some());
        for step in path.iter().skip(skipped) {
            if self.problem.is_some() {
                return Ok(());
            }
            match self.follow_one(step, lines) {
                Ok(()) => {}
                Err(LogError::Evaluation { place, message }) => {
                    self.problem = Some(format!("{place}: {message}"));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn follow_one(&mut self, step: &WitnessStep, lines: &Lines<'s>) -> Result<(), LogError> {
        if let Some(renaming) = &step.renaming {
            self.rename(renaming);
        }
        let to = renamed_state(&step.state, &self.names);
        let spec = self.expander.spec;
        let line = |number: u32| {
            lines.get(number).ok_or_else(|| {
                LogError::Internal(format!("line {number} of an explanation is no longer in memory"))
            })
        };
        let wrong = |place: String, what: &str| {
            Err(LogError::Internal(format!(
                "{place}: the explanation that was found is none: {what}"
            )))
        };
        match (step.cause, self.at.take()) {
            (Cause::Initial, None) => {
                if !spec.initial.contains(&to) {
                    return wrong(spec.name.clone(), "it does not begin with an initial state");
                }
            }
            (Cause::Line(number), Some(from)) => {
                let line = line(number)?;
                // What the lines of the step say is read again, each by itself.
                let parts = lines_of_step(lines, number, &mut self.expander.evaluator)?;
                if !self.expander.is_plain_step(&from, &parts, &to)? {
                    return wrong(line.place.to_string(), "the line is no step of the specification");
                }
                self.next_line = self.next_line.max(number + 1);
                self.steps += 1;
            }
            (Cause::Hidden { action, before }, Some(from)) => {
                let line = line(before)?;
                if !self.expander.is_plain_hidden_step(action, &from, line, &to)? {
                    return wrong(
                        line.place.to_string(),
                        "a hidden action before the line is no step of the specification",
                    );
                }
                self.steps += 1;
            }
            (Cause::Initial, Some(_)) | (_, None) => {
                return wrong(spec.name.clone(), "its steps do not follow each other");
            }
        }
        if !self.expander.is_allowed(&to)? {
            return wrong(spec.name.clone(), "an invariant is false in it");
        }
        self.at = Some(to);
        Ok(())
    }

    /// Adds a renaming: what the search called `from` so far, it calls `to` from now on.
    fn rename(&mut self, renaming: &Renaming) {
        let name_of = |identity: &Value| {
            let known = self.names.iter().find(|(own, _)| own == identity);
            known.map_or_else(|| identity.clone(), |(_, name)| name.clone())
        };
        let changed: Vec<(Value, Value)> = renaming
            .iter()
            .map(|(from, to)| (to.clone(), name_of(from)))
            .collect();
        self.names
            .retain(|(own, _)| changed.iter().all(|(to, _)| to != own));
        self.names.extend(changed);
    }
}
