//! Steps: the states that an instance leads to.

use std::sync::Arc;

use omnilink_tla::eval::error::Outcome;
use omnilink_tla::eval::{Evaluator, Flow, State};
use omnilink_value::Value;

use crate::assignments::each_assignment;
use crate::instance::Instance;
use crate::model::TlaModel;
use crate::state::SpecState;

impl<'l> TlaModel<'l> {
    /// All states that an instance leads to from a state.
    pub(crate) fn successors(
        &self,
        evaluator: &mut Evaluator<'l>,
        state: &SpecState,
        instance: &Instance,
    ) -> Outcome<Vec<SpecState>> {
        let mut found = Vec::new();
        let after_hidden;
        let all_before = if self.has_hidden_steps() {
            after_hidden = self.with_hidden(evaluator, state)?;
            &*after_hidden
        } else {
            std::slice::from_ref(state)
        };
        for before in all_before {
            each_assignment(
                evaluator,
                self.binding(instance),
                &instance.0.arguments,
                before.values(),
                &mut |evaluator, arguments| {
                    self.step_from(evaluator, before, instance, arguments, &mut found)
                },
            )?;
        }
        Ok(found
            .into_iter()
            .map(|next| next.after_part(instance.0.part))
            .collect())
    }

    fn step_from(
        &self,
        evaluator: &mut Evaluator<'l>,
        before: &SpecState,
        instance: &Instance,
        arguments: &[Value],
        found: &mut Vec<SpecState>,
    ) -> Outcome<()> {
        let operation = instance.0.operation;
        let mut reached: smallvec::SmallVec<[State; 2]> = smallvec::SmallVec::new();
        let mut unchanged = false;
        let mut steps: Vec<State> = Vec::new();
        let mut visit = |next: &[Value]| {
            if self.counters.counts_steps() {
                steps.push(next.into());
            }
            let lasting;
            let next = if self.linked.transient.is_empty() {
                next
            } else {
                lasting = self.lasting(next, before.values());
                &lasting
            };
            let canonical = self.layout.canonical(next);
            let next = canonical.as_deref().unwrap_or(next);
            if *next == **before.values() {
                unchanged = true;
            } else if !reached.iter().any(|known| **known == *next) {
                reached.push(Arc::from(next));
            }
        };
        let mut compiled = self.compiled.borrow_mut();
        match compiled.successors(evaluator, operation, arguments, before.values()) {
            Some(found) => found.iter().for_each(|next| visit(next)),
            None => evaluator.successors_of(operation, arguments, before.values(), &mut |_, next, _| {
                visit(next);
                Ok(Flow::Go)
            })?,
        }
        drop(compiled);
        for next in &steps {
            self.counters
                .branches(evaluator, operation, arguments, before.values(), next)?;
        }
        if unchanged && !found.contains(before) {
            found.push(before.clone());
        }
        for next in reached {
            let completed = match self.touched_parts(instance) {
                Some(touched) if self.hold(evaluator, touched, &next)? => {
                    self.with_view(evaluator, next).map(Some)
                }
                Some(_) => Ok(None),
                None => self.completed(evaluator, next),
            };
            if let Some(next) = completed? {
                let next = next.after(before);
                if !found.contains(&next) {
                    found.push(next);
                }
            }
        }
        Ok(())
    }

    /// Counts what a step of an explanation exercises. Nothing depends on it, so what goes wrong is not told.
    pub(crate) fn count_step(&self, state: &SpecState, instance: &Instance, next: &SpecState) {
        let mut evaluator = self.evaluator.borrow_mut();
        let operation = instance.0.operation;
        if self.counters.has_branches(operation) {
            let is_plain = !self.has_hidden_steps() && self.linked.transient.is_empty();
            match instance.0.known().filter(|_| is_plain) {
                Some(arguments) => {
                    let (from, to) = (state.values(), next.values());
                    let _ = self
                        .counters
                        .branches(&mut evaluator, operation, &arguments, from, to);
                }
                // What was not recorded, and what happened unseen, is found by evaluating the step again.
                None => self
                    .counters
                    .counting(|| drop(self.successors(&mut evaluator, state, instance))),
            }
        }
        if let Some(abstraction) = self.linked.abstraction {
            evaluator.set_state(next.values());
            if let Ok(state) = evaluator.value(abstraction) {
                self.counters.abstract_state(&state);
            }
        }
    }

    /// A state with its view; `None` if an invariant does not hold in it.
    pub(crate) fn completed(
        &self,
        evaluator: &mut Evaluator<'l>,
        values: State,
    ) -> Outcome<Option<SpecState>> {
        for (number, invariant) in self.linked.invariants.iter().enumerate() {
            let holds = evaluator.holds(invariant.formula, &values)?;
            self.counters.invariant(number, holds);
            if !holds {
                return Ok(None);
            }
        }
        self.with_view(evaluator, values).map(Some)
    }

    /// A state with its view.
    pub(crate) fn with_view(&self, evaluator: &mut Evaluator<'l>, values: State) -> Outcome<SpecState> {
        let view = match self.linked.view {
            Some(view) => {
                evaluator.set_state(&values);
                Some(evaluator.value(view)?)
            }
            None => None,
        };
        Ok(SpecState::new(values, view))
    }

    /// The next state with the transient variables reset.
    fn lasting(&self, next: &[Value], before: &[Value]) -> Vec<Value> {
        let mut next = next.to_vec();
        for slot in &self.linked.transient {
            let slot = *slot as usize;
            if let (Some(value), Some(before)) = (next.get_mut(slot), before.get(slot)) {
                *value = before.clone();
            }
        }
        next
    }
}
