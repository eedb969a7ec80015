//! The labels of a state and of its steps, as the evaluator decides them.
//!
//! For a fairness condition the steps `<<A>>_v` from a state are enumerated, as those of Next are. If there is one, `<<A>>_v` is
//! enabled; the steps of the graph among them are recognised by fingerprint, so nothing is evaluated for them. If an action leaves a
//! variable open, ENABLED and its steps are evaluated as formulas instead.

use std::sync::atomic::Ordering;

use omnilink_tla::eval::error::{ErrorClass, Failure};
use omnilink_tla::eval::{Evaluator, Flow};
use omnilink_tla::ir::OperatorId;
use omnilink_value::Value;

use super::Stop;
use super::formula::add;
use super::graph::Node;
use super::instantiate::{AtomInstance, AtomKind};
use super::labelling::Labelling;
use crate::fingerprint::Fingerprint;
use crate::transition_system::State;

/// Which atoms hold for a state and for each of its steps: sets of atoms.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NodeLabels {
    /// Of the state.
    pub(super) of_state: Vec<u64>,
    /// Of the steps, one after the other.
    pub(super) of_steps: Vec<u64>,
}

impl NodeLabels {
    /// Empty sets of this many atoms, for a state with this many steps. There is at least one word.
    pub(super) fn start(&mut self, atoms: usize, steps: usize) {
        let words = atoms.div_ceil(64).max(1);
        self.of_state.clear();
        self.of_state.resize(words, 0);
        self.of_steps.clear();
        self.of_steps.resize(words * steps, 0);
    }

    /// Adds an atom about the state.
    pub(super) fn add(&mut self, atom: usize) {
        add(&mut self.of_state, atom as u32);
    }

    /// Adds an atom about a step.
    pub(super) fn add_to_step(&mut self, step: usize, atom: usize) {
        let words = self.of_state.len();
        add(&mut self.of_steps[step * words..], atom as u32);
    }
}

/// A state with its steps, decoded.
pub(super) struct Decoded<'a> {
    state: State,
    successors: &'a [Node],
    /// The states after the steps, once they are needed.
    after: Vec<State>,
}

impl<'a> Labelling<'a> {
    /// The labels of a state and of its steps, by the evaluator alone.
    pub(super) fn label_interpreted(
        &self,
        worker: &mut Evaluator<'_>,
        node: Node,
        labels: &mut NodeLabels,
    ) -> Result<(), Stop> {
        let mut decoded = self.decoded(node)?;
        labels.start(self.atoms.len(), decoded.successors.len());
        for (number, atom) in self.atoms.iter().enumerate() {
            self.label_atom(worker, &mut decoded, (number, atom), labels)
                .map_err(|stop| match stop {
                    AtomStop::Decode(error) => Stop::Decode(error),
                    AtomStop::Failed(failure)
                        if failure.class == ErrorClass::Resource && self.limits.time_limit().is_some() =>
                    {
                        Stop::Limit(self.limits.timeout())
                    }
                    AtomStop::Failed(failure) => Stop::Failed(node, failure),
                })?;
        }
        Ok(())
    }

    /// A state, decoded.
    pub(super) fn decoded(&self, node: Node) -> Result<Decoded<'a>, Stop> {
        Ok(Decoded {
            state: self.graph.state(node).map_err(Stop::Decode)?,
            successors: self.graph.successors(node),
            after: Vec::new(),
        })
    }

    /// Adds an atom where it holds.
    pub(super) fn label_atom(
        &self,
        worker: &mut Evaluator<'_>,
        decoded: &mut Decoded<'_>,
        (number, atom): (usize, &AtomInstance),
        labels: &mut NodeLabels,
    ) -> Result<(), AtomStop> {
        match &atom.kind {
            AtomKind::State(operation) => {
                worker.set_state(&decoded.state);
                if worker.holds_with(*operation, &atom.arguments)? {
                    labels.add(number);
                }
                Ok(())
            }
            AtomKind::Step { step, .. } => {
                self.label_steps(worker, decoded, (*step, &atom.arguments), &mut |at| {
                    labels.add_to_step(at, number);
                })
            }
            AtomKind::Enabled { step, enabled, hides } => {
                let is_open = &self.is_open[number];
                if !hides && !is_open.load(Ordering::Relaxed) {
                    let mut is_enabled = false;
                    let (state, successors) = (&decoded.state, decoded.successors);
                    let mut visit = |_: &mut Evaluator<'_>, next: &[Value], _: Option<_>| {
                        is_enabled = true;
                        if let Some(at) = self.step_to(Fingerprint::of_state(next), successors) {
                            labels.add_to_step(at, number + 1);
                        }
                        Ok(Flow::Go)
                    };
                    match worker.successors_of(*step, &atom.arguments, state, &mut visit) {
                        Ok(()) => {
                            if is_enabled {
                                labels.add(number);
                            }
                            return Ok(());
                        }
                        Err(failure) if failure.class == ErrorClass::Unassigned => {
                            is_open.store(true, Ordering::Relaxed);
                        }
                        Err(failure) => return Err(failure.into()),
                    }
                }
                worker.set_state(&decoded.state);
                if worker.holds_with(*enabled, &atom.arguments)? {
                    labels.add(number);
                    self.label_steps(worker, decoded, (*step, &atom.arguments), &mut |at| {
                        labels.add_to_step(at, number + 1);
                    })?;
                }
                Ok(())
            }
            AtomKind::Taken => Ok(()),
        }
    }

    /// Which of the steps of a state leads to the state with a fingerprint.
    pub(super) fn step_to(&self, to: Fingerprint, successors: &[Node]) -> Option<usize> {
        let to = self.graph.find(to)?;
        successors.binary_search(&to).ok()
    }

    /// Evaluates a formula for all steps.
    fn label_steps(
        &self,
        worker: &mut Evaluator<'_>,
        decoded: &mut Decoded<'_>,
        (step, arguments): (OperatorId, &[Value]),
        on_step: &mut dyn FnMut(usize),
    ) -> Result<(), AtomStop> {
        let Decoded {
            state,
            successors,
            after,
        } = decoded;
        for to in &successors[after.len()..] {
            after.push(self.graph.state(*to).map_err(AtomStop::Decode)?);
        }
        for (at, next) in after.iter().enumerate() {
            worker.set_state(state);
            worker.set_next(next);
            if worker.holds_with(step, arguments)? {
                on_step(at);
            }
        }
        worker.clear_next();
        Ok(())
    }
}

/// Why an atom could not be evaluated.
pub(super) enum AtomStop {
    Decode(crate::codec::StateDecodeError),
    Failed(Box<Failure>),
}

impl From<Box<Failure>> for AtomStop {
    fn from(failure: Box<Failure>) -> Self {
        Self::Failed(failure)
    }
}
