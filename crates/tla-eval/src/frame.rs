//! Frames and slots: binding of names, thunks and operator arguments.

use omnilink_tla_ir::{Application, Argument, Loc};
use omnilink_value::Value;

use super::datum::Datum;
use super::error::{ErrorClass, Failure, Outcome};
use super::evaluator::Evaluator;
use super::slot::{Closure, SharedThunk, Slot};

impl<'p> Evaluator<'p> {
    /// Pushes a frame. Returns the base of the previous one.
    pub(crate) fn push_frame(&mut self, size: usize) -> usize {
        let saved = self.base;
        self.base = self.slots.len();
        self.slots.resize_with(self.base + size, Slot::default);
        saved
    }

    /// Builds the frame of a call, with its arguments. Returns its base; the caller makes it current.
    #[inline]
    pub(crate) fn fill_frame(&mut self, call: &'p Application) -> Outcome<usize> {
        let program = self.program;
        let new = self.slots.len();
        let size = program.operators[call.operator as usize].slots.len();
        self.slots.resize_with(new + size, Slot::default);
        for (slot, argument) in &call.arguments {
            match self.argument(argument) {
                Ok(content) => self.slots[new + *slot as usize] = content,
                Err(failure) => {
                    self.slots.truncate(new);
                    return Err(failure);
                }
            }
        }
        Ok(new)
    }

    pub(crate) fn pop_frame(&mut self, saved: usize) {
        self.slots.truncate(self.base);
        self.base = saved;
    }

    #[inline]
    pub(crate) fn slot(&self, slot: u32) -> &Slot<'p> {
        &self.slots[self.base + slot as usize]
    }

    #[inline]
    pub(crate) fn set_slot(&mut self, slot: u32, content: Slot<'p>) {
        let at = self.base + slot as usize;
        self.slots[at] = content;
    }

    #[inline]
    pub(crate) fn bind(&mut self, slot: u32, value: Value) {
        self.set_slot(slot, Slot::Datum(Datum::Value(value)));
    }

    /// The value of a local name.
    pub(crate) fn local(&mut self, slot: u32) -> Outcome<Datum<'p>> {
        let at = self.base + slot as usize;
        if self.is_logging {
            return self.local_logged(slot);
        }
        self.local_value(at)
    }

    /// The value of a local name. Logs the read, as the cause of the reads that evaluate it.
    #[inline(never)]
    fn local_logged(&mut self, slot: u32) -> Outcome<Datum<'p>> {
        let at = self.base + slot as usize;
        if self.primed && !matches!(self.slots[at], Slot::Datum(_)) {
            self.log_slot_expression(slot);
            return self.local_value(at);
        }
        let look = self.log_slot(slot);
        self.caused_by(look, |this| this.local_value(at))
    }

    fn local_value(&mut self, at: usize) -> Outcome<Datum<'p>> {
        let (node, base, keep) = match &self.slots[at] {
            Slot::Datum(datum) => return Ok(datum.clone()),
            Slot::Thunk {
                value: Some(value), ..
            } if !self.primed => return Ok(value.clone()),
            Slot::Thunk { node, base, keep, .. } => (*node, *base, *keep),
            Slot::Shared(shared) => {
                if !self.primed
                    && let Some(value) = shared.value.get()
                {
                    return Ok(value.clone());
                }
                let shared = shared.clone();
                let datum = self.in_frame(shared.base, |this| this.eval(shared.node))?;
                if !self.primed {
                    return Ok(shared.value.get_or_init(|| datum).clone());
                }
                return Ok(datum);
            }
            Slot::Operator(_) => {
                return Err(super::error::type_error("an operator is used as a value"));
            }
            Slot::Empty => {
                return Err(Failure::new(
                    ErrorClass::Undefined,
                    "a name is used before it has a value",
                ));
            }
        };
        let datum = self.in_frame(base, |this| this.eval(node))?;
        if keep
            && !self.primed
            && let Slot::Thunk { value, .. } = &mut self.slots[at]
        {
            *value = Some(datum.clone());
        }
        Ok(datum)
    }

    /// Runs in another frame on the stack.
    pub(crate) fn in_frame<T>(&mut self, base: u32, run: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let saved = std::mem::replace(&mut self.base, base as usize);
        let result = run(self);
        self.base = saved;
        result
    }

    /// The slot content for an argument, in the frame of the caller.
    pub(crate) fn argument(&mut self, argument: &'p Argument) -> Outcome<Slot<'p>> {
        Ok(match argument {
            Argument::Value(node) => Slot::Datum(self.eval(node)?),
            Argument::Lazy(node) => Slot::Thunk {
                node,
                base: self.base as u32,
                keep: true,
                value: None,
            },
            Argument::ByName(node) => Slot::Thunk {
                node,
                base: self.base as u32,
                keep: false,
                value: None,
            },
            Argument::Slot(slot) => self.share(*slot),
            Argument::Operator(operator, captures) => Slot::Operator(std::rc::Rc::new(Closure {
                operator: *operator,
                captures: self.captured(captures)?,
            })),
        })
    }

    fn captured(&mut self, captures: &'p [(u32, Argument)]) -> Outcome<Vec<(u32, Slot<'p>)>> {
        captures
            .iter()
            .map(|(slot, argument)| Ok((*slot, self.argument(argument)?)))
            .collect()
    }

    /// The content of a slot for another frame. An unevaluated thunk becomes shared, so that it is evaluated at most once.
    pub(crate) fn share(&mut self, slot: u32) -> Slot<'p> {
        if self.is_logging {
            self.log_slot(slot);
        }
        let at = self.base + slot as usize;
        if let Slot::Thunk {
            node,
            base,
            keep: true,
            value,
        } = &mut self.slots[at]
        {
            let known = std::cell::OnceCell::new();
            if let Some(value) = value.take() {
                let _ = known.set(value);
            }
            self.slots[at] = Slot::Shared(std::rc::Rc::new(SharedThunk {
                node,
                base: *base,
                value: known,
            }));
        }
        self.slots[at].clone()
    }

    /// The content of a slot for an object that outlives the frame: evaluated now.
    pub(crate) fn force_slot(&mut self, slot: u32) -> Outcome<Slot<'p>> {
        if self.is_logging {
            self.log_slot(slot);
        }
        match self.slot(slot) {
            Slot::Operator(closure) => {
                let closure = closure.clone();
                let captures = closure
                    .captures
                    .iter()
                    .map(|(slot, content)| Ok((*slot, self.forced(content.clone())?)))
                    .collect::<Outcome<Vec<_>>>()?;
                Ok(Slot::Operator(std::rc::Rc::new(Closure {
                    operator: closure.operator,
                    captures,
                })))
            }
            Slot::Empty => Ok(Slot::Empty),
            _ => Ok(Slot::Datum(self.local(slot)?)),
        }
    }

    fn forced(&mut self, content: Slot<'p>) -> Outcome<Slot<'p>> {
        let saved = self.push_frame(1);
        self.set_slot(0, content);
        let result = self.force_slot(0);
        self.pop_frame(saved);
        result
    }

    /// Applies an operator to the given slot contents.
    pub(crate) fn apply_operator(
        &mut self,
        operator: u32,
        contents: impl IntoIterator<Item = (u32, Slot<'p>)>,
        at: Loc,
    ) -> Outcome<Datum<'p>> {
        self.check_stack().map_err(|failure| failure.at(at))?;
        let program = self.program;
        let target = &program.operators[operator as usize];
        self.count(operator);
        let saved = self.push_frame(target.slots.len());
        for (slot, content) in contents {
            self.set_slot(slot, content);
        }
        let result = self.eval(&target.body);
        let result = result.map_err(|failure| self.in_operator(failure, operator, at));
        self.pop_frame(saved);
        result
    }

    /// Adds an operator and its parameters to an error.
    pub(crate) fn in_operator(&self, mut failure: Box<Failure>, operator: u32, at: Loc) -> Box<Failure> {
        let target = &self.program.operators[operator as usize];
        for slot in 0..target.params {
            if let Slot::Datum(datum)
            | Slot::Thunk {
                value: Some(datum), ..
            } = self.slot(slot)
            {
                let name = target.slots.get(slot as usize).map_or("", |name| name);
                failure.bind(name, || self.short(datum));
            }
        }
        failure.called(&target.name, at);
        failure
    }

    /// Applies an operator argument to values.
    pub fn apply_closure(&mut self, closure: &Closure<'p>, arguments: &[Datum<'p>]) -> Outcome<Datum<'p>> {
        let operator = &self.program.operators[closure.operator as usize];
        let at = operator.body.at;
        let parameters = (0..).zip(arguments.iter().cloned().map(Slot::Datum));
        let captures = closure.captures.iter().cloned();
        self.apply_operator(closure.operator, parameters.chain(captures), at)
    }

    /// Applies an operator argument that is a predicate.
    pub(crate) fn test(&mut self, test: &Closure<'p>, datum: &Datum<'p>, what: &str) -> Outcome<bool> {
        let result = self.apply_closure(test, std::slice::from_ref(datum))?;
        self.expect_bool(&result, what)
    }
}
