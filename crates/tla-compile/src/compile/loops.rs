//! Loops: names bound over sets, filters and functions.

use omnilink_tla_ir::{Bounded, Kind, Node, Pattern};

use super::compiler::{Compiled, Compiler, not_compiled};
use super::scope::{Binding, Scope};
use crate::code::{Instruction, RegisterIndex, Target};
use crate::values::ValueWord;

/// What a bound name ranges over.
#[derive(Clone, Copy)]
enum Range {
    Set(RegisterIndex),
    /// From one integer to another: never listed.
    Interval(RegisterIndex, RegisterIndex),
}

impl<'p> Compiler<'_, 'p> {
    pub(super) fn filter(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        if let Some(split) = self.split(bounded, &bounded.body, scope)
            && !scope.primed
        {
            if split.rest.is_empty() {
                let set = self.expression(&bounded.sets[0], scope)?;
                return self.selected(set, split.slot, &split.front, scope);
            }
            self.emit(Instruction::Collect);
            self.each_selected(bounded, &split, scope, &mut |this, scope| {
                let next = this.label();
                for condition in split.rest {
                    this.condition(condition, scope, next, false)?;
                }
                let from = this.chosen(bounded, scope, node)?;
                this.emit(Instruction::Push { from });
                this.place(next);
                Ok(())
            })?;
            let to = self.register();
            self.emit(Instruction::CollectedSorted { to });
            return Ok(to);
        }
        self.emit(Instruction::Collect);
        self.each(bounded, node, scope, &mut |this, scope| {
            let next = this.label();
            this.condition(&bounded.body, scope, next, false)?;
            let from = this.chosen(bounded, scope, node)?;
            this.emit(Instruction::Push { from });
            this.place(next);
            Ok(())
        })?;
        let to = self.register();
        self.emit(Instruction::CollectedSorted { to });
        Ok(to)
    }

    /// The element that the names of a filter or CHOOSE are bound to.
    pub(super) fn chosen(
        &mut self,
        bounded: &'p Bounded,
        scope: &Scope<'p>,
        node: &'p Node,
    ) -> Compiled<RegisterIndex> {
        match &*bounded.binds {
            [(_, pattern)] => self.matched(pattern, scope, node),
            _ => Err(not_compiled(node, "names over several sets")),
        }
    }

    pub(super) fn function(&mut self, bounded: &'p Bounded, scope: &Scope<'p>) -> Compiled<RegisterIndex> {
        let [(set, pattern)] = &*bounded.binds else {
            return self.function_of_several(bounded, scope);
        };
        let domain = self.expression(&bounded.sets[*set as usize], scope)?;
        self.emit(Instruction::Collect);
        self.each_element(domain, &mut |this, element| {
            let scope = this.bound(pattern, element, scope);
            let from = this.expression(&bounded.body, &scope)?;
            this.emit(Instruction::Push { from });
            Ok(())
        })?;
        let to = self.register();
        self.emit(Instruction::CollectedFunction { to, domain });
        Ok(to)
    }

    /// A function of several arguments: its keys are tuples, which the nested loops make in order.
    fn function_of_several(&mut self, bounded: &'p Bounded, scope: &Scope<'p>) -> Compiled<RegisterIndex> {
        self.emit(Instruction::Collect);
        self.each(bounded, &bounded.body, scope, &mut |this, scope| {
            let mut parts = Vec::with_capacity(bounded.binds.len());
            for (_, pattern) in &bounded.binds {
                parts.push(this.matched(pattern, scope, &bounded.body)?);
            }
            let from = this.tuple(parts);
            this.emit(Instruction::Push { from });
            Ok(())
        })?;
        let domain = self.register();
        self.emit(Instruction::CollectedSorted { to: domain });
        self.emit(Instruction::Collect);
        self.each(bounded, &bounded.body, scope, &mut |this, scope| {
            let from = this.expression(&bounded.body, scope)?;
            this.emit(Instruction::Push { from });
            Ok(())
        })?;
        let to = self.register();
        self.emit(Instruction::CollectedFunction { to, domain });
        Ok(to)
    }

    /// `S \X T`, in order.
    pub(super) fn product(&mut self, sets: &'p [Node], scope: &Scope<'p>) -> Compiled<RegisterIndex> {
        let mut registers = Vec::with_capacity(sets.len());
        for set in sets {
            registers.push(self.expression(set, scope)?);
        }
        self.emit(Instruction::Collect);
        self.each_combination(&registers, &mut Vec::new(), &mut |this, parts| {
            let from = this.tuple(parts.to_vec());
            this.emit(Instruction::Push { from });
            Ok(())
        })?;
        let to = self.register();
        self.emit(Instruction::CollectedSorted { to });
        Ok(to)
    }

    /// `[a : S, b : T]`.
    pub(super) fn records(
        &mut self,
        fields: &'p [(omnilink_value::Value, Node)],
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let names: Vec<ValueWord> = fields.iter().map(|(name, _)| self.store.word(name)).collect();
        let domain = self.store.set_of_sorted(&names);
        let domain = self.constant(domain);
        let mut registers = Vec::with_capacity(fields.len());
        for (_, set) in fields {
            registers.push(self.expression(set, scope)?);
        }
        self.emit(Instruction::Collect);
        self.each_combination(&registers, &mut Vec::new(), &mut |this, parts| {
            let list = this.list(parts.to_vec());
            let to = this.register();
            let from = this.compute(Instruction::Record { to, domain, list });
            this.emit(Instruction::Push { from });
            Ok(())
        })?;
        let to = self.register();
        self.emit(Instruction::CollectedSet { to });
        Ok(to)
    }

    /// Runs for each combination of elements of some sets.
    fn each_combination(
        &mut self,
        sets: &[RegisterIndex],
        parts: &mut Vec<RegisterIndex>,
        run: &mut dyn FnMut(&mut Self, &[RegisterIndex]) -> Compiled<()>,
    ) -> Compiled<()> {
        let Some((set, others)) = sets.split_first() else {
            return run(self, parts);
        };
        self.each_element(*set, &mut |this, element| {
            parts.push(element);
            let result = this.each_combination(others, parts, run);
            parts.pop();
            result
        })
    }

    /// The element that a pattern matches.
    fn matched(&mut self, pattern: &Pattern, scope: &Scope<'p>, node: &'p Node) -> Compiled<RegisterIndex> {
        match pattern {
            Pattern::One(slot) => self.local(*slot, scope, node),
            Pattern::Tuple(slots) => {
                let mut parts = Vec::with_capacity(slots.len());
                for slot in slots {
                    parts.push(self.local(*slot, scope, node)?);
                }
                Ok(self.tuple(parts))
            }
        }
    }

    fn tuple(&mut self, parts: Vec<RegisterIndex>) -> RegisterIndex {
        let list = self.list(parts);
        let to = self.register();
        self.compute(Instruction::Tuple { to, list })
    }

    /// Runs for each combination of elements, in a scope in which the names are bound; code that comes to its end goes on with the
    /// next one.
    pub(crate) fn each(
        &mut self,
        bounded: &'p Bounded,
        node: &'p Node,
        scope: &Scope<'p>,
        run: &mut dyn FnMut(&mut Self, &Scope<'p>) -> Compiled<()>,
    ) -> Compiled<()> {
        if bounded.sets.is_empty() {
            return Err(not_compiled(node, "a name is bound over no set"));
        }
        let mut sets = Vec::with_capacity(bounded.sets.len());
        for set in &bounded.sets {
            let is_listed = self.folded(set, scope).is_some();
            let ends = match &set.bare().kind {
                Kind::Interval(ends) if !is_listed => Some(ends),
                _ => None,
            };
            sets.push(match ends {
                Some(ends) => {
                    Range::Interval(self.expression(&ends.0, scope)?, self.expression(&ends.1, scope)?)
                }
                None => Range::Set(self.expression(set, scope)?),
            });
        }
        self.each_bind(bounded, &sets, 0, scope, run)
    }

    fn each_bind(
        &mut self,
        bounded: &'p Bounded,
        sets: &[Range],
        at: usize,
        scope: &Scope<'p>,
        run: &mut dyn FnMut(&mut Self, &Scope<'p>) -> Compiled<()>,
    ) -> Compiled<()> {
        let Some((set, pattern)) = bounded.binds.get(at) else {
            return run(self, scope);
        };
        let mut body = |this: &mut Self, element: RegisterIndex| {
            let scope = this.bound(pattern, element, scope);
            this.within(element, |this| this.each_bind(bounded, sets, at + 1, &scope, run))
        };
        match sets[*set as usize] {
            Range::Set(set) => self.each_element(set, &mut body),
            Range::Interval(low, high) => {
                let state = self.registers(2);
                self.emit(Instruction::Count { state, low, high });
                self.each_part(state, true, &mut body)
            }
        }
    }

    /// Runs for each element of a set.
    pub(crate) fn each_element(
        &mut self,
        set: RegisterIndex,
        run: &mut dyn FnMut(&mut Self, RegisterIndex) -> Compiled<()>,
    ) -> Compiled<()> {
        let elements = self.constant_in(set).and_then(|set| self.store.as_set(set));
        if let Some(elements) = elements.map(<[ValueWord]>::to_vec)
            && self.is_unrolled(elements.len())
        {
            let (known, exit) = (self.known.len(), self.label());
            self.exits.push(exit);
            for element in elements {
                let element = self.constant(element);
                run(self, element)?;
                self.forget_beyond(known);
            }
            self.exits.pop();
            self.place(exit);
            return Ok(());
        }
        let state = self.registers(2);
        self.emit(Instruction::Loop { state, set });
        self.each_part(state, false, run)
    }

    /// Runs for each element of the loop that was started.
    pub(crate) fn each_part(
        &mut self,
        state: RegisterIndex,
        is_count: bool,
        run: &mut dyn FnMut(&mut Self, RegisterIndex) -> Compiled<()>,
    ) -> Compiled<()> {
        let element = self.register();
        let (head, exit): (Target, Target) = (self.label(), self.label());
        let known = self.known.len();
        self.place(head);
        let (to, goto) = (element, exit);
        self.emit(match is_count {
            false => Instruction::Each { state, to, goto },
            true => Instruction::EachInt { state, to, goto },
        });
        self.exits.push(exit);
        run(self, element)?;
        self.exits.pop();
        self.emit(Instruction::Jump { goto: head });
        self.place(exit);
        self.forget_beyond(known);
        Ok(())
    }

    /// The scope with a pattern bound to an element.
    pub(crate) fn bound(
        &mut self,
        pattern: &'p Pattern,
        element: RegisterIndex,
        scope: &Scope<'p>,
    ) -> Scope<'p> {
        match pattern {
            Pattern::One(slot) => scope.with(*slot, Binding::Register(element)),
            Pattern::Tuple(slots) => {
                let mut inner = scope.clone();
                // The parts of a constant are constants.
                let parts = self
                    .constant_in(element)
                    .and_then(|element| self.store.as_tuple(element));
                if let Some(parts) = parts
                    .filter(|parts| parts.len() == slots.len())
                    .map(<[ValueWord]>::to_vec)
                {
                    for (slot, part) in slots.iter().zip(parts) {
                        let part = self.constant(part);
                        inner.bind(*slot, Binding::Register(part));
                    }
                    return inner;
                }
                for (index, slot) in slots.iter().enumerate() {
                    let to = self.register();
                    let part = self.compute(Instruction::Part {
                        to,
                        from: element,
                        index: index as u16,
                        count: slots.len() as u16,
                    });
                    inner.bind(*slot, Binding::Register(part));
                }
                inner
            }
        }
    }
}
