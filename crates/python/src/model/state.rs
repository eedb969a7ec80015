//! States of models in Python.
//!
//! A state that can be hashed is kept as it is. Dictionaries, lists and sets are kept in a frozen form (`omnilink._states`), and every step
//! gets a new copy of them: a step may change the state that it is given, and no other step sees it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList};

use crate::error::{Failure, FailureKind};

/// What the Python side of the package knows about states.
pub(super) struct States {
    freeze: Py<PyAny>,
    thaw: Py<PyAny>,
    refused: Py<PyAny>,
}

/// A state of a model.
#[derive(Clone)]
pub(crate) struct ModelState(Arc<HashedObject>);

struct HashedObject {
    object: Py<PyAny>,
    hash: isize,
    is_frozen: bool,
}

/// What comes of a step.
pub(super) enum Next {
    States(Vec<ModelState>),
    /// The operation cannot happen, for this reason.
    Refused(Option<String>),
    /// A limit was reached while a generator ran.
    Over,
}

/// A generator is asked for this many states between two looks at the limits.
const BETWEEN_LOOKS: usize = 64;

/// A model computes at once: a coroutine, which nobody runs, is no answer.
pub(super) fn at_once(what: &str, result: &Bound<'_, PyAny>) -> PyResult<()> {
    if !result.hasattr("__await__")? && !result.hasattr("__anext__")? {
        return Ok(());
    }
    if let Ok(close) = result.getattr("close") {
        // So that Python does not warn that it was never awaited.
        close.call0()?;
    }
    Err(wrong(format!(
        "{what} of the model is asynchronous; write def instead of async def, and return what it computes"
    )))
}

fn wrong(message: impl fmt::Display) -> PyErr {
    Failure::new(FailureKind::Model, message).into()
}

impl States {
    pub(super) fn new(py: Python<'_>) -> PyResult<Self> {
        let states = py.import("omnilink._states")?;
        Ok(Self {
            freeze: states.getattr("freeze")?.unbind(),
            thaw: states.getattr("thaw")?.unbind(),
            refused: states.getattr("Refused")?.unbind(),
        })
    }

    /// The states of `initial()`: one, or a list.
    pub(super) fn initial(&self, result: &Bound<'_, PyAny>) -> PyResult<Vec<ModelState>> {
        if result.is_none() {
            return Err(wrong(
                "initial() of the model returned None; return the state, or a list of states",
            ));
        }
        at_once("initial()", result)?;
        match result.cast::<PyList>() {
            Ok(list) if list.is_empty() => Err(wrong(
                "initial() of the model returned an empty list, which is no state at all: a list is a list of states, so let a state be a \
                 tuple, or return [state]",
            )),
            Ok(list) => list.iter().map(|state| self.state(&state)).collect(),
            Err(_) => Ok(vec![self.state(result)?]),
        }
    }

    /// What a step returned: a state, a list or generator of states, `None`, or a `Refused`. A generator may go on for ever.
    pub(super) fn next(
        &self,
        from: &ModelState,
        result: &Bound<'_, PyAny>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> PyResult<Next> {
        let py = result.py();
        if result.is_none() {
            return Ok(Next::Refused(None));
        }
        if result.is_instance(self.refused.bind(py))? {
            return Ok(Next::Refused(Some(result.getattr("reason")?.str()?.to_string())));
        }
        let is_several = result.is_instance_of::<PyList>() || result.hasattr("__next__")?;
        if is_several {
            let mut states = Vec::new();
            for state in result.try_iter()? {
                states.push(self.state(&state?)?);
                if states.len() % BETWEEN_LOOKS == 0 && is_over() {
                    return Ok(Next::Over);
                }
            }
            return Ok(if states.is_empty() {
                Next::Refused(None)
            } else {
                Next::States(states)
            });
        }
        at_once("step(state, op)", result)?;
        if result.is_instance_of::<PyBool>() && !from.0.object.bind(py).is_instance_of::<PyBool>() {
            return Err(wrong(
                "step(state, op) of the model returned True or False; return the next state, or None if the operation cannot happen",
            ));
        }
        Ok(Next::States(vec![self.state(result)?]))
    }

    fn state(&self, object: &Bound<'_, PyAny>) -> PyResult<ModelState> {
        if object.is_none() {
            return Err(wrong(
                "None is no state of a model; it says that an operation cannot happen",
            ));
        }
        let (object, hash, is_frozen) = match object.hash() {
            Ok(hash) => (object.clone(), hash, false),
            Err(_) => {
                let frozen = self.freeze.bind(object.py()).call1((object,)).map_err(|error| {
                    wrong(format!(
                        "a state of a model must have a hash, or be made of dicts, lists and sets: {error}"
                    ))
                })?;
                let hash = frozen.hash()?;
                (frozen, hash, true)
            }
        };
        Ok(ModelState(Arc::new(HashedObject {
            object: object.unbind(),
            hash,
            is_frozen,
        })))
    }
}

impl ModelState {
    /// The state as the model knows it.
    pub(super) fn object(&self, py: Python<'_>, states: &States) -> Py<PyAny> {
        let kept = self.0.object.clone_ref(py);
        if self.0.is_frozen {
            // Thawing undoes freezing, which went well.
            states.thaw.call1(py, (&kept,)).unwrap_or(kept)
        } else {
            kept
        }
    }

    pub(super) fn repr(&self, py: Python<'_>, states: &States) -> String {
        let repr = self.object(py, states).bind(py).repr();
        repr.map_or_else(|error| format!("<{error}>"), |repr| repr.to_string())
    }
}

impl PartialEq for ModelState {
    fn eq(&self, other: &Self) -> bool {
        let (left, right) = (&*self.0, &*other.0);
        if Arc::ptr_eq(&self.0, &other.0) {
            return true;
        }
        left.hash == right.hash
            && left.is_frozen == right.is_frozen
            && Python::attach(|py| left.object.bind(py).eq(right.object.bind(py)).unwrap_or(false))
    }
}

impl Eq for ModelState {}

impl Hash for ModelState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_isize(self.0.hash);
    }
}

impl fmt::Debug for ModelState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "state {:x}", self.0.hash)
    }
}
