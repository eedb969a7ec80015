//! The arguments of a native operator, with errors that name the operator.

use std::rc::Rc;

use omnilink_value::Value;

use crate::datum::Datum;
use crate::error::{Outcome, type_error};
use crate::evaluator::Evaluator;
use crate::slot::{Closure, Slot};

/// The arguments of a call. They are evaluated unless the operator's parameters are lazy.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a, 'p> {
    name: &'static str,
    contents: &'a [Slot<'p>],
}

impl<'a, 'p> Arguments<'a, 'p> {
    pub(crate) fn new(name: &'static str, contents: &'a [Slot<'p>]) -> Self {
        Self { name, contents }
    }

    /// The source location of an unevaluated operand: a number for its source and start, and its end. `None` for a value.
    pub(crate) fn place(&self, index: usize) -> Option<(u32, u32)> {
        let node = match self.contents.get(index)? {
            Slot::Thunk { node, .. } => node,
            Slot::Shared(shared) => shared.node,
            Slot::Empty | Slot::Datum(_) | Slot::Operator(_) => return None,
        };
        Some((
            node.at.source.0.rotate_left(24) ^ node.at.span.start,
            node.at.span.end,
        ))
    }

    /// The operator's name.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// The value of an argument.
    pub(crate) fn datum(&self, evaluator: &mut Evaluator<'p>, index: usize) -> Outcome<Datum<'p>> {
        match self.contents.get(index) {
            Some(Slot::Datum(datum)) => Ok(datum.clone()),
            Some(Slot::Thunk { node, base, .. }) => evaluator.in_frame(*base, |this| this.eval(node)),
            Some(Slot::Shared(shared)) => {
                let shared = shared.clone();
                evaluator.in_frame(shared.base, |this| this.eval(shared.node))
            }
            _ => Err(type_error(format!(
                "argument {} of {} must be a value",
                index + 1,
                self.name
            ))),
        }
    }

    /// The canonical value of an argument.
    pub(crate) fn value(&self, evaluator: &mut Evaluator<'p>, index: usize) -> Outcome<Value> {
        let datum = self.datum(evaluator, index)?;
        evaluator.canonical(datum)
    }

    /// An operator argument.
    pub(crate) fn operator(&self, index: usize) -> Outcome<Rc<Closure<'p>>> {
        match self.contents.get(index) {
            Some(Slot::Operator(closure)) => Ok(closure.clone()),
            _ => Err(type_error(format!(
                "argument {} of {} must be an operator",
                index + 1,
                self.name
            ))),
        }
    }

    /// An argument of the wrong kind.
    pub(crate) fn wrong(
        &self,
        evaluator: &Evaluator<'p>,
        index: usize,
        wanted: &str,
        datum: &Datum<'p>,
    ) -> Box<crate::error::Failure> {
        type_error(format!(
            "argument {} of {} must be {wanted}, but is {}",
            index + 1,
            self.name,
            evaluator.short(datum)
        ))
    }

    /// An integer argument.
    pub(crate) fn int(&self, evaluator: &mut Evaluator<'p>, index: usize) -> Outcome<i64> {
        let datum = self.datum(evaluator, index)?;
        match datum.as_value().and_then(Value::as_int) {
            Some(int) => Ok(int),
            None => Err(self.wrong(evaluator, index, "an integer", &datum)),
        }
    }

    /// A string argument.
    pub(crate) fn text(&self, evaluator: &mut Evaluator<'p>, index: usize) -> Outcome<String> {
        let datum = self.datum(evaluator, index)?;
        match datum.as_value().and_then(Value::as_str) {
            Some(text) => Ok(text.to_owned()),
            None => Err(self.wrong(evaluator, index, "a string", &datum)),
        }
    }

    /// A sequence argument: its parts.
    pub(crate) fn sequence(&self, evaluator: &mut Evaluator<'p>, index: usize) -> Outcome<Vec<Datum<'p>>> {
        let datum = self.datum(evaluator, index)?;
        match evaluator.sequence_parts(&datum)? {
            Some(parts) => Ok(parts),
            None => Err(self.wrong(evaluator, index, "a sequence", &datum)),
        }
    }

    /// A truth value.
    pub(crate) fn bool(&self, evaluator: &mut Evaluator<'p>, index: usize) -> Outcome<bool> {
        let datum = self.datum(evaluator, index)?;
        match datum.as_value().and_then(Value::as_bool) {
            Some(truth) => Ok(truth),
            None => Err(self.wrong(evaluator, index, "TRUE or FALSE", &datum)),
        }
    }

    /// A set argument, materialised.
    pub(crate) fn set(&self, evaluator: &mut Evaluator<'p>, index: usize) -> Outcome<Value> {
        let datum = self.datum(evaluator, index)?;
        if !datum.is_set() {
            return Err(self.wrong(evaluator, index, "a set", &datum));
        }
        evaluator.canonical(datum)
    }
}

/// The sequence of these parts.
pub(crate) fn sequence_of<'p>(parts: Vec<Datum<'p>>) -> Datum<'p> {
    if parts.iter().all(|part| part.as_value().is_some()) {
        return Datum::Value(Value::tuple(parts.into_iter().filter_map(|part| match part {
            Datum::Value(value) => Some(value),
            Datum::Lazy(_) => None,
        })));
    }
    Datum::lazy(crate::datum::Lazy::Tuple(parts))
}
