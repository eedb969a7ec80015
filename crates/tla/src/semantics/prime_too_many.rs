//! A prime too many in a formula.
//!
//! An action is of action level on purpose, so that each place where it may not stand is a mistake of its own. But a
//! formula that is an action by one prime only, and that nothing treats as an action, was not meant as one: without the
//! prime all the places are right. That is one mistake, whose cause is the prime.

use rustc_hash::FxHashSet;

use super::analyzer::Analyzer;
use super::entity::*;
use super::level::Level;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::operators::Op;

impl Analyzer<'_> {
    /// Puts together the misuses of every formula that has one prime too many.
    pub(super) fn join_misused(&mut self) {
        let mut misused = std::mem::take(&mut self.said.misused);
        misused.sort_unstable();
        let several: Vec<(EntityId, Vec<usize>)> = misused
            .chunk_by(|(cause, _), (next, _)| cause == next)
            .filter_map(|uses| {
                let cause = uses.first()?.0;
                let numbers = uses.iter().map(|(_, number)| *number);
                (uses.len() > 1).then(|| (cause, numbers.collect()))
            })
            .collect();
        self.said.misused = misused;
        if several.is_empty() {
            return;
        }
        let actions = self.used_as_actions();
        for (cause, numbers) in several {
            if actions.contains(&cause) {
                continue;
            }
            if let Some(prime) = self.only_prime(cause) {
                self.join_under_prime(cause, prime, &numbers);
            }
        }
    }

    fn join_under_prime(&mut self, cause: EntityId, prime: Span, numbers: &[usize]) {
        let [first, others @ ..] = numbers else { return };
        for other in others {
            self.add_to(*first, *other);
        }
        let teller = self.teller(*first);
        let source = self.spec.entity(cause).source;
        let place = self.spec.sources.get(source).place(prime.start);
        if let Some(diagnostic) = self.diagnostics.get_mut(teller) {
            *diagnostic = diagnostic
                .clone()
                .label(source, prime, "only because of this prime")
                .help(format!(
                    "one change mends all of this: take out `'` in line {}, column {}",
                    place.line, place.column
                ));
        }
    }

    /// The definitions that an action is made of somewhere: the parts of what stands in `[A]_v`, in a fairness
    /// condition, before or after `\cdot`, or after ENABLED.
    fn used_as_actions(&self) -> FxHashSet<EntityId> {
        let mut pending: Vec<(TreeId, ExprId)> = Vec::new();
        for (number, tree) in self.trees.iter().enumerate() {
            let number = TreeId(number as u32);
            for expr in &tree.exprs {
                match &expr.kind {
                    ExprKind::Action(_, action, _)
                    | ExprKind::Fairness(_, _, action)
                    | ExprKind::Prefix(Op::Enabled, action) => pending.push((number, *action)),
                    ExprKind::Infix(Op::Cdot, _, left, right) => {
                        pending.extend([(number, *left), (number, *right)]);
                    }
                    _ => {}
                }
            }
        }
        let mut found = FxHashSet::default();
        while let Some((tree, expr)) = pending.pop() {
            // What is primed is used as the value of a state, whatever it is.
            if self.spec.level(tree, expr) < Level::Action || self.is_primed(tree, expr) {
                continue;
            }
            let syntax = &self.trees[tree.0 as usize];
            syntax.for_each_child(expr, |child| pending.push((tree, child)));
            let Some(entity) = self.entity_at(tree, expr) else {
                continue;
            };
            if found.insert(entity)
                && let EntityKind::Operator { body, .. } = self.spec.entity(entity).kind
            {
                pending.push((self.spec.entity(entity).tree, body));
            }
        }
        found
    }

    fn is_primed(&self, tree: TreeId, expr: ExprId) -> bool {
        matches!(
            self.trees[tree.0 as usize].expr(expr).kind,
            ExprKind::Postfix(Op::Prime, _)
        )
    }

    /// Where the one prime is that makes an action of a definition; none if something else does, too.
    fn only_prime(&self, entity: EntityId) -> Option<Span> {
        let definition = self.spec.entity(entity);
        let EntityKind::Operator { body, .. } = definition.kind else {
            return None;
        };
        let tree = definition.tree;
        let syntax = &self.trees[tree.0 as usize];
        let mut prime = None;
        let mut pending = vec![body];
        while let Some(expr) = pending.pop() {
            if self.spec.level(tree, expr) < Level::Action {
                continue;
            }
            let before = pending.len();
            syntax.for_each_child(expr, |child| pending.push(child));
            let is_raised_below = pending.get(before..).is_some_and(|parts| {
                parts
                    .iter()
                    .any(|part| self.spec.level(tree, *part) >= Level::Action)
            });
            if is_raised_below {
                continue;
            }
            if prime.is_some() || !self.is_primed(tree, expr) {
                return None;
            }
            let end = syntax.expr(expr).span.end;
            prime = Some(Span::new(end.checked_sub(1)?, end));
        }
        prime
    }
}
