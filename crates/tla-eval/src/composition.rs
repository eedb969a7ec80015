//! Nested steps: ENABLED and action composition.

use omnilink_tla_ir::{Node, Two};
use omnilink_value::Value;

use super::error::{ErrorClass, Failure, Outcome};
use super::evaluator::{Evaluator, State};
use super::flow::Flow;
use super::memo::Edit;
use super::step::Rest;
use super::successors::Found;

/// A next state that was put aside.
struct Partial {
    values: Vec<Value>,
    known: Vec<bool>,
    unassigned: usize,
    edits: Vec<Edit>,
}

impl<'p> Evaluator<'p> {
    /// B of `A \cdot B`: the state that A has led to becomes the current one.
    #[inline(never)]
    pub(crate) fn then(
        &mut self,
        second: &'p Node,
        base: usize,
        rest: &Rest<'_, 'p>,
        found: Found<'_, 'p>,
    ) -> Outcome<Flow> {
        self.invalidate_log();
        self.check_complete()?;
        let middle: State = self.next.as_slice().into();
        let before = std::mem::replace(&mut self.state, middle);
        let reached = self.take_next();
        let generation = self.generation;
        self.forget_state();
        let own = std::mem::replace(&mut self.base, base);
        // What follows the composition speaks of the whole step, from the state before A.
        let flow = self.step(second, &Rest::Done, &mut |this: &mut Self| {
            let inner = std::mem::replace(&mut this.state, before.clone());
            let inner_generation = std::mem::replace(&mut this.generation, generation);
            let flow = this.finish(rest, found);
            this.generation = inner_generation;
            this.state = inner;
            flow
        });
        self.base = own;
        self.generation = generation;
        self.put_next(reached);
        self.state = before;
        flow
    }

    /// `ENABLED A`: whether there is a next state at all.
    pub(crate) fn enabled(&mut self, action: &'p Node) -> Outcome<bool> {
        self.invalidate_log();
        let outer = self.take_next();
        let taken = self.taken.take();
        let primed = std::mem::replace(&mut self.primed, false);
        let (state, generation) = (self.state.clone(), self.generation);
        if primed {
            // The next state is the one that is asked about.
            if outer.unassigned > 0 {
                self.put_next(outer);
                self.primed = true;
                return Err(Failure::new(
                    ErrorClass::Unassigned,
                    "ENABLED is asked of a state that is not yet known",
                ));
            }
            self.state = outer.values.as_slice().into();
            self.forget_state();
        }
        let mut enabled = false;
        let flow = self.step(action, &Rest::Done, &mut |_: &mut Self| {
            enabled = true;
            Ok(Flow::Stop)
        });
        self.state = state;
        self.generation = generation;
        self.primed = primed;
        self.taken = taken;
        self.put_next(outer);
        flow.map(|_| enabled)
    }

    /// `A \cdot B` as a formula about two known states: whether some state lies between.
    pub(crate) fn composed(&mut self, operands: &'p Two) -> Outcome<bool> {
        self.invalidate_log();
        let target = self.take_next();
        let base = self.base;
        let mut holds = false;
        let rest = Rest::Then {
            second: &operands.1,
            base,
            rest: &Rest::Done,
        };
        let flow = self.step(&operands.0, &rest, &mut |this: &mut Self| {
            holds =
                (0..target.values.len()).all(|at| !target.known[at] || this.next[at] == target.values[at]);
            Ok(if holds { Flow::Stop } else { Flow::Go })
        });
        self.put_next(target);
        flow.map(|_| holds)
    }

    /// Puts the next state aside for one that is wholly unknown.
    fn take_next(&mut self) -> Partial {
        let size = self.program.variables.len();
        Partial {
            values: std::mem::replace(&mut self.next, vec![Value::bool(false); size]),
            known: std::mem::replace(&mut self.known, vec![false; size]),
            unassigned: std::mem::replace(&mut self.unassigned, size),
            edits: self.take_edits(),
        }
    }

    fn put_next(&mut self, partial: Partial) {
        self.next = partial.values;
        self.known = partial.known;
        self.unassigned = partial.unassigned;
        self.restore_edits(partial.edits);
    }
}
