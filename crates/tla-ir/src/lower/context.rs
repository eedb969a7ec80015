//! Contexts: the instances through which a definition is used.

use omnilink_tla_semantics::entity::{EntityId, InstanceId};
use omnilink_tla_semantics::spec::SubstitutedBy;

use super::{At, Lowering};
use crate::{Kind, Node};

/// Names a [`Context`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ContextId(pub(super) u32);

impl ContextId {
    /// The root module itself.
    pub(super) const ROOT: ContextId = ContextId(0);
}

/// An instance, and the context in which it stands.
#[derive(Debug)]
pub(super) struct Context {
    /// The context of the module that has the instance.
    pub(super) parent: ContextId,
    /// The instance; none for the root module.
    pub(super) instance: Option<InstanceId>,
}

impl Context {
    pub(super) fn root() -> Self {
        Self {
            parent: ContextId::ROOT,
            instance: None,
        }
    }
}

impl Lowering<'_> {
    /// The context reached from another through instances.
    pub(super) fn context_through(&mut self, from: ContextId, instances: &[InstanceId]) -> ContextId {
        instances.iter().fold(from, |parent, instance| {
            if let Some(known) = self.context_numbers.get(&(parent, *instance)) {
                return *known;
            }
            let new = ContextId(self.contexts.len() as u32);
            self.contexts.push(Context {
                parent,
                instance: Some(*instance),
            });
            self.context_numbers.insert((parent, *instance), new);
            new
        })
    }

    /// The instances of a context, outermost first.
    pub(super) fn instances_of(&self, mut context: ContextId) -> Vec<InstanceId> {
        let mut instances = Vec::new();
        while let Some(instance) = self.contexts[context.0 as usize].instance {
            instances.push(instance);
            context = self.contexts[context.0 as usize].parent;
        }
        instances.reverse();
        instances
    }

    /// The substitution of a context for a constant or variable; `None` if no enclosing instance has one.
    pub(super) fn substituted(&mut self, entity: EntityId, context: ContextId, primed: bool) -> Option<Node> {
        let spec = self.spec;
        let mut here = context;
        while let Some(instance) = self.contexts[here.0 as usize].instance {
            let parent = self.contexts[here.0 as usize].parent;
            let info = spec.instance(instance);
            let found = info
                .substitutions
                .iter()
                .find(|s| s.target == entity)
                .map(|s| s.value);
            match found {
                Some(SubstitutedBy::Expr(tree, expr)) => {
                    let at = At {
                        tree,
                        context: parent,
                        primed,
                    };
                    return Some(self.expr(at, expr));
                }
                Some(SubstitutedBy::SameName(binding)) => {
                    let tree = self.spec.entity(binding.entity).tree;
                    let context = self.context_through(parent, spec.via(binding.via));
                    let at = At {
                        tree,
                        context: parent,
                        primed,
                    };
                    return Some(self.reference_by_name(at, binding.entity, context, false));
                }
                None => here = parent,
            }
        }
        None
    }

    /// The substitution for a constant with arguments, and its context.
    pub(super) fn substituted_operator(
        &self,
        entity: EntityId,
        context: ContextId,
    ) -> Option<(SubstitutedBy, ContextId)> {
        let mut here = context;
        while let Some(instance) = self.contexts[here.0 as usize].instance {
            let parent = self.contexts[here.0 as usize].parent;
            let info = self.spec.instance(instance);
            if let Some(found) = info.substitutions.iter().find(|s| s.target == entity) {
                return Some((found.value, parent));
            }
            here = parent;
        }
        None
    }

    /// A node that fails when it is evaluated.
    pub(super) fn fail(&self, at: crate::Loc, class: crate::ErrorClass, message: String) -> Node {
        Node {
            kind: Kind::Fail(class, message.into()),
            at,
            uses: crate::Uses {
                impure: true,
                ..Default::default()
            },
        }
    }
}
