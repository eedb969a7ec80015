//! Calls: arguments and operators.

use std::rc::Rc;

use omnilink_tla_ir::{Application, Argument, Kind, Node, PathStep};

use super::compiler::{Compiled, Compiler, not_compiled};
use super::scope::{Binding, Deferred, Scope};
use crate::code::{RegisterIndex, Target};

impl<'p> Compiler<'_, 'p> {
    /// The scope of a LET.
    pub(crate) fn let_scope(
        &mut self,
        slots: &'p [(u32, Argument)],
        scope: &Scope<'p>,
    ) -> Compiled<Scope<'p>> {
        let mut inner = scope.clone();
        for (slot, argument) in slots {
            let binding = self.argument(argument, &inner)?;
            inner.bind(*slot, binding);
        }
        Ok(inner)
    }

    pub(crate) fn argument(&mut self, argument: &'p Argument, scope: &Scope<'p>) -> Compiled<Binding<'p>> {
        Ok(match argument {
            Argument::Value(node) | Argument::Lazy(node) if self.folded(node, scope).is_some() => {
                let register = self.expression(node, scope)?;
                self.add_origins(register, node.uses.slots, scope);
                Binding::Register(register)
            }
            Argument::Value(node) | Argument::Lazy(node) if self.is_cheap(node, scope) => {
                Binding::Alias(Deferred::new(node, scope))
            }
            Argument::Value(Node {
                kind: Kind::Local(slot),
                ..
            }) if matches!(scope.get(*slot), Binding::Alias(_)) => scope.get(*slot).clone(),
            Argument::Value(node) => Binding::Register(self.expression(node, scope)?),
            Argument::Lazy(Node {
                kind: Kind::Local(slot),
                ..
            }) if !matches!(scope.get(*slot), Binding::ByName(_)) => scope.get(*slot).clone(),
            Argument::Lazy(node) => self.lazy(node, scope),
            Argument::ByName(node) => Binding::ByName(Deferred::new(node, scope)),
            Argument::Slot(slot) => scope.get(*slot).clone(),
            Argument::Operator(operator, captures) => Binding::Operator {
                operator: *operator,
                captures: captures
                    .iter()
                    .map(|(slot, argument)| Ok((*slot, self.argument(argument, scope)?)))
                    .collect::<Compiled<Rc<[_]>>>()?,
            },
        })
    }

    /// Whether an expression is a variable or a fixed part of one: what is used of it is read where it is used.
    fn is_cheap(&mut self, node: &'p Node, scope: &Scope<'p>) -> bool {
        match &node.kind {
            Kind::Var(_) => !scope.primed,
            Kind::Path(root, steps) => {
                let Kind::Var(variable) = root.kind else {
                    return false;
                };
                let mut at = self.layout.variable(variable).0;
                for step in steps {
                    let key = match step {
                        PathStep::Field(field) => Some(self.store.word(&field.name)),
                        PathStep::Index(index) => self.folded(index, scope),
                    };
                    let Some(exploded) = &self.layout.node(at).exploded else {
                        return false;
                    };
                    match key.and_then(|key| exploded.keys.iter().position(|own| *own == key)) {
                        Some(index) => at = exploded.parts[index].0,
                        None => return false,
                    }
                }
                !scope.primed
            }
            _ => false,
        }
    }

    /// The scope and the body of a call. The caller takes the operator from `calls` when the body is compiled.
    pub(crate) fn called(
        &mut self,
        call: &'p Application,
        node: &Node,
        scope: &Scope<'p>,
    ) -> Compiled<(Scope<'p>, &'p Node)> {
        let program = self.program;
        let operator = &program.operators[call.operator as usize];
        let mut inner = Scope::new(operator.slots.len(), scope.primed);
        let mut has_constant = false;
        for (slot, argument) in &call.arguments {
            let binding = self.argument(argument, scope)?;
            has_constant |= match &binding {
                Binding::Register(register) => self.constant_in(*register).is_some(),
                _ => false,
            };
            inner.bind(*slot, binding);
        }
        self.enter(call.operator, has_constant, node)?;
        Ok((inner, &operator.body))
    }

    /// The same for an operator that is a parameter.
    pub(crate) fn called_slot(
        &mut self,
        slot: u32,
        arguments: &'p [Argument],
        node: &Node,
        scope: &Scope<'p>,
    ) -> Compiled<(Scope<'p>, &'p Node)> {
        let mut bindings = Vec::with_capacity(arguments.len());
        for argument in arguments {
            bindings.push(self.argument(argument, scope)?);
        }
        let operator = scope.get(slot).clone();
        self.applied(&operator, bindings, node, scope.primed)
    }

    /// The same for an operator that is bound, and arguments that are.
    fn applied(
        &mut self,
        operator: &Binding<'p>,
        arguments: impl IntoIterator<Item = Binding<'p>>,
        node: &Node,
        primed: bool,
    ) -> Compiled<(Scope<'p>, &'p Node)> {
        let Binding::Operator { operator, captures } = operator else {
            return Err(not_compiled(node, "a value is applied as if it were an operator"));
        };
        let program = self.program;
        let definition = &program.operators[*operator as usize];
        let mut inner = Scope::new(definition.slots.len(), primed);
        for (slot, argument) in (0..).zip(arguments) {
            inner.bind(slot, argument);
        }
        for (slot, binding) in captures.iter() {
            inner.bind(*slot, binding.clone());
        }
        self.enter(*operator, false, node)?;
        Ok((inner, &definition.body))
    }

    /// The value of an operator for the values in some registers.
    pub(super) fn applied_to(
        &mut self,
        operator: &Binding<'p>,
        values: &[RegisterIndex],
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let values = values.iter().map(|value| Binding::Register(*value));
        let (inner, body) = self.applied(operator, values, node, scope.primed)?;
        let value = self.expression(body, &inner)?;
        self.calls.pop();
        Ok(value)
    }

    /// Jumps unless an operator is true of the value in a register.
    pub(super) fn tested(
        &mut self,
        operator: &Binding<'p>,
        value: RegisterIndex,
        (node, scope): (&'p Node, &Scope<'p>),
        goto: Target,
    ) -> Compiled<()> {
        let (inner, body) = self.applied(operator, [Binding::Register(value)], node, scope.primed)?;
        self.condition(body, &inner, goto, false)?;
        self.calls.pop();
        Ok(())
    }
}
