//! From what a trace says to what a model understands.
//!
//! Traces come from many tools, and each has its own way to write the same operation: arguments by name or by position,
//! results beside the arguments or among them, `{"op":2,"arg1":3}` or `[:cas [3 4]]`. A model names what it looks for,
//! and [`Call`](crate::call::Call) finds it in all of these shapes. What cannot be understood is an error that says
//! where and what was expected; nothing is guessed and nothing is skipped.

use omnilink_engine::Model;
use omnilink_trace::{Operation, Place};
use omnilink_value::Value;
use thiserror::Error;

use crate::call::Call;
use crate::catalogue::Entry;

/// A model that can read operations of a trace.
pub trait Decode: Model {
    /// What the model is called and which operations it knows.
    const ENTRY: &'static Entry;

    /// The meaning of a call whose operation the model knows and which the system did not refuse.
    ///
    /// # Errors
    /// When an argument or a result is missing or is not what the operation takes.
    fn decode_call(&self, call: &Call<'_>) -> Result<Self::Op, DecodeError>;

    /// The meaning of a call that the system said had failed: it did not happen, unless the model knows better.
    ///
    /// # Errors
    /// As [`Decode::decode_call`].
    fn decode_aborted(&self, call: &Call<'_>) -> Result<Decoded<Self::Op>, DecodeError> {
        let _ = call;
        Ok(Decoded::DidNotHappen)
    }

    /// The meaning of an operation of a trace.
    ///
    /// # Errors
    /// When the model does not know the operation, or an argument or a result is missing or is not what it takes.
    fn decode(&self, operation: &Operation) -> Result<Decoded<Self::Op>, DecodeError> {
        let call = Call::new(operation, Self::ENTRY)?;
        if operation.aborted {
            self.decode_aborted(&call)
        } else {
            self.decode_call(&call).map(Decoded::Op)
        }
    }
}

/// What an operation of a trace means to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded<Op> {
    /// This.
    Op(Op),
    /// The operation was refused by the system and had no effect: leave it out.
    DidNotHappen,
}

/// An operation that a model cannot make sense of.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct DecodeError(Box<Located>);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {problem}")]
struct Located {
    place: Place,
    problem: DecodeProblem,
}

impl DecodeError {
    #[cold]
    pub(crate) fn new(place: Place, problem: DecodeProblem) -> Self {
        Self(Box::new(Located { place, problem }))
    }

    /// Where the operation was read.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// What is wrong with it.
    pub fn problem(&self) -> &DecodeProblem {
        &self.0.problem
    }
}

/// What is wrong with an operation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeProblem {
    /// The model has no such operation.
    #[error(
        "the model {model} has no operation \"{op}\"{}; it has {known}",
        suggestion.map(|name| format!(" (did you mean \"{name}\"?)")).unwrap_or_default()
    )]
    UnknownOp {
        /// The model.
        model: &'static str,
        /// The operation.
        op: String,
        /// The nearest name that there is.
        suggestion: Option<&'static str>,
        /// The operations that there are.
        known: String,
    },
    /// An operation that goes by a number or a truth value.
    #[error(
        "the operation is called {op}, and only who wrote it knows what that stands for; say so for each of them: \
         --ops {op}=NAME,… with names of the model {model}, which are {known}"
    )]
    Code {
        /// The model.
        model: &'static str,
        /// What the operation goes by.
        op: String,
        /// The operations that there are.
        known: String,
    },
    /// An argument is missing.
    #[error("{op} has no argument \"{argument}\"; expected {expected}")]
    MissingArgument {
        /// The operation.
        op: String,
        /// The argument.
        argument: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// An argument or a result is something else.
    #[error("{op}: {part} is {found}; expected {expected}")]
    WrongType {
        /// The operation.
        op: String,
        /// The argument, or "the result".
        part: &'static str,
        /// What it is.
        found: Value,
        /// What it should be.
        expected: &'static str,
    },
    /// A value that stands for something else.
    #[error("{op}: {found} stands for \"{meaning}\" in this model; if it is an element, use {remedy}")]
    Reserved {
        /// The operation.
        op: String,
        /// The value.
        found: Value,
        /// What it stands for.
        meaning: &'static str,
        /// What to do.
        remedy: &'static str,
    },
}
