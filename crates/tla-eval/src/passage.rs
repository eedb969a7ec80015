//! Steps that go through a definition: of the successors of an action, those that an application of this definition leads to.
//!
//! Conjuncts are evaluated with their continuation ([`step`](super::step)), so when a next state is complete, every definition that was applied as
//! part of the action is still being evaluated. It is enough to count the applications that fit. While a definition is watched, a continuation
//! is evaluated as an action to its end: evaluated as a formula, it would apply definitions that are not counted.
//!
//! Nothing is left out and nothing is rewritten: the whole action is evaluated, whichever way leads to the definition (an operator given as
//! an argument, a LET, a recursive operator).

use std::sync::Arc;

use omnilink_tla_ir::{OperatorId, Program};
use omnilink_value::Value;

use super::error::Outcome;
use super::evaluator::{Evaluator, State};
use super::flow::Flow;
use super::slot::Slot;
use super::successors::OnState;

/// A definition of a program, by its name and the number of its parameters.
#[derive(Clone, Debug)]
pub struct WatchedDefinition {
    /// For each operator of the program: whether it is this definition.
    is_watched: Arc<[bool]>,
}

impl WatchedDefinition {
    /// The definition of this name and number of parameters. Operators that are added to the program later are not it.
    pub fn named(program: &Program, name: &str, params: usize) -> Self {
        let operators = program.operators.iter();
        let is_watched = operators.map(|operator| {
            operator.is_definition && *operator.name == *name && operator.params as usize == params
        });
        Self {
            is_watched: is_watched.collect(),
        }
    }
}

/// A definition that is watched, and its applications that are being evaluated.
#[derive(Debug)]
pub(crate) struct Passage {
    definition: WatchedDefinition,
    /// What its arguments must be, as far as that is given.
    arguments: Arc<[Option<Value>]>,
    /// How many applications with these arguments are being evaluated.
    applied: u32,
}

impl<'p> Evaluator<'p> {
    /// Enumerates the successors of a state that go through a definition, applied to these arguments where they are given; duplicates included. The
    /// next values of some variables may be known.
    ///
    /// # Errors
    /// If the evaluation fails; also the evaluation of an argument that is compared.
    pub fn successors_through(
        &mut self,
        action: OperatorId,
        definition: &WatchedDefinition,
        arguments: &[Option<Value>],
        from: &State,
        given: &[(u32, Value)],
        found: OnState<'_, 'p>,
    ) -> Outcome<()> {
        self.passage = Some(Box::new(Passage {
            definition: definition.clone(),
            arguments: arguments.into(),
            applied: 0,
        }));
        let result = self.successors_given(action, &[], from, given, &mut |this, next, taken| {
            match this.passage.as_ref().is_some_and(|passage| passage.applied > 0) {
                true => {
                    // What the receiver evaluates is no part of the step.
                    let passage = this.passage.take();
                    let flow = found(this, next, taken);
                    this.passage = passage;
                    flow
                }
                false => Ok(Flow::Go),
            }
        });
        self.passage = None;
        result
    }

    /// Counts an application of the watched definition whose frame is at `frame`, if it fits; whether it does.
    pub(super) fn enter_passage(&mut self, operator: u32, frame: usize) -> Outcome<bool> {
        let Some(passage) = &self.passage else {
            return Ok(false);
        };
        let is_watched = passage.definition.is_watched.get(operator as usize);
        if is_watched != Some(&true) {
            return Ok(false);
        }
        let arguments = passage.arguments.clone();
        for (slot, expected) in (0u32..).zip(arguments.iter()) {
            let Some(expected) = expected else { continue };
            if matches!(self.slots[frame + slot as usize], Slot::Operator(_)) {
                return Ok(false);
            }
            let datum = self.in_frame(frame as u32, |this| this.local(slot))?;
            if self.canonical(datum)? != *expected {
                return Ok(false);
            }
        }
        if let Some(passage) = &mut self.passage {
            passage.applied += 1;
        }
        Ok(true)
    }

    /// Ends an application that was counted.
    pub(super) fn leave_passage(&mut self) {
        if let Some(passage) = &mut self.passage {
            passage.applied -= 1;
        }
    }
}
