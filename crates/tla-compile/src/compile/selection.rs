//! Selections: filters of a set by what is said about an element alone.
//!
//! `\\E m \\in msgs : m.type = "ack" /\\ m.to = p /\\ …` first asks of each element something that depends on nothing else: constants
//! aside, its answer never changes. So each element is asked once, and the loop is over the elements that remain. Such conditions are
//! taken from the front only, and not in actions, where a disjunction about the element branches. Then each is evaluated for the elements for which the evaluator evaluates it, and perhaps for some behind a
//! first witness; a trap there only means that the evaluator decides.

use omnilink_tla_ir::{Bounded, Kind, Node, Pattern};

use super::compiler::{Compiled, Compiler};
use super::scope::{Binding, Scope};
use crate::code::{Instruction, RegisterIndex};
use crate::values::ValueWord;

/// The conditions on an element alone at the front of a formula, and what follows.
pub(crate) struct Split<'p> {
    pub(crate) slot: u32,
    pub(crate) front: Vec<&'p Node>,
    pub(crate) rest: &'p [Node],
}

impl<'p> Compiler<'_, 'p> {
    /// Splits the body of a quantifier, filter or CHOOSE over one set; `None` if nothing at its front is about the element alone.
    pub(crate) fn split(
        &mut self,
        bounded: &'p Bounded,
        body: &'p Node,
        scope: &Scope<'p>,
    ) -> Option<Split<'p>> {
        let ([set], [(_, Pattern::One(slot))]) = (&*bounded.sets, &*bounded.binds) else {
            return None;
        };
        if self.folded(set, scope).is_some() || matches!(set.bare().kind, Kind::Interval(_)) {
            return None;
        }
        let slot = *slot;
        if self.is_about_element(body, slot, scope) {
            return Some(Split {
                slot,
                front: vec![body],
                rest: &[],
            });
        }
        let Kind::And(conjuncts) = &body.kind else {
            return None;
        };
        let count = conjuncts
            .iter()
            .take_while(|conjunct| self.is_about_element(conjunct, slot, scope))
            .count();
        let (front, rest) = conjuncts.split_at(count);
        (count > 0).then(|| Split {
            slot,
            front: front.iter().collect(),
            rest,
        })
    }

    /// Whether a formula depends on nothing but an element and constants.
    fn is_about_element(&mut self, node: &'p Node, slot: u32, scope: &Scope<'p>) -> bool {
        let uses = node.uses;
        let is_pure = !uses.state && !uses.next && !uses.impure && !uses.opaque && !uses.unfinished;
        is_pure
            && uses.slots >> 63 == 0
            && uses.slots >> slot & 1 == 1
            && (0..63)
                .filter(|other| *other != slot && uses.slots >> other & 1 == 1)
                .all(|other| self.constant_slot(other, scope).is_some())
    }

    /// The constant that a slot stands for.
    pub(crate) fn constant_slot(&mut self, slot: u32, scope: &Scope<'p>) -> Option<ValueWord> {
        match scope.get(slot) {
            Binding::Register(register) => self.constant_in(*register),
            _ => {
                let (node, own) = scope.expression(slot)?;
                self.folded(node, &own)
            }
        }
    }

    /// The elements of a set for which some conditions hold.
    pub(crate) fn selected(
        &mut self,
        set: RegisterIndex,
        slot: u32,
        conditions: &[&'p Node],
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let mut constants = Vec::new();
        let used = conditions
            .iter()
            .fold(0, |all, condition| all | condition.uses.slots);
        for other in (0..63).filter(|other| *other != slot && used >> other & 1 == 1) {
            if let Some(word) = self.constant_slot(other, scope) {
                constants.push((other, word));
            }
        }
        let code = self.sub_code(|inner| {
            let element = inner.register();
            let mut frame = Scope::new(scope.size(), false);
            frame.bind(slot, Binding::Register(element));
            for (other, word) in constants {
                let constant = inner.constant(word);
                frame.bind(other, Binding::Register(constant));
            }
            let no = inner.label();
            for condition in conditions {
                inner.condition(condition, &frame, no, false)?;
            }
            inner.emit(Instruction::Answer { is: true });
            inner.place(no);
            inner.emit(Instruction::Answer { is: false });
            inner.code.parameters.push(element);
            Ok(())
        })?;
        self.code.selections.push(code);
        let (to, selection) = (self.register(), self.code.selections.len() as u32 - 1);
        self.emit(Instruction::Select { to, set, selection });
        Ok(to)
    }

    /// Runs for each element of the set of a quantifier for which the conditions at the front hold.
    pub(crate) fn each_selected(
        &mut self,
        bounded: &'p Bounded,
        split: &Split<'p>,
        scope: &Scope<'p>,
        run: &mut dyn FnMut(&mut Self, &Scope<'p>) -> Compiled<()>,
    ) -> Compiled<()> {
        let set = self.expression(&bounded.sets[0], scope)?;
        let kept = self.selected(set, split.slot, &split.front, scope)?;
        self.each_element(kept, &mut |this, element| {
            run(this, &scope.with(split.slot, Binding::Register(element)))
        })
    }
}
