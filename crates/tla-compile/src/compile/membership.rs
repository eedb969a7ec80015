//! Membership and inclusion, without listing sets that need not be listed.
//!
//! Where the evaluator reports an error and a set is tested part by part, the order of the tests does not matter: any error is a trap.

use omnilink_tla_ir::native::MODULES;
use omnilink_tla_ir::{Argument, Kind, Node};
use omnilink_value::Value;

use super::compiler::{Compiled, Compiler};
use super::scope::Scope;
use crate::code::{Address, Instruction, MemoKey, Of, RegisterIndex, Target, ValueOperation};
use crate::layout::LayoutNodeId;
use crate::values::ValueWord;

impl<'p> Compiler<'_, 'p> {
    pub(crate) fn membership(
        &mut self,
        element: &'p Node,
        set: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        if self.is_structured(set, scope)
            && let Some(reached) = self.reached(element, &[], scope)?
            && reached.rest.is_empty()
        {
            self.need_sets(set, scope)?;
            let (node, address, of) = (reached.node, reached.address, reached.of);
            return self.member_at(node, (address, of), set, scope, goto, is);
        }
        let element = self.expression(element, scope)?;
        self.need_sets(set, scope)?;
        self.member(element, set, scope, goto, is)
    }

    /// Jumps if the value at some cells is in a set, where `is`, or if it is not. An exploded function is tested value by value, as far as its
    /// domain is that of the functions in the set: so its own value is not built.
    fn member_at(
        &mut self,
        node: LayoutNodeId,
        (address, of): (Address, Of),
        set: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        let exploded = self.layout.node(node).exploded.clone();
        let exploded = exploded.filter(|exploded| self.is_unrolled(exploded.parts.len()));
        match (&set.kind, exploded) {
            (Kind::Once(_, inner) | Kind::Memo(_, inner), Some(_)) => {
                return self.member_at(node, (address, of), inner, scope, goto, is);
            }
            (Kind::FunctionSet(sets), Some(exploded))
                if self.folded(&sets.0, scope) == Some(exploded.domain) =>
            {
                return self.structured(goto, is, |this, no| {
                    for (part, offset) in &exploded.parts {
                        let at = (address.further(*offset), of);
                        this.member_at(*part, at, &sets.1, scope, no, false)?;
                    }
                    Ok(())
                });
            }
            (Kind::RecordSet(fields), Some(exploded)) if fields.len() == exploded.keys.len() => {
                let mut parts = Vec::with_capacity(fields.len());
                for (name, values) in fields {
                    let name = self.store.word(name);
                    let at = exploded.keys.iter().position(|key| *key == name);
                    parts.extend(at.map(|at| (exploded.parts[at], values)));
                }
                if parts.len() == fields.len() {
                    return self.structured(goto, is, |this, no| {
                        for ((part, offset), values) in parts {
                            let at = (address.further(offset), of);
                            this.member_at(part, at, values, scope, no, false)?;
                        }
                        Ok(())
                    });
                }
            }
            (Kind::Call(call), Some(_)) if self.is_structured(set, scope) => {
                let (inner, body) = self.called(call, set, scope)?;
                self.member_at(node, (address, of), body, &inner, goto, is)?;
                self.calls.pop();
                return Ok(());
            }
            _ => {}
        }
        let element = self.load(node, address, of);
        self.member(element, set, scope, goto, is)
    }

    /// Whether a set is always the same, and its elements are tested part by part: then the answers are remembered by the element.
    fn is_worth_remembering(&mut self, element: RegisterIndex, set: &'p Node, scope: &Scope<'p>) -> bool {
        let uses = set.uses;
        let is_fixed = !uses.state && !uses.next && !uses.impure && !uses.opaque && !uses.unfinished;
        let is_loop = match &set.kind {
            Kind::FunctionSet(_) | Kind::RecordSet(_) | Kind::Native(..) => self.is_structured(set, scope),
            Kind::Powerset(base) => self.is_structured(base, scope),
            _ => false,
        };
        is_loop && is_fixed && uses.slots == 0 && self.constant_in(element).is_none()
    }

    /// The same as [`Self::member_by_parts`] for a set that is always the same. The key is the word of the element, and the answer depends on
    /// nothing else: equal values have equal words.
    fn remembered_member(
        &mut self,
        element: RegisterIndex,
        set: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        self.code.memos.push(MemoKey {
            registers: vec![element],
            ..MemoKey::default()
        });
        let memo = self.code.memos.len() as u32 - 1;
        let (yes, no) = (self.constant(ValueWord::TRUE), self.constant(ValueWord::FALSE));
        let (answer, to) = (self.register(), self.register());
        let (other, end) = (self.label(), self.label());
        let known = self.known.len();
        self.emit(Instruction::Recall { to, memo, goto: end });
        self.emit(Instruction::Move { to: answer, from: no });
        self.member_by_parts(element, set, scope, other, false)?;
        self.emit(Instruction::Move {
            to: answer,
            from: yes,
        });
        self.place(other);
        self.emit(Instruction::Remember { from: answer, memo });
        self.emit(Instruction::Move { to, from: answer });
        self.place(end);
        self.forget_beyond(known);
        self.emit(Instruction::JumpIf { from: to, is, goto });
        Ok(())
    }

    /// Evaluates the sets that a structured set is made of, and traps unless they are sets: the evaluator does so before it tests anything,
    /// whatever the tests turn out to need.
    fn need_sets(&mut self, set: &'p Node, scope: &Scope<'p>) -> Compiled<()> {
        if !self.is_structured(set, scope) {
            let from = self.expression(set, scope)?;
            let is_set = self
                .constant_in(from)
                .is_some_and(|word| self.store.as_set(word).is_some());
            if !is_set {
                self.compute(Instruction::NeedSet { from });
            }
            return Ok(());
        }
        match &set.kind {
            Kind::Once(_, inner) | Kind::Memo(_, inner) | Kind::Powerset(inner) => {
                self.need_sets(inner, scope)
            }
            Kind::FunctionSet(sets) | Kind::Union(sets) | Kind::Difference(sets) => {
                self.need_sets(&sets.0, scope)?;
                self.need_sets(&sets.1, scope)
            }
            Kind::RecordSet(fields) => fields
                .iter()
                .try_for_each(|(_, field)| self.need_sets(field, scope)),
            // `Seq(S)` evaluates S, which need not be a set before an element is tested.
            Kind::Native(_, arguments) => match arguments.first().and_then(Argument::node) {
                Some(base) if !self.is_structured(base, scope) => self.expression(base, scope).map(|_| ()),
                Some(base) => self.need_sets(base, scope),
                None => Ok(()),
            },
            Kind::Call(call) => {
                let (inner, body) = self.called(call, set, scope)?;
                self.need_sets(body, &inner)?;
                self.calls.pop();
                Ok(())
            }
            Kind::Local(slot) => match scope.expression(*slot) {
                Some((node, own)) => self.need_sets(node, &own),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Jumps if a value is in a set, where `is`, or if it is not.
    fn member(
        &mut self,
        element: RegisterIndex,
        set: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        match self.is_worth_remembering(element, set, scope) {
            true => self.remembered_member(element, set, scope, goto, is),
            false => self.member_by_parts(element, set, scope, goto, is),
        }
    }

    fn member_by_parts(
        &mut self,
        element: RegisterIndex,
        set: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        match &set.kind {
            Kind::Once(_, inner) | Kind::Memo(_, inner) => self.member(element, inner, scope, goto, is),
            Kind::Infinite(infinite) => {
                self.emit(Instruction::JumpInfinite {
                    element,
                    set: *infinite,
                    is,
                    goto,
                });
                Ok(())
            }
            Kind::Powerset(base) => {
                self.compute(Instruction::NeedSet { from: element });
                self.included(element, base, scope, goto, is)
            }
            Kind::FunctionSet(sets) => {
                let domain = self.expression(&sets.0, scope)?;
                self.structured(goto, is, |this, no| {
                    this.emit(Instruction::JumpFunction {
                        from: element,
                        domain,
                        is: false,
                        goto: no,
                    });
                    this.each_value(element, &mut |this, value| {
                        this.member(value, &sets.1, scope, no, false)
                    })
                })
            }
            Kind::RecordSet(fields) => {
                let names = Value::set_of_sorted(fields.iter().map(|(name, _)| name.clone()));
                let domain = self.constant_value(&names);
                self.structured(goto, is, |this, no| {
                    this.emit(Instruction::JumpFunction {
                        from: element,
                        domain,
                        is: false,
                        goto: no,
                    });
                    for (name, values) in fields {
                        let key = this.constant_value(name);
                        let value = this.operate(ValueOperation::Apply, [element, key, 0]);
                        this.member(value, values, scope, no, false)?;
                    }
                    Ok(())
                })
            }
            Kind::Native(native, arguments) => {
                let (module, operator) = native.position();
                if (MODULES[module].0, MODULES[module].1[operator].name) == ("Sequences", "Seq")
                    && let Some(base) = arguments.first().and_then(Argument::node)
                {
                    return self.structured(goto, is, |this, no| {
                        this.emit(Instruction::JumpSequence {
                            from: element,
                            is: false,
                            goto: no,
                        });
                        this.each_value(element, &mut |this, value| {
                            this.member(value, base, scope, no, false)
                        })
                    });
                }
                self.listed_member(element, set, scope, goto, is)
            }
            // A union of listed sets is listed; that of others must not be.
            Kind::Union(sets) if self.is_structured(&sets.0, scope) || self.is_structured(&sets.1, scope) => {
                let (first, second) = match self.is_structured(&sets.0, scope) {
                    true => (&sets.1, &sets.0),
                    false => (&sets.0, &sets.1),
                };
                if is {
                    self.member(element, first, scope, goto, true)?;
                    return self.member(element, second, scope, goto, true);
                }
                let end = self.label();
                self.member(element, first, scope, end, true)?;
                self.member(element, second, scope, goto, false)?;
                self.place(end);
                Ok(())
            }
            Kind::Difference(sets) if self.is_structured(&sets.0, scope) => {
                self.structured(goto, is, |this, no| {
                    this.member(element, &sets.0, scope, no, false)?;
                    this.member(element, &sets.1, scope, no, true)
                })
            }
            Kind::Call(call) if self.is_structured(set, scope) => {
                let (inner, body) = self.called(call, set, scope)?;
                self.member(element, body, &inner, goto, is)?;
                self.calls.pop();
                Ok(())
            }
            Kind::Local(slot) if self.is_structured(set, scope) => match scope.expression(*slot) {
                Some((node, own)) => self.member(element, node, &own, goto, is),
                None => self.listed_member(element, set, scope, goto, is),
            },
            _ => self.listed_member(element, set, scope, goto, is),
        }
    }

    fn listed_member(
        &mut self,
        element: RegisterIndex,
        set: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        let set = self.expression(set, scope)?;
        self.emit(Instruction::JumpIn {
            element,
            set,
            is,
            goto,
        });
        Ok(())
    }

    /// A test by parts, each of which jumps where it fails.
    fn structured(
        &mut self,
        goto: Target,
        is: bool,
        parts: impl FnOnce(&mut Self, Target) -> Compiled<()>,
    ) -> Compiled<()> {
        if !is {
            return parts(self, goto);
        }
        let end = self.label();
        parts(self, end)?;
        self.emit(Instruction::Jump { goto });
        self.place(end);
        Ok(())
    }

    /// Runs for each value of a function.
    pub(crate) fn each_value(
        &mut self,
        function: RegisterIndex,
        run: &mut dyn FnMut(&mut Self, RegisterIndex) -> Compiled<()>,
    ) -> Compiled<()> {
        let state = self.registers(2);
        self.emit(Instruction::LoopRange { state, function });
        self.each_part(state, false, run)
    }

    /// Whether a set is better tested by its parts than listed.
    fn is_structured(&mut self, set: &'p Node, scope: &Scope<'p>) -> bool {
        match &set.kind {
            Kind::Once(_, inner) | Kind::Memo(_, inner) => self.is_structured(inner, scope),
            Kind::Infinite(_) | Kind::Powerset(_) | Kind::FunctionSet(_) | Kind::RecordSet(_) => true,
            Kind::Native(native, _) => {
                let (module, operator) = native.position();
                (MODULES[module].0, MODULES[module].1[operator].name) == ("Sequences", "Seq")
            }
            Kind::Union(sets) | Kind::Difference(sets) => {
                self.is_structured(&sets.0, scope) || self.is_structured(&sets.1, scope)
            }
            Kind::Call(call) => {
                let program = self.program;
                !self.calls.contains(&call.operator)
                    && self.calls.len() < 20
                    && call.arguments.is_empty()
                    && self.is_structured(&program.operators[call.operator as usize].body, scope)
            }
            Kind::Local(slot) => match scope.expression(*slot) {
                Some((node, own)) => self.is_structured(node, &own),
                None => false,
            },
            _ => false,
        }
    }

    pub(crate) fn inclusion(
        &mut self,
        left: &'p Node,
        right: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        let left = self.expression(left, scope)?;
        self.compute(Instruction::NeedSet { from: left });
        self.need_sets(right, scope)?;
        self.included(left, right, scope, goto, is)
    }

    fn included(
        &mut self,
        left: RegisterIndex,
        right: &'p Node,
        scope: &Scope<'p>,
        goto: Target,
        is: bool,
    ) -> Compiled<()> {
        if self.is_structured(right, scope) {
            return self.structured(goto, is, |this, no| {
                this.each_element(left, &mut |this, element| {
                    this.member(element, right, scope, no, false)
                })
            });
        }
        let right = self.expression(right, scope)?;
        self.emit(Instruction::JumpSubset {
            left,
            right,
            is,
            goto,
        });
        Ok(())
    }
}
