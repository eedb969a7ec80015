//! What is explored.

use std::ops::ControlFlow;
use std::sync::Arc;

use omnilink_value::Value;

use crate::fingerprint::Fingerprint;

/// The value of every variable.
pub type State = Arc<[Value]>;

/// Called with each state that was found; [`ControlFlow::Break`] ends the enumeration.
pub type FoundState<'a, W> = dyn FnMut(&mut W, &[Value]) -> ControlFlow<()> + 'a;
/// Told of each successor and what led to it.
pub trait FoundStep<W, L> {
    /// A successor; [`ControlFlow::Break`] ends the enumeration.
    fn found(&mut self, worker: &mut W, state: &[Value], label: &L) -> ControlFlow<()>;

    /// Whether a successor of this fingerprint need not be made; it will then not be reported.
    fn is_known(&mut self, _state: Fingerprint, _label: &L) -> bool {
        false
    }
}

impl<W, L, F: FnMut(&mut W, &[Value], &L) -> ControlFlow<()>> FoundStep<W, L> for F {
    fn found(&mut self, worker: &mut W, state: &[Value], label: &L) -> ControlFlow<()> {
        self(worker, state, label)
    }
}

/// A system of states: where it starts, where it goes, and what must hold.
///
/// The machine is shared by all workers; whatever an evaluation needs to write lives in a [`Machine::Worker`], made in the
/// worker's own thread. `level` is the position of a state on its path, counted from 1.
///
/// Enumeration must be deterministic: a counterexample is found again by fingerprint, not kept.
pub trait Machine: Sync {
    /// What one thread needs to evaluate.
    type Worker;
    /// What led from a state to its successor, as cheap as can be: one is made for every step.
    type Label;
    /// The same in full, for counterexamples.
    type Named: Clone + Send;
    /// Why an evaluation failed.
    type Failure: Send;

    /// The worker of this number, made in the thread that uses it.
    fn worker(&self, number: usize) -> Self::Worker;

    /// A worker that need not be able to name the steps it finds beyond their actions, and may be faster for it.
    fn searcher(&self, number: usize) -> Self::Worker {
        self.worker(number)
    }

    /// How many actions [`Machine::action`] tells apart.
    fn actions(&self) -> usize;

    /// Which action a step was.
    fn action(&self, label: &Self::Label) -> usize;

    /// A step in full. To be asked while the step is being reported.
    fn named(&self, worker: &Self::Worker, label: &Self::Label) -> Self::Named;

    /// Enumerates the initial states.
    fn initial(
        &self,
        worker: &mut Self::Worker,
        found: &mut FoundState<'_, Self::Worker>,
    ) -> Result<(), Self::Failure>;

    /// Enumerates the successors of a state.
    fn successors(
        &self,
        worker: &mut Self::Worker,
        from: &State,
        level: u32,
        found: &mut dyn FoundStep<Self::Worker, Self::Label>,
    ) -> Result<(), Self::Failure>;

    /// Whether there are constraints at all: [`Machine::is_within`] and [`Machine::is_step_within`].
    fn has_constraints(&self) -> bool;

    /// Whether there are properties of steps at all: [`Machine::broken_step`].
    fn has_step_properties(&self) -> bool;

    /// Whether a state is within the constraints: states outside are checked, but neither counted nor explored.
    fn is_within(&self, worker: &mut Self::Worker, state: &State, level: u32) -> Result<bool, Self::Failure>;

    /// Whether a step, from a state of this level, is within the constraints.
    fn is_step_within(
        &self,
        worker: &mut Self::Worker,
        from: &State,
        to: &[Value],
        level: u32,
    ) -> Result<bool, Self::Failure>;

    /// What identifies a state.
    fn fingerprint(
        &self,
        worker: &mut Self::Worker,
        state: &[Value],
        level: u32,
    ) -> Result<Fingerprint, Self::Failure>;

    /// Whether states of one fingerprint are the same in every variable, but for collisions.
    fn fingerprints_identify(&self) -> bool {
        true
    }

    /// The first property of all states that does not hold in this one.
    fn broken_invariant(
        &self,
        worker: &mut Self::Worker,
        state: &State,
        level: u32,
    ) -> Result<Option<usize>, Self::Failure>;

    /// The first property of initial states that does not hold in this one.
    fn broken_initial(
        &self,
        worker: &mut Self::Worker,
        state: &State,
    ) -> Result<Option<usize>, Self::Failure>;

    /// The first property of all steps that does not hold for this one, from a state of this level.
    fn broken_step(
        &self,
        worker: &mut Self::Worker,
        from: &State,
        to: &[Value],
        level: u32,
    ) -> Result<Option<usize>, Self::Failure>;

    /// Whether a state without successors is a deadlock.
    fn checks_deadlock(&self) -> bool;

    /// Whether an evaluation failed only because the time was over.
    fn was_cut_short(&self, failure: &Self::Failure) -> bool {
        let _ = failure;
        false
    }

    /// Whether nobody can tell that a state was expanded twice. Asked once a search.
    fn may_repeat(&self) -> bool {
        true
    }

    /// Whether the spec asked to end the search.
    fn wants_to_stop(&self, worker: &Self::Worker) -> bool {
        let _ = worker;
        false
    }
}
