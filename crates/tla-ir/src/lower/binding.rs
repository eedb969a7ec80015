//! Names bound over sets: quantifiers, comprehensions, functions.

use std::collections::BTreeSet;

use omnilink_tla_semantics::entity::{EntityId, EntityKind};
use omnilink_tla_syntax::ast::{Bound, ExprId, UnitKind};

use super::frame::Naming;
use super::{At, Lowering};
use crate::{Argument, Bounded, ErrorClass, Kind, Node, Pattern, Uses};

impl Lowering<'_> {
    /// Bounds and a body; `None` if a name has no set.
    pub(super) fn bounded(
        &mut self,
        at: At,
        entities: &[EntityId],
        bounds: &[Bound],
        self_entity: Option<EntityId>,
        body: impl FnOnce(&mut Self) -> Node,
    ) -> Option<(Bounded, Uses)> {
        let mut uses = Uses {
            heavy: true,
            ..Uses::default()
        };
        let mut sets = Vec::with_capacity(bounds.len());
        for bound in bounds {
            let set = self.expr(at, bound.set?);
            uses = uses.and(set.uses);
            sets.push(set);
        }
        let self_slot = self_entity.map(|entity| self.bind_entity(entity, Naming::Value, at.primed));
        let mut entities = entities.iter().copied();
        let mut binds = Vec::new();
        let mut names = Vec::new();
        for (set, bound) in (0..).zip(bounds) {
            let mut slots = Vec::with_capacity(bound.names.len());
            for entity in entities.by_ref().take(bound.names.len()) {
                slots.push(self.bind_entity(entity, Naming::Value, at.primed));
                names.push(self.text_of(entity).into());
            }
            if bound.tuple {
                binds.push((set, Pattern::Tuple(slots.into())));
            } else {
                binds.extend(slots.into_iter().map(|slot| (set, Pattern::One(slot))));
            }
        }
        let body = body(self);
        let mut of_body = body.uses;
        let bound_slots: Vec<u32> = binds
            .iter()
            .flat_map(|(_, pattern)| pattern.slots().iter().copied())
            .chain(self_slot)
            .collect();
        for slot in &bound_slots {
            of_body = of_body.without(*slot);
        }
        let mut captures = BTreeSet::new();
        free_slots(&body, &mut captures);
        for slot in &bound_slots {
            captures.remove(slot);
        }
        let bounded = Bounded {
            sets: sets.into(),
            binds: binds.into(),
            names: names.into(),
            body,
            self_slot,
            captures: captures.into_iter().collect(),
            frame: self.frame().size(),
        };
        Some((bounded, uses.and(of_body)))
    }

    /// An expression that binds names.
    pub(super) fn binder(
        &mut self,
        at: At,
        id: ExprId,
        bounds: &[Bound],
        body: ExprId,
        make: impl FnOnce(Box<Bounded>) -> Kind,
    ) -> Node {
        self.binder_with(at, id, bounds, |this| this.expr(at, body), make)
    }

    pub(super) fn binder_with(
        &mut self,
        at: At,
        id: ExprId,
        bounds: &[Bound],
        body: impl FnOnce(&mut Self) -> Node,
        make: impl FnOnce(Box<Bounded>) -> Kind,
    ) -> Node {
        let loc = self.loc(at.tree, id);
        let entities = self.spec.binders.get(&(at.tree, id)).cloned().unwrap_or_default();
        match self.bounded(at, &entities, bounds, None, body) {
            Some((bounded, uses)) => Node {
                kind: make(Box::new(bounded)),
                at: loc,
                uses,
            },
            None => self.fail(
                loc,
                ErrorClass::Infinite,
                "a name that ranges over everything cannot be evaluated; give it a set".into(),
            ),
        }
    }

    /// `f[x \in S] == e`.
    pub(super) fn function_definition(&mut self, at: At, entity: EntityId) -> Node {
        let spec = self.spec;
        let loc = self.entity_loc(entity);
        let EntityKind::Function {
            params,
            unit,
            body,
            recursive,
            ..
        } = &spec.entity(entity).kind
        else {
            return self.fail(loc, ErrorClass::Undefined, "this is not a function".into());
        };
        let UnitKind::Function { bounds, .. } = &spec.tree(at.tree).unit(*unit).kind else {
            return self.fail(loc, ErrorClass::Undefined, "this is not a function".into());
        };
        let itself = recursive.then_some(entity);
        match self.bounded(at, params, bounds, itself, |this| this.expr(at, *body)) {
            Some((bounded, uses)) => Node {
                kind: if *recursive {
                    Kind::Recursive(Box::new(bounded))
                } else {
                    Kind::Function(Box::new(bounded))
                },
                at: loc,
                uses,
            },
            None => self.fail(loc, ErrorClass::Infinite, "the function has no domain".into()),
        }
    }
}

/// The slots that a node reads and does not fill itself.
pub(super) fn free_slots(node: &Node, found: &mut BTreeSet<u32>) {
    if let Kind::Local(slot) | Kind::CallSlot(slot, _) = &node.kind {
        found.insert(*slot);
    }
    if let Some(bounded) = node.kind.bounded() {
        // The captures of its body are known already.
        bounded.sets.iter().for_each(|set| free_slots(set, found));
        found.extend(bounded.captures.iter().copied());
        return;
    }
    node.kind.for_each_argument(|argument| {
        if let Argument::Slot(slot) = argument {
            found.insert(*slot);
        }
    });
    node.kind.for_each_child(|child| free_slots(child, found));
    // Slots filled here are not free.
    match &node.kind {
        Kind::Let(slots, _) => slots.iter().for_each(|(slot, _)| {
            found.remove(slot);
        }),
        Kind::Except(_, updates) => updates.iter().for_each(|update| {
            found.remove(&update.at_slot);
        }),
        _ => {}
    }
}
