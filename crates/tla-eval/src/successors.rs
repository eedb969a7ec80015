//! Enumeration of initial states and successors: the public interface.

use omnilink_tla_ir::{Formula, OperatorId};
use omnilink_value::Value;

use super::datum::Datum;
use super::error::{ErrorClass, Failure, IncompleteAction, Outcome};
use super::evaluator::{Evaluator, State};
use super::flow::Flow;
use super::slot::Slot;
use super::step::Continuation;

/// The action of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenAction {
    /// Index into [`Program::actions`](omnilink_tla_ir::Program::actions).
    pub action: u32,
    /// The frame with its bindings; `None` if the step comes from the memo.
    pub(crate) base: Option<usize>,
}

/// Receiver of complete next states inside the evaluator.
pub(super) trait NextStateVisitor<'p> {
    fn visit(&mut self, evaluator: &mut Evaluator<'p>) -> Outcome<Flow>;

    /// Whether the next state with these hashes of values can be skipped.
    fn can_skip(&mut self, _hashes: &[u64], _taken: Option<TakenAction>) -> bool {
        false
    }
}

impl<'p, F: FnMut(&mut Evaluator<'p>) -> Outcome<Flow>> NextStateVisitor<'p> for F {
    fn visit(&mut self, evaluator: &mut Evaluator<'p>) -> Outcome<Flow> {
        self(evaluator)
    }
}

pub(super) type OnNextState<'f, 'p> = &'f mut dyn NextStateVisitor<'p>;

/// The caller's callback for each state.
pub type OnState<'f, 'p> =
    &'f mut dyn FnMut(&mut Evaluator<'p>, &[Value], Option<TakenAction>) -> Outcome<Flow>;

/// The caller's receiver of successors.
pub trait SuccessorSink<'p> {
    /// Whether the successor with these hashes of values can be skipped. If so, it is neither built nor visited.
    fn can_skip(&mut self, hashes: &[u64], taken: Option<TakenAction>) -> bool;

    /// Receives a successor and the action that leads to it.
    ///
    /// # Errors
    /// An error ends the enumeration.
    fn visit(
        &mut self,
        evaluator: &mut Evaluator<'p>,
        state: &[Value],
        taken: Option<TakenAction>,
    ) -> Outcome<Flow>;
}

/// Visits every state.
struct VisitEvery<'f, 'p>(OnState<'f, 'p>);

impl<'p> SuccessorSink<'p> for VisitEvery<'_, 'p> {
    fn can_skip(&mut self, _: &[u64], _: Option<TakenAction>) -> bool {
        false
    }

    fn visit(
        &mut self,
        evaluator: &mut Evaluator<'p>,
        state: &[Value],
        taken: Option<TakenAction>,
    ) -> Outcome<Flow> {
        (self.0)(evaluator, state, taken)
    }
}

/// Passes complete states on to the caller.
struct CompleteStates<'f, 'p>(&'f mut dyn SuccessorSink<'p>);

impl<'p> NextStateVisitor<'p> for CompleteStates<'_, 'p> {
    fn visit(&mut self, evaluator: &mut Evaluator<'p>) -> Outcome<Flow> {
        evaluator.check_complete()?;
        let taken = evaluator.taken;
        let next = std::mem::take(&mut evaluator.next);
        let (state, generation) = (evaluator.state.clone(), evaluator.generation);
        let flow = self.0.visit(evaluator, &next, taken);
        // The caller may have used the evaluator to check the new state. Caches of the current state are still valid unless
        // they were overwritten.
        evaluator.state = state;
        evaluator.generation = generation;
        evaluator.next = next;
        evaluator.is_assigned.fill(true);
        evaluator.unassigned = 0;
        flow
    }

    fn can_skip(&mut self, hashes: &[u64], taken: Option<TakenAction>) -> bool {
        self.0.can_skip(hashes, taken)
    }
}

impl<'p> Evaluator<'p> {
    /// Enumerates the states that satisfy an initial condition.
    pub fn initial(&mut self, init: Formula, found: OnState<'_, 'p>) -> Outcome<()> {
        self.state = State::from([]);
        self.invalidate_state_caches();
        self.run(init, &mut VisitEvery(found))
    }

    /// Enumerates the successors of a state under a next-state relation, duplicates included.
    pub fn successors(&mut self, next: Formula, from: &State, found: OnState<'_, 'p>) -> Outcome<()> {
        self.set_state(from);
        self.run(next, &mut VisitEvery(found))
    }

    /// Enumerates the successors of a state, duplicates included, except for those that the sink skips.
    pub fn new_successors(
        &mut self,
        next: Formula,
        from: &State,
        successors: &mut dyn SuccessorSink<'p>,
    ) -> Outcome<()> {
        self.set_state(from);
        self.run(next, successors)
    }

    /// Enumerates the successors of a state under one action with the given arguments, duplicates included.
    pub fn successors_of(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        from: &State,
        found: OnState<'_, 'p>,
    ) -> Outcome<()> {
        self.successors_given(action, arguments, from, &[], found)
    }

    /// The same, where the next values of some variables are known: an action that would assign another value has no successor.
    pub fn successors_given(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        from: &State,
        given: &[(u32, Value)],
        found: OnState<'_, 'p>,
    ) -> Outcome<()> {
        self.set_state(from);
        self.run_with(action, arguments, given, &mut VisitEvery(found))
    }

    /// Whether an operation with the given arguments allows the step from one state to another.
    ///
    /// As a formula about two states it may be undefined where its steps are not: one disjunct assigns a record, and the next value that
    /// another one has given is a string. So if it is undefined, its steps are enumerated, which assigns instead of comparing.
    pub fn allows_step(
        &mut self,
        operation: OperatorId,
        arguments: &[Value],
        from: &State,
        to: &State,
    ) -> Outcome<bool> {
        self.set_state(from);
        self.set_next(to);
        self.is_step_formula = true;
        let holds = self.holds_with(operation, arguments);
        self.is_step_formula = false;
        holds.or_else(|_| {
            let mut is_found = false;
            self.successors_of(operation, arguments, from, &mut |_, next, _| {
                is_found = *next == **to;
                Ok(if is_found { Flow::Stop } else { Flow::Go })
            })?;
            Ok(is_found)
        })
    }

    pub(crate) fn run(&mut self, formula: Formula, successors: &mut dyn SuccessorSink<'p>) -> Outcome<()> {
        self.run_with(formula.operation(), &[], &[], successors)
    }

    fn run_with(
        &mut self,
        action: OperatorId,
        arguments: &[Value],
        given: &[(u32, Value)],
        successors: &mut dyn SuccessorSink<'p>,
    ) -> Outcome<()> {
        self.clear_next();
        for (variable, value) in given {
            let at = *variable as usize;
            self.next[at] = value.clone();
            self.unassigned -= usize::from(!std::mem::replace(&mut self.is_assigned[at], true));
        }
        self.taken = None;
        let mut reporting = CompleteStates(successors);
        let result = self.enter_with(action, arguments, |this, body| {
            this.step(body, &Continuation::Done, &mut reporting)
        });
        self.clear_next();
        result.map(|_| ())
    }

    /// Fails if a variable is not assigned in the next state.
    pub(crate) fn check_complete(&self) -> Outcome<()> {
        if self.unassigned == 0 {
            return Ok(());
        }
        let missing: Vec<&str> = self
            .is_assigned
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
        let known = self.next.iter().zip(&self.is_assigned);
        failure.partial = known.map(|(value, known)| known.then(|| value.clone())).collect();
        if let Some(taken) = self.taken
            && let Some(action) = self.program.actions.get(taken.action as usize)
        {
            failure.incomplete = Some(IncompleteAction {
                action: taken.action,
                bindings: self.bindings(taken),
            });
            failure = failure.at(action.at);
        }
        Err(failure)
    }

    /// The bindings of the action of a step. Valid only while the step is being visited.
    pub fn bindings(&self, taken: TakenAction) -> Vec<(String, Value)> {
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
