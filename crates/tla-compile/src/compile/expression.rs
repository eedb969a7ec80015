//! Expressions: code that computes a value into a register.

use omnilink_tla_ir::{Arithmetic, Kind, Node};

use super::access::at_cell;
use super::compiler::{Compiled, Compiler, not_compiled};
use super::scope::{Binding, Scope};
use crate::code::{Address, Instruction, Of, RegisterIndex, ValueOperation};
use crate::layout::LayoutNodeId;
use crate::values::ValueWord;

impl<'p> Compiler<'_, 'p> {
    /// The register with the value of an expression. What cannot be compiled is left to the evaluator if possible.
    pub(crate) fn expression(&mut self, node: &'p Node, scope: &Scope<'p>) -> Compiled<RegisterIndex> {
        self.check_size(node)?;
        self.or_else(
            |this| {
                this.evaluate_names_of_sets(node, scope)?;
                match this.may_remember(node, scope) {
                    true => this.remembered(node, scope, |this| this.native_expression(node, scope)),
                    false => this.native_expression(node, scope),
                }
            },
            |this, reason| this.interpret(node, scope, reason),
        )
    }

    fn native_expression(&mut self, node: &'p Node, scope: &Scope<'p>) -> Compiled<RegisterIndex> {
        if let Kind::Const(value) = &node.kind {
            return Ok(self.constant_value(value));
        }
        if let Some(word) = self.folded(node, scope) {
            return Ok(self.constant(word));
        }
        if node.kind.is_formula() {
            return self.truth(node, scope);
        }
        match &node.kind {
            Kind::Var(variable) => {
                let of = self.state_of(*variable, scope.primed, node)?;
                let (layout_node, cell) = self.layout.variable(*variable);
                Ok(self.load(layout_node, at_cell(cell), of))
            }
            Kind::Next(variable) if !scope.primed => {
                self.state_of(*variable, true, node)?;
                Ok(self.next_value(*variable))
            }
            Kind::Local(slot) => self.local(*slot, scope, node),
            Kind::Prime(inner) if !scope.primed => self.expression(inner, &scope.about(true)),
            Kind::Once(_, inner) | Kind::Memo(_, inner) | Kind::Action(_, inner) => {
                self.expression(inner, scope)
            }
            Kind::PerState(cell, inner) => self.per_state(*cell, inner, scope),
            Kind::Arithmetic(arithmetic, operands) => {
                let left = self.expression(&operands.0, scope)?;
                let right = self.expression(&operands.1, scope)?;
                let to = self.register();
                Ok(self.compute(Instruction::Calculate {
                    arithmetic: *arithmetic,
                    to,
                    left,
                    right,
                }))
            }
            Kind::Negative(operand) => {
                let zero = self.constant_value(&0.into());
                let operand = self.expression(operand, scope)?;
                Ok(self.calculate(Arithmetic::Minus, zero, operand))
            }
            Kind::Interval(operands) => {
                self.operation(ValueOperation::Interval, &[&operands.0, &operands.1], scope)
            }
            Kind::Union(operands) => match only_element(&operands.1) {
                Some(element) => {
                    let set = self.expression(&operands.0, scope)?;
                    let element = self.expression(element, scope)?;
                    Ok(self.operate(ValueOperation::Insert, [set, element, 0]))
                }
                None => self.operation(ValueOperation::Union, &[&operands.0, &operands.1], scope),
            },
            Kind::Intersection(operands) => {
                self.operation(ValueOperation::Intersection, &[&operands.0, &operands.1], scope)
            }
            Kind::Difference(operands) => {
                self.operation(ValueOperation::Difference, &[&operands.0, &operands.1], scope)
            }
            Kind::BigUnion(sets) => self.operation(ValueOperation::BigUnion, &[sets], scope),
            Kind::FunctionSet(sets) => {
                self.operation(ValueOperation::FunctionSet, &[&sets.0, &sets.1], scope)
            }
            Kind::Product(sets) => self.product(sets, scope),
            Kind::RecordSet(fields) => self.records(fields, scope),
            Kind::Powerset(base) => self.operation(ValueOperation::Powerset, &[base], scope),
            Kind::Domain(function) => self.domain(function, scope),
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                self.choice(&[(condition, yes)], Some(no), scope)
            }
            Kind::Case(arms, other) => {
                let arms: Vec<(&'p Node, &'p Node)> =
                    arms.iter().map(|(test, value)| (test, value)).collect();
                self.choice(&arms, other.as_deref(), scope)
            }
            Kind::Tuple(parts) => {
                let list = self.listed(parts, scope)?;
                let to = self.register();
                Ok(self.compute(Instruction::Tuple { to, list }))
            }
            Kind::SetEnum(elements) => {
                let list = self.listed(elements, scope)?;
                let to = self.register();
                Ok(self.compute(Instruction::Set { to, list }))
            }
            Kind::Record(shape, fields) => {
                let names: Vec<ValueWord> = shape.names().iter().map(|name| self.store.word(name)).collect();
                let domain = self.store.set_of_sorted(&names);
                let domain = self.constant(domain);
                let list = self.listed(fields, scope)?;
                let to = self.register();
                Ok(self.compute(Instruction::Record { to, domain, list }))
            }
            Kind::Filter(bounded) => self.filter(bounded, node, scope),
            Kind::Map(bounded) => {
                self.emit(Instruction::Collect);
                self.each(bounded, node, scope, &mut |this, scope| {
                    let from = this.expression(&bounded.body, scope)?;
                    this.emit(Instruction::Push { from });
                    Ok(())
                })?;
                let to = self.register();
                self.emit(Instruction::CollectedSet { to });
                Ok(to)
            }
            Kind::Function(bounded) => self.function(bounded, scope),
            Kind::Choose(bounded) => {
                let to = self.register();
                let found = self.label();
                let known = self.known.len();
                self.each(bounded, node, scope, &mut |this, scope| {
                    let next = this.label();
                    this.condition(&bounded.body, scope, next, false)?;
                    let chosen = this.chosen(bounded, scope, node)?;
                    this.emit(Instruction::Move { to, from: chosen });
                    this.emit(Instruction::Jump { goto: found });
                    this.place(next);
                    Ok(())
                })?;
                self.emit(Instruction::NotCompiled);
                self.place(found);
                self.forget_beyond(known);
                Ok(to)
            }
            Kind::Path(root, steps) => self.path(root, steps, scope),
            Kind::Except(function, updates) => self.except(function, updates, scope),
            Kind::Let(slots, body) => {
                let scope = self.let_scope(slots, scope)?;
                self.expression(body, &scope)
            }
            Kind::Call(call) if self.is_procedure_call(call, scope) => self.procedure_call(call, node, scope),
            Kind::Call(call) => {
                let (inner, body) = self.called(call, node, scope)?;
                let value = self.expression(body, &inner)?;
                self.calls.pop();
                Ok(value)
            }
            Kind::CallSlot(slot, arguments) => {
                let (inner, body) = self.called_slot(*slot, arguments, node, scope)?;
                let value = self.expression(body, &inner)?;
                self.calls.pop();
                Ok(value)
            }
            Kind::Native(native, arguments) => self.native(*native, arguments, node, scope),
            _ => Err(not_compiled(node, "this kind of expression is not compiled")),
        }
    }

    /// Which state a variable is read from.
    pub(super) fn state_of(&mut self, variable: u32, primed: bool, node: &Node) -> Compiled<Of> {
        let bit = 1_u64.checked_shl(variable).unwrap_or(0);
        if !primed {
            self.code.reads |= bit;
            return Ok(Of::Now);
        }
        match self.assigned & bit {
            0 => Err(not_compiled(node, "a next value is used before it is known")),
            _ => Ok(Of::Next),
        }
    }

    pub(crate) fn load(&mut self, node: LayoutNodeId, address: Address, of: Of) -> RegisterIndex {
        let to = self.register();
        self.compute(match self.layout.node(node).exploded {
            None => Instruction::Load { to, address, of },
            Some(_) => Instruction::Gather {
                to,
                node,
                address,
                of,
            },
        })
    }

    /// The value of a formula.
    pub(super) fn truth(&mut self, node: &'p Node, scope: &Scope<'p>) -> Compiled<RegisterIndex> {
        let to = self.register();
        let (yes, no) = (self.constant(ValueWord::TRUE), self.constant(ValueWord::FALSE));
        let end = self.label();
        self.emit(Instruction::Move { to, from: yes });
        self.native_condition(node, scope, end, true)?;
        self.emit(Instruction::Move { to, from: no });
        self.place(end);
        Ok(to)
    }

    /// The value of a local name.
    pub(crate) fn local(&mut self, slot: u32, scope: &Scope<'p>, node: &Node) -> Compiled<RegisterIndex> {
        match scope.get(slot).clone() {
            Binding::Register(register) => Ok(register),
            Binding::Parameter { read_in, .. } if read_in != (scope.primed, self.searches) => {
                Err(not_compiled(
                    node,
                    "a prime or ENABLED applies to a parameter of a recursive operator",
                ))
            }
            Binding::Parameter { register, number, .. } => {
                if !self.known.contains(&number) {
                    self.emit(Instruction::Need { register });
                    self.known.push(number);
                }
                Ok(register)
            }
            Binding::Cells { searches, .. } if searches != self.searches => Err(not_compiled(
                node,
                "a next value is used by an ENABLED, which has another next state",
            )),
            Binding::Cells {
                node, address, of, ..
            } => Ok(self.load(node, address, of)),
            Binding::Lazy {
                deferred,
                register,
                number,
            } if !scope.primed => {
                let (node, own) = scope.read(&deferred);
                self.forced(node, &own, register, number)
            }
            Binding::ByName(deferred) | Binding::Alias(deferred) | Binding::Lazy { deferred, .. } => {
                let (node, own) = scope.read(&deferred);
                self.expression(node, &own)
            }
            Binding::Empty => Err(not_compiled(node, "a name is used before it has a value")),
            Binding::Operator { .. } => Err(not_compiled(node, "an operator is used as a value")),
        }
    }

    /// Evaluates a lazy expression unless it is evaluated.
    fn forced(
        &mut self,
        node: &'p Node,
        scope: &Scope<'p>,
        register: RegisterIndex,
        number: u32,
    ) -> Compiled<RegisterIndex> {
        if self.known.contains(&number) {
            return Ok(register);
        }
        let end = self.label();
        let known = self.known.len();
        self.emit(Instruction::JumpKnown { register, goto: end });
        let from = self.expression(node, scope)?;
        self.emit(Instruction::Move { to: register, from });
        self.place(end);
        self.forget_beyond(known);
        self.known.push(number);
        Ok(register)
    }

    fn per_state(&mut self, cell: u32, inner: &'p Node, scope: &Scope<'p>) -> Compiled<RegisterIndex> {
        if scope.primed {
            return self.expression(inner, scope);
        }
        let (register, number) = match self.per_state.get(&cell) {
            Some(known) => *known,
            None => {
                let new = (self.register(), self.lazy_number());
                self.per_state.insert(cell, new);
                new
            }
        };
        self.state_reads += 1;
        self.forced(inner, scope, register, number)
    }

    /// The values of some expressions, as a list of registers.
    fn listed(&mut self, nodes: &'p [Node], scope: &Scope<'p>) -> Compiled<u32> {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            values.push(self.expression(node, scope)?);
        }
        Ok(self.list(values))
    }

    pub(super) fn list(&mut self, registers: Vec<RegisterIndex>) -> u32 {
        self.code.lists.push(registers.into());
        self.code.lists.len() as u32 - 1
    }

    pub(crate) fn operation(
        &mut self,
        operation: ValueOperation,
        operands: &[&'p Node],
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let mut registers = [0; 3];
        for (register, operand) in registers.iter_mut().zip(operands) {
            *register = self.expression(operand, scope)?;
        }
        Ok(self.operate(operation, registers))
    }

    pub(super) fn operate(
        &mut self,
        operation: ValueOperation,
        [first, second, third]: [RegisterIndex; 3],
    ) -> RegisterIndex {
        let to = self.register();
        self.compute(Instruction::Operate {
            operation,
            to,
            first,
            second,
            third,
        })
    }

    /// The value of the first arm whose condition holds.
    fn choice(
        &mut self,
        arms: &[(&'p Node, &'p Node)],
        other: Option<&'p Node>,
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let to = self.register();
        let end = self.label();
        for (condition, value) in arms {
            match self.decided(condition, scope) {
                Some(false) => continue,
                Some(true) => {
                    let from = self.expression(value, scope)?;
                    self.emit(Instruction::Move { to, from });
                    self.place(end);
                    return Ok(to);
                }
                None => {}
            }
            let next = self.label();
            self.condition(condition, scope, next, false)?;
            let known = self.known.len();
            let from = self.expression(value, scope)?;
            self.forget_beyond(known);
            self.emit(Instruction::Move { to, from });
            self.emit(Instruction::Jump { goto: end });
            self.place(next);
        }
        match other {
            Some(other) => {
                let from = self.expression(other, scope)?;
                self.emit(Instruction::Move { to, from });
            }
            None => self.emit(Instruction::NotCompiled),
        }
        self.place(end);
        Ok(to)
    }
}

/// The element of a set of one.
fn only_element(set: &Node) -> Option<&Node> {
    match &set.kind {
        Kind::SetEnum(elements) => match &**elements {
            [only] => Some(only),
            _ => None,
        },
        _ => None,
    }
}
