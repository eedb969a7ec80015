//! The specification by its definition alone: the plain evaluator, and nothing that an analysis concluded.
//!
//! No exact steps, no cached outcomes, no layout of states, no parts of invariants, no VIEW: a step evaluates the whole action in the
//! whole state, and every invariant in every state. Explanations are replayed and violations are confirmed with it, and
//! `--naive` decides with nothing else. So it shares the evaluator with the model, and none of its shortcuts.

use std::cell::RefCell;

use omnilink_tla::eval::error::{ErrorClass, Failure, Outcome};
use omnilink_tla::eval::{Evaluator, Flow, State};
use omnilink_tla::ir::OperatorId;
use omnilink_value::Value;

use crate::assignments::each_assignment;
use crate::eval_session::EvalSession;
use crate::hidden_steps::HIDDEN_MAX;
use crate::instance::Instance;
use crate::linked::Linked;
use crate::state::SpecState;

/// A specification without shortcuts.
pub(crate) struct PlainSpec<'l> {
    linked: &'l Linked,
    evaluator: RefCell<Evaluator<'l>>,
    initial: Vec<SpecState>,
}

impl<'l> PlainSpec<'l> {
    /// From the states that satisfy the initial predicate.
    pub(crate) fn new(linked: &'l Linked, session: &'l EvalSession, states: &[State]) -> Outcome<Self> {
        let mut plain = Self {
            linked,
            evaluator: RefCell::new(Evaluator::new(&linked.program, session)),
            initial: Vec::new(),
        };
        for state in states {
            if plain.is_allowed(state)? {
                plain.initial.push(SpecState::new(state.clone(), None));
            }
        }
        Ok(plain)
    }

    pub(crate) fn initial(&self) -> Vec<SpecState> {
        self.initial.clone()
    }

    /// All states that an instance leads to from a state.
    pub(crate) fn successors(&self, state: &SpecState, instance: &Instance) -> Outcome<Vec<SpecState>> {
        let part = instance.0.part;
        if part.is_some_and(|part| state.is_done(part)) {
            return Ok(Vec::new());
        }
        let binding = &self.linked.bindings[instance.0.binding as usize];
        let mut found: Vec<SpecState> = Vec::new();
        for before in self.after_hidden_steps(state.values())? {
            let mut next: Vec<State> = Vec::new();
            let arguments = &instance.0.arguments;
            let run = &mut |evaluator: &mut Evaluator<'l>, arguments: &[Value]| {
                successors_of(evaluator, instance.0.operation, arguments, &before, &mut next)
            };
            each_assignment(&mut self.evaluator.borrow_mut(), binding, arguments, &before, run)?;
            for values in next {
                let values = self.lasting(&values, &before);
                if !self.is_allowed(&values)? {
                    continue;
                }
                let next = SpecState::new(values, None).after(state).after_part(part);
                if !found.contains(&next) {
                    found.push(next);
                }
            }
        }
        Ok(found)
    }

    /// The values, and those of all states that hidden steps lead to from there.
    fn after_hidden_steps(&self, values: &State) -> Outcome<Vec<State>> {
        let hidden = &self.linked.hidden;
        let mut reached = vec![(values.clone(), vec![0u32; hidden.len()])];
        let mut next = 0;
        while let Some((from, used)) = reached.get(next).cloned() {
            next += 1;
            for (number, (action, bound)) in hidden.iter().enumerate() {
                if used[number] >= *bound {
                    continue;
                }
                let mut states: Vec<State> = Vec::new();
                self.evaluator
                    .borrow_mut()
                    .successors(*action, &from, &mut |_, next, _| {
                        states.push(next.into());
                        Ok(Flow::Go)
                    })?;
                let mut used = used.clone();
                used[number] += 1;
                for values in states {
                    let entry = (values, used.clone());
                    if !reached.contains(&entry) && self.is_allowed(&entry.0)? {
                        reached.push(entry);
                    }
                }
                if reached.len() > HIDDEN_MAX {
                    let message =
                        format!("hidden steps lead to more than {HIDDEN_MAX} states; lower their bounds");
                    return Err(Failure::new(ErrorClass::Resource, message));
                }
            }
        }
        let mut states: Vec<State> = Vec::new();
        for (state, _) in reached {
            if !states.contains(&state) {
                states.push(state);
            }
        }
        Ok(states)
    }

    /// The next state, with the variables that have a value during a step only as they were.
    fn lasting(&self, next: &State, before: &State) -> State {
        if self.linked.transient.is_empty() {
            return next.clone();
        }
        let values = (0u32..).zip(next.iter().zip(before.iter()));
        let values = values.map(|(slot, (next, before))| {
            if self.linked.transient.contains(&slot) {
                before.clone()
            } else {
                next.clone()
            }
        });
        values.collect()
    }

    /// Whether every invariant holds.
    fn is_allowed(&self, values: &State) -> Outcome<bool> {
        let mut evaluator = self.evaluator.borrow_mut();
        for invariant in &self.linked.invariants {
            if !evaluator.holds(invariant.formula, values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn successors_of<'l>(
    evaluator: &mut Evaluator<'l>,
    operation: OperatorId,
    arguments: &[Value],
    before: &State,
    next: &mut Vec<State>,
) -> Outcome<()> {
    evaluator.successors_of(operation, arguments, before, &mut |_, state, _| {
        if !next.iter().any(|known| **known == *state) {
            next.push(state.into());
        }
        Ok(Flow::Go)
    })
}

impl std::fmt::Debug for PlainSpec<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlainSpec").finish_non_exhaustive()
    }
}
