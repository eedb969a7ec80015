//! Paths that Python hands over.

use std::path::PathBuf;

use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;

use crate::error::Failure;

/// A path: a text, or an object with `__fspath__`.
pub(crate) struct FilePath(pub(crate) PathBuf);

impl<'a, 'py> FromPyObject<'a, 'py> for FilePath {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let py = given.py();
        // Taking a path panics if the system cannot have such a one, for example with a lone surrogate. So Python looks at it first.
        if let Err(raised) = py.import("os")?.call_method1("fsencode", (given,)) {
            return Err(if raised.is_instance_of::<PyUnicodeEncodeError>(py) {
                Failure::input(format!("this is no path: {}", raised.value(py))).into()
            } else {
                raised
            });
        }
        given.extract().map(Self)
    }
}
