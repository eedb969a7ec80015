//! Definitions that use themselves and are not announced.
//!
//! One RECURSIVE announces several operators. Where it is left out, each of them is used too early, inside its own
//! definition or before: that is one line, and one mistake. A name that is used too early and whose definition does not
//! use itself is a definition in the wrong place.

use super::analyzer::Analyzer;
use super::unknown::Late;
use crate::syntax::ast::ExprKind;

impl Analyzer<'_> {
    /// Puts together the recursive definitions of each module that are not announced.
    pub(super) fn join_unannounced(&mut self) {
        let late: Vec<Late> = self.said.late.clone();
        let recursive: Vec<&Late> = late.iter().filter(|late| self.uses_itself(late)).collect();
        for (at, later) in recursive.iter().enumerate() {
            let first = recursive
                .iter()
                .take(at)
                .find(|first| first.module == later.module);
            if let Some(first) = first {
                self.add_to(first.diagnostic, later.diagnostic);
            }
        }
    }

    /// Whether the definition of a name uses the name.
    fn uses_itself(&self, late: &Late) -> bool {
        let tree = self.spec.module(late.module).tree;
        let Some(tree) = self.trees.get(tree.0 as usize).filter(|_| !late.is_own) else {
            return late.is_own;
        };
        let span = tree.unit(late.definition).span;
        tree.exprs.iter().any(|expr| {
            let is_inside = span.start <= expr.span.start && expr.span.end <= span.end;
            is_inside && matches!(&expr.kind, ExprKind::Apply(ident, _) if ident.name == late.name)
        })
    }
}
