//! Calls: arguments, operators and native operators.

use std::rc::Rc;

use omnilink_tla_ir::native::{MODULES, Native};
use omnilink_tla_ir::{Application, Argument, Kind, Node, PathStep};

use super::compiler::{Compiled, Compiler, not_compiled};
use super::scope::{Binding, Scope};
use crate::code::{Instruction, Operation, Register};
use crate::values::Word;

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
                Binding::Register(self.expression(node, scope)?)
            }
            Argument::Value(node) | Argument::Lazy(node) if self.is_cheap(node, scope) => Binding::Alias {
                node,
                scope: scope.clone(),
            },
            Argument::Value(Node {
                kind: Kind::Local(slot),
                ..
            }) if matches!(scope.get(*slot), Binding::Alias { .. }) => scope.get(*slot).clone(),
            Argument::Value(node) => Binding::Register(self.expression(node, scope)?),
            Argument::Lazy(Node {
                kind: Kind::Local(slot),
                ..
            }) if !matches!(scope.get(*slot), Binding::ByName { .. }) => scope.get(*slot).clone(),
            Argument::Lazy(node) => self.lazy(node, scope),
            Argument::ByName(node) => Binding::ByName {
                node,
                scope: scope.clone(),
            },
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
        let Binding::Operator { operator, captures } = scope.get(slot).clone() else {
            return Err(not_compiled(node, "a value is applied as if it were an operator"));
        };
        let program = self.program;
        let definition = &program.operators[operator as usize];
        let mut inner = Scope::new(definition.slots.len(), scope.primed);
        for (at, argument) in (0..).zip(arguments) {
            let binding = self.argument(argument, scope)?;
            inner.bind(at, binding);
        }
        for (slot, binding) in captures.iter() {
            inner.bind(*slot, binding.clone());
        }
        self.enter(operator, false, node)?;
        Ok((inner, &definition.body))
    }

    pub(super) fn native(
        &mut self,
        native: Native,
        arguments: &'p [Argument],
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<Register> {
        let (module, operator) = native.position();
        let (module, name) = (MODULES[module].0, MODULES[module].1[operator].name);
        if (module, name) == ("TLC", "Assert") {
            let Some(condition) = arguments.first().and_then(Argument::node) else {
                return Err(not_compiled(node, "an operator is used as a value"));
            };
            let holds = self.label();
            self.condition(condition, scope, holds, true)?;
            self.emit(Instruction::NotCompiled);
            self.place(holds);
            return Ok(self.constant(Word::TRUE));
        }
        let operation = match (module, name) {
            ("Sequences", "Len") => Operation::Len,
            ("Sequences", "Head") => Operation::Head,
            ("Sequences", "Tail") => Operation::Tail,
            ("Sequences", "Append") => Operation::Append,
            ("Sequences", "\\o") => Operation::Concat,
            ("Sequences", "SubSeq") => Operation::SubSeq,
            ("FiniteSets", "Cardinality") => Operation::Cardinality,
            ("FiniteSets", "IsFiniteSet") => Operation::IsFiniteSet,
            ("FiniteSetsExt", "Max") => Operation::Max,
            ("FiniteSetsExt", "Min") => Operation::Min,
            ("TLC", ":>") => Operation::MapsTo,
            ("TLC", "@@") => Operation::Override,
            _ => {
                return Err(not_compiled(
                    node,
                    "this operator of a standard module is not compiled",
                ));
            }
        };
        let mut registers = [0; 3];
        for (register, argument) in registers.iter_mut().zip(arguments) {
            *register = match argument {
                Argument::Slot(slot) => self.local(*slot, scope, node)?,
                Argument::Operator(..) => return Err(not_compiled(node, "an operator is used as a value")),
                Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => {
                    self.expression(node, scope)?
                }
            };
        }
        Ok(self.operate(operation, registers))
    }
}
