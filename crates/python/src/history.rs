//! Where a history comes from: a path, or records in memory.

use std::path::PathBuf;
use std::sync::Arc;

use omnilink_engine::Interrupt;
use omnilink_trace::OpenOptions;
use omnilink_verify::Input;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::Failure;
use crate::file_path::FilePath;
use crate::value::value_of;

/// What messages call a history that was given as objects.
pub(crate) const NAME: &str = "history";
/// Signals are looked for once per this many records.
const BETWEEN_LOOKS: usize = 4096;

/// A history that was given.
#[derive(Clone, Debug)]
pub(crate) enum History {
    /// A file, a folder, or `-`.
    Path(PathBuf),
    /// A trace in memory.
    Bytes(Arc<[u8]>),
}

impl History {
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = given.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes().into()));
        }
        match given.extract::<FilePath>() {
            Ok(path) => Ok(Self::Path(path.0)),
            Err(raised) if raised.is_instance_of::<PyTypeError>(given.py()) => {
                Err(PyTypeError::new_err("a history is a path or bytes here"))
            }
            Err(raised) => Err(raised),
        }
    }

    pub(crate) fn input(&self, reading: OpenOptions, interrupt: Interrupt) -> Result<Input, Failure> {
        match self {
            Self::Path(path) => Ok(Input::new(path, reading, Some(interrupt))?),
            Self::Bytes(bytes) => Ok(Input::of_bytes(NAME, Arc::clone(bytes), reading)),
        }
    }
}

/// Records as lines of a trace: each a dictionary with the fields of a format of traces.
#[pyfunction]
pub(crate) fn encode<'py>(py: Python<'py>, records: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let mut lines = String::new();
    for (index, record) in records.try_iter()?.enumerate() {
        let record = record?;
        let place = || format!("{NAME}:{}", index + 1);
        let record = record.cast::<PyDict>().map_err(|_| {
            let class = record.get_type().name().map(|name| name.to_string());
            Failure::input(format!(
                "{}: an object of type {} is no operation; give a dict such as {{\"thread\": 0, \"op\": \"read\", \"start\": 1, \
                 \"end\": 2, \"ret\": 5}}",
                place(),
                class.unwrap_or_default()
            ))
        })?;
        write_line(&mut lines, record, &place)?;
        if index % BETWEEN_LOOKS == 0 {
            py.check_signals()?;
        }
    }
    Ok(PyBytes::new(py, lines.as_bytes()))
}

/// The fields keep their order: the first one tells a header from an operation.
fn write_line(
    lines: &mut String,
    record: &Bound<'_, PyDict>,
    place: &dyn Fn() -> String,
) -> Result<(), Failure> {
    lines.push('{');
    for (position, (name, value)) in record.iter().enumerate() {
        let name = name.extract::<String>();
        let name = name.map_err(|_| Failure::input(format!("{}: the name of a field is a text", place())))?;
        let value = value_of(&value, &|| format!("{}: {name}", place()))?;
        if position > 0 {
            lines.push(',');
        }
        omnilink_value::json::write_string(lines, &name);
        lines.push(':');
        // An empty dictionary is the empty tuple to a value, which the reader takes for either.
        omnilink_value::json::write_value(lines, &value);
    }
    lines.push_str("}\n");
    Ok(())
}
