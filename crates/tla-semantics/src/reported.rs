//! Reported errors, so that one mistake is reported once.
//!
//! A mistake has consequences: a misspelled declaration makes every use undefined, a prime in `vars` makes every `[Next]_vars`
//! wrong. A consequence is counted but not reported again, or becomes a label of the first diagnostic. Only certain consequences
//! are left out: a second message is better than a missing one.

use omnilink_tla_syntax::ast::Ident;
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic, nearest};
use omnilink_tla_syntax::names::Name;
use omnilink_tla_syntax::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::analyzer::Analyzer;
use super::application::count;
use super::built_in;
use super::entity::*;
use super::unknown::{NotExtended, Unknown};

/// Diagnostics after this many are not shown, so no advice is computed for them.
const MAX_ADVICE: usize = 200;

/// The maximum number of labels of one diagnostic.
const MAX_LABELS: usize = 8;

/// Reported errors. A `usize` is an index into the list of diagnostics.
#[derive(Debug, Default)]
pub(super) struct Reported {
    /// The number of errors found, reported or not.
    pub errors: usize,
    /// Their number before the current unit.
    pub before_unit: usize,
    /// Undefined names.
    pub undefined: FxHashMap<Name, usize>,
    /// Those of them that no built-in module defines, in the order they were found.
    pub unknown: Vec<Unknown>,
    pub not_extended: Vec<NotExtended>,
    /// Definitions applied to the wrong number of arguments.
    wrong_arity: FxHashMap<EntityId, usize>,
    missing_modules: FxHashSet<Name>,
    /// Names used through an instance of a module that does not define them.
    not_exported: FxHashSet<(ModuleId, Name)>,
    /// Names introduced twice.
    pub redefined: FxHashMap<(ModuleId, Name), usize>,
    /// Definitions whose level caused an error.
    pub raised: FxHashMap<EntityId, usize>,
    /// Parameters whose arguments had too high a level.
    pub narrowed: FxHashMap<EntityId, usize>,
    /// Definitions with errors in them.
    pub erroneous: FxHashSet<EntityId>,
    /// Entities whose name is introduced twice, so that uses may mean the other one.
    pub conflicting: FxHashSet<EntityId>,
    /// Errors about units between a RECURSIVE and the definition of the first name it announces.
    pub between: FxHashMap<EntityId, usize>,
    /// Diagnostics merged into others.
    pub merged: FxHashSet<usize>,
    /// Modules with errors in them.
    pub erroneous_modules: FxHashSet<ModuleId>,
}

impl Analyzer<'_> {
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.is_error() {
            self.reported.errors += 1;
        }
        self.diagnostics.push(diagnostic);
    }

    pub fn error(&mut self, class: Class, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.report(Diagnostic::error(class, self.source(), span, message).help(help));
    }

    /// Marks a definition as erroneous if there are more than `before` errors.
    pub fn note_errors(&mut self, entity: EntityId, before: usize) {
        if self.reported.errors > before {
            self.reported.erroneous.insert(entity);
        }
    }

    /// Whether an entity has errors or a conflicting name, so that it may not be what was meant.
    pub fn is_unreliable(&self, entity: EntityId) -> bool {
        self.reported.erroneous.contains(&entity) || self.is_conflicting(entity)
    }

    pub fn is_conflicting(&self, entity: EntityId) -> bool {
        self.reported.conflicting.contains(&entity)
    }

    /// Whether the next diagnostic will be shown and so needs advice.
    pub fn is_advice_wanted(&self) -> bool {
        self.diagnostics.len() < MAX_ADVICE
    }

    /// Adds a label to a diagnostic, up to the maximum.
    pub fn add_label(&mut self, diagnostic: usize, span: Span, message: impl Into<String>) {
        let source = self.source();
        self.reported.errors += 1;
        let Some(known) = self.diagnostics.get_mut(diagnostic) else {
            return;
        };
        let is_there = (known.source, known.span) == (source, span)
            || known.labels.iter().any(|l| (l.source, l.span) == (source, span));
        if !is_there && known.labels.len() < MAX_LABELS {
            *known = known.clone().label(source, span, message);
        }
    }

    /// Reports a name that is already defined, once per module and name.
    pub fn redefined(&mut self, name: Name, span: Span, by: EntityId) {
        // An unknown name has been reported.
        if matches!(self.spec.entity(by).kind, EntityKind::Unknown) {
            self.reported.errors += 1;
            return;
        }
        self.reported.conflicting.insert(by);
        let text = self.text(name);
        if let Some(known) = self.reported.redefined.get(&(self.module, name)).copied() {
            self.add_label(known, span, format!("`{text}` is introduced again here"));
            return;
        }
        let number = self.diagnostics.len();
        self.reported.redefined.insert((self.module, name), number);
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
                .help("TLA+ has no shadowing: choose another name, or remove one of the two")
        };
        self.report(diagnostic);
    }

    /// Reports a wrong number of arguments.
    pub(super) fn wrong_count(&mut self, entity: EntityId, given: usize, span: Span) {
        let known = self.spec.entity(entity);
        let (wanted, text) = (known.arity as usize, self.text(known.name));
        let are_given = match given {
            0 => "none is given".into(),
            1 => "1 is given".into(),
            n => format!("{n} are given"),
        };
        let message = format!("`{text}` takes {}, but {are_given}", count(wanted));
        let mut diagnostic = Diagnostic::error(Class::Arity, self.source(), span, message);
        if wanted == 0 && !matches!(known.kind, EntityKind::Instance(_)) {
            diagnostic = diagnostic.help(format!("a function is applied with brackets: `{text}[…]`"));
        }
        if given == 0 && wanted > 0 {
            let underscores = vec!["_"; wanted].join(", ");
            diagnostic = diagnostic.help(format!(
                "write `{text}(…)`; an operator alone may only be an argument declared as `Op({underscores})`"
            ));
        }
        self.wrong_arity(entity, diagnostic);
    }

    /// Whether an entity is from a built-in module.
    pub(super) fn is_library(&self, entity: EntityId) -> bool {
        let tree = self.spec.entity(entity).tree;
        self.resolution.files.is_library.get(tree.0 as usize) == Some(&true)
    }

    /// Reports a wrong number of arguments. All such uses of a definition of the user's are one diagnostic, because the
    /// definition may be the mistake.
    pub(super) fn wrong_arity(&mut self, entity: EntityId, diagnostic: Diagnostic) {
        if self.is_conflicting(entity) {
            self.reported.errors += 1;
            return;
        }
        let known = self.spec.entity(entity);
        if matches!(known.kind, EntityKind::BuiltIn(_)) {
            self.report(diagnostic);
            return;
        }
        if let Some(earlier) = self.reported.wrong_arity.get(&entity).copied() {
            self.add_label(earlier, diagnostic.span, "and here");
            return;
        }
        if !self.is_library(entity) {
            self.reported.wrong_arity.insert(entity, self.diagnostics.len());
        }
        let (source, span) = (known.source, known.span);
        self.report(diagnostic.label(source, span, "defined here"));
    }

    /// Reports a missing module, once.
    pub fn no_module(&mut self, ident: Ident) {
        if !self.reported.missing_modules.insert(ident.name) {
            self.reported.errors += 1;
            return;
        }
        let name = self.text(ident.name);
        let known = built_in::MODULES.iter().map(|(name, _)| *name);
        let near: Vec<String> = (self.resolution.files.user.keys().chain(self.scope.modules.keys()))
            .map(|name| self.text(*name))
            .collect();
        let near = known.chain(near.iter().map(String::as_str));
        let help = match nearest(&name, near.filter(|_| self.is_advice_wanted())) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("put {name}.tla next to the spec, or name its folder with -L"),
        };
        let message = format!("there is no module {name}");
        self.error(Class::Module, ident.span, message, help);
    }

    /// Reports a name that a module does not export, once.
    pub fn not_exported(&mut self, module: ModuleId, name: Name, span: Span) {
        let home = self.spec.module(module);
        let text = self.spec.names.text(name);
        // An error in the module may have removed the definition.
        let is_consequence = home.incomplete
            || self.reported.erroneous_modules.contains(&module)
            || self.reported.undefined.contains_key(&name);
        if is_consequence || !self.reported.not_exported.insert((module, name)) {
            self.reported.errors += 1;
            return;
        }
        let called = self.spec.names.text(home.name);
        let names = home.exports.iter().filter(|_| self.is_advice_wanted());
        let near = nearest(text, names.map(|(n, _)| self.spec.names.text(*n)));
        let help = match near {
            _ if home.scope.contains_key(&name) => format!(
                "`{text}` is LOCAL to module {called} or declared there, and not visible through an instance"
            ),
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("look at what module {called} defines"),
        };
        let message = format!("`{text}` is not defined by module {called}");
        self.error(Class::Undefined, span, message, help);
    }
}
