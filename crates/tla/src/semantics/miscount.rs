//! Wrong numbers of arguments.
//!
//! Where a definition takes another number of arguments than it is given, either the definition or its uses are wrong.
//! Both are one mistake with several places, so all wrong uses of one definition are one diagnostic, at the first of
//! them. What the program itself defines is right: there each wrong use is a mistake of its own.
//!
//! A definition that lacks a parameter has an unknown name in its body, and then no use fits: that has been said. Where
//! some uses fit, or a parameter is there that nobody expects, the unknown name is a mistake of its own.

use rustc_hash::FxHashMap;

use super::analyzer::Analyzer;
use super::application::count;
use super::entity::*;
use super::grouping::Slip;
use super::unknown::Unknown;
use crate::diagnostic::{Class, Diagnostic};
use crate::names::Name;
use crate::source::{SourceId, Span};

/// How many wrong uses are shown besides the first.
const MAX_USES: usize = 8;

/// A definition that is given wrong numbers of arguments.
#[derive(Debug)]
pub(super) struct Miscounted {
    entity: EntityId,
    /// Its place in the list of diagnostics.
    diagnostic: usize,
    uses: Vec<WrongUse>,
}

#[derive(Clone, Copy, Debug)]
struct WrongUse {
    source: SourceId,
    span: Span,
    given: usize,
}

/// What is given, as a part of a sentence.
fn are_given(given: usize) -> String {
    match given {
        0 => "none is given".into(),
        1 => "1 is given".into(),
        n => format!("{n} are given"),
    }
}

impl Analyzer<'_> {
    /// Reports a wrong number of arguments.
    pub(super) fn wrong_count(&mut self, entity: EntityId, given: usize, span: Span) {
        let known = self.spec.entity(entity);
        let (wanted, text) = (known.arity as usize, self.text(known.name));
        let message = format!("`{text}` takes {}, but {}", count(wanted), are_given(given));
        let may_be_function = wanted == 0 && !matches!(known.kind, EntityKind::Instance(_));
        let mut diagnostic = Diagnostic::error(Class::Arity, self.source(), span, message);
        if may_be_function {
            diagnostic = diagnostic.help(format!("a function is applied with brackets: `{text}[…]`"));
        }
        if given == 0 && wanted > 0 {
            let underscores = vec!["_"; wanted].join(", ");
            diagnostic = diagnostic.help(format!(
                "write `{text}(…)`; an operator alone may only be an argument declared as `Op({underscores})`"
            ));
        }
        self.miscounted(entity, given, diagnostic);
    }

    /// Whether an entity is from a module of the program.
    pub(super) fn is_ours(&self, entity: EntityId) -> bool {
        let tree = self.spec.entity(entity).tree;
        self.files.is_library.get(tree.0 as usize) == Some(&true)
    }

    /// Reports that something does not take as many arguments as it is given or would be, once for all such uses.
    pub(super) fn miscounted(&mut self, entity: EntityId, given: usize, diagnostic: Diagnostic) {
        let known = self.spec.entity(entity);
        // If two things have one name, the uses of one may be meant for the other.
        let is_taken = self.said.taken.contains_key(&(self.module, known.name));
        if is_taken || self.is_disputed(entity) {
            self.said.mistakes += 1;
            return;
        }
        let (source, span) = (known.source, known.span);
        let is_language = matches!(known.kind, EntityKind::BuiltIn(_));
        if is_language || self.is_ours(entity) {
            let shown = !is_language;
            self.report(if shown {
                diagnostic.label(source, span, "defined here")
            } else {
                diagnostic
            });
            return;
        }
        let new = WrongUse {
            source: diagnostic.source,
            span: diagnostic.span,
            given,
        };
        let mut miscounted = self.said.miscounted.iter_mut();
        if let Some(earlier) = miscounted.find(|m| m.entity == entity) {
            earlier.uses.push(new);
            self.said.mistakes += 1;
            return;
        }
        self.said.miscounted.push(Miscounted {
            entity,
            diagnostic: self.diagnostics.len(),
            uses: vec![new],
        });
        self.report(diagnostic.label(source, span, "defined here"));
    }

    /// Whether a mistake in a definition says already that its parameters are not what its uses expect.
    fn lacks_parameter(
        &self,
        entity: EntityId,
        given: usize,
        unknown: &[Unknown],
        slips: &FxHashMap<Name, Slip>,
    ) -> bool {
        let Some(said) = self.said.spoilt.get(&entity) else {
            return false;
        };
        let lacks = given > self.spec.entity(entity).arity as usize;
        let mut inside = unknown.iter().filter(|name| said.contains(&name.diagnostic));
        let is_unused = |name: &Unknown| matches!(slips.get(&name.name), Some(Slip::Unused(_)));
        // Nothing new may have been said because the names are unknown in another definition too.
        let is_late = self.said.late.iter().any(|late| said.contains(&late.diagnostic));
        let is_taken = said
            .clone()
            .any(|number| self.said.taken_by.contains_key(&number));
        said.is_empty() || is_taken || (lacks && is_late) || inside.any(|name| lacks || is_unused(name))
    }

    /// Says of every definition with several wrong uses how many there are, and which side is the likelier mistake.
    pub(super) fn sum_up_counts(
        &mut self,
        references: &FxHashMap<EntityId, usize>,
        unknown: &[Unknown],
        slips: &FxHashMap<Name, Slip>,
    ) {
        for Miscounted {
            entity,
            diagnostic,
            uses,
        } in std::mem::take(&mut self.said.miscounted)
        {
            let Some(first) = uses.first() else {
                continue;
            };
            let (wrong, given) = (uses.len(), first.given);
            let all = references.get(&entity).copied().unwrap_or(0).max(wrong);
            if wrong == all && self.lacks_parameter(entity, given, unknown, slips) {
                self.said.gone.insert(diagnostic);
                continue;
            }
            if wrong == 1 {
                continue;
            }
            let agree = uses.iter().all(|wrong| wrong.given == given);
            let known = self.spec.entity(entity);
            let text = self.spec.names.text(known.name);
            let which = if wrong == all {
                format!("all {all} uses")
            } else {
                format!("{wrong} of {all} uses")
            };
            let what = match (agree, given) {
                (true, 0) => "give none".into(),
                (true, given) => format!("give {given}"),
                (false, _) => "give another number".to_owned(),
            };
            let message = format!(
                "`{text}` takes {}, but {which} {what}",
                count(known.arity as usize)
            );
            let Some(shown) = self.diagnostics.get_mut(diagnostic) else {
                continue;
            };
            shown.message = message;
            if agree && wrong > all - wrong {
                shown.help = Some(format!(
                    "its uses agree with each other: is the definition of `{text}` what is wrong?"
                ));
            }
            for WrongUse { source, span, given } in uses.iter().skip(1).take(MAX_USES) {
                *shown = shown.clone().label(*source, *span, are_given(*given));
            }
        }
    }
}
