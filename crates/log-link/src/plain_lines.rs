//! Whether a step is what its lines say, line by line.
//!
//! The search has made one of the lines that tell of one step ([`PreparedLine::join`]). Here each of them is taken as it was read, and a step is compared with one after the other: a
//! mistake in joining them is noticed when an explanation is replayed, and when a violation is confirmed. Actions are computed as [`plain_step`](crate::plain_step) does.

use omnilink_tla::eval::{Evaluator, State};
use omnilink_value::Value;

use crate::error::LogError;
use crate::expansion::Expander;
use crate::lines::Lines;
use crate::plain_step::fits;
use crate::prepared_line::{LineKind, Preparation, PreparedLine};
use crate::update::Update;

/// The lines of a step, each with what it means by itself, read again.
///
/// # Errors
/// If one of them means nothing.
pub(crate) fn lines_of_step(
    lines: &Lines<'_>,
    line: u32,
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<PreparedLine>, LogError> {
    Preparation::new(lines.spec()).prepare_step(evaluator, &lines.parts(line))
}

impl Expander<'_> {
    /// What the lines say of variables after a step from a state; `None` if they contradict each other, or the state.
    fn told(&self, from: &State, lines: &[PreparedLine]) -> Result<Option<Vec<(u32, Value)>>, LogError> {
        let spec = self.spec;
        let mut told: Vec<(u32, Value)> = Vec::new();
        for slot in 0..spec.program.variables.len() as u32 {
            let lists = || {
                let all = lines
                    .iter()
                    .flat_map(|line| line.updates.iter().map(move |update| (line, update)));
                all.filter(|(_, (own, _))| *own == slot)
                    .map(|(line, (_, list))| (line, list))
            };
            let (before, default) = (&from[slot as usize], spec.defaults[slot as usize].as_ref());
            if lists().next().is_none() {
                if spec.tracked.contains(&slot) {
                    told.push((slot, before.clone()));
                }
                continue;
            }
            let mut after = before.clone();
            for (line, list) in lists() {
                let changes = list.iter().filter(|update| !update.is_statement);
                for update in changes {
                    after = match update.apply(&after, default) {
                        Ok(after) => after,
                        Err(problem) if problem.depends_on_state() => return Ok(None),
                        Err(problem) => {
                            return Err(LogError::Line {
                                place: line.place.to_string(),
                                message: format!("{}: {problem}", spec.program.variables[slot as usize]),
                            });
                        }
                    };
                }
            }
            // Where nothing says what changes, a value that is stated is what it becomes.
            let mut stated = lists()
                .flat_map(|(_, list)| list)
                .filter(|update| update.is_statement);
            let has_changes = lists().any(|(_, list)| list.iter().any(|update| !update.is_statement));
            if !has_changes && let Some(value) = stated.next().and_then(|update| update.args.first()) {
                after = value.clone();
            }
            let disagrees = |list: &[Update]| Update::disagreement(list, before, &after, default).is_some();
            let is_stated = |list: &[Update]| {
                let mut statements = list.iter().filter(|update| update.is_statement);
                statements.all(|update| update.args.first() == Some(&after))
            };
            if lists().any(|(_, list)| !is_stated(list) || lines.len() > 1 && disagrees(list)) {
                return Ok(None);
            }
            told.push((slot, after));
        }
        Ok(Some(told))
    }

    /// The arguments that the lines give to the action of their step; `None` if they contradict each other.
    fn told_arguments(lines: &[PreparedLine]) -> Option<Vec<Option<Value>>> {
        let (head, joined) = lines.split_first()?;
        let mut arguments = head.arguments.clone();
        for line in joined.iter().filter(|line| line.has_arguments_of_step()) {
            for (own, other) in arguments.iter_mut().zip(&line.arguments) {
                match (&own, other) {
                    (Some(one), Some(other)) if one != other => return None,
                    (None, Some(other)) => *own = Some(other.clone()),
                    _ => {}
                }
            }
        }
        Some(arguments)
    }

    /// Whether what the link file says of lines holds of a step.
    fn formulas_hold(&mut self, from: &State, lines: &[PreparedLine], to: &State) -> Result<bool, LogError> {
        for line in lines {
            if let Some(requires) = line.requires() {
                self.evaluator.set_state(from);
                if !self.is_met(requires, line)? {
                    return Ok(false);
                }
            }
            if let Some(ensures) = line.ensures() {
                self.evaluator.set_state(from);
                self.evaluator.set_next(to);
                if !self.is_met(ensures, line)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether the lines of a step may lead from one state to another.
    pub fn is_plain_step(
        &mut self,
        from: &State,
        lines: &[PreparedLine],
        to: &State,
    ) -> Result<bool, LogError> {
        let found = self.plain_successors_to(from, lines, Some(to))?;
        Ok(!found.is_empty())
    }

    /// The states to which the lines of a step may lead.
    pub fn plain_successors(&mut self, from: &State, lines: &[PreparedLine]) -> Result<Vec<State>, LogError> {
        self.plain_successors_to(from, lines, None)
    }

    fn plain_successors_to(
        &mut self,
        from: &State,
        lines: &[PreparedLine],
        to: Option<&State>,
    ) -> Result<Vec<State>, LogError> {
        let Some((head, joined)) = lines.split_first() else {
            return Ok(Vec::new());
        };
        if lines.iter().any(|line| matches!(line.kind, LineKind::Failure)) {
            return Ok(Vec::new());
        }
        // What does not hold before the step is not computed: it may be what makes an action possible at all.
        for line in lines {
            if let Some(requires) = line.requires() {
                self.evaluator.set_state(from);
                if !self.is_met(requires, line)? {
                    return Ok(Vec::new());
                }
            }
        }
        let (Some(known), Some(arguments)) = (self.told(from, lines)?, Self::told_arguments(lines)) else {
            return Ok(Vec::new());
        };
        let is_wanted = |state: &State| fits(state, &known) && to.is_none_or(|to| to == state);
        // Each with the state before the last action.
        let mut found: Vec<(State, State)> = Vec::new();
        match head.meaning() {
            None => found.push((from.clone(), from.clone())),
            Some(meaning) => {
                if meaning.stutters {
                    found.push((from.clone(), from.clone()));
                }
                if let Some((last, before)) = meaning.stages.split_last() {
                    for middle in self.states_after(from, head, before)? {
                        if last.is_optional && !before.is_empty() {
                            found.push((middle.clone(), middle.clone()));
                        }
                        let reached =
                            self.plain_stage(&middle, head, &last.action, &arguments, &known, to)?;
                        found.extend(reached.into_iter().map(|state| (middle.clone(), state)));
                    }
                }
            }
        }
        let mut kept: Vec<State> = Vec::new();
        for (middle, state) in found {
            if is_wanted(&state)
                && !kept.contains(&state)
                && self.formulas_hold(from, lines, &state)?
                && self.is_step_of_joined(&middle, joined, &state)?
            {
                kept.push(state);
            }
        }
        Ok(kept)
    }
}
