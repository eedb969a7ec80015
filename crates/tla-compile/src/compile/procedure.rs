//! Procedures: recursive operators, whose bodies are code of their own that is called.
//!
//! Other operators are inlined. A call that would go on for ever if it were inlined calls a procedure: for each operator, and each choice of
//! operators as arguments, there is one. Arguments are values. TLA+ evaluates them only when they are used, so one that cannot be
//! evaluated has no value, and only its use is a trap: `F(n - 1, s[n])` may end before it needs the element behind the last one.

use omnilink_tla_ir::{Application, Argument, Node};

use super::compiler::{Compiled, Compiler, not_compiled};
use super::scope::{Binding, Scope};
use crate::code::{Code, Instruction, RegisterIndex};
use crate::values::ValueWord;

/// An operator as an argument: its number, and its captures, which are constants.
type OperatorArgument = (u32, Vec<(u32, ValueWord)>);

/// What tells procedures apart.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct ProcedureKey {
    operator: u32,
    /// Whether variables stand for their next values.
    primed: bool,
    /// Whether it is called from a search, whose next state is another one.
    is_in_search: bool,
    operators: Vec<(u32, OperatorArgument)>,
}

/// The code of a procedure.
pub(crate) enum Procedure<'p> {
    /// It is being made.
    Open,
    Made(Box<Code<'p>>),
    Failed,
}

impl<'p> Compiler<'_, 'p> {
    /// Whether a call is to be compiled as that of a procedure: it is recursive, and writing it out would not end, or would become large.
    pub(super) fn is_procedure_call(&mut self, call: &'p Application, scope: &Scope<'p>) -> bool {
        if !self.calls.contains(&call.operator) {
            return false;
        }
        if self.is_procedure || !self.has_room() {
            return true;
        }
        let has_constant = call.arguments.iter().any(|(_, argument)| match argument {
            Argument::Slot(slot) => self.constant_slot(*slot, scope).is_some(),
            _ => argument
                .node()
                .is_some_and(|node| self.folded(node, scope).is_some()),
        });
        !has_constant || !self.may_recurse(call.operator)
    }

    /// Calls a procedure.
    pub(super) fn procedure_call(
        &mut self,
        call: &'p Application,
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let mut operators = Vec::new();
        let mut values = Vec::new();
        for (slot, argument) in &call.arguments {
            let binding = match argument {
                Argument::Operator(..) => self.argument(argument, scope)?,
                Argument::Slot(slot) => scope.get(*slot).clone(),
                _ => Binding::Empty,
            };
            if let Binding::Operator { operator, captures } = binding {
                let captures: Option<Vec<(u32, ValueWord)>> = captures
                    .iter()
                    .map(|(slot, captured)| match captured {
                        Binding::Register(register) => Some((*slot, self.constant_in(*register)?)),
                        _ => None,
                    })
                    .collect();
                let Some(captures) = captures else {
                    return Err(not_compiled(
                        node,
                        "an operator with names of its own is an argument of a recursive one",
                    ));
                };
                operators.push((*slot, (operator, captures)));
            } else {
                values.push((*slot, argument));
            }
        }
        let key = ProcedureKey {
            operator: call.operator,
            primed: scope.primed,
            is_in_search: self.searches > 0,
            operators,
        };
        let slots: Vec<u32> = values.iter().map(|(slot, _)| *slot).collect();
        let procedure = self.procedure(&key, &slots, node)?;
        let mut registers = Vec::with_capacity(values.len());
        for (_, argument) in values {
            registers.push(self.parameter(argument, scope, node)?);
        }
        let list = self.list(registers);
        let to = self.register();
        self.emit(Instruction::Call { to, procedure, list });
        Ok(to)
    }

    /// The register of an argument, which holds nothing if the argument cannot be evaluated.
    fn parameter(
        &mut self,
        argument: &'p Argument,
        scope: &Scope<'p>,
        node: &'p Node,
    ) -> Compiled<RegisterIndex> {
        let expression = match argument {
            Argument::Slot(slot) => return self.passed_on(*slot, scope, node),
            Argument::Operator(..) => return Err(not_compiled(node, "an operator is used as a value")),
            Argument::ByName(expression) if expression.uses.state || expression.uses.next => {
                return Err(not_compiled(
                    node,
                    "an argument of a recursive operator depends on the state in which it is used",
                ));
            }
            Argument::Value(expression) | Argument::Lazy(expression) | Argument::ByName(expression) => {
                expression
            }
        };
        if let omnilink_tla_ir::Kind::Local(slot) = expression.kind {
            return self.passed_on(slot, scope, node);
        }
        if self.folded(expression, scope).is_some() {
            return self.expression(expression, scope);
        }
        let to = self.register();
        let known = self.known.len();
        let end = self.label();
        self.emit(Instruction::Rescue { to, goto: end });
        let from = self.expression(expression, scope)?;
        self.emit(Instruction::Rescued);
        self.emit(Instruction::Move { to, from });
        self.place(end);
        // Where the evaluation ended early, what it would have evaluated is not known.
        self.forget_beyond(known);
        Ok(to)
    }

    /// A name as an argument: its value need not be there.
    fn passed_on(&mut self, slot: u32, scope: &Scope<'p>, node: &'p Node) -> Compiled<RegisterIndex> {
        match scope.get(slot).clone() {
            Binding::Register(register) => Ok(register),
            Binding::Parameter {
                register, read_in, ..
            } if read_in == (scope.primed, self.searches) => Ok(register),
            Binding::Operator { .. } => Err(not_compiled(node, "an operator is used as a value")),
            _ => {
                let to = self.register();
                let known = self.known.len();
                let end = self.label();
                self.emit(Instruction::Rescue { to, goto: end });
                let from = self.local(slot, scope, node)?;
                self.emit(Instruction::Rescued);
                self.emit(Instruction::Move { to, from });
                self.place(end);
                self.forget_beyond(known);
                Ok(to)
            }
        }
    }

    /// The number of a procedure, whose code is made when it is first called.
    fn procedure(&mut self, key: &ProcedureKey, slots: &[u32], node: &'p Node) -> Compiled<u32> {
        let failed = "a recursive operator that it calls is not compiled";
        let known = self
            .procedures
            .borrow()
            .iter()
            .position(|(known, _)| known == key);
        if let Some(number) = known {
            return match self.procedures.borrow()[number].1 {
                Procedure::Failed => Err(not_compiled(node, failed)),
                Procedure::Open | Procedure::Made(_) => Ok(number as u32),
            };
        }
        let number = self.procedures.borrow().len();
        self.procedures.borrow_mut().push((key.clone(), Procedure::Open));
        let made = self.procedure_code(key, slots);
        let (state, result) = match made {
            Ok(code) => (Procedure::Made(Box::new(code)), Ok(number as u32)),
            Err(reason) => (Procedure::Failed, Err(reason)),
        };
        self.procedures.borrow_mut()[number].1 = state;
        result
    }

    fn procedure_code(&mut self, key: &ProcedureKey, slots: &[u32]) -> Compiled<Code<'p>> {
        let program = self.program;
        let operator = &program.operators[key.operator as usize];
        let (is_step, assigned) = (self.code.is_step, self.assigned);
        self.sub_code(|inner| {
            inner.is_procedure = true;
            inner.code.is_step = is_step;
            // In an action or a search, which variables have a next value differs from call to call.
            inner.assigned = if is_step && !key.is_in_search { assigned } else { 0 };
            inner.searches = u32::from(key.is_in_search);
            inner.calls = vec![key.operator];
            let mut scope = Scope::new(operator.slots.len(), key.primed);
            for slot in slots {
                let register = inner.register();
                let number = inner.lazy_number();
                inner.code.parameters.push(register);
                let parameter = Binding::Parameter {
                    register,
                    number,
                    read_in: (key.primed, inner.searches),
                };
                scope.bind(*slot, parameter);
            }
            for (slot, (operator, captures)) in &key.operators {
                let captures = captures.iter().map(|(slot, word)| {
                    let register = inner.constant(*word);
                    (*slot, Binding::Register(register))
                });
                let captures = captures.collect();
                let operator = *operator;
                scope.bind(*slot, Binding::Operator { operator, captures });
            }
            let from = inner.expression(&operator.body, &scope)?;
            inner.emit(Instruction::Return { from });
            Ok(())
        })
    }
}
