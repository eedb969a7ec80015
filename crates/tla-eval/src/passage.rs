//! Steps that go through a definition: of the successors of an action, those that an application of this definition leads to.
//!
//! Conjuncts are evaluated with their continuation ([`step`](super::step)), so when a next state is complete, every definition that was applied as
//! part of the action is still being evaluated. It is enough to count the applications that fit. While a definition is watched, a continuation
//! is evaluated as an action to its end: evaluated as a formula, it would apply definitions that are not counted.
//!
//! Nothing is rewritten, and by default nothing is left out: the whole action is evaluated, whichever way leads to the definition (an operator given as
//! an argument, a LET, a recursive operator). Where it is enough to find *some* step through the definition, disjuncts from which no application of
//! it can be reached may be skipped, and so may applications to other arguments ([`StepSearch::Some`]): a step that is found is a step of the whole
//! action all the same, because leaving out disjuncts adds none.

use std::sync::Arc;

use omnilink_tla_ir::{Argument, Kind, Node, OperatorId, Program};
use omnilink_value::Value;

use super::error::Outcome;
use super::evaluator::{Evaluator, State};
use super::flow::Flow;
use super::slot::Slot;
use super::step::Continuation;
use super::successors::OnState;

/// A definition of a program, by its name and the number of its parameters.
#[derive(Clone, Debug)]
pub struct WatchedDefinition {
    /// For each operator of the program: whether it is this definition.
    is_watched: Arc<[bool]>,
    /// For each operator: whether an application of the definition can be reached from its body.
    reaches: Arc<[bool]>,
}

/// The steps that are looked for: through a definition, applied to these arguments where they are given.
#[derive(Clone, Copy, Debug)]
pub struct WatchedSteps<'a> {
    /// The definition.
    pub definition: &'a WatchedDefinition,
    /// Its arguments; `None` for one that may be anything.
    pub arguments: &'a [Option<Value>],
    /// Whether all of them are wanted.
    pub search: StepSearch,
}

/// Which steps through a definition are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepSearch {
    /// All of them.
    All,
    /// One is enough: what cannot lead to one is skipped.
    Some,
}

impl WatchedDefinition {
    /// The definition of this name and number of parameters. Operators that are added to the program later are not it.
    pub fn named(program: &Program, name: &str, params: usize) -> Self {
        let operators = program.operators.iter();
        let is_watched = operators.map(|operator| {
            operator.is_definition && *operator.name == *name && operator.params as usize == params
        });
        let is_watched: Arc<[bool]> = is_watched.collect();
        Self {
            reaches: reaching(program, &is_watched).into(),
            is_watched,
        }
    }

    /// Whether an application of the definition can be reached from a node, other than over the contents of slots.
    fn is_reached_from(&self, node: &Node) -> bool {
        let mut is_reached = false;
        each_operator(node, &mut |operator| {
            let at = operator as usize;
            // An operator that was added later is not known.
            let is_known = |table: &[bool]| table.get(at).copied().unwrap_or(true);
            is_reached |= is_known(&self.is_watched) || is_known(&self.reaches);
        });
        is_reached
    }
}

/// For each operator, whether one of these can be reached from its body.
fn reaching(program: &Program, targets: &[bool]) -> Vec<bool> {
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); program.operators.len()];
    for (number, operator) in (0u32..).zip(&program.operators) {
        each_operator(&operator.body, &mut |called| {
            if let Some(callers) = callers.get_mut(called as usize) {
                callers.push(number);
            }
        });
    }
    let mut reaches = vec![false; program.operators.len()];
    let mut open: Vec<u32> = (0u32..)
        .zip(targets)
        .filter(|(_, is_target)| **is_target)
        .map(|(number, _)| number)
        .collect();
    while let Some(called) = open.pop() {
        for caller in std::mem::take(&mut callers[called as usize]) {
            if !std::mem::replace(&mut reaches[caller as usize], true) {
                open.push(caller);
            }
        }
    }
    reaches
}

/// Visits the operators that an expression applies or gives as arguments.
fn each_operator(node: &Node, visit: &mut dyn FnMut(u32)) {
    if let Kind::Call(call) = &node.kind {
        visit(call.operator);
    }
    node.kind.for_each_argument(|argument| {
        if let Argument::Operator(operator, _) = argument {
            visit(*operator);
        }
    });
    node.kind.for_each_child(|child| each_operator(child, visit));
}

/// A definition that is watched, and its applications that are being evaluated.
#[derive(Debug)]
pub(crate) struct Passage {
    definition: WatchedDefinition,
    /// What its arguments must be, as far as that is given.
    arguments: Arc<[Option<Value>]>,
    /// How many applications with these arguments are being evaluated.
    applied: u32,
    search: StepSearch,
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
        watched: WatchedSteps<'_>,
        from: &State,
        given: &[(u32, Value)],
        found: OnState<'_, 'p>,
    ) -> Outcome<()> {
        self.passage = Some(Box::new(Passage {
            definition: watched.definition.clone(),
            arguments: watched.arguments.into(),
            applied: 0,
            search: watched.search,
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

    /// Whether a disjunct need not be evaluated: no step through the watched definition can come from it. What it leads to must be the whole step.
    pub(super) fn may_skip_disjunct(&mut self, disjunct: &Node, rest: &Continuation<'_, 'p>) -> bool {
        let Some(passage) = &self.passage else {
            return false;
        };
        let uses = disjunct.uses;
        passage.search == StepSearch::Some
            && passage.applied == 0
            && rest.is_done()
            && !uses.opaque
            && !uses.unfinished
            && !passage.definition.is_reached_from(disjunct)
            && !self.slots_mention_next(uses.slots)
    }

    /// Whether the body of an operator, whose frame is the current one, need not be evaluated: it is the watched definition with other arguments.
    pub(super) fn may_skip_application(
        &mut self,
        operator: u32,
        body: &Node,
        rest: &Continuation<'_, 'p>,
    ) -> bool {
        let Some(passage) = &self.passage else {
            return false;
        };
        let definition = &passage.definition;
        passage.search == StepSearch::Some
            && passage.applied == 0
            && rest.is_done()
            && definition.is_watched.get(operator as usize) == Some(&true)
            && definition.reaches.get(operator as usize) == Some(&false)
            && !body.uses.opaque
            && !self.slots_mention_next(body.uses.slots)
    }

    /// Ends an application that was counted.
    pub(super) fn leave_passage(&mut self) {
        if let Some(passage) = &mut self.passage {
            passage.applied -= 1;
        }
    }
}
