//! The exceptions of the package, which are Python classes: `omnilink._errors`.

use std::fmt;

use omnilink_verify::VerifyError;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Why a call failed. Every message says what to do about it, in the words of the command.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    kind: FailureKind,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    Input,
    Usage,
    Spec,
    Model,
    Recorder,
    Internal,
}

impl FailureKind {
    fn class(self) -> &'static str {
        match self {
            Self::Input => "InputError",
            Self::Usage => "UsageError",
            Self::Spec => "SpecError",
            Self::Model => "ModelError",
            Self::Recorder => "RecorderError",
            Self::Internal => "InternalError",
        }
    }
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, message: impl fmt::Display) -> Self {
        Self {
            kind,
            message: message.to_string(),
        }
    }

    pub(crate) fn input(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::Input, message)
    }

    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    /// The exception, with what it came from.
    pub(crate) fn caused_by(self, cause: PyErr) -> PyErr {
        Python::attach(|py| {
            let raised = PyErr::from(self);
            raised.set_cause(py, Some(cause));
            raised
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        let kind = match error {
            VerifyError::Usage(_) | VerifyError::Model(_) => FailureKind::Usage,
            VerifyError::Link(_) => FailureKind::Spec,
            _ => FailureKind::Input,
        };
        Self::new(kind, error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| {
            let class = py
                .import("omnilink._errors")
                .and_then(|errors| errors.getattr(failure.kind.class()))
                .and_then(|class| Ok(class.cast_into::<PyType>()?));
            match class {
                Ok(class) => Self::from_type(class, failure.message),
                Err(error) => error,
            }
        })
    }
}
