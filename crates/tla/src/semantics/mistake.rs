//! Mistakes: one is said once.
//!
//! A mistake seldom comes alone: a misspelled declaration makes every use undefined, a prime in `vars` makes every
//! `[Next]_vars` wrong, a module with mistakes cannot be instantiated properly. What follows from a mistake that has been
//! said is not said again, or becomes a second place of the same diagnostic. What is independent of it is: two mistakes
//! in two definitions are two diagnostics.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::analyzer::Analyzer;
use super::built_in;
use super::entity::*;
use super::search_path::built_in_text;
use crate::diagnostic::{Class, Diagnostic, nearest};
use crate::names::Name;
use crate::source::{SourceId, Span};
use crate::syntax::ast::{Ident, UnitId, UnitKind};
use crate::syntax::tokenize;

/// Beyond this many, diagnostics are not shown and need no advice, which takes time to find.
const MAX_ADVICE: usize = 200;

/// How many further places of one mistake are shown.
const MAX_LABELS: usize = 3;

/// Standard modules of which each contains the ones before it.
const NUMBERS: [&str; 3] = ["Naturals", "Integers", "Reals"];

/// What has been said. Numbers are places in the list of diagnostics.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// How many mistakes were met, said or not.
    pub mistakes: usize,
    /// How many there were before the current unit.
    pub before_unit: usize,
    undefined: FxHashMap<Name, usize>,
    not_extended: Vec<NotExtended>,
    missing_modules: FxHashSet<Name>,
    /// Names that a module was asked for and does not define.
    not_exported: FxHashSet<(ModuleId, Name)>,
    /// Names that were taken when a unit wanted to introduce them.
    taken: FxHashSet<(EntityId, ModuleId, UnitId)>,
    /// Definitions whose level is the cause of a mistake.
    pub raised: FxHashMap<EntityId, usize>,
    /// Definitions with mistakes in them.
    pub spoilt: FxHashSet<EntityId>,
    /// Modules with mistakes in them.
    pub spoilt_modules: FxHashSet<ModuleId>,
}

/// Modules of the program that should have been extended.
#[derive(Debug)]
struct NotExtended {
    /// The diagnostic of the first name that is missing.
    diagnostic: usize,
    /// Whether the module that misses it extends nothing at all: then what it misses is one line.
    no_line: bool,
    modules: Vec<&'static str>,
}

impl NotExtended {
    /// Whether a name from a module is missing for the same reason.
    fn covers(&self, module: &str) -> bool {
        let is_number = |module: &str| NUMBERS.contains(&module);
        let same = |known: &&str| *known == module || (is_number(known) && is_number(module));
        self.no_line || self.modules.iter().any(same)
    }

    fn add(&mut self, module: &'static str) {
        let rank = |module: &str| NUMBERS.iter().position(|m| *m == module);
        let known = self
            .modules
            .iter_mut()
            .find(|known| **known == module || (rank(known).is_some() && rank(module).is_some()));
        match known {
            Some(known) if rank(known) < rank(module) => *known = module,
            Some(_) => {}
            None => self.modules.push(module),
        }
    }

    fn advice(&self) -> String {
        let modules = self.modules.join(", ");
        match self.modules.as_slice() {
            _ if self.no_line => format!("add `EXTENDS {modules}` after the module's header"),
            _ => format!("module {modules} defines it: add {modules} to EXTENDS"),
        }
    }
}

impl Analyzer<'_> {
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.said.mistakes += usize::from(diagnostic.is_error());
        self.diagnostics.push(diagnostic);
    }

    pub fn error(&mut self, class: Class, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.report(Diagnostic::error(class, self.source(), span, message).help(help));
    }

    /// Notes a definition in which mistakes were met since `before`.
    pub fn note_mistakes(&mut self, entity: EntityId, before: usize) {
        if self.said.mistakes > before {
            self.said.spoilt.insert(entity);
        }
    }

    pub fn is_spoilt(&self, entity: EntityId) -> bool {
        self.said.spoilt.contains(&entity)
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

    /// Reports a name that is taken, once in a unit for everything that wants it.
    pub fn taken(&mut self, name: Name, span: Span, by: EntityId) {
        if !self.said.taken.insert((by, self.module, self.unit)) {
            self.said.mistakes += 1;
            return;
        }
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

    /// What a name means here. An unknown name is reported, once in the whole spec.
    pub fn lookup(&mut self, ident: Ident) -> Option<Binding> {
        let binding = self.scope.get(ident.name);
        if binding.is_none() {
            self.undefined(ident);
        }
        binding
    }

    fn undefined(&mut self, ident: Ident) {
        if self.incomplete {
            self.said.mistakes += 1;
            return;
        }
        if let Some(known) = self.said.undefined.get(&ident.name).copied() {
            self.said.mistakes += 1;
            let elsewhere = self.diagnostics.get(known).map(|d| d.source) != Some(self.source());
            if elsewhere {
                self.add_place(known, ident.span, "nor is it defined here");
            }
            return;
        }
        let text = self.text(ident.name);
        let message = format!("`{text}` is not defined");
        let diagnostic = Diagnostic::error(Class::Undefined, self.source(), ident.span, message);
        let number = self.diagnostics.len();
        if !self.is_advice_seen() {
            self.said.undefined.insert(ident.name, number);
            self.report(diagnostic);
        } else if let Some(foreign) = translation(&text) {
            self.said.undefined.insert(ident.name, number);
            self.report(diagnostic.help(foreign));
        } else if let Some(later) = self.defined_later(ident.name) {
            self.said.undefined.insert(ident.name, number);
            let diagnostic = self.defined_too_late(diagnostic, ident.name, later);
            self.report(diagnostic);
        } else if let Some(module) = defining_module(&text).filter(|_| !self.is_module(ident.name)) {
            self.not_extended(ident, &text, module);
        } else {
            self.said.undefined.insert(ident.name, number);
            let help = self.suggestion(ident.name);
            self.report(diagnostic.help(help));
        }
    }

    /// The unit at or after the current one that defines a name in the same module.
    fn defined_later(&self, name: Name) -> Option<UnitId> {
        let module = self.tree().module(self.spec.module(self.module).index);
        let mut later = module.units.iter().filter(|unit| **unit >= self.unit);
        later
            .find(|unit| match &self.tree().unit(**unit).kind {
                UnitKind::Operator { name: defined, .. } => defined.ident.name == name,
                UnitKind::Function { name: defined, .. } | UnitKind::NamedInstance { name: defined, .. } => {
                    defined.name == name
                }
                UnitKind::Constants(declared) => declared.iter().any(|d| d.ident.name == name),
                UnitKind::Variables(declared) => declared.iter().any(|d| d.name == name),
                _ => false,
            })
            .copied()
    }

    /// Adds where a name is defined to the diagnostic that it is not defined yet.
    fn defined_too_late(&self, diagnostic: Diagnostic, name: Name, later: UnitId) -> Diagnostic {
        let text = self.spec.names.text(name);
        let unit = self.tree().unit(later);
        match &unit.kind {
            UnitKind::Operator { params, .. } if later == self.unit => {
                let blanks = vec!["_"; params.len()].join(", ");
                let head = if params.is_empty() {
                    text.to_owned()
                } else {
                    format!("{text}({blanks})")
                };
                diagnostic.help(format!(
                    "a definition that uses itself is announced: put `RECURSIVE {head}` before it"
                ))
            }
            _ => {
                let start = Span::new(unit.span.start, unit.span.start + 1);
                diagnostic
                    .label(self.source(), start, "it is introduced here, after its use")
                    .help("what is used comes first: move one of the two")
            }
        }
    }

    /// Reports a name that an unextended module of the program defines, once for each such module.
    fn not_extended(&mut self, ident: Ident, text: &str, module: &'static str) {
        let message = format!("`{text}` is not defined");
        let known = self
            .said
            .not_extended
            .iter_mut()
            .find(|known| known.covers(module));
        if let Some(known) = known {
            known.add(module);
            let (number, advice) = (known.diagnostic, known.advice());
            self.said.undefined.insert(ident.name, number);
            if let Some(diagnostic) = self.diagnostics.get_mut(number) {
                diagnostic.help = Some(advice);
            }
            self.add_place(number, ident.span, message);
            return;
        }
        let number = self.diagnostics.len();
        let index = self.spec.module(self.module).index;
        let new = NotExtended {
            diagnostic: number,
            no_line: self.tree().module(index).extends.is_empty(),
            modules: vec![module],
        };
        self.said.undefined.insert(ident.name, number);
        self.error(Class::Undefined, ident.span, message, new.advice());
        self.said.not_extended.push(new);
    }

    /// Notes that a name has no meaning here, and that the last diagnostic says so.
    pub fn note_undefined(&mut self, name: Name) {
        if self.scope.get(name).is_none() {
            let last = self.diagnostics.len().saturating_sub(1);
            self.said.undefined.entry(name).or_insert(last);
        }
    }

    /// Whether a name close to this one has been reported as undefined: probably this one was meant.
    pub fn is_missed(&self, name: Name) -> bool {
        let mut missed = self.said.undefined.keys().map(|name| self.spec.names.text(*name));
        let text = self.spec.names.text(name);
        let is_near = |missed: &str| nearest(text, std::iter::once(missed)).is_some();
        let are_letters = |missed: &str| text.len() == 1 && missed.len() == 1;
        self.is_advice_seen() && missed.any(|missed| is_near(missed) || are_letters(missed))
    }

    fn is_module(&self, name: Name) -> bool {
        self.scope.modules.contains_key(&name) || self.files.get(self.tree, name).is_some()
    }

    fn suggestion(&self, name: Name) -> String {
        let text = self.spec.names.text(name);
        if self.is_module(name) {
            return format!("{text} is a module: write `INSTANCE {text}`");
        }
        let known: Vec<&str> = self
            .scope
            .names()
            .map(|name| self.spec.names.text(name))
            .collect();
        match nearest(text, known.into_iter()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "define it before it is used, or extend the module that does".into(),
        }
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
            None => format!("put {name}.tla next to the spec, or name its folder with -L"),
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
        if home.incomplete || self.said.undefined.contains_key(&name) {
            self.said.mistakes += 1;
            return;
        }
        if !self.said.not_exported.insert((module, name)) {
            self.said.mistakes += 1;
            return;
        }
        let text = self.spec.names.text(name);
        let names = home.exports.iter().filter(|_| self.is_advice_seen());
        let names = names.map(|(n, _)| self.spec.names.text(*n));
        let called = self.spec.names.text(home.name);
        let help = if home.scope.contains_key(&name) {
            format!(
                "`{text}` is LOCAL to module {called} or declared there, and not visible through an instance"
            )
        } else {
            match nearest(text, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("look at what module {called} defines"),
            }
        };
        let message = format!("`{text}` is not defined by module {called}");
        self.error(Class::Undefined, span, message, help);
    }
}

/// What TLA+ writes for a symbol of another language.
fn translation(text: &str) -> Option<String> {
    let (meant, symbol) = match text {
        "&&" | "&" | "and" => ("and", "/\\"),
        "||" | "or" => ("or", "\\/"),
        "not" => ("not", "~"),
        "|" => ("such that", ":"),
        ":=" => ("equal", "="),
        "OTHERWISE" | "DEFAULT" => ("every other case", "OTHER"),
        "ℕ" => ("the natural numbers", "Nat"),
        "ℤ" => ("the integers", "Int"),
        "ℝ" => ("the real numbers", "Real"),
        _ => return None,
    };
    Some(format!("for *{meant}* write `{symbol}`"))
}

/// The built-in module that defines a name; of several the most usual one.
fn defining_module(name: &str) -> Option<&'static str> {
    static DEFINED: OnceLock<FxHashMap<String, &'static str>> = OnceLock::new();
    let defined = DEFINED.get_or_init(|| {
        let usual = [
            "Naturals",
            "Integers",
            "Sequences",
            "FiniteSets",
            "TLC",
            "Reals",
            "Bags",
        ];
        let rest = built_in::MODULES.iter().map(|(name, _)| *name);
        let mut defined = FxHashMap::default();
        for module in usual.into_iter().chain(rest.filter(|name| !usual.contains(name))) {
            for name in defined_names(built_in_text(module).unwrap_or("")) {
                defined.entry(name).or_insert(module);
            }
        }
        defined
    });
    defined.get(name).copied()
}

/// What a module defines for others, read off its tokens: definitions that begin a line.
fn defined_names(text: &str) -> Vec<String> {
    let tokens = tokenize(SourceId(0), text, 0, &mut Vec::new());
    let mut names = Vec::new();
    for pair in tokens.windows(2) {
        let [first, second] = pair else { continue };
        if !first.begins_definition || first.column > 0 {
            continue;
        }
        names.push(match (first.operator(), second.operator()) {
            (Some(symbol), _) | (None, Some(symbol)) => symbol.text().to_owned(),
            (None, None) => {
                let span = first.start as usize..first.end as usize;
                text.get(span).unwrap_or("").to_owned()
            }
        });
    }
    names
}
