//! Nested steps: ENABLED and action composition.

use omnilink_tla_ir::{Node, Two};
use omnilink_value::Value;

use super::error::{ErrorClass, Failure, Outcome};
use super::evaluator::{Evaluator, State};
use super::flow::Flow;
use super::memo::Edit;
use super::step::Continuation;
use super::successors::OnNextState;

/// A saved partial next state.
struct Partial {
    values: Vec<Value>,
    is_assigned: Vec<bool>,
    unassigned: usize,
    edits: Vec<Edit>,
}

impl<'p> Evaluator<'p> {
    /// B of `A \cdot B`: the state that A leads to becomes the current state.
    #[inline(never)]
    pub(crate) fn then(
        &mut self,
        second: &'p Node,
        base: usize,
        rest: &Continuation<'_, 'p>,
        on_next: OnNextState<'_, 'p>,
    ) -> Outcome<Flow> {
        self.invalidate_log();
        self.check_complete()?;
        let middle: State = self.next.as_slice().into();
        let before = std::mem::replace(&mut self.state, middle);
        let reached = self.take_next();
        let generation = self.generation;
        self.invalidate_state_caches();
        let own = std::mem::replace(&mut self.base, base);
        // The continuation is about the whole step, from the state before A.
        let flow = self.step(second, &Continuation::Done, &mut |this: &mut Self| {
            let inner = std::mem::replace(&mut this.state, before.clone());
            let inner_generation = std::mem::replace(&mut this.generation, generation);
            let flow = this.finish(rest, on_next);
            this.generation = inner_generation;
            this.state = inner;
            flow
        });
        self.base = own;
        self.generation = generation;
        self.restore_next(reached);
        self.state = before;
        flow
    }

    /// `ENABLED A`: whether there is a next state.
    pub(crate) fn enabled(&mut self, action: &'p Node) -> Outcome<bool> {
        self.invalidate_log();
        let outer = self.take_next();
        let taken = self.taken.take();
        let primed = std::mem::replace(&mut self.primed, false);
        let (state, generation) = (self.state.clone(), self.generation);
        if primed {
            if outer.unassigned > 0 {
                self.restore_next(outer);
                self.primed = true;
                return Err(Failure::new(
                    ErrorClass::Unassigned,
                    "ENABLED is asked of a state that is not yet known",
                ));
            }
            self.state = outer.values.as_slice().into();
            self.invalidate_state_caches();
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
        self.primed = primed;
        self.taken = taken;
        self.restore_next(outer);
        flow.map(|_| enabled)
    }

    /// `A \cdot B` as a formula about two given states: whether there is an intermediate state.
    pub(crate) fn composed(&mut self, operands: &'p Two) -> Outcome<bool> {
        self.invalidate_log();
        let target = self.take_next();
        let base = self.base;
        let mut holds = false;
        let rest = Continuation::Then {
            second: &operands.1,
            base,
            rest: &Continuation::Done,
        };
        let flow = self.step(&operands.0, &rest, &mut |this: &mut Self| {
            holds = (0..target.values.len())
                .all(|at| !target.is_assigned[at] || this.next[at] == target.values[at]);
            Ok(if holds { Flow::Stop } else { Flow::Go })
        });
        self.restore_next(target);
        flow.map(|_| holds)
    }

    /// Saves the next state and starts an unassigned one.
    fn take_next(&mut self) -> Partial {
        let size = self.program.variables.len() + self.program.hidden_variables as usize;
        Partial {
            values: std::mem::replace(&mut self.next, vec![Value::bool(false); size]),
            is_assigned: std::mem::replace(&mut self.is_assigned, vec![false; size]),
            unassigned: std::mem::replace(&mut self.unassigned, size),
            edits: self.take_edits(),
        }
    }

    fn restore_next(&mut self, partial: Partial) {
        self.next = partial.values;
        self.is_assigned = partial.is_assigned;
        self.unassigned = partial.unassigned;
        self.restore_edits(partial.edits);
    }
}
