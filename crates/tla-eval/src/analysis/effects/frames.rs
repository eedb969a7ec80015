//! Frames of definitions, LETs and operators during the analysis: names stand for values, expressions or forms.

use omnilink_tla_ir::{Application, Argument, Node};

use super::form::Form;
use super::{DEPTH_MAX, Unsupported, Walk, Walked};
use crate::evaluator::Evaluator;
use crate::slot::Slot;

impl<'p> Evaluator<'p> {
    /// Gives a name a form.
    pub(super) fn name(&mut self, slot: u32, form: Form, walk: &mut Walk<'_>) {
        match form {
            Form::Value(value) => self.bind(slot, value),
            form => {
                self.set_slot(slot, Slot::Empty);
                walk.names.insert(self.base + slot as usize, form);
            }
        }
    }

    /// The content of a slot: the value if it is known, else the expression.
    pub(super) fn content(&mut self, argument: &'p Argument, walk: &mut Walk<'_>) -> Slot<'p> {
        match argument {
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => {
                if self.is_known(node.bare()) {
                    match self.eval(node) {
                        Ok(datum) => return Slot::Datum(datum),
                        Err(_) => walk.exactness.lose(),
                    }
                }
                Slot::Thunk {
                    node,
                    base: self.base as u32,
                    keep: false,
                    value: None,
                }
            }
            Argument::Slot(slot) => match self.slot(*slot) {
                // What it stands for is known for this frame only.
                Slot::Empty => Slot::Empty,
                content => content.clone(),
            },
            Argument::Operator(operator, captures) => {
                let captures = captures
                    .iter()
                    .map(|(slot, capture)| (*slot, self.content(capture, walk)))
                    .collect();
                Slot::Operator(std::rc::Rc::new(crate::slot::Closure {
                    operator: *operator,
                    captures,
                }))
            }
        }
    }

    pub(super) fn fill_let(&mut self, slots: &'p [(u32, Argument)], walk: &mut Walk<'_>) {
        for (slot, argument) in slots {
            let content = self.content(argument, walk);
            walk.names.remove(&(self.base + *slot as usize));
            self.set_slot(*slot, content);
        }
    }

    pub(super) fn call_form(&mut self, call: &'p Application, walk: &mut Walk<'_>) -> Walked<Form> {
        self.in_call(call, walk, |this, body, walk| this.form(body, walk))
    }

    /// Runs in the frame of a call.
    pub(super) fn in_call<T>(
        &mut self,
        call: &'p Application,
        walk: &mut Walk<'_>,
        run: impl FnOnce(&mut Self, &'p Node, &mut Walk<'_>) -> Walked<T>,
    ) -> Walked<T> {
        let program = self.program;
        let target = &program.operators[call.operator as usize];
        let mut contents = Vec::with_capacity(call.arguments.len());
        for (slot, argument) in &call.arguments {
            contents.push((*slot, self.content(argument, walk)));
        }
        let names = self.passed_names(&call.arguments, walk);
        self.in_new_frame(target.slots.len(), contents, walk, |this, walk| {
            for (slot, form) in names {
                walk.names.insert(this.base + slot as usize, form);
            }
            run(this, &target.body, walk)
        })
    }

    /// The forms of names that are passed on as they are.
    pub(super) fn passed_names(&self, arguments: &[(u32, Argument)], walk: &Walk<'_>) -> Vec<(u32, Form)> {
        let named = arguments.iter().filter_map(|(slot, argument)| match argument {
            Argument::Slot(from) => {
                let form = walk.names.get(&(self.base + *from as usize))?;
                matches!(self.slot(*from), Slot::Empty).then(|| (*slot, form.clone()))
            }
            _ => None,
        });
        named.collect()
    }

    /// Runs in the frame of an operator that is a parameter.
    pub(super) fn in_closure<T>(
        &mut self,
        slot: u32,
        arguments: &'p [Argument],
        walk: &mut Walk<'_>,
        run: impl FnOnce(&mut Self, &'p Node, &mut Walk<'_>) -> Walked<T>,
    ) -> Walked<T> {
        let Slot::Operator(closure) = self.slot(slot).clone() else {
            return Err(Unsupported);
        };
        let mut contents: Vec<(u32, Slot<'p>)> = closure.captures.clone();
        for (parameter, argument) in (0..).zip(arguments) {
            contents.push((parameter, self.content(argument, walk)));
        }
        let program = self.program;
        let target = &program.operators[closure.operator as usize];
        self.in_new_frame(target.slots.len(), contents, walk, |this, walk| {
            run(this, &target.body, walk)
        })
    }

    pub(super) fn in_new_frame<T>(
        &mut self,
        size: usize,
        contents: Vec<(u32, Slot<'p>)>,
        walk: &mut Walk<'_>,
        run: impl FnOnce(&mut Self, &mut Walk<'_>) -> Walked<T>,
    ) -> Walked<T> {
        if walk.depth >= DEPTH_MAX {
            return Err(Unsupported);
        }
        walk.depth += 1;
        let saved = self.push_frame(size);
        for slot in 0..size {
            walk.names.remove(&(self.base + slot));
        }
        for (slot, content) in contents {
            self.set_slot(slot, content);
        }
        let walked = run(self, walk);
        self.pop_frame(saved);
        walk.depth -= 1;
        walked
    }

    pub(super) fn in_base<T>(&mut self, base: usize, run: impl FnOnce(&mut Self) -> Walked<T>) -> Walked<T> {
        let saved = std::mem::replace(&mut self.base, base);
        let walked = run(self);
        self.base = saved;
        walked
    }
}
