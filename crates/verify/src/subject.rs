//! What histories are checked against: a shipped model, or a TLA+ specification whose actions are the operations.

use std::fmt;

use omnilink_consistency::Decoder;
use omnilink_engine::Model;
use omnilink_link::{BindError, BoundOp, Instance, Linked, TlaModel};
use omnilink_models::{DecodeError, Decoded, NativeModel};
use omnilink_trace::Operation;

/// A sequential model with the names of its operations.
pub trait Subject: Decoder<<Self::Model as Model>::Op> {
    /// The model.
    type Model: Model;

    /// The model.
    fn model(&self) -> &Self::Model;

    /// The operations that it knows, by all their names.
    fn methods(&self) -> Vec<&str>;
}

/// A shipped model.
#[derive(Clone, Debug)]
pub struct NativeSubject<M> {
    /// The model.
    pub model: M,
}

impl<M: NativeModel> Decoder<M::Op> for NativeSubject<M> {
    type Error = DecodeError;

    fn returned(&self, operation: &Operation) -> Result<Option<M::Op>, DecodeError> {
        Ok(match self.model.decode(operation)? {
            Decoded::Op(op) => Some(op),
            Decoded::DidNotHappen => None,
        })
    }
}

impl<M: NativeModel> Subject for NativeSubject<M> {
    type Model = M;

    fn model(&self) -> &M {
        &self.model
    }

    fn methods(&self) -> Vec<&str> {
        let ops = M::ENTRY.ops.iter();
        ops.flat_map(|op| std::iter::once(op.name).chain(op.aliases.iter().copied()))
            .collect()
    }
}

/// A specification.
#[derive(Debug)]
pub struct SpecSubject<'a, 'l> {
    /// The specification, linked.
    pub linked: &'a Linked,
    /// The model that it is.
    pub model: &'a TlaModel<'l>,
}

/// Why an operation of a history is no action of a specification.
#[derive(Debug)]
pub enum NoAction {
    /// It cannot be bound.
    Bind(BindError),
    /// It takes several steps.
    InSteps(String),
}

impl fmt::Display for NoAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind(error) => error.problem.fmt(f),
            Self::InSteps(op) => write!(
                f,
                "{op} happens in steps ({op}_Step, {op}_Done), and who sees an operation sees all of it or nothing: check \
                 such traces with `omnilink validate`, or give {op} an action of its own"
            ),
        }
    }
}

impl<'l> Decoder<Instance> for SpecSubject<'_, 'l> {
    type Error = NoAction;

    fn returned(&self, operation: &Operation) -> Result<Option<Instance>, NoAction> {
        whole(self.model.bind(operation), operation)
    }

    fn effect(&self, operation: &Operation) -> Result<Option<Instance>, NoAction> {
        whole(self.model.bind_effect(operation), operation)
    }
}

fn whole(bound: Result<BoundOp, BindError>, operation: &Operation) -> Result<Option<Instance>, NoAction> {
    match bound.map_err(NoAction::Bind)? {
        BoundOp::LeftOut | BoundOp::DidNotHappen => Ok(None),
        BoundOp::Once(instance) => Ok(Some(instance)),
        BoundOp::InSteps { .. } => Err(NoAction::InSteps(operation.name.to_string())),
    }
}

impl<'l> Subject for SpecSubject<'_, 'l> {
    type Model = TlaModel<'l>;

    fn model(&self) -> &TlaModel<'l> {
        self.model
    }

    fn methods(&self) -> Vec<&str> {
        self.linked.ops()
    }
}
