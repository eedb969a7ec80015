//! Unfolding: the body of the definition that a name without arguments refers to.

use omnilink_tla_semantics::entity::{EntityId, EntityKind, Resolved};
use omnilink_tla_semantics::spec::SubstitutedBy;
use omnilink_tla_syntax::ast::{ExprId, ExprKind, SegmentKind};

use super::context::ContextId;
use super::{At, Lowering, Replacement};

impl Lowering<'_> {
    /// The body of the definition that a name without arguments refers to, and its context.
    pub(super) fn body_of(&mut self, at: At, id: ExprId) -> Option<(At, ExprId)> {
        let spec = self.spec;
        let (entity, context) = match spec.resolved(at.tree, id) {
            Resolved::Entity(entity) => (entity, at.context),
            Resolved::Reference(number) => {
                let reference = spec.references.get(number as usize)?;
                let has_params = reference
                    .via
                    .iter()
                    .any(|step| !spec.instance(step.instance).params.is_empty());
                if reference.part.is_some() || has_params {
                    return None;
                }
                let instances: Vec<_> = reference.via.iter().map(|step| step.instance).collect();
                (reference.entity, self.context_through(at.context, &instances))
            }
            Resolved::Nothing => return None,
        };
        self.body_of_entity(entity, context, at.primed)
    }

    pub(super) fn body_of_entity(
        &mut self,
        entity: EntityId,
        context: ContextId,
        primed: bool,
    ) -> Option<(At, ExprId)> {
        let spec = self.spec;
        match self.replacement(entity, context) {
            Some(Replacement::Definition(binding)) if !self.is_replaced_by_itself(entity, binding) => {
                let through = self.context_through(ContextId::ROOT, spec.via(binding.via));
                return self.body_of_entity(binding.entity, through, primed);
            }
            Some(Replacement::Value(_) | Replacement::Table(_)) => return None,
            Some(Replacement::Definition(_)) | None => {}
        }
        match &spec.entity(entity).kind {
            EntityKind::Operator { params, body, .. } if params.is_empty() => Some((
                At {
                    tree: spec.entity(entity).tree,
                    context,
                    primed,
                },
                *body,
            )),
            EntityKind::Variable | EntityKind::Constant => {
                match self.substituted_operator(entity, context)? {
                    (SubstitutedBy::Expr(tree, expr), parent) => Some((
                        At {
                            tree,
                            context: parent,
                            primed,
                        },
                        expr,
                    )),
                    (SubstitutedBy::SameName(binding), parent) => {
                        let through = self.context_through(parent, spec.via(binding.via));
                        self.body_of_entity(binding.entity, through, primed)
                    }
                }
            }
            _ => None,
        }
    }

    /// Whether an expression is a name or path without arguments and selectors.
    pub(super) fn is_plain_path(&self, at: At, id: ExprId) -> bool {
        match &self.spec.tree(at.tree).expr(id).kind {
            ExprKind::Apply(_, args) => args.is_empty(),
            ExprKind::Path(segments) => segments
                .iter()
                .all(|segment| matches!(segment.kind, SegmentKind::Name(_)) && segment.args.is_empty()),
            _ => false,
        }
    }
}
