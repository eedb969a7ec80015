//! Operators of the language and of built-in modules.

use omnilink_tla_semantics::entity::{BuiltIn, EntityId, EntityKind};
use omnilink_tla_semantics::search_path::built_in_text;
use omnilink_value::Value;

use super::node::{one, pair};
use super::operand::{Operand, local};
use super::{At, Lowering};
use crate::{Argument, Arithmetic, Comparison, ErrorClass, Infinite, Kind, Loc, Node, Uses, native};

/// The operator that built-in modules apply where an operator cannot be defined in TLA+.
const NO_MEANING: &str = "Native";

impl Lowering<'_> {
    /// A native operator, or an arithmetic one.
    pub(super) fn native(
        &mut self,
        at: At,
        loc: Loc,
        entity: EntityId,
        operands: &[Operand],
    ) -> Option<Node> {
        let spec = self.spec;
        let of = spec.entity(entity);
        let module = spec.names.text(spec.module(of.module).name);
        built_in_text(module)?;
        // A copy of such a module may be next to the specification. As in TLC, its operators are computed all the same.
        let is_copy = !spec.sources.get(of.source).path().starts_with("<built-in>");
        let name = spec.names.text(of.name);
        if let Some(node) = self.arithmetic(loc, module, name, operands) {
            return Some(node);
        }
        if name == NO_MEANING && !is_copy {
            let message = format!("this operator of module {module} is not supported");
            return Some(self.fail(loc, ErrorClass::Unsupported, message));
        }
        let native = native::lookup(module, name)?;
        let params: &[EntityId] = match &of.kind {
            EntityKind::Operator { params, .. } => params,
            _ => &[],
        };
        let signature = native.signature();
        let is_replaced = signature.replaces_definitions && signature.arity == params.len();
        if is_copy && !(is_replaced && self.of_modules.contains(&entity)) {
            return None;
        }
        let mut uses = native.uses();
        let mut arguments = Vec::with_capacity(operands.len());
        for (param, operand) in params.iter().zip(operands) {
            let (argument, of_argument) = self.argument(*operand, Some(*param));
            uses = uses.and(of_argument);
            // Arguments are evaluated before the call, unless the operator is lazy.
            arguments.push(match argument {
                Argument::Lazy(node) | Argument::ByName(node) if !native.is_lazy() => Argument::Value(node),
                Argument::Slot(slot) if !native.is_lazy() && spec.entity(*param).arity == 0 => {
                    Argument::Value(local(slot, loc))
                }
                other => other,
            });
        }
        // `TLCGet("level")'` is the level of the next state. Operands have their own primes already, unless they are constants.
        let is_constant = |argument: &Argument| matches!(argument, Argument::Value(node) if matches!(node.kind, Kind::Const(_)));
        let is_primed = at.primed && signature.reads_state && arguments.iter().all(is_constant);
        let mut node = Node {
            kind: Kind::Native(native, arguments.into()),
            at: loc,
            uses,
        };
        if is_primed {
            node = one(loc, node, Kind::Prime);
            node.uses.next = true;
        }
        Some(node)
    }

    pub(super) fn built_in(&mut self, at: At, loc: Loc, built_in: BuiltIn, operands: &[Operand]) -> Node {
        match built_in {
            BuiltIn::True => self.constant(loc, Value::bool(true)),
            BuiltIn::False => self.constant(loc, Value::bool(false)),
            BuiltIn::Boolean => self.constant(loc, Value::set([Value::bool(false), Value::bool(true)])),
            BuiltIn::String => Node {
                kind: Kind::Infinite(Infinite::Strings),
                at: loc,
                uses: Uses::default(),
            },
            BuiltIn::Operator(op) => self.symbol(at, loc, op, operands),
        }
    }

    /// The operators of `Naturals` and `Integers`, which have nodes of their own.
    pub(super) fn arithmetic(
        &mut self,
        loc: Loc,
        module: &str,
        name: &str,
        operands: &[Operand],
    ) -> Option<Node> {
        if !matches!(module, "Naturals" | "Integers" | "TLC") {
            return None;
        }
        let calculation = match name {
            "+" => Some(Arithmetic::Plus),
            "-" => Some(Arithmetic::Minus),
            "*" => Some(Arithmetic::Times),
            "\\div" => Some(Arithmetic::Divide),
            "%" => Some(Arithmetic::Modulo),
            "^" => Some(Arithmetic::Power),
            _ => None,
        };
        let comparison = match name {
            "<" => Some(Comparison::Less),
            "<=" | "\\leq" | "=<" => Some(Comparison::LessEqual),
            ">" => Some(Comparison::Greater),
            ">=" | "\\geq" => Some(Comparison::GreaterEqual),
            _ => None,
        };
        let infinite = match name {
            "Nat" => Some(Infinite::Nat),
            "Int" => Some(Infinite::Int),
            "Any" if module == "TLC" => Some(Infinite::Any),
            _ => None,
        };
        if let Some(infinite) = infinite {
            return Some(Node {
                kind: Kind::Infinite(infinite),
                at: loc,
                uses: Uses::default(),
            });
        }
        if module == "TLC" {
            return None;
        }
        match operands {
            [operand] if name == "-." => {
                let operand = self.operand(*operand, loc);
                Some(one(loc, operand, Kind::Negative))
            }
            [left, right] => {
                if calculation.is_none() && comparison.is_none() && name != ".." {
                    return None;
                }
                let (left, right) = (self.operand(*left, loc), self.operand(*right, loc));
                Some(pair(loc, left, right, |two| match (calculation, comparison) {
                    (Some(calculation), _) => Kind::Arithmetic(calculation, two),
                    (None, Some(comparison)) => Kind::Comparison(comparison, two),
                    (None, None) => Kind::Interval(two),
                }))
            }
            _ => None,
        }
    }
}
