//! Steps as the plain evaluator computes them: no restriction to an event, nothing bound before it is enumerated.
//!
//! All of the next-state relation is evaluated from a state, without any analysis of the specification; the evaluator tells which steps go through
//! the definition that a line names; and only then the step is compared with what the line says. This is what a line means. The search
//! computes the same with less work, and its answers are checked here: every step of an explanation, and every violation.

use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Flow, State, StepSearch, WatchedSteps};
use omnilink_value::Value;

use crate::error::LogError;
use crate::expansion::{Expander, distinct, failed};
use crate::prepared_line::PreparedLine;
use crate::stage_action::StageAction;

/// What is known about the next values of some variables.
pub(crate) type Known = [(u32, Value)];

pub(crate) fn fits(state: &[Value], known: &Known) -> bool {
    known.iter().all(|(slot, value)| state[*slot as usize] == *value)
}

impl<'s> Expander<'s> {
    /// The states after one action that have the known values, without duplicates; of a target, if there is one, whether it is among them.
    pub fn plain_stage(
        &mut self,
        state: &State,
        line: &PreparedLine,
        action: &StageAction,
        arguments: &[Option<Value>],
        known: &Known,
        target: Option<&State>,
    ) -> Result<Vec<State>, LogError> {
        let spec = self.spec;
        let computed;
        let through = match action {
            StageAction::Any | StageAction::Formula(_) => None,
            StageAction::Event(number) => Some((&spec.actions[*number].definition, arguments)),
            StageAction::Applied(number, formulas) => {
                self.evaluator.set_state(state);
                computed = self.computed(formulas, line)?;
                Some((&spec.actions[*number].definition, computed.as_slice()))
            }
        };
        let mut states = Vec::new();
        // Whether a target is among the successors is decided by the first step to it. If none is found that way, nothing is left out.
        let mut search = match target {
            Some(_) => StepSearch::Some,
            None => StepSearch::All,
        };
        // An action may leave the next value of a variable open, for the log to tell. Then, and if a target is given, it is told first.
        let whole: Vec<(u32, Value)>;
        let mut told: &Known = &[];
        let mut is_target_told = target.is_some();
        if let Some(target) = target {
            whole = (0u32..).zip(target.iter().cloned()).collect();
            told = &whole;
        }
        loop {
            states.clear();
            let taken = &mut self.taken;
            let mut on_next = |_: &mut _, next: &[Value], action: Option<omnilink_tla::eval::TakenAction>| {
                if !fits(next, known) || target.is_some_and(|target| **target != *next) {
                    return Ok(Flow::Go);
                }
                if let Some(taken) = action.and_then(|action| taken.get_mut(action.action as usize)) {
                    *taken += 1;
                }
                states.push(State::from(next));
                Ok(if target.is_some() { Flow::Stop } else { Flow::Go })
            };
            let result = match through {
                None => self
                    .evaluator
                    .successors_given(spec.next, &[], state, told, &mut on_next),
                Some((definition, arguments)) => {
                    let watched = WatchedSteps {
                        definition,
                        arguments,
                        search,
                    };
                    self.evaluator
                        .successors_through(spec.next, watched, state, told, &mut on_next)
                }
            };
            match result {
                Ok(()) if states.is_empty() && search == StepSearch::Some && through.is_some() => {
                    search = StepSearch::All;
                }
                Ok(()) => break,
                // A target that cannot be compared with what another disjunct assigns: compared with whole steps instead.
                Err(_) if std::mem::take(&mut is_target_told) => told = &[],
                Err(failure) if is_open(&failure) && told.is_empty() && !known.is_empty() => told = known,
                Err(failure) => return Err(failed(spec, line, &failure)),
            }
        }
        // A formula of the link file may also hold for a step that changes nothing.
        if let StageAction::Formula(formula) = action {
            if fits(state, known) && target.is_none_or(|target| target == state) {
                states.push(state.clone());
            }
            let mut kept = Vec::new();
            for next in states {
                let arguments = formula.arguments(&line.context);
                let allows = self
                    .evaluator
                    .allows_step(formula.operation, &arguments, state, &next);
                if allows.map_err(|failure| failed(spec, line, &failure))? {
                    kept.push(next);
                }
            }
            states = kept;
        }
        Ok(distinct(states))
    }

    /// Whether a hidden action may lead from one state to another before a line.
    pub fn is_plain_hidden_step(
        &mut self,
        number: usize,
        from: &State,
        line: &PreparedLine,
        to: &State,
    ) -> Result<bool, LogError> {
        let hidden = &self.spec.hidden[number];
        if let Some(when) = &hidden.when {
            self.evaluator.set_state(from);
            if !self.holds(when, line)? {
                return Ok(false);
            }
        }
        let reached = self.plain_stage(from, line, &hidden.action, &[], &[], Some(to))?;
        Ok(!reached.is_empty())
    }
}

/// Whether an evaluation failed because the next value of a variable is left open.
fn is_open(failure: &Failure) -> bool {
    failure.class == ErrorClass::Unassigned
}
