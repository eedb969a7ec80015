//! What an operation of a trace means to a model.

use omnilink_trace::Timebox;

use crate::operation::TimedOp;

/// An operation of a trace as a model or a specification understands it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded<O> {
    /// It is not part of what is checked.
    LeftOut,
    /// The system refused it, and it had no effect.
    DidNotHappen,
    /// It is this operation of the model.
    Once(O),
    /// It is several operations of the model: up to `times` steps, and then the last.
    InSteps {
        /// A step, which may happen or not.
        step: O,
        /// How often at most.
        times: u32,
        /// What happens at the end.
        done: O,
    },
}

impl<O> Decoded<O> {
    /// The only operation of the model that it is, or the last of several.
    pub fn last(&self) -> Option<&O> {
        match self {
            Self::LeftOut | Self::DidNotHappen => None,
            Self::Once(op) | Self::InSteps { done: op, .. } => Some(op),
        }
    }

    /// The only operation of the model that it is, or the last of several.
    pub fn into_last(self) -> Option<O> {
        match self {
            Self::LeftOut | Self::DidNotHappen => None,
            Self::Once(op) | Self::InSteps { done: op, .. } => Some(op),
        }
    }

    /// The same meaning, with other operations.
    pub fn map<P>(self, mut with: impl FnMut(O) -> P) -> Decoded<P> {
        match self {
            Self::LeftOut => Decoded::LeftOut,
            Self::DidNotHappen => Decoded::DidNotHappen,
            Self::Once(op) => Decoded::Once(with(op)),
            Self::InSteps { step, times, done } => Decoded::InSteps {
                step: with(step),
                times,
                done: with(done),
            },
        }
    }
}

impl<O: Clone> Decoded<O> {
    /// The operations of the model as the engine takes them, in order. Steps are optional.
    pub fn timed(self, thread: u32, timebox: Timebox) -> impl Iterator<Item = TimedOp<O>> {
        let (steps, last) = match self {
            Self::LeftOut | Self::DidNotHappen => (None, None),
            Self::Once(op) => (None, Some(op)),
            Self::InSteps { step, times, done } => (Some((step, times)), Some(done)),
        };
        let steps = steps.into_iter().flat_map(move |(step, times)| {
            (0..times).map(move |_| TimedOp {
                optional: true,
                ..TimedOp::new(thread, step.clone(), timebox)
            })
        });
        steps.chain(last.map(|op| TimedOp::new(thread, op, timebox)))
    }
}
