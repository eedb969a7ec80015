//! Python objects as values of traces, and back.
//!
//! Integers, strings, booleans, `None`, lists, tuples, sets and dictionaries have a meaning in a trace. A number that is no 64-bit integer
//! becomes an opaque value, as in every format of traces; NaN is refused, because it is not equal to itself. What nests deeper than a trace
//! may, such as a list that contains itself, is refused before the stack is in danger.

use omnilink_value::{DEPTH_MAX, Value, ValueKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};

use crate::error::Failure;

/// The value of a Python object; `place` says in messages where it stands.
pub(crate) fn value_of(object: &Bound<'_, PyAny>, place: &dyn Fn() -> String) -> Result<Value, Failure> {
    nested(object, place, 0)
}

fn nested(object: &Bound<'_, PyAny>, place: &dyn Fn() -> String, depth: usize) -> Result<Value, Failure> {
    if depth > DEPTH_MAX {
        let message = format!(
            "{}: it is nested deeper than {DEPTH_MAX} levels, or contains itself",
            place()
        );
        return Err(Failure::input(message));
    }
    let inner = |item: &Bound<'_, PyAny>| nested(item, place, depth + 1);
    if object.is_none() {
        return Ok(Value::null());
    }
    // Booleans are integers to Python.
    if let Ok(boolean) = object.cast::<PyBool>() {
        return Ok(Value::bool(boolean.is_true()));
    }
    if let Ok(integer) = object.cast::<PyInt>() {
        return integer_of(integer, place);
    }
    if let Ok(text) = object.cast::<PyString>() {
        let text = text.to_cow().map_err(|_| {
            Failure::input(format!(
                "{}: the text holds a lone surrogate, which no trace can hold",
                place()
            ))
        })?;
        return Ok(Value::str(&text));
    }
    if let Ok(float) = object.cast::<PyFloat>() {
        return match float.value() {
            float if float.is_finite() => Ok(Value::float(float)),
            float => Err(Failure::input(format!(
                "{}: {float} is no value that an operation can have; record None or a text instead",
                place()
            ))),
        };
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return Ok(Value::tuple(all(object, &inner, place)?));
    }
    if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
        return Ok(Value::set(all(object, &inner, place)?));
    }
    if let Ok(dictionary) = object.cast::<PyDict>() {
        return map_of(dictionary, &inner, place);
    }
    // Numbers of other libraries, such as numpy.int64.
    if let Ok(index) = object.call_method0("__index__")
        && let Ok(integer) = index.cast::<PyInt>()
    {
        return integer_of(integer, place);
    }
    let class = object.get_type().name().map(|name| name.to_string());
    Err(Failure::input(format!(
        "{}: an object of type {} has no meaning in a trace; give int, str, bool, None, list, tuple, set or dict",
        place(),
        class.unwrap_or_default()
    )))
}

fn all(
    object: &Bound<'_, PyAny>,
    inner: &dyn Fn(&Bound<'_, PyAny>) -> Result<Value, Failure>,
    place: &dyn Fn() -> String,
) -> Result<Vec<Value>, Failure> {
    let items = object.try_iter().map_err(|error| unreadable(place, &error))?;
    items
        .map(|item| inner(&item.map_err(|error| unreadable(place, &error))?))
        .collect()
}

fn unreadable(place: &dyn Fn() -> String, error: &PyErr) -> Failure {
    Failure::input(format!("{}: it cannot be read: {error}", place()))
}

fn integer_of(integer: &Bound<'_, PyInt>, place: &dyn Fn() -> String) -> Result<Value, Failure> {
    if let Ok(small) = integer.extract::<i64>() {
        return Ok(Value::int(small));
    }
    // Python refuses to print integers of thousands of digits.
    let text = integer.str().map_err(|error| unreadable(place, &error))?;
    let number = text.to_cow().ok().and_then(|text| Value::number(&text));
    number.ok_or_else(|| Failure::input(format!("{}: the integer cannot be read", place())))
}

fn map_of(
    dictionary: &Bound<'_, PyDict>,
    inner: &dyn Fn(&Bound<'_, PyAny>) -> Result<Value, Failure>,
    place: &dyn Fn() -> String,
) -> Result<Value, Failure> {
    let mut entries = Vec::with_capacity(dictionary.len());
    for (key, value) in dictionary.iter() {
        entries.push((inner(&key)?, inner(&value)?));
    }
    Value::function(entries)
        .map_err(|_| Failure::input(format!("{}: two keys of the dictionary are one value", place())))
}

/// The Python object of a value. Tuples are tuples and sets are frozen, so that models can put them into their states.
pub(crate) fn object_of<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let deeper = |value: &Value| object_of(py, value);
    if value.is_null() {
        return Ok(py.None().into_bound(py));
    }
    Ok(match value.kind() {
        ValueKind::Bool => PyBool::new(py, value.as_bool().unwrap_or_default())
            .to_owned()
            .into_any(),
        ValueKind::Int => value.as_int().unwrap_or_default().into_pyobject(py)?.into_any(),
        ValueKind::Str => PyString::new(py, value.as_str().unwrap_or_default()).into_any(),
        ValueKind::Model => return number_or_name(py, value.as_model().unwrap_or_default()),
        ValueKind::Tuple => {
            let items = value.as_tuple().unwrap_or_default().iter().map(deeper);
            PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        ValueKind::Set => {
            let items = value.as_set().unwrap_or_default().iter().map(deeper);
            PyFrozenSet::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        ValueKind::Record => {
            let dictionary = PyDict::new(py);
            for (name, value) in value.as_record().iter().flat_map(|fields| fields.iter()) {
                dictionary.set_item(name, deeper(value)?)?;
            }
            dictionary.into_any()
        }
        ValueKind::Function => {
            let dictionary = PyDict::new(py);
            for (key, value) in value.as_entries().unwrap_or_default() {
                dictionary.set_item(deeper(key)?, deeper(value)?)?;
            }
            dictionary.into_any()
        }
    })
}

/// A number that is no 64-bit integer, or else the name of a model value.
fn number_or_name<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let is_number = name.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    if !is_number {
        return Ok(PyString::new(py, name).into_any());
    }
    let builtins = py.import("builtins")?;
    let number = builtins
        .getattr("int")?
        .call1((name,))
        .or_else(|_| builtins.getattr("float")?.call1((name,)));
    number.or_else(|error| {
        if error.is_instance_of::<PyValueError>(py) {
            Ok(PyString::new(py, name).into_any())
        } else {
            Err(error)
        }
    })
}
