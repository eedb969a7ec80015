//! `SelectInSeq` and its relatives: the first or last place in a sequence whose part passes a test.

use omnilink_tla_ir::{Argument, Arithmetic, Comparison, Node};

use super::compiler::{Compiled, Compiler};
use super::scope::Scope;
use crate::code::{Instruction, RegisterIndex, ValueOperation};

/// Where a search in a sequence begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchFrom {
    Front,
    Back,
}

impl<'p> Compiler<'_, 'p> {
    /// The place of the first part that passes a test, among all places or from one to another; 0 if there is none.
    pub(super) fn found_place(
        &mut self,
        from: SearchFrom,
        sequence: &'p Argument,
        places: Option<(&'p Argument, &'p Argument)>,
        test: &'p Argument,
        (node, scope): (&'p Node, &Scope<'p>),
    ) -> Compiled<RegisterIndex> {
        let (sequence, length) = self.sequence(sequence, node, scope)?;
        let one = self.constant_value(&1.into());
        let (low, high) = match places {
            None => (one, length),
            Some((low, high)) => (self.operand(low, node, scope)?, self.operand(high, node, scope)?),
        };
        let test = self.argument(test, scope)?;
        let to = self.register();
        let (found, none) = (self.label(), self.label());
        let zero = self.constant_value(&0.into());
        self.emit(Instruction::Move { to, from: zero });
        self.compared(Comparison::Greater, low, high, none);
        // Places outside of the sequence are an error.
        for (bound, comparison, limit) in [
            (low, Comparison::GreaterEqual, one),
            (high, Comparison::LessEqual, length),
        ] {
            let is_inside = self.label();
            self.compared(comparison, bound, limit, is_inside);
            self.emit(Instruction::NotCompiled);
            self.place(is_inside);
        }
        let ends = self.calculate(Arithmetic::Plus, low, high);
        let state = self.registers(2);
        self.emit(Instruction::Count { state, low, high });
        let known = self.known.len();
        self.each_part(state, true, &mut |this, place| {
            let place = match from {
                SearchFrom::Front => place,
                SearchFrom::Back => this.calculate(Arithmetic::Minus, ends, place),
            };
            let part = this.operate(ValueOperation::Apply, [sequence, place, 0]);
            let next = this.label();
            this.tested(&test, part, (node, scope), next)?;
            this.emit(Instruction::Move { to, from: place });
            this.emit(Instruction::Jump { goto: found });
            this.place(next);
            Ok(())
        })?;
        self.place(none);
        self.place(found);
        self.forget_beyond(known);
        Ok(to)
    }

    /// Jumps if two integers compare so.
    fn compared(&mut self, comparison: Comparison, left: RegisterIndex, right: RegisterIndex, goto: u32) {
        self.emit(Instruction::JumpCompare {
            comparison,
            left,
            right,
            is: true,
            goto,
        });
    }

    /// `FoldBag`: every copy in turn, the least element first.
    pub(super) fn each_copy(
        &mut self,
        bag: RegisterIndex,
        run: &mut dyn FnMut(&mut Self, RegisterIndex) -> Compiled<()>,
    ) -> Compiled<()> {
        let domain = self.operate(ValueOperation::Domain, [bag, 0, 0]);
        let one = self.constant_value(&1.into());
        self.each_element(domain, &mut |this, element| {
            let count = this.operate(ValueOperation::Apply, [bag, element, 0]);
            // Fewer copies than one are an error.
            let is_positive = this.label();
            this.compared(Comparison::GreaterEqual, count, one, is_positive);
            this.emit(Instruction::NotCompiled);
            this.place(is_positive);
            let state = this.registers(2);
            this.emit(Instruction::Count {
                state,
                low: one,
                high: count,
            });
            this.each_part(state, true, &mut |this, _| run(this, element))
        })
    }
}
