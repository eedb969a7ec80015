//! Operations, as models in Python see them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use omnilink_trace::{Args, Operation};
use omnilink_value::Value;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::value::object_of;

/// An operation of a history: its name, arguments and result.
#[pyclass(name = "Op", module = "omnilink", frozen)]
#[derive(Debug)]
pub(crate) struct Op {
    /// The name.
    #[pyo3(get)]
    name: String,
    /// The arguments: a dict by name, or a tuple by position.
    #[pyo3(get)]
    args: Py<PyAny>,
    /// The result; None if there is none, or it is not known.
    #[pyo3(get)]
    ret: Py<PyAny>,
    /// Whether the operation never returned, so that any result is possible.
    #[pyo3(get)]
    pending: bool,
    /// The thread, if the model asks for it with `threads = True`.
    #[pyo3(get)]
    thread: Py<PyAny>,
    text: String,
}

#[pymethods]
impl Op {
    /// An argument: `op["value"]`, or `op[0]`.
    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.args.bind(py).get_item(key)
    }

    fn __repr__(&self) -> &str {
        &self.text
    }
}

/// The same for the engine. Operations of one class are equal.
#[derive(Clone)]
pub(crate) struct ModelOp {
    class: Arc<OpClass>,
    /// The part that it belongs to.
    pub(super) key: Option<Value>,
    /// Whether the model says that it changes no state.
    pub(super) is_pure: bool,
}

struct OpClass {
    name: Value,
    args: Args,
    ret: Option<Value>,
    is_pending: bool,
    thread: Option<Value>,
    object: Py<Op>,
    text: String,
}

impl ModelOp {
    pub(super) fn new(py: Python<'_>, operation: &Operation, tells_threads: bool) -> PyResult<Self> {
        let thread = tells_threads.then(|| operation.thread.clone());
        let optional = |value: Option<&Value>| match value {
            Some(value) => object_of(py, value).map(Bound::unbind),
            None => Ok(py.None()),
        };
        let args = match &operation.args {
            // The empty record is the empty tuple to a value.
            Args::Named(_) if operation.args.is_empty() => PyDict::new(py).into_any(),
            args => object_of(py, args.as_value())?,
        };
        let text = operation.to_string();
        let object = Op {
            name: operation.name.to_string(),
            args: args.unbind(),
            ret: optional(operation.ret.as_ref())?,
            pending: operation.timebox.is_pending(),
            thread: optional(thread.as_ref())?,
            text: text.clone(),
        };
        let class = OpClass {
            name: Value::str(&object.name),
            args: operation.args.clone(),
            ret: operation.ret.clone(),
            is_pending: object.pending,
            thread,
            object: Py::new(py, object)?,
            text,
        };
        Ok(Self {
            class: Arc::new(class),
            key: None,
            is_pure: false,
        })
    }

    pub(super) fn object(&self) -> &Py<Op> {
        &self.class.object
    }

    fn identity(&self) -> (&Value, &Args, &Option<Value>, bool, &Option<Value>) {
        let class = &*self.class;
        (
            &class.name,
            &class.args,
            &class.ret,
            class.is_pending,
            &class.thread,
        )
    }
}

impl PartialEq for ModelOp {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.class, &other.class) || self.identity() == other.identity()
    }
}

impl Eq for ModelOp {}

impl Hash for ModelOp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl fmt::Display for ModelOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.class.text)
    }
}

impl fmt::Debug for ModelOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
