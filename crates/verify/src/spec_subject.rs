//! A TLA+ specification whose actions are the operations of a history.

use std::fmt;

use omnilink_consistency::Decoder;
use omnilink_engine::Decoded;
use omnilink_link::{BindError, Instance, Linked, TlaModel};
use omnilink_trace::Operation;

use crate::subject::NamedModel;

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

fn whole(
    bound: Result<Decoded<Instance>, BindError>,
    operation: &Operation,
) -> Result<Option<Instance>, NoAction> {
    match bound.map_err(NoAction::Bind)? {
        Decoded::LeftOut | Decoded::DidNotHappen => Ok(None),
        Decoded::Once(instance) => Ok(Some(instance)),
        Decoded::InSteps { .. } => Err(NoAction::InSteps(operation.name.to_string())),
    }
}

impl<'l> NamedModel for SpecSubject<'_, 'l> {
    type Model = TlaModel<'l>;

    fn model(&self) -> &TlaModel<'l> {
        self.model
    }

    fn methods(&self) -> Vec<&str> {
        self.linked.ops()
    }
}
