//! What an operation does: the sequential meaning that a history is checked against.
//!
//! One trait serves deterministic and nondeterministic models: a step reports its successors into [`Outcomes`], none,
//! one or many. The engine never clones or hashes a state in its inner loop: states and operations are interned, and
//! `(state, operation)` is stepped once, so a model may be written for clarity.

use std::cell::Cell;
use std::fmt;
use std::hash::Hash;
use std::time::Instant;

use crate::collections::{ActsAs, Observation};
use crate::footprint::Footprint;
use crate::watch::Interrupt;

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
    /// A state of the object. Equal states must behave equally for ever.
    type State: Clone + Eq + Hash + fmt::Debug;
    /// An operation with its arguments and its result: two operations that are equal form one *class* and are
    /// interchangeable to the model.
    type Op: Clone + Eq + Hash + fmt::Debug;

    /// The states the object may be in before the first operation.
    fn initial(&self) -> Vec<Self::State>;

    /// Reports every state that `op`, with the result it carries, may lead to from `state`. Reporting none means that
    /// the operation with this result cannot happen here.
    fn step(&self, state: &Self::State, op: &Self::Op, outcomes: &mut Outcomes<Self::State>);

    /// [`step`](Self::step) from a state that nobody else needs, which may become its successor.
    fn step_from(&self, state: Self::State, op: &Self::Op, outcomes: &mut Outcomes<Self::State>) {
        self.step(&state, op, outcomes);
    }

    /// Whether `op` leaves **every** state as it is: for all states `s`, `step(s, op) ⊆ {s}`.
    ///
    /// The universal quantifier matters. A write that happens not to change this state is not pure: it may
    /// change a later one. Answering `false` is always sound.
    fn is_pure(&self, op: &Self::Op) -> bool {
        let _ = op;
        false
    }

    /// Which keys `op` may read and which it may write, over **all** states.
    ///
    /// The contract: `step(s, op)` is a function of the read keys of `s` and of `op` alone (which successors there
    /// are, and what they hold in the written keys), and a successor differs from `s` in written keys only. Two
    /// operations where neither writes what the other reads or writes then commute, and operations whose keys never
    /// meet form independent partitions. [`Footprint::everything`] is always sound.
    fn footprint(&self, op: &Self::Op) -> Footprint {
        let _ = op;
        Footprint::everything()
    }

    /// Whether `helper` may be what `refused`, which `state` refuses, is waiting for.
    ///
    /// The contract: in any sequence of operations that leads from `state` to a state that accepts `refused`, at
    /// least one operation has `may_enable(state, refused, it)`. The engine asks only about helpers that write a key
    /// that `refused` reads, so `true` is always sound; a sharper answer cuts the search down.
    fn may_enable(&self, state: &Self::State, refused: &Self::Op, helper: &Self::Op) -> bool {
        let _ = (state, refused, helper);
        true
    }

    /// What the model is, if a near-linear monitor may decide histories of it.
    ///
    /// The contract: from [`initial`](Self::initial), the model accepts exactly the sequences of operations that such a
    /// collection, empty at first, accepts of what [`observe`](Self::observe) says the operations did. A register is what
    /// one key of the [footprints](Self::footprint) is.
    fn acts_as(&self) -> Option<ActsAs> {
        None
    }

    /// What an operation did to the collection that the model [acts as](Self::acts_as).
    fn observe<'a>(&self, op: &'a Self::Op) -> Observation<'a> {
        let _ = op;
        Observation::Other
    }

    /// The state as a person would write it.
    fn describe_state(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    /// The operation with its result as a person would write it.
    fn describe_op(&self, op: &Self::Op) -> String {
        format!("{op:?}")
    }

    /// Roughly how many bytes `state` holds on the heap, for memory limits.
    fn state_bytes(&self, state: &Self::State) -> usize {
        let _ = state;
        0
    }
}

/// Where a [`Model::step`] reports what may happen.
#[derive(Debug)]
pub struct Outcomes<S> {
    states: Vec<S>,
    failure: Option<String>,
    exceeded: Option<String>,
    reason: Option<String>,
    explaining: bool,
    deadline: Option<Instant>,
    interrupt: Option<Interrupt>,
    interrupted: Cell<bool>,
}

impl<S> Outcomes<S> {
    /// The operation may happen and leads to `state`. May be called several times.
    pub fn accept(&mut self, state: S) {
        self.states.push(state);
    }

    /// The operation cannot happen. The reason is only computed when someone is going to read it.
    pub fn refuse(&mut self, reason: impl FnOnce() -> String) {
        if self.explaining {
            self.reason = Some(reason());
        }
    }

    /// The model itself failed (a type error in a specification, say). Ends the check with an error, never with a
    /// verdict.
    pub fn fail(&mut self, error: String) {
        self.failure.get_or_insert(error);
    }

    /// The operation may happen, but leads to a state that the model cannot hold: a number too large, say. The search goes on
    /// without that state. If there is no explanation then, that proves nothing: the check ends with an error, not with a
    /// violation.
    pub fn exceed(&mut self, limit: impl FnOnce() -> String) {
        if self.exceeded.is_none() {
            self.exceeded = Some(limit());
        }
    }

    /// Whether the check's time is over, or someone wants it to end. A step that takes long asks now and then and, told `true`, returns with
    /// whatever it has: the answer is thrown away.
    pub fn is_interrupted(&self) -> bool {
        let over = self.interrupt.is_some_and(Interrupt::is_raised)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.interrupted.set(self.interrupted.get() | over);
        over
    }

    pub(crate) fn new(deadline: Option<Instant>, interrupt: Option<Interrupt>) -> Self {
        let interrupted = Cell::new(false);
        Self {
            states: Vec::new(),
            failure: None,
            exceeded: None,
            reason: None,
            explaining: false,
            deadline,
            interrupt,
            interrupted,
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

    pub(crate) fn was_interrupted(&self) -> bool {
        self.interrupted.get()
    }

    pub(crate) fn into_reason(self) -> Option<String> {
        self.reason.or(self.exceeded)
    }
}

/// The states that `op` may lead to from `state`: a step on its own, outside any search.
pub fn successors<M: Model>(model: &M, state: &M::State, op: &M::Op) -> Vec<M::State> {
    let mut outcomes = Outcomes::new(None, None);
    model.step(state, op, &mut outcomes);
    outcomes.states
}
