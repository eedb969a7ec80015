//! Enumeration of initial states and successors: the public interface.

use omnilink_tla_ir::{Formula, Operation};
use omnilink_value::Value;

use super::datum::Datum;
use super::error::{ErrorClass, Failure, Outcome};
use super::evaluator::{Evaluator, State};
use super::flow::Flow;
use super::slot::Slot;
use super::step::Rest;

/// The action that a step was found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Index into [`Program::actions`](omnilink_tla_ir::Program::actions).
    pub action: u32,
    /// Where its bindings are, unless it was remembered.
    pub(crate) base: Option<usize>,
}

/// What is done with a complete next state.
pub(super) trait Finder<'p> {
    fn found(&mut self, evaluator: &mut Evaluator<'p>) -> Outcome<Flow>;

    /// Whether a next state need not be made, given the hashes of its values.
    fn is_known(&mut self, _hashes: &[u64], _taken: Option<Taken>) -> bool {
        false
    }
}

impl<'p, F: FnMut(&mut Evaluator<'p>) -> Outcome<Flow>> Finder<'p> for F {
    fn found(&mut self, evaluator: &mut Evaluator<'p>) -> Outcome<Flow> {
        self(evaluator)
    }
}

pub(super) type Found<'f, 'p> = &'f mut dyn Finder<'p>;

/// What the caller does with a state.
pub type OnState<'f, 'p> = &'f mut dyn FnMut(&mut Evaluator<'p>, &[Value], Option<Taken>) -> Outcome<Flow>;

/// What the caller does with next states.
pub trait Successors<'p> {
    /// Whether a state is known already and need not be made, given the hashes of its values. Such a state is not reported.
    fn is_known(&mut self, hashes: &[u64], taken: Option<Taken>) -> bool;

    /// A next state, and the action that leads to it.
    ///
    /// # Errors
    /// What went wrong while it was looked at; the enumeration ends.
    fn found(
        &mut self,
        evaluator: &mut Evaluator<'p>,
        state: &[Value],
        taken: Option<Taken>,
    ) -> Outcome<Flow>;
}

/// Reports every state, made in full.
struct Every<'f, 'p>(OnState<'f, 'p>);

impl<'p> Successors<'p> for Every<'_, 'p> {
    fn is_known(&mut self, _: &[u64], _: Option<Taken>) -> bool {
        false
    }

    fn found(
        &mut self,
        evaluator: &mut Evaluator<'p>,
        state: &[Value],
        taken: Option<Taken>,
    ) -> Outcome<Flow> {
        (self.0)(evaluator, state, taken)
    }
}

/// Hands a complete state to the caller.
struct Reporting<'f, 'p>(&'f mut dyn Successors<'p>);

impl<'p> Finder<'p> for Reporting<'_, 'p> {
    fn found(&mut self, evaluator: &mut Evaluator<'p>) -> Outcome<Flow> {
        evaluator.check_complete()?;
        let taken = evaluator.taken;
        let next = std::mem::take(&mut evaluator.next);
        let (state, generation) = (evaluator.state.clone(), evaluator.generation);
        let flow = self.0.found(evaluator, &next, taken);
        // The caller may have used the evaluator for checks of the new state. What was found out about the current one
        // still holds, unless it has been displaced.
        evaluator.state = state;
        evaluator.generation = generation;
        evaluator.next = next;
        evaluator.known.fill(true);
        evaluator.unassigned = 0;
        flow
    }

    fn is_known(&mut self, hashes: &[u64], taken: Option<Taken>) -> bool {
        self.0.is_known(hashes, taken)
    }
}

impl<'p> Evaluator<'p> {
    /// Reports every state that satisfies an initial condition.
    pub fn initial(&mut self, init: Formula, found: OnState<'_, 'p>) -> Outcome<()> {
        self.state = State::from([]);
        self.forget_state();
        self.run(init, &mut Every(found))
    }

    /// Reports every state that a next-state relation allows after a state, as often as it is found.
    pub fn successors(&mut self, next: Formula, from: &State, found: OnState<'_, 'p>) -> Outcome<()> {
        self.set_state(from);
        self.run(next, &mut Every(found))
    }

    /// Reports the states that a next-state relation allows after a state, as often as they are found, except for those
    /// that turn out to be known before they are made.
    pub fn new_successors(
        &mut self,
        next: Formula,
        from: &State,
        successors: &mut dyn Successors<'p>,
    ) -> Outcome<()> {
        self.set_state(from);
        self.run(next, successors)
    }

    /// Reports every state that one action with given arguments allows after a state, as often as it is found.
    pub fn successors_of(
        &mut self,
        action: Operation,
        arguments: &[Value],
        from: &State,
        found: OnState<'_, 'p>,
    ) -> Outcome<()> {
        self.set_state(from);
        self.run_with(action, arguments, &mut Every(found))
    }

    pub(crate) fn run(&mut self, formula: Formula, successors: &mut dyn Successors<'p>) -> Outcome<()> {
        self.run_with(formula.operation(), &[], successors)
    }

    fn run_with(
        &mut self,
        action: Operation,
        arguments: &[Value],
        successors: &mut dyn Successors<'p>,
    ) -> Outcome<()> {
        self.clear_next();
        self.taken = None;
        let mut reporting = Reporting(successors);
        let result = self.enter_with(action, arguments, |this, body| {
            this.step(body, &Rest::Done, &mut reporting)
        });
        self.clear_next();
        result.map(|_| ())
    }

    /// An error if a variable has no value in the next state.
    pub(crate) fn check_complete(&self) -> Outcome<()> {
        if self.unassigned == 0 {
            return Ok(());
        }
        let missing: Vec<&str> = self
            .known
            .iter()
            .zip(&self.program.variables)
            .filter(|(known, _)| !**known)
            .map(|(_, name)| &**name)
            .collect();
        let which = if self.state.is_empty() { "initial" } else { "next" };
        let mut failure = Failure::new(
            ErrorClass::Unassigned,
            format!("the {which} value of {} is left open", missing.join(", ")),
        );
        let known = self.next.iter().zip(&self.known);
        failure.partial = known.map(|(value, known)| known.then(|| value.clone())).collect();
        Err(failure)
    }

    /// The bindings of the action that a step was found by. To be asked while the step is being reported.
    pub fn bindings(&self, taken: Taken) -> Vec<(String, Value)> {
        let Some(action) = self.program.actions.get(taken.action as usize) else {
            return Vec::new();
        };
        let value = |slot: &u32| match self.slots.get(taken.base? + *slot as usize)? {
            Slot::Datum(Datum::Value(value))
            | Slot::Thunk {
                value: Some(Datum::Value(value)),
                ..
            } => Some(value.clone()),
            _ => None,
        };
        action
            .bindings
            .iter()
            .filter_map(|(name, slot)| Some((name.to_string(), value(slot)?)))
            .collect()
    }
}
