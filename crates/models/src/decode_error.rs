//! Why an operation of a trace is none of a model.

use omnilink_trace::Location;
use omnilink_value::Value;
use thiserror::Error;

/// The name of the result in messages.
pub(crate) const THE_RESULT: &str = "the result";

/// An operation that a model cannot decode.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct DecodeError(Box<Located>);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {problem}")]
struct Located {
    place: Location,
    problem: DecodeProblem,
}

impl DecodeError {
    #[cold]
    pub(crate) fn new(place: Location, problem: DecodeProblem) -> Self {
        Self(Box::new(Located { place, problem }))
    }

    /// The place of the operation in the trace.
    pub fn place(&self) -> &Location {
        &self.0.place
    }

    /// The problem.
    pub fn problem(&self) -> &DecodeProblem {
        &self.0.problem
    }
}

/// The advice for a result null that an operation cannot have.
const UNKNOWN_RESULT: &str = " (null is a result like any other; leave \"ret\" out if it is not known)";

/// A problem with an operation.
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
        /// The most similar name.
        suggestion: Option<&'static str>,
        /// The operations of the model.
        known: String,
    },
    /// The name of the operation is a number or a Boolean.
    #[error(
        "the operation is called {op}, and only who wrote it knows what that stands for; say so for each of them: \
         --ops {op}=NAME,… with names of the model {model}, which are {known}"
    )]
    Code {
        /// The model.
        model: &'static str,
        /// The name of the operation.
        op: String,
        /// The operations of the model.
        known: String,
    },
    /// An argument is missing.
    #[error("{op} has no argument \"{argument}\"; expected {expected}")]
    MissingArgument {
        /// The operation.
        op: String,
        /// The argument.
        argument: &'static str,
        /// What was expected.
        expected: &'static str,
    },
    /// An argument or a result has the wrong type.
    #[error(
        "{op}: {part} is {found}; expected {expected}{}",
        if *part == THE_RESULT && found.is_null() { UNKNOWN_RESULT } else { "" }
    )]
    WrongType {
        /// The operation.
        op: String,
        /// The argument, or "the result".
        part: &'static str,
        /// What was found.
        found: Value,
        /// What was expected.
        expected: &'static str,
    },
    /// The name of the operation says that the other end of the priorities comes first.
    #[error(
        "{op} takes the {named} element, and in this model the {first} comes first; use --model priority-queue:first={named}"
    )]
    OtherEnd {
        /// The operation.
        op: String,
        /// The element that its name says.
        named: &'static str,
        /// The element that comes first.
        first: &'static str,
    },
    /// An element that is reserved for another meaning.
    #[error("{op}: {found} stands for \"{meaning}\" in this model; if it is an element, use {remedy}")]
    Reserved {
        /// The operation.
        op: String,
        /// The value.
        found: Value,
        /// What it stands for.
        meaning: &'static str,
        /// The option that resolves it.
        remedy: &'static str,
    },
}
