//! Grouping of unknown names: those with one cause become one diagnostic.
//!
//! A missing declaration makes every name that it would declare unknown. So the unknown names of a file are reported together, in two
//! groups: those used as variables, and all others. A name that resembles a known one is a misspelling and is reported
//! separately with advice.

use omnilink_tla_syntax::ast::{ExprId, ExprKind, Tree};
use omnilink_tla_syntax::names::Name;
use omnilink_tla_syntax::operators::Op;
use rustc_hash::FxHashSet;

use super::analyzer::Analyzer;
use super::entity::*;
use super::unknown::Unknown;

/// The maximum number of names and spans shown in one diagnostic.
const MAX_NAMES: usize = 8;

impl Analyzer<'_> {
    /// Merges diagnostics that have one cause, after the whole spec is resolved.
    pub(super) fn merge_diagnostics(&mut self) {
        if self.is_advice_wanted() {
            self.merge_unknown_names();
        }
        let merged = &self.reported.merged;
        let mut number = 0..;
        self.diagnostics
            .retain(|_| number.next().is_none_or(|number| !merged.contains(&number)));
    }

    fn merge_unknown_names(&mut self) {
        let mut missing = std::mem::take(&mut self.reported.unknown);
        missing.retain(|name| !name.is_misspelled);
        let variables = self.names_used_as_variables();
        let mut files: Vec<TreeId> = missing.iter().map(|name| name.tree).collect();
        files.dedup();
        for file in files {
            let of_file = missing.iter().filter(|name| name.tree == file).cloned();
            let (varying, others): (Vec<_>, Vec<_>) =
                of_file.partition(|name| variables.contains(&name.name));
            self.merge_names(&varying, |names| {
                format!("is a declaration missing? `VARIABLES {names}`")
            });
            self.merge_names(&others, |names| {
                format!("is a declaration missing (`CONSTANTS {names}`), or an EXTENDS, an INSTANCE or a definition?")
            });
        }
    }

    /// Makes one diagnostic of several unknown names.
    fn merge_names(&mut self, missing: &[Unknown], help: impl Fn(&str) -> String) {
        let [first, others @ ..] = missing else {
            return;
        };
        if others.is_empty() {
            return;
        }
        let shown = missing.iter().take(MAX_NAMES);
        let shown: Vec<&str> = shown.map(|name| self.spec.names.text(name.name)).collect();
        let help = help(&shown.join(", "));
        let more = match missing.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let listed = match shown.as_slice() {
            [init @ .., last] if more.is_empty() => format!("{}` and `{last}", init.join("`, `")),
            all => all.join("`, `"),
        };
        let message = format!("`{listed}`{more} are not defined");
        let places: Vec<_> = others
            .iter()
            .take(MAX_NAMES)
            .filter_map(|name| self.diagnostics.get(name.diagnostic))
            .map(|diagnostic| (diagnostic.source, diagnostic.span, diagnostic.message.clone()))
            .collect();
        if let Some(diagnostic) = self.diagnostics.get_mut(first.diagnostic) {
            diagnostic.message = message;
            diagnostic.help = Some(help);
            for (source, span, message) in places {
                *diagnostic = diagnostic.clone().label(source, span, message);
            }
        }
        let merged = others.iter().map(|name| name.diagnostic);
        self.reported.merged.extend(merged);
    }

    /// Names used as variables: primed, in UNCHANGED, in a subscript, or in a tuple with such names.
    fn names_used_as_variables(&self) -> FxHashSet<Name> {
        let mut names = FxHashSet::default();
        let mut tuples = Vec::new();
        for tree in self.trees {
            for (number, expr) in tree.exprs.iter().enumerate() {
                match &expr.kind {
                    ExprKind::Tuple(_) => {
                        let mut tuple = FxHashSet::default();
                        collect_names(tree, ExprId(number as u32), &mut tuple);
                        tuples.push(tuple);
                    }
                    ExprKind::Postfix(Op::Prime, part)
                    | ExprKind::Prefix(Op::Unchanged, part)
                    | ExprKind::Action(_, _, part)
                    | ExprKind::Fairness(_, part, _) => collect_names(tree, *part, &mut names),
                    _ => {}
                }
            }
        }
        for tuple in tuples
            .iter()
            .filter(|tuple| !tuple.is_disjoint(&names))
            .collect::<Vec<_>>()
        {
            names.extend(tuple);
        }
        names
    }
}

/// The plain name at `id`, or those of a tuple.
fn collect_names(tree: &Tree, id: ExprId, names: &mut FxHashSet<Name>) {
    match &tree.expr(id).kind {
        ExprKind::Apply(ident, args) if args.is_empty() => {
            names.insert(ident.name);
        }
        ExprKind::Tuple(parts) => parts.iter().for_each(|part| collect_names(tree, *part, names)),
        _ => {}
    }
}
