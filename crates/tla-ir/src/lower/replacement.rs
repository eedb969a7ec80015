//! Replacements of constants and definitions by the configuration.

use omnilink_tla_semantics::entity::{Binding, EntityId, EntityKind, InstanceId};
use omnilink_tla_semantics::spec::Spec;
use omnilink_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowering;
use super::context::ContextId;
use super::operand::Operand;
use crate::{Kind, Loc, Node, Uses};

/// What replaces a constant or definition.
#[derive(Clone, Debug)]
pub enum Replacement {
    /// A value.
    Value(Value),
    /// A definition of the root module.
    Definition(Binding),
    /// A table: values for given arguments.
    Table(Vec<(Vec<Value>, Value)>),
}

/// The replaced entities, everywhere or only through certain instances.
#[derive(Clone, Debug, Default)]
pub struct Replacements {
    pub(super) everywhere: FxHashMap<EntityId, Replacement>,
    pub(super) through: FxHashMap<(EntityId, Box<[InstanceId]>), Replacement>,
    /// Entities replaced in their module (`Op <- [Module] Def`), and so also as `I!Op`.
    pub(super) in_module: FxHashSet<EntityId>,
}

impl Replacements {
    /// Replaces the entity of a binding.
    pub fn add(&mut self, spec: &Spec, target: Binding, replacement: Replacement) {
        let via = spec.via(target.via);
        if via.is_empty() {
            self.everywhere.insert(target.entity, replacement);
        } else {
            self.through.insert((target.entity, via.into()), replacement);
        }
    }

    /// Records that an entity is replaced in its module, by whatever name it is used.
    pub fn mark_in_module(&mut self, entity: EntityId) {
        self.in_module.insert(entity);
    }

    /// Replaces the entity of a binding; adds the rows of a table to existing ones.
    pub fn merge(&mut self, spec: &Spec, target: Binding, replacement: Replacement) {
        if let Replacement::Table(rows) = &replacement
            && let Some(Replacement::Table(known)) = self.everywhere.get_mut(&target.entity)
        {
            known.extend(rows.iter().cloned());
            return;
        }
        self.add(spec, target, replacement);
    }
}

impl Lowering<'_> {
    /// The replacement of an entity in a context. A substitution by an INSTANCE takes precedence: the configuration gives a value to
    /// the constant of the module that declares it.
    pub(super) fn replacement(&self, entity: EntityId, context: ContextId) -> Option<Replacement> {
        let is_substituted = matches!(self.spec.entity(entity).kind, EntityKind::Constant)
            && !self.replacements.in_module.contains(&entity)
            && self.substituted_operator(entity, context).is_some();
        match self.replacements.everywhere.get(&entity) {
            Some(replacement) if !is_substituted => Some(replacement.clone()),
            _ => self.replacement_through(entity, context),
        }
    }

    /// Whether a replacement does not apply here: in `Init <- MyInit`, the `Init` inside the definition of `MyInit` is the original
    /// one.
    pub(super) fn is_replaced_by_itself(&self, entity: EntityId, by: Binding) -> bool {
        let mut definitions = self.defining.iter().rev();
        let around = definitions.find(|definition| self.of_modules.contains(definition));
        by.entity == entity || around == Some(&by.entity)
    }

    /// The replacement of an entity that applies only through the instances of a context.
    pub(super) fn replacement_through(&self, entity: EntityId, context: ContextId) -> Option<Replacement> {
        if self.replacements.through.is_empty() {
            return None;
        }
        let instances: Box<[_]> = self.instances_of(context).into();
        self.replacements.through.get(&(entity, instances)).cloned()
    }

    /// The rows `f(1, 2) = 3` of a configuration, as a CASE over the arguments.
    pub(super) fn table(&mut self, loc: Loc, rows: &[(Vec<Value>, Value)], operands: &[Operand]) -> Node {
        let mut uses = Uses {
            heavy: true,
            ..Uses::default()
        };
        let mut arms = Vec::new();
        for (arguments, value) in rows {
            let mut conjuncts = Vec::new();
            for (operand, argument) in operands.iter().zip(arguments) {
                let operand = self.operand(*operand, loc);
                uses = uses.and(operand.uses);
                let of_pair = operand.uses;
                conjuncts.push(Node {
                    kind: Kind::Equal(Box::new((operand, self.constant(loc, argument.clone())))),
                    at: loc,
                    uses: of_pair,
                });
            }
            let condition = Node {
                kind: Kind::And(conjuncts.into()),
                at: loc,
                uses,
            };
            arms.push((condition, self.constant(loc, value.clone())));
        }
        Node {
            kind: Kind::Case(arms.into(), None),
            at: loc,
            uses,
        }
    }
}
