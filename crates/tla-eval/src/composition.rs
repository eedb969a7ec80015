//! Nested steps: ENABLED and action composition.

use omnilink_tla_ir::{Node, Two};
use omnilink_value::Value;

use super::error::{ErrorClass, Failure, Outcome};
use super::evaluator::{Evaluator, State};
use super::flow::Flow;
use super::memo::Edit;
use super::slot::Slot;
use super::step::Continuation;
use super::successors::OnNextState;

/// A partial next state.
#[derive(Clone)]
pub(super) struct Partial {
    values: Vec<Value>,
    is_assigned: Vec<bool>,
    unassigned: usize,
    edits: Vec<Edit>,
}

impl<'p> Evaluator<'p> {
    /// `A \cdot B`: A with a next state of its own, because next values that are known already are those at the end of B.
    #[inline(never)]
    pub(crate) fn step_composed(
        &mut self,
        operands: &'p Two,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        self.invalidate_log();
        let given = self.take_next(self.is_assigned.len());
        let then = Continuation::Then {
            second: &operands.1,
            base: self.base,
            given: &given,
            rest,
        };
        let flow = self.step(&operands.0, &then, on_next);
        self.put_next(given);
        flow
    }

    /// B of `A \cdot B`: the state that A leads to becomes the current state.
    ///
    /// A variable that A leaves open has the same value there as before, as in TLC. That is one of the values that it may have; which others
    /// B would allow is not known without knowing all values. Trace specifications rely on it: their A is an action of the base
    /// specification, and says nothing of the position in the log.
    #[inline(never)]
    pub(crate) fn then(
        &mut self,
        second: &'p Node,
        base: usize,
        given: &Partial,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        self.invalidate_log();
        let before_and_after = self.state.iter().zip(&self.next).zip(&self.is_assigned);
        let middle: State = before_and_after
            .map(|((before, after), is_assigned)| if *is_assigned { after } else { before }.clone())
            .collect();
        let before = std::mem::replace(&mut self.state, middle);
        let reached = self.put_next(given.clone());
        let generation = self.generation;
        self.invalidate_state_caches();
        self.forget_thunks();
        let own = std::mem::replace(&mut self.base, base);
        let whole = Continuation::WholeStep {
            before: &before,
            generation,
            rest,
        };
        let flow = self.step(second, &whole, on_next);
        self.base = own;
        self.generation = generation;
        self.put_next(reached);
        self.state = before;
        self.forget_thunks();
        flow
    }

    /// What follows `A \cdot B`: it is about the whole step, from the state before A.
    #[inline(never)]
    pub(crate) fn whole_step(
        &mut self,
        before: &State,
        generation: u64,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        let middle = std::mem::replace(&mut self.state, before.clone());
        let middle_generation = std::mem::replace(&mut self.generation, generation);
        self.forget_thunks();
        let flow = self.continue_with(rest, on_next);
        self.generation = middle_generation;
        self.state = middle;
        self.forget_thunks();
        flow
    }

    /// Forgets the values of expressions that are bound to names: they are those of another state.
    fn forget_thunks(&mut self) {
        for slot in &mut self.slots {
            if !matches!(slot, Slot::Empty | Slot::Datum(_)) {
                *slot = slot.unevaluated();
            }
        }
    }

    /// `ENABLED A`: whether there is a next state.
    pub(crate) fn enabled(&mut self, action: &'p Node) -> Outcome<bool> {
        self.invalidate_log();
        let size = self.program.variables.len() + self.program.hidden_variables as usize;
        let outer = self.take_next(size);
        let taken = self.taken.take();
        let primed = std::mem::replace(&mut self.primed, false);
        let (state, generation) = (self.state.clone(), self.generation);
        if primed {
            if outer.unassigned > 0 {
                self.put_next(outer);
                self.primed = true;
                return Err(Failure::new(
                    ErrorClass::Unassigned,
                    "ENABLED is asked of a state that is not yet known",
                ));
            }
            self.state = outer.values.as_slice().into();
            self.invalidate_state_caches();
            self.forget_thunks();
        }
        // The memo knows only the variables of the spec.
        let hides = self.program.hidden_variables > 0;
        let memo = if hides { self.memo.take() } else { None };
        let is_logging = self.is_logging;
        self.is_logging &= !hides;
        let mut enabled = false;
        let flow = self.step(action, &Continuation::Done, &mut |_: &mut Self| {
            enabled = true;
            Ok(Flow::Stop)
        });
        self.is_logging = is_logging;
        if hides {
            self.memo = memo;
        }
        self.state = state;
        self.generation = generation;
        if primed {
            self.forget_thunks();
        }
        self.primed = primed;
        self.taken = taken;
        self.put_next(outer);
        flow.map(|_| enabled)
    }

    /// `A \cdot B` as a formula about two given states: whether there is an intermediate state.
    pub(crate) fn composed(&mut self, operands: &'p Two) -> Outcome<bool> {
        if self.unassigned > 0 {
            return Err(Failure::new(
                ErrorClass::Unassigned,
                "\\cdot is asked of a next state that is not yet known",
            ));
        }
        let mut holds = false;
        let flow = self.step_composed(operands, &Continuation::Done, &mut |_: &mut Self| {
            holds = true;
            Ok(Flow::Stop)
        });
        flow.map(|_| holds)
    }

    /// Starts a next state without values. Returns the one so far.
    fn take_next(&mut self, size: usize) -> Partial {
        let edits = self.no_edits();
        self.put_next(Partial {
            values: vec![Value::bool(false); size],
            is_assigned: vec![false; size],
            unassigned: size,
            edits,
        })
    }

    /// Replaces the next state. Returns the one so far.
    fn put_next(&mut self, next: Partial) -> Partial {
        Partial {
            values: std::mem::replace(&mut self.next, next.values),
            is_assigned: std::mem::replace(&mut self.is_assigned, next.is_assigned),
            unassigned: std::mem::replace(&mut self.unassigned, next.unassigned),
            edits: self.replace_edits(next.edits),
        }
    }
}
