//! How a parameter of an action gets its value.

use omnilink_tla::ir::{Formula, OperatorId};
use omnilink_value::Value;

/// Names of fields that hold a result. They are not used for arguments.
const RESULT_NAMES: [&str; 5] = ["result", "ret", "res", "return", "ok"];
/// Names of fields that hold the thread, unless the operation has a field of that name.
const THREAD_NAMES: [&str; 4] = ["thread", "self", "pid", "thread_id"];

/// How a parameter gets its value.
#[derive(Debug)]
pub(crate) struct ParamBinding {
    /// The parameter.
    pub(crate) name: String,
    /// The field of the trace.
    pub(crate) field: String,
    /// What it is where the operation has no such field.
    pub(crate) fallback: Fallback,
    /// Translations; empty: as it is.
    pub(crate) codes: Vec<ResultCode>,
    /// The set that an unknown value is in.
    pub(crate) range: Option<OperatorId>,
    /// Whether the link file gives this set: then a finished operation, too, may have no value.
    pub(crate) may_be_unknown: bool,
    /// What the link file says an argument that was left out stands for.
    pub(crate) default: Option<Constant>,
    /// Whether it is a result: by the name of its field, or because the link file says what it may be if it is not known.
    pub(crate) is_result: bool,
    /// Whether it is a result that no definition uses: then any result would be accepted. An unused argument is fine: a spec may
    /// have no use for a timeout.
    pub(crate) is_unread_result: bool,
    /// Whether what the link file says about aborted operations mentions it. Otherwise an aborted operation, which seldom has a
    /// result, needs no value for it.
    pub(crate) is_of_aborted: bool,
}

/// What a parameter is where the operation has no field of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// Nothing.
    Missing,
    /// The result that stands apart (`ret`).
    Result,
    /// The thread of the operation.
    Thread,
}

impl ParamBinding {
    /// Whether it takes the field of this name.
    pub(crate) fn takes(&self, field: &str) -> bool {
        self.field == field || self.fallback.column() == Some(field)
    }
}

/// The names that the link file uses for the parts of an operation that are not arguments.
pub(crate) const RESULT: &str = "ret";
pub(crate) const THREAD: &str = "thread";

impl Fallback {
    /// Its name in the link file; an argument of that name is the same.
    pub(crate) fn column(self) -> Option<&'static str> {
        match self {
            Self::Missing => None,
            Self::Result => Some(RESULT),
            Self::Thread => Some(THREAD),
        }
    }

    /// For a parameter that takes this field.
    pub(crate) fn of(field: &str) -> Self {
        match field {
            _ if RESULT_NAMES.contains(&field) => Self::Result,
            _ if is_thread_name(field) => Self::Thread,
            _ => Self::Missing,
        }
    }
}

/// Whether a field of this name holds a result.
pub fn is_result_name(field: &str) -> bool {
    RESULT_NAMES.contains(&field)
}

/// Whether a field of this name holds the thread.
pub fn is_thread_name(field: &str) -> bool {
    THREAD_NAMES.contains(&field)
}

/// A value of the trace and what it means.
#[derive(Debug)]
pub(crate) struct ResultCode {
    pub(crate) stands: Value,
    pub(crate) means: Constant,
}

/// A constant expression of the link file; its value once it was evaluated.
#[derive(Debug)]
pub(crate) struct Constant {
    pub(crate) formula: Formula,
    pub(crate) value: Option<Value>,
}

impl Constant {
    pub(crate) fn new(operation: OperatorId) -> Self {
        Self {
            formula: operation.formula(),
            value: None,
        }
    }
}
