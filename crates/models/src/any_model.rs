//! A native model behind a pointer: one type for all of them.
//!
//! Code that is generic over models is compiled once per model. So the commands take an [`AnyModel`], whose steps cost two downcasts and an
//! allocation for each state that they lead to. The search computes a step once for each pair of state and operation, so that is not its cost.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use omnilink_engine::{CollectionKind, Decoded, Footprint, Model, Observation, Outcomes};
use omnilink_trace::Operation;

use crate::catalogue::{Visitor, with_model};
use crate::decode_error::DecodeError;
use crate::entry::ModelEntry;
use crate::native_model::NativeModel;
use crate::options::ModelSpecError;

/// A native model of any type.
#[derive(Clone, Debug)]
pub struct AnyModel(Arc<dyn Erased>);

/// A state of an [`AnyModel`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AnyState(Opaque);

/// An operation of an [`AnyModel`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AnyOp(Opaque);

impl AnyModel {
    /// The model that `spec` names, such as `register:initial=0` or `queue:capacity=8,empty=nil`.
    ///
    /// # Errors
    /// When there is no such model, or it does not take such options.
    pub fn from_spec(spec: &str) -> Result<Self, ModelSpecError> {
        with_model(spec, Erase)
    }

    /// The model, with its type hidden.
    pub fn new<M: NativeModel>(model: M) -> Self {
        Self(Arc::new(model))
    }

    /// The model's entry in the catalogue.
    pub fn entry(&self) -> &'static ModelEntry {
        self.0.entry()
    }

    /// The meaning of an operation of a trace.
    ///
    /// # Errors
    /// When the model does not have the operation, or an argument or a result is missing or of the wrong kind.
    pub fn decode(&self, operation: &Operation) -> Result<Decoded<AnyOp>, DecodeError> {
        self.0.decode(operation)
    }

    /// The arguments of an operation that the model has no use for, although they say something.
    pub fn unused_arguments(&self, operation: &Operation) -> Vec<String> {
        self.0.unused_arguments(operation)
    }
}

impl Model for AnyModel {
    type State = AnyState;
    type Op = AnyOp;

    fn initial(&self) -> Vec<AnyState> {
        self.0.initial()
    }

    fn step(&self, state: &AnyState, op: &AnyOp, outcomes: &mut Outcomes<AnyState>) {
        self.0.step(state, op, outcomes);
    }

    fn is_pure(&self, op: &AnyOp) -> bool {
        self.0.is_pure(op)
    }

    fn footprint(&self, op: &AnyOp) -> Footprint {
        self.0.footprint(op)
    }

    fn may_enable(&self, state: &AnyState, refused: &AnyOp, helper: &AnyOp) -> bool {
        self.0.may_enable(state, refused, helper)
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        self.0.collection_kind()
    }

    fn observe<'a>(&self, op: &'a AnyOp) -> Observation<'a> {
        self.0.observe(op)
    }

    fn describe_state(&self, state: &AnyState) -> String {
        self.0.describe_state(state)
    }

    fn describe_op(&self, op: &AnyOp) -> String {
        self.0.describe_op(op)
    }

    fn state_bytes(&self, state: &AnyState) -> usize {
        self.0.state_bytes(state)
    }
}

/// The methods of [`NativeModel`], for states and operations of hidden types. Each model only meets its own.
trait Erased: fmt::Debug + Send + Sync {
    fn entry(&self) -> &'static ModelEntry;
    fn decode(&self, operation: &Operation) -> Result<Decoded<AnyOp>, DecodeError>;
    fn unused_arguments(&self, operation: &Operation) -> Vec<String>;
    fn initial(&self) -> Vec<AnyState>;
    fn step(&self, state: &AnyState, op: &AnyOp, outcomes: &mut Outcomes<AnyState>);
    fn is_pure(&self, op: &AnyOp) -> bool;
    fn footprint(&self, op: &AnyOp) -> Footprint;
    fn may_enable(&self, state: &AnyState, refused: &AnyOp, helper: &AnyOp) -> bool;
    fn collection_kind(&self) -> Option<CollectionKind>;
    fn observe<'a>(&self, op: &'a AnyOp) -> Observation<'a>;
    fn describe_state(&self, state: &AnyState) -> String;
    fn describe_op(&self, op: &AnyOp) -> String;
    fn state_bytes(&self, state: &AnyState) -> usize;
}

impl<M: NativeModel> Erased for M {
    fn entry(&self) -> &'static ModelEntry {
        M::ENTRY
    }

    fn decode(&self, operation: &Operation) -> Result<Decoded<AnyOp>, DecodeError> {
        let decoded = M::decode(self, operation)?;
        Ok(decoded.map(|op| AnyOp(Opaque::new(op))))
    }

    fn unused_arguments(&self, operation: &Operation) -> Vec<String> {
        M::unused_arguments(self, operation)
    }

    fn initial(&self) -> Vec<AnyState> {
        let states = M::initial(self).into_iter();
        states.map(|state| AnyState(Opaque::new(state))).collect()
    }

    fn step(&self, state: &AnyState, op: &AnyOp, outcomes: &mut Outcomes<AnyState>) {
        let (state, op) = (state.0.get(), op.0.get());
        outcomes.wrapping(
            |state| AnyState(Opaque::new(state)),
            |outcomes| {
                M::step(self, state, op, outcomes);
            },
        );
    }

    fn is_pure(&self, op: &AnyOp) -> bool {
        M::is_pure(self, op.0.get())
    }

    fn footprint(&self, op: &AnyOp) -> Footprint {
        M::footprint(self, op.0.get())
    }

    fn may_enable(&self, state: &AnyState, refused: &AnyOp, helper: &AnyOp) -> bool {
        M::may_enable(self, state.0.get(), refused.0.get(), helper.0.get())
    }

    fn collection_kind(&self) -> Option<CollectionKind> {
        M::collection_kind(self)
    }

    fn observe<'a>(&self, op: &'a AnyOp) -> Observation<'a> {
        M::observe(self, op.0.get())
    }

    fn describe_state(&self, state: &AnyState) -> String {
        M::describe_state(self, state.0.get())
    }

    fn describe_op(&self, op: &AnyOp) -> String {
        M::describe_op(self, op.0.get())
    }

    fn state_bytes(&self, state: &AnyState) -> usize {
        M::state_bytes(self, state.0.get())
    }
}

struct Erase;

impl Visitor for Erase {
    type Output = AnyModel;

    fn visit<M: NativeModel>(self, model: M) -> AnyModel {
        AnyModel::new(model)
    }
}

/// A value that only its model looks into.
#[derive(Clone)]
struct Opaque(Arc<dyn Comparable>);

impl Opaque {
    fn new<T: Comparable>(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// The value.
    ///
    /// # Panics
    /// When it is not a `T`: when a model is given a state or an operation of another model.
    fn get<T: Comparable>(&self) -> &T {
        let value: &dyn Any = &*self.0;
        value
            .downcast_ref()
            .expect("states and operations belong to the model that made them")
    }
}

/// What states and operations can do without their type.
trait Comparable: Any + fmt::Debug + Send + Sync {
    fn equals(&self, other: &dyn Any) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl<T: Any + Eq + Hash + fmt::Debug + Send + Sync> Comparable for T {
    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

impl PartialEq for Opaque {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.equals(&*other.0)
    }
}

impl Eq for Opaque {}

impl Hash for Opaque {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash_into(state);
    }
}

impl fmt::Debug for AnyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.fmt(f)
    }
}

impl fmt::Debug for AnyOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.fmt(f)
    }
}
