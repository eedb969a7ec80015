//! The sequential model that a history is checked against.
//!
//! One trait serves deterministic and nondeterministic models: a step reports its successors to [`Outcomes`], none, one or
//! many. The engine interns states and operations and memoizes steps. Its inner loop never clones or hashes a state, so a
//! model may be written for clarity.

use std::cell::Cell;
use std::fmt;
use std::hash::Hash;
use std::time::Instant;

use omnilink_evidence::{Limit, RefusalReason};
use omnilink_memory::guard;

use crate::footprint::Footprint;
use crate::interrupt::Interrupt;
use crate::observation::{CollectionKind, Observation};

/// A sequential specification.
///
/// ```
/// use omnilink_engine::{Footprint, Model, Outcomes};
///
/// struct Register;
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum Op { Write(i64), Read(i64) }
///
/// impl Model for Register {
///     type State = i64;
///     type Op = Op;
///
///     fn initial(&self) -> Vec<i64> { vec![0] }
///
///     fn step(&self, state: &i64, op: &Op, outcomes: &mut Outcomes<i64>) {
///         match op {
///             Op::Write(value) => outcomes.accept(*value),
///             Op::Read(value) if value == state => outcomes.accept(*state),
///             Op::Read(value) => outcomes.refuse(|| format!("read {value}, but the register holds {state}")),
///         }
///     }
///
///     fn is_pure(&self, op: &Op) -> bool { matches!(op, Op::Read(_)) }
/// }
/// ```
pub trait Model {
    /// A state of the object. Equal states must behave equally.
    type State: Clone + Eq + Hash + fmt::Debug;
    /// An operation with its arguments and its result. Equal operations form one *class* and are interchangeable.
    type Op: Clone + Eq + Hash + fmt::Debug;

    /// The possible states before the first operation.
    fn initial(&self) -> Vec<Self::State>;

    /// Reports every state that `op`, with its result, may lead to from `state`. If it reports none, the operation with
    /// this result cannot happen here.
    fn step(&self, state: &Self::State, op: &Self::Op, outcomes: &mut Outcomes<Self::State>);

    /// [`step`](Self::step) from an owned state, which the model may modify in place. Only a replay of an explanation uses it.
    fn step_from(&self, state: Self::State, op: &Self::Op, outcomes: &mut Outcomes<Self::State>) {
        self.step(&state, op, outcomes);
    }

    /// The initial states by the definition of the model alone: see [`plain_step`](Self::plain_step).
    fn plain_initial(&self) -> Vec<Self::State> {
        self.initial()
    }

    /// [`step`](Self::step) by the definition of the model alone: without a cache, and without anything that an analysis concluded.
    ///
    /// Before a verdict is reported, an explanation is replayed and a violation is confirmed with this. So what is wrong in
    /// a model that computes its steps in a clever way does not become a wrong verdict. It steps from states that `plain_initial`
    /// and `plain_step` return, and may be given those of `step`.
    fn plain_step(&self, state: &Self::State, op: &Self::Op, outcomes: &mut Outcomes<Self::State>) {
        self.step(state, op, outcomes);
    }

    /// Whether `op` leaves **every** state as it is: for all states `s`, `step(s, op) ⊆ {s}`.
    ///
    /// The universal quantifier matters. A write that does not change this state is not pure: it may change a later one.
    /// `false` is always sound.
    fn is_pure(&self, op: &Self::Op) -> bool {
        let _ = op;
        false
    }

    /// The keys that `op` may read and write, over **all** states.
    ///
    /// The contract: `step(s, op)` depends only on `op` and on the read keys of `s` (both the number of successors and
    /// their values of the written keys), and a successor differs from `s` in written keys only. Then two operations
    /// commute if neither writes a key that the other reads or writes, and operations whose keys never meet form
    /// independent partitions. [`Footprint::everything`] is always sound.
    fn footprint(&self, op: &Self::Op) -> Footprint {
        let _ = op;
        Footprint::everything()
    }

    /// Whether `helper` may contribute to enabling `refused`, which `state` refuses.
    ///
    /// The contract: in any sequence of operations that leads from `state` to a state that accepts `refused`, at least
    /// one operation `op` has `may_enable(state, refused, op)`. The engine calls this only with helpers that write a key
    /// that `refused` reads. `true` is always sound; a more precise answer makes the search smaller.
    fn may_enable(&self, state: &Self::State, refused: &Self::Op, helper: &Self::Op) -> bool {
        let _ = (state, refused, helper);
        true
    }

    /// The kind of collection that the model is, if a near-linear monitor can decide its histories.
    ///
    /// The contract: the model accepts a sequence of operations from [`initial`](Self::initial) only if such a collection,
    /// initially empty, accepts the sequence of their [observations](Self::observe). For a register, each key of the
    /// [footprints](Self::footprint) is a register of its own. The engine tries the contract on short sequences of the
    /// operations of a history before it trusts it.
    fn collection_kind(&self) -> Option<CollectionKind> {
        None
    }

    /// The place that says which [collection](Self::collection_kind) the model is, for the error if it is not one.
    fn declared_at(&self) -> Option<String> {
        None
    }

    /// The effect of an operation on the [collection](Self::collection_kind) that the model is.
    fn observe<'a>(&self, op: &'a Self::Op) -> Observation<'a> {
        let _ = op;
        Observation::Other
    }

    /// The state as readable text.
    fn describe_state(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    /// The operation with its result as readable text.
    fn describe_op(&self, op: &Self::Op) -> String {
        format!("{op:?}")
    }

    /// The approximate heap size of `state` in bytes, for memory limits.
    fn state_bytes(&self, state: &Self::State) -> usize {
        let _ = state;
        0
    }
}

/// The successors that a [`Model::step`] reports.
#[derive(Debug)]
pub struct Outcomes<S> {
    states: Vec<S>,
    failure: Option<String>,
    exceeded: Option<String>,
    reason: Option<RefusalReason>,
    explaining: bool,
    deadline: Option<Instant>,
    interrupt: Option<Interrupt>,
    interrupted: Cell<Option<Limit>>,
}

impl<S> Outcomes<S> {
    /// Reports that the operation may lead to `state`. May be called several times.
    pub fn accept(&mut self, state: S) {
        self.states.push(state);
    }

    /// Reports that the operation cannot happen. The reason is computed only if evidence needs it.
    pub fn refuse(&mut self, reason: impl FnOnce() -> String) {
        self.refuse_at(|| RefusalReason::from(reason()));
    }

    /// The same, with the places in the model's source at which the reason stands.
    pub fn refuse_at(&mut self, refusal: impl FnOnce() -> RefusalReason) {
        if self.explaining {
            self.reason = Some(refusal());
        }
    }

    /// Reports that the model itself failed, for example with a type error in a specification. The check ends with an
    /// error, never with a verdict.
    pub fn fail(&mut self, error: String) {
        self.failure.get_or_insert(error);
    }

    /// Reports that the operation leads to a state that the model cannot represent, for example because a number is too
    /// large. The search continues without that state. If it then finds no explanation, the check ends with an error and
    /// not with a violation.
    pub fn exceed(&mut self, limit: impl FnOnce() -> String) {
        if self.exceeded.is_none() {
            self.exceeded = Some(limit());
        }
    }

    /// Whether the time limit was reached or the check was interrupted. A step that takes long should check this
    /// regularly and return as soon as it is `true`. Its result is discarded.
    pub fn is_interrupted(&self) -> bool {
        let is_over = if self.interrupt.is_some_and(Interrupt::is_raised) {
            Some(Limit::Interrupt)
        } else if let Some(over) = guard::over() {
            Some(over.into())
        } else {
            let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            is_late.then_some(Limit::Time)
        };
        self.interrupted.set(self.interrupted.get().or(is_over));
        is_over.is_some()
    }

    /// Reports that the step was ended by a limit. Its result is discarded, and the check ends at the limit that this thread's work has
    /// reached; if there is none, it is one of the model's own, such as a deadline that is not that of this search: then as if its time
    /// were up.
    pub fn give_up(&self) {
        self.give_up_at(if self.interrupt.is_some_and(Interrupt::is_raised) {
            Limit::Interrupt
        } else {
            guard::over().map_or(Limit::Time, Limit::from)
        });
    }

    /// Reports that the step was ended by this limit: its result is discarded, and the check ends.
    pub fn give_up_at(&self, limit: Limit) {
        self.interrupted.set(self.interrupted.get().or(Some(limit)));
    }

    /// Lets `step` accept states of another type, and wraps each: for a model inside a model. Everything else that `step` says
    /// is said here.
    pub fn wrapping<T>(&mut self, wrap: impl FnMut(T) -> S, step: impl FnOnce(&mut Outcomes<T>)) {
        let mut inner = Outcomes {
            states: Vec::new(),
            failure: self.failure.take(),
            exceeded: self.exceeded.take(),
            reason: self.reason.take(),
            explaining: self.explaining,
            deadline: self.deadline,
            interrupt: self.interrupt,
            interrupted: self.interrupted.clone(),
        };
        step(&mut inner);
        self.states.extend(inner.states.into_iter().map(wrap));
        self.failure = inner.failure;
        self.exceeded = inner.exceeded;
        self.reason = inner.reason;
        self.interrupted = inner.interrupted;
    }

    pub(crate) fn new(deadline: Option<Instant>, interrupt: Option<Interrupt>) -> Self {
        Self {
            states: Vec::new(),
            failure: None,
            exceeded: None,
            reason: None,
            explaining: false,
            deadline,
            interrupt,
            interrupted: Cell::new(None),
        }
    }

    pub(crate) fn explaining() -> Self {
        Self {
            explaining: true,
            ..Self::new(None, None)
        }
    }

    pub(crate) fn clear(&mut self) {
        self.states.clear();
    }

    pub(crate) fn states(&mut self) -> &mut Vec<S> {
        &mut self.states
    }

    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub(crate) fn exceeded(&self) -> Option<&str> {
        self.exceeded.as_deref()
    }

    /// The limit that ended a step.
    pub(crate) fn interrupted_by(&self) -> Option<Limit> {
        self.interrupted.get()
    }

    pub(crate) fn into_refusal(self) -> Option<RefusalReason> {
        self.reason.or(self.exceeded.map(RefusalReason::from))
    }
}

/// The states that `op` may lead to from `state` by the definition of the model alone.
pub(crate) fn plain_successors<M: Model>(model: &M, state: &M::State, op: &M::Op) -> Vec<M::State> {
    let mut outcomes = Outcomes::new(None, None);
    model.plain_step(state, op, &mut outcomes);
    outcomes.states
}

/// The states that `op` may lead to from `state`, outside of any search.
pub fn successors<M: Model>(model: &M, state: &M::State, op: &M::Op) -> Vec<M::State> {
    let mut outcomes = Outcomes::new(None, None);
    model.step(state, op, &mut outcomes);
    outcomes.states
}
