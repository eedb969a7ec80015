//! Mistakes: one is said once.
//!
//! A mistake seldom comes alone: a misspelled declaration makes every use undefined, a prime in `vars` makes every
//! `[Next]_vars` wrong, a module with mistakes cannot be instantiated properly. What follows from a mistake that has been
//! said is not said again, or becomes a second place of the same diagnostic. What is independent of it is: two mistakes
//! in two definitions are two diagnostics.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::analyzer::Analyzer;
use super::built_in;
use super::entity::*;
use super::miscount::Miscounted;
use super::unknown::{Late, NotExtended, Unknown};
use crate::diagnostic::{Class, Diagnostic, nearest};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::ast::{ExprId, Ident, UnitId};

/// Beyond this many, diagnostics are not shown and need no advice, which takes time to find.
const MAX_ADVICE: usize = 200;

/// How many further places of one mistake are shown.
const MAX_LABELS: usize = 3;

/// What has been said. Numbers are places in the list of diagnostics.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// How many mistakes were met, said or not.
    pub mistakes: usize,
    /// How many there were before the current unit.
    pub before_unit: usize,
    pub undefined: FxHashMap<Name, usize>,
    /// Of those, the ones that nobody can place, in the order they were met.
    pub unknown: Vec<Unknown>,
    pub unknown_at: FxHashMap<Name, usize>,
    pub not_extended: Vec<NotExtended>,
    /// Substitutions for what an instantiated module does not have.
    pub no_target: FxHashMap<(TreeId, ExprId), usize>,
    /// What was applied to the wrong number of arguments.
    pub miscounted: Vec<Miscounted>,
    missing_modules: FxHashSet<Name>,
    /// Modules that use others which cannot be found.
    no_folder: FxHashMap<ModuleId, usize>,
    /// Names that a module was asked for and does not define.
    not_exported: FxHashSet<(ModuleId, Name)>,
    /// Names that were taken when something wanted to introduce them.
    pub taken: FxHashMap<(ModuleId, Name), Taken>,
    /// Definitions with fewer parameters than were announced.
    pub short: Vec<(ModuleId, Taken)>,
    /// Definitions whose level is the cause of a mistake.
    pub raised: FxHashMap<EntityId, usize>,
    /// Formulas that stand where none of their level may: their places are mistakes, unless they are `raised` too.
    pub misused: Vec<(EntityId, usize)>,
    /// Diagnostics of which the second follows from the first.
    pub follows: Vec<(usize, usize)>,
    /// Parameters that arguments of too high a level were put in for.
    pub narrowed: FxHashMap<EntityId, usize>,
    /// Of mistakes about levels, the definitions that lead to the cause.
    pub raised_through: FxHashMap<usize, Vec<EntityId>>,
    /// Definitions with mistakes in them, and the diagnostics that say so.
    pub spoilt: FxHashMap<EntityId, Range<usize>>,
    /// What has a name that something else wants too: its uses may be meant for the other.
    pub disputed: FxHashSet<EntityId>,
    /// What stands between a RECURSIVE and the definition of the first name it announces.
    pub between: FxHashMap<EntityId, usize>,
    /// Names that are used before they are introduced.
    pub late: Vec<Late>,
    /// The module and unit of every error.
    pub origins: FxHashMap<usize, (ModuleId, UnitId)>,
    /// Of errors about names that are taken, what has the name.
    pub taken_by: FxHashMap<usize, EntityId>,
    /// What parameters and bound names of the user's definitions are called, known at the end.
    pub bound_names: FxHashSet<Name>,
    /// Diagnostics that turned out to follow from others.
    pub gone: FxHashSet<usize>,
    /// Diagnostics that another one tells.
    pub told: FxHashMap<usize, usize>,
    /// Modules with mistakes in them.
    pub spoilt_modules: FxHashSet<ModuleId>,
}

/// How far the walk was at some point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tally {
    mistakes: usize,
    diagnostics: usize,
}

/// A mistake that leaves a name without a meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// Its place in the list of diagnostics.
    pub diagnostic: usize,
    /// Where it was met.
    pub unit: UnitId,
}

impl Analyzer<'_> {
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.is_error() {
            self.said.mistakes += 1;
            self.said
                .origins
                .insert(self.diagnostics.len(), (self.module, self.unit));
        }
        self.diagnostics.push(diagnostic);
    }

    pub fn error(&mut self, class: Class, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.report(Diagnostic::error(class, self.source(), span, message).help(help));
    }

    /// How many mistakes were met and how many diagnostics there are, to be asked again later.
    pub fn tally(&self) -> Tally {
        Tally {
            mistakes: self.said.mistakes,
            diagnostics: self.diagnostics.len(),
        }
    }

    /// Notes a definition in which mistakes were met since `before`.
    pub fn note_mistakes(&mut self, entity: EntityId, before: Tally) {
        if self.said.mistakes > before.mistakes {
            let said = before.diagnostics..self.diagnostics.len();
            self.said.spoilt.insert(entity, said);
        }
    }

    /// Whether what an entity is may not be what it was meant to be.
    pub fn is_spoilt(&self, entity: EntityId) -> bool {
        self.said.spoilt.contains_key(&entity) || self.is_disputed(entity)
    }

    pub fn is_disputed(&self, entity: EntityId) -> bool {
        self.said.disputed.contains(&entity)
    }

    /// Whether advice will be seen.
    pub fn is_advice_seen(&self) -> bool {
        self.diagnostics.len() < MAX_ADVICE
    }

    /// Adds a place to a diagnostic, as long as there are few.
    pub fn add_place(&mut self, diagnostic: usize, span: Span, message: impl Into<String>) {
        let source = self.source();
        self.said.mistakes += 1;
        let Some(known) = self.diagnostics.get_mut(diagnostic) else {
            return;
        };
        let is_there = (known.source, known.span) == (source, span)
            || known.labels.iter().any(|l| (l.source, l.span) == (source, span));
        if !is_there && known.labels.len() < MAX_LABELS {
            *known = known.clone().label(source, span, message);
        }
    }

    /// Reports a name that is taken, once in a module for everything that wants it: if one thing has the wrong name,
    /// all others are in its way. Several such names in one unit are one mistake too, a missing head or end.
    pub fn taken(&mut self, name: Name, span: Span, by: EntityId) {
        // What has the name may not be meant to have it: that has been said.
        if matches!(self.spec.entity(by).kind, EntityKind::Unknown) {
            self.said.mistakes += 1;
            return;
        }
        self.said.disputed.insert(by);
        let here = (self.module, self.unit);
        let mut taken = self.said.taken.iter();
        let known = taken.find(|((module, known), at)| {
            *module == self.module && (*known == name || (*module, at.unit) == here)
        });
        let known = known.map(|(_, known)| *known);
        let known = known.or_else(|| {
            let mut others = self.said.taken_by.iter();
            let is_language = matches!(self.spec.entity(by).kind, EntityKind::BuiltIn(_));
            let diagnostic = *others.find(|(_, other)| **other == by && !is_language)?.0;
            let unit = self.unit;
            Some(Taken { diagnostic, unit })
        });
        if let Some(known) = known {
            let message = format!("`{}` is introduced again here", self.text(name));
            self.add_place(known.diagnostic, span, message);
            self.said.taken.insert((self.module, name), known);
            return;
        }
        let new = Taken {
            diagnostic: self.diagnostics.len(),
            unit: self.unit,
        };
        self.said.taken.insert((self.module, name), new);
        self.said.taken_by.insert(new.diagnostic, by);
        let text = self.text(name);
        let earlier = self.spec.entity(by);
        let source = self.source();
        let diagnostic = if let EntityKind::BuiltIn(_) = earlier.kind {
            let message = format!("`{text}` is part of the language and cannot be defined again");
            Diagnostic::error(Class::Redefined, source, span, message).help("choose another name")
        } else {
            let message = format!("`{text}` is already defined or declared");
            let place = (earlier.source, earlier.span);
            Diagnostic::error(Class::Redefined, source, span, message)
                .label(place.0, place.1, "it is introduced here")
                .help("TLA+ has no shadowing: choose another name, or take one of the two out")
        };
        self.report(diagnostic);
    }

    /// Notes that the last diagnostic is about a module that the current one cannot use; others may be no modules for the
    /// same reason.
    pub fn note_no_module(&mut self) {
        let last = self.diagnostics.len().saturating_sub(1);
        self.said.no_folder.entry(self.module).or_insert(last);
    }

    /// Reports a module that is missing, once.
    pub fn no_module(&mut self, ident: Ident) {
        if !self.said.missing_modules.insert(ident.name) {
            self.said.mistakes += 1;
            return;
        }
        let name = self.text(ident.name);
        let known = built_in::MODULES.iter().map(|(name, _)| *name);
        let near: Vec<String> = (self.files.user.keys().chain(self.scope.modules.keys()))
            .map(|name| self.text(*name))
            .collect();
        let near = known.chain(near.iter().map(String::as_str));
        let help = match nearest(&name, near.filter(|_| self.is_advice_seen())) {
            Some(near) => format!("did you mean {near}?"),
            None => {
                // Modules that are not found are not found for one reason.
                if let Some(known) = self.said.no_folder.get(&self.module).copied() {
                    self.add_place(known, ident.span, format!("nor is there a module {name}"));
                    return;
                }
                self.said.no_folder.insert(self.module, self.diagnostics.len());
                format!("put {name}.tla next to the spec, or name its folder with -L")
            }
        };
        self.error(
            Class::Module,
            ident.span,
            format!("there is no module {name}"),
            help,
        );
    }

    /// Reports a name that an instance of a module does not give, once.
    pub fn not_exported(&mut self, module: ModuleId, name: Name, span: Span) {
        let home = self.spec.module(module);
        let text = self.spec.names.text(name);
        let names = home.exports.iter().filter(|_| self.is_advice_seen());
        let near = nearest(text, names.map(|(n, _)| self.spec.names.text(*n)));
        // A mistake in the module may have swallowed the definition.
        let mut taken = self.said.taken.keys();
        let is_disputed = taken.any(|(at, _)| *at == module);
        let is_swallowed = self.said.spoilt_modules.contains(&module) && (near.is_none() || is_disputed);
        let is_said = home.incomplete || is_swallowed || self.said.undefined.contains_key(&name);
        if is_said || !self.said.not_exported.insert((module, name)) {
            self.said.mistakes += 1;
            return;
        }
        let called = self.spec.names.text(home.name);
        let help = if home.scope.contains_key(&name) {
            format!(
                "`{text}` is LOCAL to module {called} or declared there, and not visible through an instance"
            )
        } else {
            match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("look at what module {called} defines"),
            }
        };
        let message = format!("`{text}` is not defined by module {called}");
        self.error(Class::Undefined, span, message, help);
    }
}
