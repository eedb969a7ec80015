//! Access to parts of variables: paths, domains and EXCEPT.

use omnilink_tla_ir::{Kind, Node, PathStep, Update};

use super::compiler::{Compiled, Compiler};
use super::scope::{Binding, Scope};
use crate::code::{Address, Instruction, NO_OFFSET, Of, RegisterIndex, ValueOperation};
use crate::layout::LayoutNodeId;

/// A part of a variable, as far as it is exploded.
pub(crate) struct Reached<'p> {
    pub(crate) node: LayoutNodeId,
    pub(crate) address: Address,
    pub(crate) of: Of,
    /// The steps that remain.
    pub(crate) rest: &'p [PathStep],
}

impl<'p> Compiler<'_, 'p> {
    pub(super) fn domain(&mut self, function: &'p Node, scope: &Scope<'p>) -> Compiled<RegisterIndex> {
        if let Some(reached) = self.reached(function, &[], scope)?
            && let Some(exploded) = &self.layout.node(reached.node).exploded
        {
            let domain = exploded.domain;
            return Ok(self.constant(domain));
        }
        self.operation(ValueOperation::Domain, &[function], scope)
    }

    /// The part of a variable that a path leads to, as far as it is exploded; `None` if the path does not start at a variable.
    pub(crate) fn reached(
        &mut self,
        root: &'p Node,
        steps: &'p [PathStep],
        scope: &Scope<'p>,
    ) -> Compiled<Option<Reached<'p>>> {
        let start = match &root.kind {
            Kind::Memo(_, inner) => return self.reached(inner, steps, scope),
            Kind::Next(variable) if self.is_hidden(*variable) => None,
            Kind::Var(variable) | Kind::Next(variable) => {
                let is_next = scope.primed || matches!(root.kind, Kind::Next(_));
                let of = self.state_of(*variable, is_next, root)?;
                let (node, cell) = self.layout.variable(*variable);
                Some((node, at_cell(cell), of))
            }
            Kind::Path(inner, own) => match self.reached(inner, own, scope)? {
                Some(reached) if reached.rest.is_empty() => Some((reached.node, reached.address, reached.of)),
                _ => None,
            },
            Kind::Local(slot) => match scope.get(*slot).clone() {
                Binding::Cells {
                    node,
                    address,
                    of,
                    searches,
                } if searches == self.searches => Some((node, address, of)),
                Binding::ByName(deferred) | Binding::Alias(deferred) => {
                    let (node, own) = scope.read(&deferred);
                    self.start_of(node, &own)?
                }
                _ => None,
            },
            _ => None,
        };
        match start {
            Some((node, address, of)) => self.walked(node, address, of, steps, scope).map(Some),
            None => Ok(None),
        }
    }

    /// The part of a variable that an expression is, if all of the way to it is exploded.
    fn start_of(
        &mut self,
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<Option<(LayoutNodeId, Address, Of)>> {
        let reached = self.reached(node, &[], scope)?;
        Ok(reached
            .filter(|reached| reached.rest.is_empty())
            .map(|reached| (reached.node, reached.address, reached.of)))
    }

    /// Follows a path into an exploded function.
    pub(crate) fn walked(
        &mut self,
        node: LayoutNodeId,
        address: Address,
        of: Of,
        steps: &'p [PathStep],
        scope: &Scope<'p>,
    ) -> Compiled<Reached<'p>> {
        let (mut node, mut address, mut rest) = (node, address, steps);
        while let ([step, others @ ..], Some(exploded)) = (rest, &self.layout.node(node).exploded) {
            let exploded = exploded.clone();
            let key = self.key(step, scope)?;
            let known = self.constant_in(key);
            let index = known.and_then(|word| exploded.keys.iter().position(|own| *own == word));
            match (index, exploded.stride) {
                (Some(index), _) => {
                    let (part, offset) = exploded.parts[index];
                    address.cell += offset;
                    node = part;
                }
                (None, Some(_)) => {
                    let to = self.register();
                    address.offset = self.compute(Instruction::Index {
                        to,
                        node,
                        key,
                        base: address.offset,
                    });
                    node = exploded.parts[0].0;
                }
                // The parts of a record differ, so its field must be known.
                (None, None) => break,
            }
            rest = others;
        }
        Ok(Reached {
            node,
            address,
            of,
            rest,
        })
    }

    pub(super) fn key(&mut self, step: &'p PathStep, scope: &Scope<'p>) -> Compiled<RegisterIndex> {
        match step {
            PathStep::Field(field) => Ok(self.constant_value(&field.name)),
            PathStep::Index(index) => self.expression(index, scope),
        }
    }

    pub(super) fn path(
        &mut self,
        root: &'p Node,
        steps: &'p [PathStep],
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let (mut value, rest) = match self.reached(root, steps, scope)? {
            Some(reached) => (self.load(reached.node, reached.address, reached.of), reached.rest),
            None => (self.expression(root, scope)?, steps),
        };
        for step in rest {
            let key = self.key(step, scope)?;
            value = self.operate(ValueOperation::Apply, [value, key, 0]);
        }
        Ok(value)
    }

    pub(super) fn except(
        &mut self,
        function: &'p Node,
        updates: &'p [Update],
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let mut value = self.expression(function, scope)?;
        for update in updates {
            value = self.updated(value, &update.path, update, scope)?;
        }
        Ok(value)
    }

    /// A value with the part at the end of a path replaced.
    pub(crate) fn updated(
        &mut self,
        value: RegisterIndex,
        path: &'p [PathStep],
        update: &'p Update,
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let mut keys = Vec::with_capacity(path.len());
        for step in path {
            keys.push(self.key(step, scope)?);
        }
        let mut functions = vec![value];
        for key in &keys {
            let inner = self.operate(
                ValueOperation::Apply,
                [*functions.last().unwrap_or(&value), *key, 0],
            );
            functions.push(inner);
        }
        let old = functions.pop().unwrap_or(value);
        let inner = scope.with(update.at_slot, Binding::Register(old));
        let mut new = self.expression(&update.value, &inner)?;
        for (function, key) in functions.into_iter().zip(&keys).rev() {
            let to = self.register();
            new = self.compute(Instruction::Except {
                to,
                function,
                key: *key,
                value: new,
            });
        }
        Ok(new)
    }
}

/// The address of a cell.
pub(crate) fn at_cell(cell: u32) -> Address {
    Address {
        cell,
        offset: NO_OFFSET,
    }
}
