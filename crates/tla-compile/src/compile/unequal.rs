//! Equations that are false for all elements: `msgs' = msgs \cup {[from |-> i, range |-> <<b, e>>]}`, where the step has added a message from
//! another server, is false whatever `b` and `e` are.
//!
//! The value on one side is known. The expression on the other side is taken apart as far as what it is made of can be found in the value: the fields of a record, the element that
//! is added to a set, a bag or a sequence, the part that EXCEPT replaces. If such a part does not depend on the bound names and
//! has another value, the equation is false.

use omnilink_tla_ir::native::MODULES;
use omnilink_tla_ir::{Argument, Kind, Node, PathStep};

use super::compiler::{Compiled, Compiler};
use super::scope::{Binding, Scope};
use crate::code::{Growth, Instruction, RegisterIndex, Target, ValueOperation};

impl<'p> Compiler<'_, 'p> {
    /// Jumps if an expression that does not depend on some registers, and one that may, cannot be equal. Whatever has no value here is not
    /// compared.
    pub(super) fn refute_equality(
        &mut self,
        (fixed, built): (&'p Node, &'p Node),
        scope: &Scope<'p>,
        bound: &[RegisterIndex],
        refuted: Target,
    ) -> Compiled<()> {
        let known = self.known.len();
        let (unequal, end) = (self.label(), self.label());
        let to = self.register();
        self.emit(Instruction::Rescue { to, goto: end });
        let value = self.expression(fixed, scope)?;
        self.unequal(value, built, scope, bound, unequal)?;
        self.emit(Instruction::Rescued);
        self.emit(Instruction::Jump { goto: end });
        self.place(unequal);
        self.emit(Instruction::Rescued);
        self.emit(Instruction::Jump { goto: refuted });
        self.place(end);
        // Where the comparison ended early, what it would have evaluated is not known.
        self.forget_beyond(known);
        Ok(())
    }

    /// Jumps if a part of an expression is known to differ from that of a value.
    fn unequal(
        &mut self,
        value: RegisterIndex,
        node: &'p Node,
        scope: &Scope<'p>,
        bound: &[RegisterIndex],
        goto: Target,
    ) -> Compiled<()> {
        if node.uses.impure || node.uses.opaque || node.uses.unfinished {
            return Ok(());
        }
        if !self.depends(node.uses.slots, scope, bound) {
            let right = self.expression(node, scope)?;
            self.emit(Instruction::JumpEqual {
                left: value,
                right,
                is: false,
                goto,
            });
            return Ok(());
        }
        match &node.kind {
            Kind::Record(shape, fields) => {
                for (name, field) in shape.names().iter().zip(fields) {
                    let key = self.constant_value(name);
                    let part = self.operate(ValueOperation::Apply, [value, key, 0]);
                    self.unequal(part, field, scope, bound, goto)?;
                }
                Ok(())
            }
            Kind::Tuple(parts) => {
                for (index, part) in (0..).zip(parts) {
                    let to = self.register();
                    let own = self.compute(Instruction::Part {
                        to,
                        from: value,
                        index,
                        count: parts.len() as u16,
                    });
                    self.unequal(own, part, scope, bound, goto)?;
                }
                Ok(())
            }
            Kind::Union(operands) => match &operands.1.kind {
                Kind::SetEnum(elements) => match &**elements {
                    [added] => {
                        self.unequal_added(Growth::Set, value, (&operands.0, added), scope, bound, goto)
                    }
                    _ => Ok(()),
                },
                _ => Ok(()),
            },
            Kind::Native(native, arguments) => {
                let (module, operator) = native.position();
                let name = (MODULES[module].0, MODULES[module].1[operator].name);
                let [Some(before), Some(added)] = [0, 1].map(|at| arguments.get(at).and_then(Argument::node))
                else {
                    return Ok(());
                };
                match name {
                    ("Sequences", "Append") => {
                        self.unequal_added(Growth::Sequence, value, (before, added), scope, bound, goto)
                    }
                    ("Bags", "(+)") => match only_copy(added) {
                        Some(added) => {
                            self.unequal_added(Growth::Bag, value, (before, added), scope, bound, goto)
                        }
                        None => Ok(()),
                    },
                    _ => Ok(()),
                }
            }
            Kind::Except(function, updates) => {
                let [update] = &**updates else {
                    return Ok(());
                };
                if update
                    .path
                    .iter()
                    .any(|step| self.step_depends(step, scope, bound))
                    || self.depends(function.uses.slots, scope, bound)
                {
                    return Ok(());
                }
                let old = self.path(function, &update.path, scope)?;
                let mut new = value;
                for step in &update.path {
                    let key = self.key(step, scope)?;
                    new = self.operate(ValueOperation::Apply, [new, key, 0]);
                }
                let scope = scope.with(update.at_slot, Binding::Register(old));
                self.unequal(new, &update.value, &scope, bound, goto)
            }
            Kind::Once(_, inner) | Kind::Memo(_, inner) => self.unequal(value, inner, scope, bound, goto),
            Kind::Call(call) if !self.is_procedure_call(call, scope) => {
                let (inner, body) = self.called(call, node, scope)?;
                self.unequal(value, body, &inner, bound, goto)?;
                self.calls.pop();
                Ok(())
            }
            Kind::Local(slot) => match scope.expression(*slot) {
                Some((inner, own)) => self.unequal(value, inner, &own, bound, goto),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Jumps if a value is not a collection with one more element, or that element is another one.
    fn unequal_added(
        &mut self,
        growth: Growth,
        after: RegisterIndex,
        (before, added): (&'p Node, &'p Node),
        scope: &Scope<'p>,
        bound: &[RegisterIndex],
        goto: Target,
    ) -> Compiled<()> {
        if self.depends(before.uses.slots, scope, bound) {
            return Ok(());
        }
        let before = self.expression(before, scope)?;
        let to = self.register();
        self.emit(Instruction::Added {
            growth,
            to,
            before,
            after,
            goto,
        });
        self.unequal(to, added, scope, bound, goto)
    }

    fn step_depends(&self, step: &PathStep, scope: &Scope<'p>, bound: &[RegisterIndex]) -> bool {
        match step {
            PathStep::Field(_) => false,
            PathStep::Index(index) => self.depends(index.uses.slots, scope, bound),
        }
    }
}

/// `x` of `SetToBag({x})`.
fn only_copy(node: &Node) -> Option<&Node> {
    let Kind::Native(native, arguments) = &node.kind else {
        return None;
    };
    let (module, operator) = native.position();
    let is_bag = (MODULES[module].0, MODULES[module].1[operator].name) == ("Bags", "SetToBag");
    match &arguments
        .first()
        .and_then(Argument::node)
        .filter(|_| is_bag)?
        .kind
    {
        Kind::SetEnum(elements) => match &**elements {
            [only] => Some(only),
            _ => None,
        },
        _ => None,
    }
}
