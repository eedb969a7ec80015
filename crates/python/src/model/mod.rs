//! Models that are written in Python: a class with `initial()` and `step(state, op)`.
//!
//! Steps run under the interpreter's lock, the search between them does not. The engine interns states and memoizes steps, so `step` is
//! called once for each pair of a state and a class of operations. The first exception of a model ends the check, and is the cause of the
//! `ModelError` that is raised.
//!
//! With `partition(op)` a state of the engine is a map from keys to states of the model. A key that is absent is in the initial state, so
//! the map is the same whether or not a key was touched and left as it was: operations that are pure to the model are pure to the engine.

mod op;
mod state;

use std::sync::{Mutex, PoisonError};

use omnilink_engine::{Decoded, Footprint, Keys, LimitWatch, Limits, Model, Outcomes};
use omnilink_models::PersistentMap;
use omnilink_trace::Operation;
use omnilink_value::Value;
use omnilink_verify::VerifyError;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

use crate::error::{Failure, FailureKind};
use crate::value::value_of;

pub(crate) use op::{ModelOp, Op};
pub(crate) use state::ModelState;
use state::{Next, States, at_once};

/// A model in Python.
pub(crate) struct PythonModel {
    model: Py<PyAny>,
    states: States,
    initial: Vec<ModelState>,
    has_partition: bool,
    has_purity: bool,
    /// Whether the thread belongs to what an operation is.
    tells_threads: bool,
    /// What a step that goes on and on is held to, also one that is asked for its reasons when the search has ended.
    watch: LimitWatch,
    /// The first exception.
    raised: Mutex<Option<PyErr>>,
}

/// The states of the parts that are not initial.
pub(crate) type Parts = PersistentMap<ModelState>;

impl PythonModel {
    /// The model that an object is.
    pub(crate) fn new(model: &Bound<'_, PyAny>, limits: Limits) -> PyResult<Self> {
        let py = model.py();
        for method in ["initial", "step"] {
            if !model
                .getattr_opt(method)?
                .is_some_and(|method| method.is_callable())
            {
                let name = model.get_type().name()?;
                return Err(Failure::new(
                    FailureKind::Model,
                    format!("{name} is no model: it has no method {method}; a model has initial() and step(state, op)"),
                )
                .into());
            }
        }
        let has =
            |name: &str| Ok::<_, PyErr>(model.getattr_opt(name)?.is_some_and(|found| found.is_callable()));
        let states = States::new(py)?;
        let initial = states.initial(
            &model
                .call_method0("initial")
                .map_err(|error| failed("initial()", error))?,
        )?;
        Ok(Self {
            has_partition: has("partition")?,
            has_purity: has("is_pure")?,
            tells_threads: model
                .getattr_opt("threads")?
                .is_some_and(|told| told.is_truthy().unwrap_or(false)),
            watch: LimitWatch::new(limits),
            model: model.clone().unbind(),
            states,
            initial,
            raised: Mutex::new(None),
        })
    }

    /// The exception that ended the check, if one did.
    pub(crate) fn take_error(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, error: PyErr) -> String {
        let text = error.to_string();
        self.raised
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(error);
        text
    }

    /// What an operation of a trace means to the model.
    pub(crate) fn decode(&self, operation: &Operation) -> Result<Decoded<ModelOp>, VerifyError> {
        if operation.aborted {
            return Ok(Decoded::DidNotHappen);
        }
        let decoded = Python::attach(|py| self.op(py, operation));
        decoded.map(Decoded::Once).map_err(|error| {
            let message = format!("{}: {operation}: {error}", operation.location);
            self.keep(error);
            VerifyError::Usage(message)
        })
    }

    fn op(&self, py: Python<'_>, operation: &Operation) -> PyResult<ModelOp> {
        let mut op = ModelOp::new(py, operation, self.tells_threads)?;
        let model = self.model.bind(py);
        if self.has_partition {
            let key = model
                .call_method1("partition", (op.object(),))
                .map_err(|error| failed("partition(op)", error))?;
            at_once("partition(op)", &key)?;
            op.key = Some(value_of(&key, &|| "partition(op)".to_owned())?);
        }
        if self.has_purity {
            let told = model
                .call_method1("is_pure", (op.object(),))
                .map_err(|error| failed("is_pure(op)", error))?;
            at_once("is_pure(op)", &told)?;
            op.is_pure = told.is_truthy()?;
        }
        Ok(op)
    }

    /// The parts with another state of one of them.
    fn with(&self, parts: &Parts, key: &Value, state: ModelState) -> Parts {
        match self.initial.as_slice() {
            [initial] if *initial == state => parts.without(key),
            _ => parts.with(key, state),
        }
    }
}

/// An exception of the model; what is no `Exception`, such as `KeyboardInterrupt`, is not for this package to wrap, and its own ones say what is
/// wrong.
fn failed(what: &str, error: PyErr) -> PyErr {
    let is_of_model = |py: Python<'_>| {
        let own = py
            .import("omnilink._errors")
            .and_then(|errors| errors.getattr("Error"));
        error.is_instance_of::<PyException>(py) && !own.is_ok_and(|own| error.is_instance(py, &own))
    };
    if !Python::attach(is_of_model) {
        return error;
    }
    Failure::new(FailureKind::Model, format!("{what} of the model raised {error}")).caused_by(error)
}

/// The key of the only part of a model without `partition`.
fn whole() -> Value {
    Value::null()
}

impl Model for PythonModel {
    type State = Parts;
    type Op = ModelOp;

    fn initial(&self) -> Vec<Parts> {
        if self.has_partition || self.initial.len() == 1 {
            // A part that is absent is in any initial state.
            vec![Parts::new()]
        } else {
            self.initial
                .iter()
                .map(|state| Parts::new().with(&whole(), state.clone()))
                .collect()
        }
    }

    fn step(&self, parts: &Parts, op: &ModelOp, outcomes: &mut Outcomes<Parts>) {
        let key = op.key.clone().unwrap_or_else(whole);
        let here = match parts.get(&key) {
            Some(state) => std::slice::from_ref(state),
            None => self.initial.as_slice(),
        };
        let mut watch = self.watch;
        Python::attach(|py| {
            for state in here {
                let mut is_over = || {
                    let limit = watch.reached();
                    limit.inspect(|limit| outcomes.give_up_at(*limit));
                    limit.is_some() || outcomes.is_interrupted()
                };
                let stepped = self
                    .model
                    .bind(py)
                    .call_method1("step", (state.object(py, &self.states), op.object()))
                    .and_then(|result| self.states.next(state, &result, &mut is_over))
                    .map_err(|error| failed(&format!("step({}, {op})", state.repr(py, &self.states)), error));
                match stepped {
                    Ok(Next::Over) => return,
                    Ok(Next::States(next)) => next
                        .into_iter()
                        .for_each(|next| outcomes.accept(self.with(parts, &key, next))),
                    Ok(Next::Refused(reason)) => outcomes.refuse(|| match reason {
                        Some(reason) => reason,
                        None => format!("{op} cannot happen in {}", state.repr(py, &self.states)),
                    }),
                    Err(error) => {
                        outcomes.fail(self.keep(error));
                        return;
                    }
                }
            }
        });
    }

    fn is_pure(&self, op: &ModelOp) -> bool {
        // An operation that chooses among initial states changes the map.
        op.is_pure && self.initial.len() == 1
    }

    fn footprint(&self, op: &ModelOp) -> Footprint {
        let keys = match &op.key {
            Some(key) => Keys::one(key.hash64()),
            None => Keys::All,
        };
        if Model::is_pure(self, op) {
            Footprint::reads(keys)
        } else {
            Footprint::updates(keys)
        }
    }

    fn describe_state(&self, parts: &Parts) -> String {
        Python::attach(|py| {
            let repr = |state: &ModelState| state.repr(py, &self.states);
            if self.has_partition {
                let parts = parts.iter().map(|(key, state)| format!("{key}: {}", repr(state)));
                return format!("{{{}}}", parts.collect::<Vec<_>>().join(", "));
            }
            parts
                .get(&whole())
                .or_else(|| self.initial.first())
                .map(repr)
                .unwrap_or_default()
        })
    }

    fn describe_op(&self, op: &ModelOp) -> String {
        op.to_string()
    }
}

/// The name of the class of a model.
pub(crate) fn class_name(model: &Bound<'_, PyAny>) -> String {
    let name = model.get_type().name();
    name.map_or_else(|_| "model".to_owned(), |name| name.to_string())
}
