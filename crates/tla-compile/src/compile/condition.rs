//! Conditions: code that jumps if a formula has a truth value.

use omnilink_tla_ir::{Bounded, Kind, Node};

use super::compiler::{Compiled, Compiler, not_compiled};
use super::scope::Scope;
use crate::code::{Instruction, Target};

impl<'p> Compiler<'_, 'p> {
    /// A whole formula, which has an answer.
    pub(crate) fn whole_formula(&mut self, body: &'p Node, scope: &Scope<'p>) -> Compiled<()> {
        let no = self.label();
        self.condition(body, scope, no, false)?;
        self.emit(Instruction::Answer { is: true });
        self.place(no);
        self.emit(Instruction::Answer { is: false });
        Ok(())
    }

    /// Jumps if the truth value of a formula is `is`, and goes on otherwise.
    pub(crate) fn condition(
        &mut self,
        node: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        self.check_size(node)?;
        self.or_else(
            |this| {
                this.evaluate_names_of_sets(node, scope)?;
                if !this.may_remember(node, scope) {
                    return this.native_condition(node, scope, goto, is);
                }
                let from = this.expression(node, scope)?;
                this.emit(Instruction::JumpIf { from, is, goto });
                Ok(())
            },
            |this, reason| {
                let from = this.interpret(node, scope, reason)?;
                this.emit(Instruction::JumpIf { from, is, goto });
                Ok(())
            },
        )
    }

    pub(crate) fn native_condition(
        &mut self,
        node: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        if let Some(word) = self.folded(node, scope) {
            match word.as_bool() {
                Some(truth) if truth == is => self.emit(Instruction::Jump { goto }),
                Some(_) => {}
                None => self.emit(Instruction::NotCompiled),
            }
            return Ok(());
        }
        match &node.kind {
            Kind::And(conjuncts) => self.all(conjuncts, scope, goto, is, true),
            Kind::Or(disjuncts) => self.all(disjuncts, scope, goto, !is, false),
            Kind::Not(operand) => self.condition(operand, scope, goto, !is),
            Kind::Implies(operands) => {
                self.either((&operands.0, false), (&operands.1, true), scope, goto, is)
            }
            Kind::Equiv(operands) => {
                // Both must be Booleans, which equality alone does not ask for.
                let left = self.truth(&operands.0, scope)?;
                let right = self.truth(&operands.1, scope)?;
                self.emit(Instruction::JumpEqual {
                    left,
                    right,
                    is,
                    goto,
                });
                Ok(())
            }
            Kind::Equal(operands) | Kind::UnchangedExpr(operands) => {
                self.equality(&operands.0, &operands.1, scope, goto, is)
            }
            Kind::NotEqual(operands) => self.equality(&operands.0, &operands.1, scope, goto, !is),
            Kind::In(operands) => self.membership(&operands.0, &operands.1, scope, goto, is),
            Kind::NotIn(operands) => self.membership(&operands.0, &operands.1, scope, goto, !is),
            Kind::SubsetEq(operands) => self.inclusion(&operands.0, &operands.1, scope, goto, is),
            Kind::Comparison(comparison, operands) => {
                let left = self.expression(&operands.0, scope)?;
                let right = self.expression(&operands.1, scope)?;
                self.emit(Instruction::JumpCompare {
                    comparison: *comparison,
                    left,
                    right,
                    is,
                    goto,
                });
                Ok(())
            }
            Kind::ForAll(bounded) => self.quantified(bounded, node, scope, goto, (is, false)),
            Kind::Exists(bounded) => self.quantified(bounded, node, scope, goto, (!is, true)),
            Kind::Unchanged(variables) => {
                let end = self.label();
                for variable in variables {
                    if scope.primed || self.assigned & 1_u64.checked_shl(*variable).unwrap_or(0) == 0 {
                        return Err(not_compiled(node, "a next value is used before it is known"));
                    }
                    self.code.reads |= 1_u64.checked_shl(*variable).unwrap_or(0);
                    self.compare_unchanged(*variable, if is { end } else { goto }, false);
                }
                if is {
                    self.emit(Instruction::Jump { goto });
                }
                self.place(end);
                Ok(())
            }
            Kind::Stuttering(operands) => {
                self.either((&operands.0, true), (&operands.1, true), scope, goto, is)
            }
            Kind::Changing(operands) => {
                self.either((&operands.0, false), (&operands.1, true), scope, goto, !is)
            }
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                if let Some(truth) = self.decided(condition, scope) {
                    return self.condition(if truth { yes } else { no }, scope, goto, is);
                }
                let (otherwise, end) = (self.label(), self.label());
                self.condition(condition, scope, otherwise, false)?;
                let known = self.known.len();
                self.condition(yes, scope, goto, is)?;
                self.forget_beyond(known);
                self.emit(Instruction::Jump { goto: end });
                self.place(otherwise);
                self.condition(no, scope, goto, is)?;
                self.place(end);
                Ok(())
            }
            Kind::Case(arms, other) => {
                let end = self.label();
                for (condition, value) in arms {
                    let next = self.label();
                    self.condition(condition, scope, next, false)?;
                    let known = self.known.len();
                    self.condition(value, scope, goto, is)?;
                    self.forget_beyond(known);
                    self.emit(Instruction::Jump { goto: end });
                    self.place(next);
                }
                match other {
                    Some(other) => self.condition(other, scope, goto, is)?,
                    None => self.emit(Instruction::NotCompiled),
                }
                self.place(end);
                Ok(())
            }
            Kind::Let(slots, body) => {
                let scope = self.let_scope(slots, scope)?;
                self.condition(body, &scope, goto, is)
            }
            Kind::Call(call) if !self.is_procedure_call(call, scope) => {
                let (inner, body) = self.called(call, node, scope)?;
                self.condition(body, &inner, goto, is)?;
                self.calls.pop();
                Ok(())
            }
            Kind::CallSlot(slot, arguments) => {
                let (inner, body) = self.called_slot(*slot, arguments, node, scope)?;
                self.condition(body, &inner, goto, is)?;
                self.calls.pop();
                Ok(())
            }
            Kind::Memo(_, inner) | Kind::Action(_, inner) | Kind::Once(_, inner) => {
                self.condition(inner, scope, goto, is)
            }
            Kind::Prime(inner) if !scope.primed => self.condition(inner, &scope.about(true), goto, is),
            Kind::Enabled(action) => self.enabled(action, node, scope, goto, is),
            Kind::Compose(_) => Err(not_compiled(node, "\\cdot is not compiled")),
            _ => {
                let from = self.expression(node, scope)?;
                self.emit(Instruction::JumpIf { from, is, goto });
                Ok(())
            }
        }
    }

    /// Jumps if one of two formulas has its value, where `is`, or if neither has, where not `is`.
    fn either(
        &mut self,
        first: (&'p Node, bool),
        second: (&'p Node, bool),
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        if is {
            self.condition(first.0, scope, goto, first.1)?;
            return self.condition(second.0, scope, goto, second.1);
        }
        let end = self.label();
        self.condition(first.0, scope, end, first.1)?;
        self.condition(second.0, scope, goto, !second.1)?;
        self.place(end);
        Ok(())
    }

    /// Jumps if all formulas have the value `each`, where `is`, or if one has not, where not `is`.
    fn all(
        &mut self,
        formulas: &'p [Node],
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
        each: bool,
    ) -> Compiled<()> {
        if !is {
            for formula in formulas {
                self.condition(formula, scope, goto, !each)?;
            }
            return Ok(());
        }
        let end = self.label();
        for formula in formulas {
            self.condition(formula, scope, end, !each)?;
        }
        self.emit(Instruction::Jump { goto });
        self.place(end);
        Ok(())
    }

    fn equality(
        &mut self,
        left: &'p Node,
        right: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        let left = self.expression(left, scope)?;
        let right = self.expression(right, scope)?;
        self.emit(Instruction::JumpEqual {
            left,
            right,
            is,
            goto,
        });
        Ok(())
    }

    /// Jumps if no binding gives the body the value `wanted`, where `is`, or if one does, where not `is`.
    fn quantified(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        (is, wanted): (bool, bool),
    ) -> Compiled<()> {
        let found = if is { self.label() } else { goto };
        // `\A x \in S : A => B` looks for an element with A and without B.
        let front = match (&bounded.body.kind, wanted) {
            (_, true) => self.split(bounded, &bounded.body, scope),
            (Kind::Implies(operands), false) => self.split(bounded, &operands.0, scope),
            _ => None,
        };
        match front {
            Some(split) if !scope.primed => {
                self.each_selected(bounded, &split, scope, &mut |this, scope| {
                    let next = this.label();
                    for condition in split.rest {
                        this.condition(condition, scope, next, false)?;
                    }
                    match (&bounded.body.kind, wanted) {
                        (Kind::Implies(operands), false) => {
                            this.condition(&operands.1, scope, found, false)?
                        }
                        _ => this.emit(Instruction::Jump { goto: found }),
                    }
                    this.place(next);
                    Ok(())
                })?
            }
            _ if wanted && self.may_refute(bounded, scope) => {
                self.exists_or_refuted(bounded, node, scope, found)?
            }
            _ => {
                let outside = self.loops.len();
                self.each(bounded, node, scope, &mut |this, scope| {
                    this.quantified_body(bounded, scope, found, wanted, outside)
                })?
            }
        }
        if is {
            self.emit(Instruction::Jump { goto });
            self.place(found);
        }
        Ok(())
    }
}
