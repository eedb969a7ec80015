//! Repairs of what a module uses: one that should not be extended, one next to the spec that should be.

use super::edit::{Edit, Words};
use super::spoilt_text::SpoiltText;
use crate::semantics::search_path::SearchPath;
use crate::semantics::spec::{Module, Spec};
use crate::syntax::token::{Keyword, Token, TokenKind};

/// How many modules are tried.
const MAX_MODULES: usize = 4;

/// The modules that may be meant where another one is extended.
const USUAL: &str = "Integers, Sequences, FiniteSets, TLC";

impl SpoiltText<'_> {
    /// A module that has names which are taken, in place of what should be extended: the usual ones, or those that it
    /// extends itself.
    pub fn other_modules(&self, spec: &Spec) -> Vec<Edit> {
        let mut edits = Vec::new();
        for token in self.extended().into_iter().filter(|_| !self.taken.is_empty()) {
            let name = |module: &Module| spec.names.text(module.name);
            let extended = spec
                .modules
                .iter()
                .find(|module| name(module) == self.word(token));
            let below = extended.into_iter().flat_map(|module| &module.extends);
            let below: Vec<&str> = below.map(|below| name(spec.module(*below))).collect();
            edits.extend(self.edit(token.span(), USUAL, Words::Meant));
            if !below.is_empty() {
                edits.extend(self.edit(token.span(), below.join(", "), Words::Meant));
            }
        }
        edits
    }

    /// A module next to the spec that defines what is missing, extended, instantiated, or in place of one that is.
    pub fn more_modules(&self, search: &SearchPath) -> Vec<Edit> {
        let mut edits = Vec::new();
        let Some(first) = self.unknown.first() else {
            return edits;
        };
        let last_extended = self.extended().last().map(|token| token.end);
        let definition = self.definitions_around(first.start).last();
        let definition = definition.and_then(|at| self.tokens.get(at));
        for module in self.neighbours(search) {
            let extended = last_extended.map(|end| (end, format!(", {module}")));
            let instance = definition.map(|token| (token.start, format!("INSTANCE {module}\n")));
            for (at, new) in extended.into_iter().chain(instance) {
                edits.extend(self.insertion(at, new, Words::Meant));
            }
            let others = self.instantiated().filter(|token| self.word(token) != module);
            edits.extend(others.filter_map(|token| self.edit(token.span(), module.clone(), Words::Meant)));
        }
        edits
    }

    /// The modules after INSTANCE.
    fn instantiated(&self) -> impl Iterator<Item = &Token> {
        let pairs = self.tokens.iter().zip(self.tokens_from(1));
        pairs
            .filter(|(before, token)| {
                before.kind == TokenKind::Keyword(Keyword::Instance) && token.kind == TokenKind::Identifier
            })
            .map(|(_, token)| token)
    }

    /// The names after EXTENDS.
    fn extended(&self) -> Vec<&Token> {
        let is_extends = |token: &Token| token.kind == TokenKind::Keyword(Keyword::Extends);
        let Some(extends) = self.tokens.iter().position(is_extends) else {
            return Vec::new();
        };
        let is_listed = |token: &&Token| matches!(token.kind, TokenKind::Identifier | TokenKind::Comma);
        let listed = self.tokens_from(extends + 1).iter().take_while(is_listed);
        listed
            .filter(|token| token.kind == TokenKind::Identifier && !token.begins_definition)
            .collect()
    }

    /// The modules next to the spec that mention the most of the names that are missing.
    fn neighbours(&self, search: &SearchPath) -> Vec<String> {
        let mentioned = |text: &str| {
            let names = self.missing.iter().map(|span| self.slice(*span));
            names.filter(|name| text.contains(name)).count()
        };
        let others = search.neighbours();
        let others = others.filter(|(module, _)| Some(module.as_str()) != self.name());
        let mut found: Vec<(usize, String)> = others
            .map(|(module, text)| (mentioned(&text), module))
            .filter(|(mentioned, _)| *mentioned > 0)
            .collect();
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let found = found.into_iter().take(MAX_MODULES);
        found.map(|(_, module)| module).collect()
    }
}
