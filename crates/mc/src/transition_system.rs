//! The interface between a search and what it explores.

use std::ops::ControlFlow;

use omnilink_value::Value;

use crate::fingerprint::Fingerprint;

pub use omnilink_tla::eval::State;

/// Callback for each initial state; [`ControlFlow::Break`] ends the enumeration.
pub type StateVisitor<'a, W> = dyn FnMut(&mut W, &[Value]) -> ControlFlow<()> + 'a;

/// Receiver of successors.
pub trait SuccessorVisitor<W, L> {
    /// Receives a successor and the label of its step; [`ControlFlow::Break`] ends the enumeration.
    fn visit(&mut self, worker: &mut W, state: &[Value], label: &L) -> ControlFlow<()>;

    /// Whether the successor whose values have this fingerprint can be skipped. If so, its state is not built and [`Self::visit`]
    /// is not called. With a VIEW or SYMMETRY, this is not the fingerprint that [`TransitionSystem::fingerprint`] returns.
    fn can_skip(&mut self, _state: Fingerprint, _label: &L) -> bool {
        false
    }
}

impl<W, L, F: FnMut(&mut W, &[Value], &L) -> ControlFlow<()>> SuccessorVisitor<W, L> for F {
    fn visit(&mut self, worker: &mut W, state: &[Value], label: &L) -> ControlFlow<()> {
        self(worker, state, label)
    }
}

/// Some of the initial states.
#[derive(Clone, Copy, Debug)]
pub struct InitialPart {
    /// The first one that was not passed on before.
    pub first: usize,
    /// Whether there are no more.
    pub is_last: bool,
}

/// Expansion of encoded states by compiled code.
///
/// It has the successors of the state expanded last, in the order of [`TransitionSystem::successors`], and answers about each what the
/// system would.
pub trait CompiledExpansion<W, E> {
    /// Learns from a state that was expanded otherwise.
    fn learn(&mut self, worker: &mut W, state: &State);

    /// Expands the state of this level that some bytes start with. Returns the length of its encoding; `None` if the state has to be expanded otherwise,
    /// and then there are no successors to ask about.
    fn expand(&mut self, worker: &mut W, encoded: &[u8], level: u32) -> Option<usize>;

    /// The search is over: looks again at some of what was expanded.
    fn finish(&mut self, worker: &mut W) {
        let _ = worker;
    }

    /// From how many initial states, enumerated otherwise, the code for the others is made; `None` if there is no such code.
    fn initial_sample(&self) -> Option<usize>;

    /// Makes code for the initial states, which are like some of them.
    fn start_initial(&mut self, worker: &mut W, sample: &[State]);

    /// Finds the next initial states, in the order of [`TransitionSystem::initial_states`]. They are asked about as successors are. Of all initial
    /// states, `passed` need no more attention. Returns the first one that does; `None` if the others have to be enumerated otherwise.
    fn next_initial(&mut self, worker: &mut W, passed: u64) -> Option<InitialPart>;

    /// Forgets the code for the initial states.
    fn end_initial(&mut self);

    /// Whether the state expanded last, which has no successors here, has none.
    ///
    /// # Errors
    /// When that cannot be evaluated.
    fn is_deadlock(&mut self, worker: &mut W) -> Result<bool, E>;

    /// The number of successors.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The fingerprint of a successor.
    fn fingerprint(&mut self, successor: usize) -> Fingerprint;

    /// A hash of all values of a successor, where that is at hand. Unlike the fingerprint it tells apart what a VIEW or SYMMETRY does not.
    fn values_hash(&self, successor: usize) -> Option<Fingerprint>;

    /// The action that leads to a successor.
    fn action(&self, successor: usize) -> usize;

    /// Whether a successor, which is of this level, satisfies the constraints on states.
    ///
    /// # Errors
    /// When that cannot be evaluated.
    fn satisfies_state_constraints(
        &mut self,
        worker: &mut W,
        successor: usize,
        level: u32,
    ) -> Result<bool, E>;

    /// Whether the step to a successor from the state before, which is of this level, satisfies the action constraints.
    ///
    /// # Errors
    /// When that cannot be evaluated.
    fn satisfies_action_constraints(
        &mut self,
        worker: &mut W,
        successor: usize,
        level: u32,
    ) -> Result<bool, E>;

    /// The index of the first invariant, from an index on, that is false in a successor, which is of this level.
    ///
    /// # Errors
    /// When one cannot be evaluated.
    fn violated_invariant(
        &mut self,
        worker: &mut W,
        successor: usize,
        level: u32,
        first: usize,
    ) -> Result<Option<usize>, E>;

    /// The index of the first step property, from an index on, that is false for the step to a successor, which is of this level.
    ///
    /// # Errors
    /// When one cannot be evaluated.
    fn violated_step_property(
        &mut self,
        worker: &mut W,
        successor: usize,
        level: u32,
        first: usize,
    ) -> Result<Option<usize>, E>;

    /// Appends the encoding of a successor.
    fn encode(&mut self, successor: usize, out: &mut Vec<u8>);

    /// The values of a successor.
    fn state(&mut self, successor: usize) -> State;
}

/// A transition system with properties: initial states, successors, constraints and what must hold.
///
/// All workers share the system. Mutable evaluation state lives in a [`TransitionSystem::Worker`], created in the worker's own
/// thread. `level` is the position of a state on its path, counted from 1.
///
/// Enumeration must be deterministic: counterexamples are recomputed from fingerprints, not stored.
pub trait TransitionSystem: Sync {
    /// Evaluation state of one thread.
    type Worker;
    /// Label of a step. One is created for every step, so it should be cheap.
    type Label;
    /// Description of a step, for counterexamples.
    type Step: Clone + Send;
    /// Evaluation error.
    type Error: Send;

    /// Creates the worker of this number, in the thread that uses it.
    fn worker(&self, number: usize) -> Self::Worker;

    /// Creates a worker for searching. It may be faster, because it need not support [`Self::describe`] beyond the action's name.
    fn search_worker(&self, number: usize) -> Self::Worker {
        self.worker(number)
    }

    /// Compiled code for a worker that searches; `None` if there is none.
    fn compiled(&self) -> Option<Box<dyn CompiledExpansion<Self::Worker, Self::Error> + '_>> {
        None
    }

    /// Number of actions that [`Self::action`] distinguishes.
    fn action_count(&self) -> usize;

    /// The action of a step.
    fn action(&self, label: &Self::Label) -> usize;

    /// Describes a step. Valid only while the step is being visited.
    fn describe(&self, worker: &Self::Worker, label: &Self::Label) -> Self::Step;

    /// Enumerates the initial states.
    fn initial_states(
        &self,
        worker: &mut Self::Worker,
        visitor: &mut StateVisitor<'_, Self::Worker>,
    ) -> Result<(), Self::Error>;

    /// Enumerates the successors of a state.
    fn successors(
        &self,
        worker: &mut Self::Worker,
        from: &State,
        level: u32,
        visitor: &mut dyn SuccessorVisitor<Self::Worker, Self::Label>,
    ) -> Result<(), Self::Error>;

    /// Whether [`Self::satisfies_constraints`] or [`Self::satisfies_action_constraints`] can be false.
    fn has_constraints(&self) -> bool;

    /// Whether [`Self::satisfies_action_constraints`] can be false.
    fn has_action_constraints(&self) -> bool;

    /// Whether constraints, invariants and step properties have the same answer, and no effect, if they are evaluated again for the
    /// same states.
    fn checks_repeat(&self) -> bool;

    /// Whether there are step properties, see [`Self::violated_step_property`].
    fn has_step_properties(&self) -> bool;

    /// Whether a state satisfies the constraints. Other states are checked, but neither counted nor expanded.
    fn satisfies_constraints(
        &self,
        worker: &mut Self::Worker,
        state: &State,
        level: u32,
    ) -> Result<bool, Self::Error>;

    /// Whether a step from a state of this level satisfies the action constraints.
    fn satisfies_action_constraints(
        &self,
        worker: &mut Self::Worker,
        from: &State,
        to: &[Value],
        level: u32,
    ) -> Result<bool, Self::Error>;

    /// The fingerprint of a state.
    fn fingerprint(
        &self,
        worker: &mut Self::Worker,
        state: &[Value],
        level: u32,
    ) -> Result<Fingerprint, Self::Error>;

    /// Whether equal fingerprints mean equal values of all variables, collisions aside. False with a VIEW or SYMMETRY.
    fn fingerprint_determines_state(&self) -> bool {
        true
    }

    /// The index of the first invariant, from this one on, that is false in this state.
    fn violated_invariant(
        &self,
        worker: &mut Self::Worker,
        state: &State,
        level: u32,
        from: usize,
    ) -> Result<Option<usize>, Self::Error>;

    /// Whether there are properties of initial states, see [`Self::violated_initial_property`].
    fn has_initial_properties(&self) -> bool {
        true
    }

    /// The index of the first property of initial states, from this one on, that is false in this state.
    fn violated_initial_property(
        &self,
        worker: &mut Self::Worker,
        state: &State,
        from: usize,
    ) -> Result<Option<usize>, Self::Error>;

    /// The index of the first step property, from this one on, that is false for this step from a state of this level.
    fn violated_step_property(
        &self,
        worker: &mut Self::Worker,
        step: (&State, &[Value]),
        level: u32,
        from: usize,
    ) -> Result<Option<usize>, Self::Error>;

    /// Whether a state without successors is a deadlock.
    fn checks_deadlock(&self) -> bool;

    /// Whether the search goes on after a violation, until every property is violated or every state is explored.
    fn continues_after_violations(&self) -> bool {
        false
    }

    /// Whether an evaluation failed only because the time limit was reached.
    fn is_timeout(&self, error: &Self::Error) -> bool {
        let _ = error;
        false
    }

    /// Whether expanding a state twice has no observable effect. Queried once per search.
    fn may_reexpand(&self) -> bool {
        true
    }

    /// Whether the spec requested the end of the search.
    fn stop_requested(&self, worker: &Self::Worker) -> bool {
        let _ = worker;
        false
    }
}
