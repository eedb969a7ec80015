//! Undefined names: each is reported once in the whole spec, with advice. Those with one cause are merged when all are known: see
//! [`super::grouping`].

use std::sync::OnceLock;

use omnilink_tla_syntax::ast::{Ident, UnitId, UnitKind};
use omnilink_tla_syntax::diagnostic::{Class, Diagnostic, nearest};
use omnilink_tla_syntax::names::Name;
use omnilink_tla_syntax::source::{SourceId, Span};
use omnilink_tla_syntax::token::Token;
use omnilink_tla_syntax::tokenize;
use rustc_hash::FxHashMap;

use super::analyzer::Analyzer;
use super::built_in;
use super::entity::*;
use super::search_path::built_in_text;

/// The first use of an undefined name.
#[derive(Clone, Debug)]
pub(super) struct Unknown {
    pub name: Name,
    /// Its index in the list of diagnostics.
    pub diagnostic: usize,
    /// The file that uses it.
    pub tree: TreeId,
    /// Whether it resembles a known name or is a symbol of another language.
    pub is_misspelled: bool,
}

/// The modules that most specs extend.
const USUAL: [&str; 7] = [
    "Naturals",
    "Integers",
    "Sequences",
    "FiniteSets",
    "TLC",
    "Reals",
    "Bags",
];

/// Standard modules, each of which extends the one before it.
const NUMBERS: [&str; 3] = ["Naturals", "Integers", "Reals"];

/// Built-in modules that should have been extended.
#[derive(Debug)]
pub(super) struct NotExtended {
    /// The diagnostic of the first missing name.
    pub diagnostic: usize,
    /// Whether the module has no EXTENDS at all, so that one line is missing.
    pub no_line: bool,
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

    pub fn advice(&self) -> String {
        let modules = self.modules.join(", ");
        match self.modules.as_slice() {
            _ if self.no_line => format!("add `EXTENDS {modules}` after the module's header"),
            _ => format!("module {modules} defines it: add {modules} to EXTENDS"),
        }
    }
}

impl Analyzer<'_> {
    /// The binding of a name. An undefined name is reported, once in the whole spec.
    pub fn lookup(&mut self, ident: Ident) -> Option<Binding> {
        self.lookup_given(ident, 0)
    }

    /// The binding of a name that is applied to `given` arguments.
    pub fn lookup_given(&mut self, ident: Ident, given: usize) -> Option<Binding> {
        let binding = self.scope.get(ident.name);
        if binding.is_none() {
            self.undefined(ident, given);
        }
        binding
    }

    fn undefined(&mut self, ident: Ident, given: usize) {
        if self.incomplete {
            self.reported.errors += 1;
            return;
        }
        if let Some(known) = self.reported.undefined.get(&ident.name).copied() {
            self.reported.errors += 1;
            let elsewhere = self.diagnostics.get(known).map(|d| d.source) != Some(self.source());
            if elsewhere {
                self.add_label(known, ident.span, "nor is it defined here");
            }
            return;
        }
        let text = self.text(ident.name);
        let message = format!("`{text}` is not defined");
        let diagnostic = Diagnostic::error(Class::Undefined, self.source(), ident.span, message);
        let number = self.diagnostics.len();
        if !self.is_advice_wanted() {
            self.reported.undefined.insert(ident.name, number);
            self.report(diagnostic);
        } else if let Some(foreign) = translation(&text) {
            self.unknown(ident, true, diagnostic.help(foreign));
        } else if let Some(later) = self.defined_later(ident.name) {
            self.reported.undefined.insert(ident.name, number);
            let diagnostic = self.defined_too_late(diagnostic, ident.name, later);
            self.report(diagnostic);
        } else if let Some(module) = self.unextended_module(ident.name) {
            self.not_extended(ident, &text, module);
        } else {
            let near = self.near(ident.name, Some(given));
            let advised = near.or_else(|| self.near(ident.name, None));
            let help = self.suggestion(ident.name, advised);
            self.unknown(ident, near.is_some(), diagnostic.help(help));
        }
    }

    /// Reports an undefined name.
    pub(super) fn unknown(&mut self, ident: Ident, is_misspelled: bool, diagnostic: Diagnostic) {
        let number = self.diagnostics.len();
        self.reported.undefined.insert(ident.name, number);
        self.reported.unknown.push(Unknown {
            name: ident.name,
            diagnostic: number,
            tree: self.tree,
            is_misspelled,
        });
        self.report(diagnostic);
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

    /// Adds to a diagnostic where the name is defined.
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

    /// Reports a name that an unextended built-in module defines, once per module.
    fn not_extended(&mut self, ident: Ident, text: &str, module: &'static str) {
        let message = format!("`{text}` is not defined");
        let known = self
            .reported
            .not_extended
            .iter_mut()
            .find(|known| known.covers(module));
        if let Some(known) = known {
            known.add(module);
            let (number, advice) = (known.diagnostic, known.advice());
            self.reported.undefined.insert(ident.name, number);
            if let Some(diagnostic) = self.diagnostics.get_mut(number) {
                diagnostic.help = Some(advice);
            }
            self.add_label(number, ident.span, message);
            return;
        }
        let number = self.diagnostics.len();
        let index = self.spec.module(self.module).index;
        let new = NotExtended {
            diagnostic: number,
            no_line: self.tree().module(index).extends.is_empty(),
            modules: vec![module],
        };
        self.reported.undefined.insert(ident.name, number);
        self.error(Class::Undefined, ident.span, message, new.advice());
        self.reported.not_extended.push(new);
    }

    /// Records that the last diagnostic reports a name as undefined.
    pub fn note_undefined(&mut self, name: Name) {
        if self.scope.get(name).is_none() {
            let last = self.diagnostics.len().saturating_sub(1);
            self.reported.undefined.entry(name).or_insert(last);
        }
    }

    /// Whether a similar name has been reported as undefined, which probably means this one.
    pub fn is_missed(&self, name: Name) -> bool {
        let mut missed = self
            .reported
            .undefined
            .keys()
            .map(|name| self.spec.names.text(*name));
        let text = self.spec.names.text(name);
        let is_near = |missed: &str| nearest(text, std::iter::once(missed)).is_some();
        let are_letters = |missed: &str| text.len() == 1 && missed.len() == 1;
        self.is_advice_wanted() && missed.any(|missed| is_near(missed) || are_letters(missed))
    }

    /// The built-in module that defines a name, unless the current module has the same name or the name is that of another
    /// module.
    fn unextended_module(&self, name: Name) -> Option<&'static str> {
        let module = defining_module(self.spec.names.text(name))?;
        let current = self.spec.names.text(self.spec.module(self.module).name);
        (module != current && !self.is_module(name)).then_some(module)
    }

    fn is_module(&self, name: Name) -> bool {
        self.scope.modules.contains_key(&name) || self.resolution.files.get(self.tree, name).is_some()
    }

    /// The name in scope nearest to an undefined one, among those that take `given` arguments if that is known.
    fn near(&self, name: Name, given: Option<usize>) -> Option<Name> {
        let text = self.spec.names.text(name);
        let is_word = |text: &&str| text.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let fits = |name: &Name| {
            let arity = self.scope.get(*name).map(|b| self.spec.entity(b.entity).arity);
            given.is_none_or(|given| arity == Some(given as u32))
        };
        let known: Vec<&str> = self
            .scope
            .names()
            .filter(fits)
            .map(|name| self.spec.names.text(name))
            .filter(|known| is_word(known) == is_word(&text))
            .collect();
        let near = nearest(text, known.into_iter())?;
        self.spec.names.find(near)
    }

    fn suggestion(&self, name: Name, near: Option<Name>) -> String {
        let text = self.spec.names.text(name);
        if self.is_module(name) {
            return format!("{text} is a module: write `INSTANCE {text}`");
        }
        match near {
            Some(near) => format!("did you mean `{}`?", self.spec.names.text(near)),
            None => "define it before it is used, or extend the module that does".into(),
        }
    }
}

/// Advice for a symbol of another language.
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

/// The built-in module that defines a name; of several the most common one.
fn defining_module(name: &str) -> Option<&'static str> {
    static DEFINED: OnceLock<FxHashMap<String, &'static str>> = OnceLock::new();
    let defined = DEFINED.get_or_init(|| {
        let rest = built_in::MODULES.iter().map(|(name, _)| *name);
        let mut defined = FxHashMap::default();
        for module in USUAL.into_iter().chain(rest.filter(|name| !USUAL.contains(name))) {
            let text = built_in_text(module).unwrap_or("");
            let tokens = tokenize(SourceId(0), text, 0, &mut Vec::new());
            for name in defined_names(text, &tokens) {
                defined.entry(name).or_insert(module);
            }
        }
        defined
    });
    defined.get(name).copied()
}

/// The names that a module exports, found by its tokens: definitions at the start of a line.
fn defined_names(text: &str, tokens: &[Token]) -> Vec<String> {
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
