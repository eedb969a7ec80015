//! Python objects as values of traces, and back.
//!
//! Integers, strings, booleans, `None`, lists, tuples, sets and dictionaries have a meaning in a trace. A number that is no 64-bit integer
//! becomes an opaque value, as in every format of traces; NaN is refused, because it is not equal to itself. What nests deeper than a trace
//! may, such as a list that contains itself, is refused before the stack is in danger.

use std::cell::Cell;

use omnilink_value::{DEPTH_MAX, Value, ValueKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple,
};

use crate::error::Failure;

/// The most parts of a value.
const PARTS_MAX: usize = 1 << 22;

/// The value of a Python object; `place` says in messages where it stands.
pub(crate) fn value_of(object: &Bound<'_, PyAny>, place: &dyn Fn() -> String) -> Result<Value, Failure> {
    nested(object, &Reading::new(Texts::Exact), place, 0)
}

/// The same for a recording: texts have the escapes of recorders.
pub(crate) fn lossless_value(
    object: &Bound<'_, PyAny>,
    place: &dyn Fn() -> String,
) -> Result<Value, Failure> {
    nested(object, &Reading::new(Texts::Lossless), place, 0)
}

/// How one value is read.
struct Reading {
    texts: Texts,
    /// How many parts there were: a value that shares parts with itself can be as long as memory allows.
    parts: Cell<usize>,
}

impl Reading {
    fn new(texts: Texts) -> Self {
        Self {
            texts,
            parts: Cell::new(0),
        }
    }
}

/// What becomes of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Texts {
    /// It is what it is; one that is no Unicode is refused.
    Exact,
    /// As every recorder writes it.
    Lossless,
}

impl Texts {
    fn value(self, text: &Bound<'_, PyString>, place: &dyn Fn() -> String) -> Result<Value, Failure> {
        match (text.to_cow(), self) {
            (Ok(unicode), Self::Exact) => Ok(Value::str(&unicode)),
            (Ok(unicode), Self::Lossless) => Ok(Value::str(&omnilink_record::lossless(unicode.as_bytes()))),
            (Err(_), Self::Exact) => Err(Failure::input(format!(
                "{}: the text holds a lone surrogate, which no trace can hold",
                place()
            ))),
            (Err(_), Self::Lossless) => {
                let wide = text.call_method1("encode", ("utf-16-le", "surrogatepass"));
                let wide = wide.and_then(|wide| wide.extract::<Vec<u8>>());
                let wide = wide.map_err(|error| unreadable(place, &error))?;
                let units: Vec<u16> = { wide.chunks_exact(2) }
                    .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
                    .collect();
                Ok(Value::str(&omnilink_record::lossless_wide(&units)))
            }
        }
    }
}

fn nested(
    object: &Bound<'_, PyAny>,
    reading: &Reading,
    place: &dyn Fn() -> String,
    depth: usize,
) -> Result<Value, Failure> {
    let texts = reading.texts;
    reading.parts.set(reading.parts.get() + 1);
    if reading.parts.get() > PARTS_MAX {
        let message = format!("{}: a value has more than {PARTS_MAX} parts", place());
        return Err(Failure::input(message));
    }
    if depth > DEPTH_MAX {
        let message = format!(
            "{}: it is nested deeper than {DEPTH_MAX} levels, or contains itself",
            place()
        );
        return Err(Failure::input(message));
    }
    let inner = |item: &Bound<'_, PyAny>| nested(item, reading, place, depth + 1);
    if object.is_none() {
        return Ok(Value::null());
    }
    if let Some(known) = named(object, texts, place)? {
        return Ok(known);
    }
    // Booleans are integers to Python.
    if let Ok(boolean) = object.cast::<PyBool>() {
        return Ok(Value::bool(boolean.is_true()));
    }
    if let Ok(integer) = object.cast::<PyInt>() {
        return integer_of(integer, place);
    }
    if let Ok(text) = object.cast::<PyString>() {
        return texts.value(text, place);
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
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Value::tuple(
            bytes.as_bytes().iter().map(|byte| Value::int(i64::from(*byte))),
        ));
    }
    if let Ok(bytes) = object.cast::<PyByteArray>() {
        return Ok(Value::tuple(
            bytes.to_vec().into_iter().map(|byte| Value::int(i64::from(byte))),
        ));
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
        "{}: an object of type {} has no meaning in a trace; give int, str, bytes, bool, None, list, tuple, set, dict, Enum or ModelValue",
        place(),
        class.unwrap_or_default()
    )))
}

/// A member of an enumeration is its name, and a `ModelValue` a model value.
fn named(
    object: &Bound<'_, PyAny>,
    texts: Texts,
    place: &dyn Fn() -> String,
) -> Result<Option<Value>, Failure> {
    let (py, kind) = (object.py(), object.get_type());
    // Most objects are of a type of the language, which is found without an import.
    let known = [
        py.get_type::<PyString>(),
        py.get_type::<PyInt>(),
        py.get_type::<PyBool>(),
        py.get_type::<PyList>(),
        py.get_type::<PyTuple>(),
        py.get_type::<PyDict>(),
    ];
    if known.iter().any(|known| kind.is(known)) {
        return Ok(None);
    }
    let is_one_of = |module: &str, name: &str| -> PyResult<bool> {
        object.is_instance(&py.import(module)?.getattr(name)?)
    };
    let text = |text: PyResult<Bound<'_, PyAny>>| {
        let text = text.and_then(|text| Ok(text.cast_into::<PyString>()?));
        texts.value(&text.map_err(|error| unreadable(place, &error))?, place)
    };
    let fails = |error: PyErr| unreadable(place, &error);
    if object.is_instance_of::<PyString>() && is_one_of("omnilink._recorder", "ModelValue").map_err(fails)? {
        let name = text(object.str().map(Bound::into_any))?;
        return Ok(Some(Value::model(name.as_str().unwrap_or_default())));
    }
    if is_one_of("enum", "Enum").map_err(fails)? {
        return text(object.getattr("name")).map(Some);
    }
    Ok(None)
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
