//! Assignments of next values: `x' = e` and `x' \in S`.

use omnilink_tla_ir::{Kind, Node, PathStep, Update, slot_bit};

use super::access::at_cell;
use super::action::{Rest, bit};
use super::compiler::{Compiled, Compiler};
use super::leading::Fail;
use super::scope::{Binding, Scope};
use crate::code::{Address, Instruction, Of, RegisterIndex};
use crate::layout::LayoutNodeId;

impl<'p> Compiler<'_, 'p> {
    /// `x' \in S`.
    pub(super) fn assign_each(
        &mut self,
        variable: u32,
        set: RegisterIndex,
        rest: &Rest<'_, 'p>,
        fail: Fail,
    ) -> Compiled<()> {
        let mark = self.mark();
        self.each_element(set, &mut |this, element| {
            this.branch(mark, |this, next| {
                this.store_next(variable, element);
                this.assigned |= bit(variable);
                this.proceed(rest, Fail::to(next))
            })
        })?;
        self.emit(Instruction::Jump { goto: fail.goto });
        Ok(())
    }

    fn store_next(&mut self, variable: u32, from: RegisterIndex) {
        if self.is_hidden(variable) {
            self.hidden.insert(variable, from);
            return;
        }
        let (node, cell) = self.layout.variable(variable);
        self.store_value(node, at_cell(cell), from);
    }

    fn store_value(&mut self, node: LayoutNodeId, address: Address, from: RegisterIndex) {
        self.emit(match self.layout.node(node).exploded {
            None => Instruction::Write { address, from },
            Some(_) => Instruction::Scatter { node, address, from },
        });
    }

    /// `x' = e`.
    pub(super) fn assign(&mut self, variable: u32, value: &'p Node, scope: &Scope<'p>) -> Compiled<()> {
        if self.is_hidden(variable) {
            let from = self.expression(value, scope)?;
            self.store_next(variable, from);
            return Ok(());
        }
        let (node, cell) = self.layout.variable(variable);
        match &value.kind {
            Kind::Var(same) if *same == variable && !scope.primed => Ok(()),
            Kind::Memo(_, inner) => self.assign(variable, inner, scope),
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                if let Some(truth) = self.decided(condition, scope) {
                    return self.assign(variable, if truth { yes } else { no }, scope);
                }
                let (otherwise, end) = (self.label(), self.label());
                self.condition(condition, scope, otherwise, false)?;
                let known = self.known.len();
                self.assign(variable, yes, scope)?;
                self.forget_beyond(known);
                self.emit(Instruction::Jump { goto: end });
                self.place(otherwise);
                self.assign(variable, no, scope)?;
                self.place(end);
                Ok(())
            }
            Kind::Let(slots, body) => {
                let scope = self.let_scope(slots, scope)?;
                self.assign(variable, body, &scope)
            }
            Kind::Call(call) if !value.uses.is_constant() && !self.is_procedure_call(call, scope) => {
                let (inner, body) = self.called(call, value, scope)?;
                self.assign(variable, body, &inner)?;
                self.calls.pop();
                Ok(())
            }
            Kind::Except(function, updates)
                if self.layout.node(node).exploded.is_some()
                    && matches!(function.bare().kind, Kind::Var(same) if same == variable)
                    && !scope.primed =>
            {
                self.code.reads |= bit(variable);
                self.update(node, at_cell(cell), updates, scope)
            }
            _ => self.write(node, at_cell(cell), value, scope),
        }
    }

    /// Updates of an exploded function in the next state.
    fn update(
        &mut self,
        node: LayoutNodeId,
        address: Address,
        updates: &'p [Update],
        scope: &Scope<'p>,
    ) -> Compiled<()> {
        for update in updates {
            let reached = self.walked(node, address, Of::Next, &update.path, scope)?;
            let old = Binding::Cells {
                node: reached.node,
                address: reached.address,
                of: Of::Next,
                searches: self.searches,
            };
            if let [_, ..] = reached.rest {
                let value = self.load(reached.node, reached.address, Of::Next);
                let from = self.updated(value, reached.rest, update, scope)?;
                self.store_value(reached.node, reached.address, from);
                continue;
            }
            // `![x] = [@ EXCEPT !.a = e]` writes only the cells of `a`.
            if let Kind::Except(inner, updates) = &update.value.bare().kind
                && matches!(inner.bare().kind, Kind::Local(slot) if slot == update.at_slot)
                && self.layout.node(reached.node).exploded.is_some()
            {
                // The cells change between these updates, so where one of them uses the old value, that is kept.
                let old = match updates.iter().any(|inner| uses_slot(inner, update.at_slot)) {
                    true => Binding::Register(self.load(reached.node, reached.address, Of::Next)),
                    false => old,
                };
                let scope = scope.with(update.at_slot, old);
                self.update(reached.node, reached.address, updates, &scope)?;
                continue;
            }
            let scope = scope.with(update.at_slot, old);
            self.write(reached.node, reached.address, &update.value, &scope)?;
        }
        Ok(())
    }

    /// Writes the value of an expression. Nothing is written before all of it is evaluated: it may use what is overwritten.
    fn write(
        &mut self,
        node: LayoutNodeId,
        address: Address,
        value: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<()> {
        let mut writes = Vec::new();
        self.evaluate_for(node, address, value, scope, &mut writes)?;
        for (node, address, from) in writes {
            self.store_value(node, address, from);
        }
        Ok(())
    }

    /// Evaluates an expression whose value is to be written: a function over the keys of an exploded one value by value.
    fn evaluate_for(
        &mut self,
        node: LayoutNodeId,
        address: Address,
        value: &'p Node,
        scope: &Scope<'p>,
        writes: &mut Vec<(LayoutNodeId, Address, RegisterIndex)>,
    ) -> Compiled<()> {
        match (&value.kind, &self.layout.node(node).exploded) {
            (Kind::Memo(_, inner), _) => return self.evaluate_for(node, address, inner, scope, writes),
            (Kind::Call(call), Some(_))
                if !value.uses.is_constant() && !self.is_procedure_call(call, scope) =>
            {
                let (inner, body) = self.called(call, value, scope)?;
                self.evaluate_for(node, address, body, &inner, writes)?;
                self.calls.pop();
                return Ok(());
            }
            (Kind::Function(bounded), Some(exploded)) => {
                let exploded = exploded.clone();
                if let ([set], [(_, pattern)]) = (&*bounded.sets, &*bounded.binds)
                    && self.folded(set, scope) == Some(exploded.domain)
                {
                    for (key, (part, offset)) in exploded.keys.iter().zip(&exploded.parts) {
                        let key = self.constant(*key);
                        let inner = self.bound(pattern, key, scope);
                        let address = Address {
                            cell: address.cell + offset,
                            ..address
                        };
                        self.evaluate_for(*part, address, &bounded.body, &inner, writes)?;
                    }
                    return Ok(());
                }
            }
            _ => {}
        }
        let from = self.expression(value, scope)?;
        writes.push((node, address, from));
        Ok(())
    }
}

/// Whether an update mentions a slot.
fn uses_slot(update: &Update, slot: u32) -> bool {
    let used = slot_bit(slot);
    let in_path = update.path.iter().any(|step| match step {
        PathStep::Index(index) => index.uses.slots & used != 0,
        PathStep::Field(_) => false,
    });
    in_path || update.value.uses.slots & used != 0
}
