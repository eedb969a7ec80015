//! Decomposition of the next-state relation into actions.
//!
//! `Next` is decomposed at `\/`, `\E` and definitions that consist of nothing else. What remains is an action, named after the definition
//! it is in. A counterexample shows the definition's parameters, the names bound around the action in it, and those that the action
//! itself binds by `\E` and LET.

use omnilink_tla_semantics::entity::{EntityKind, Resolved};
use omnilink_tla_syntax::ast::{ExprId, ExprKind, Junction, Quantifier};
use omnilink_tla_syntax::operators::Op;

use super::{At, Lowering, guessed_set};
use crate::{ActionInfo, Kind, Node, Uses};

impl Lowering<'_> {
    /// A part of the next-state relation, inside the definition of the given name.
    pub(super) fn action(&mut self, at: At, id: ExprId, name: &str) -> Node {
        let spec = self.spec;
        let loc = self.loc(at.tree, id);
        match &spec.tree(at.tree).expr(id).kind {
            ExprKind::Paren(inner) | ExprKind::Label(_, _, inner) => self.action(at, *inner, name),
            ExprKind::Junction(Junction::Or, items) => {
                let parts = items.iter().map(|item| self.action(at, *item, name)).collect();
                disjunction(parts, loc)
            }
            ExprKind::Infix(Op::Or, _, left, right) => {
                let parts = vec![self.action(at, *left, name), self.action(at, *right, name)];
                disjunction(parts, loc)
            }
            ExprKind::Quantified(Quantifier::Exists, bounds, body) => {
                let exists = |bounded| Kind::Exists(guessed_set::narrowed(bounded));
                let bound = spec.binders.get(&(at.tree, id)).map_or(&[][..], |bound| bound);
                let body = |this: &mut Self| {
                    let frame = this.frame();
                    let outer = frame.around_action.len();
                    let slots = bound
                        .iter()
                        .filter_map(|entity| Some(frame.name_slot(*entity)?.slot));
                    let slots: Vec<u32> = slots.collect();
                    frame.around_action.extend(slots);
                    let body = this.action(at, *body, name);
                    this.frame().around_action.truncate(outer);
                    body
                };
                self.binder_with(at, id, bounds, body, exists)
            }
            ExprKind::Apply(..) | ExprKind::Path(..) if self.leads_to_action(at, id) => {
                self.named(at, id, None, true)
            }
            _ => {
                let body = self.expr(at, id);
                self.marked(body, name)
            }
        }
    }

    fn leads_to_action(&self, at: At, id: ExprId) -> bool {
        let entity = match self.spec.resolved(at.tree, id) {
            Resolved::Entity(entity) => entity,
            Resolved::Reference(number) => match self.spec.references.get(number as usize) {
                Some(reference) if reference.part.is_none() => reference.entity,
                _ => return false,
            },
            Resolved::Nothing => return false,
        };
        matches!(
            self.spec.entity(entity).kind,
            EntityKind::Operator { recursive: false, .. }
        )
    }

    fn marked(&mut self, body: Node, name: &str) -> Node {
        let action = self.actions.len() as u32;
        let frame = self.frame();
        let mut slots = frame.around_action.clone();
        slots.extend(frame.captures.iter().map(|(_, slot)| *slot));
        let mut defined = Vec::new();
        slots_of_steps(&body, &mut slots, &mut defined);
        slots.extend(&defined);
        slots.sort_unstable();
        slots.dedup();
        let bindings = slots.into_iter().map(|slot| (frame.name(slot).into(), slot));
        let bindings = bindings.collect();
        self.actions.push(ActionInfo {
            name: name.into(),
            at: body.at,
            bindings,
            defined: defined.into(),
        });
        Node {
            at: body.at,
            uses: body.uses,
            kind: Kind::Action(action, Box::new(body)),
        }
    }
}

/// The slots of names inside an action that have their values when a step is complete: those that are chosen, and those that LET defines.
/// Other quantifiers in it leave in their slots what they tried last.
fn slots_of_steps(node: &Node, chosen: &mut Vec<u32>, defined: &mut Vec<u32>) {
    if !node.uses.next {
        return;
    }
    match &node.kind {
        Kind::And(parts) | Kind::Or(parts) => parts
            .iter()
            .for_each(|part| slots_of_steps(part, chosen, defined)),
        Kind::If(parts) => {
            slots_of_steps(&parts.1, chosen, defined);
            slots_of_steps(&parts.2, chosen, defined);
        }
        Kind::Case(arms, other) => {
            let results = arms.iter().map(|(_, result)| result).chain(other.as_deref());
            results.for_each(|result| slots_of_steps(result, chosen, defined));
        }
        Kind::Exists(bounded) => {
            chosen.extend(bounded.slots());
            slots_of_steps(&bounded.body, chosen, defined);
        }
        Kind::Let(slots, body) => {
            defined.extend(slots.iter().map(|(slot, _)| *slot));
            slots_of_steps(body, chosen, defined);
        }
        _ => {}
    }
}

fn disjunction(parts: Vec<Node>, at: crate::Loc) -> Node {
    let uses = parts
        .iter()
        .fold(Uses::default(), |uses, part| uses.and(part.uses));
    Node {
        kind: Kind::Or(parts.into()),
        at,
        uses,
    }
}
