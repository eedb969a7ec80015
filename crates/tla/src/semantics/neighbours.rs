//! Modules next to a spec that it should have extended.
//!
//! Where EXTENDS leaves out a module of the user's, everything from there is unknown: that is one mistake, and the file
//! that is next to the spec tells which. Files are only looked at when there are several complaints about names, and
//! read as far as tokens go: what they declare, define and extend.

use rustc_hash::{FxHashMap, FxHashSet};

use super::analyzer::Analyzer;
use super::entity::ModuleId;
use super::grouping::Slip;
use super::unknown::{Unknown, defined_names};
use crate::names::Name;
use crate::source::SourceId;
use crate::syntax::token::{Keyword, Token, TokenKind};
use crate::syntax::tokenize;

/// What a module gives and takes, as far as its tokens tell.
struct Neighbour {
    names: FxHashSet<String>,
    extends: Vec<String>,
}

impl Neighbour {
    fn new(text: &str) -> Self {
        let tokens = tokenize(SourceId(0), text, 0, &mut Vec::new());
        let mut names: FxHashSet<String> = defined_names(text, &tokens).into_iter().collect();
        names.extend(listed_after(
            text,
            &tokens,
            &[Keyword::Constant, Keyword::Variable],
        ));
        let extends = listed_after(text, &tokens, &[Keyword::Extends]);
        Self { names, extends }
    }
}

/// The names in the lists that the given words begin.
fn listed_after(text: &str, tokens: &[Token], words: &[Keyword]) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_list = false;
    let mut is_next = false;
    for token in tokens {
        match token.kind {
            TokenKind::Keyword(word) => (is_list, is_next) = (words.contains(&word), true),
            TokenKind::Identifier if is_list && is_next && !token.begins_definition => {
                names.extend(
                    text.get(token.start as usize..token.end as usize)
                        .map(str::to_owned),
                );
                is_next = false;
            }
            TokenKind::Comma => is_next = true,
            TokenKind::ParenOpen | TokenKind::Underscore | TokenKind::ParenClose => {}
            _ => is_list = false,
        }
    }
    names
}

impl Analyzer<'_> {
    /// Puts together the unknown names of each file that one module next to it defines.
    pub(super) fn join_unextended(&mut self, unknown: &[Unknown], slips: &FxHashMap<Name, Slip>) {
        let mut files: Vec<ModuleId> = unknown.iter().map(|name| self.outermost(name.module)).collect();
        files.sort_unstable();
        files.dedup();
        for file in files {
            let mut missing: Vec<(String, usize)> = Vec::new();
            for name in unknown.iter().filter(|name| self.outermost(name.module) == file) {
                if name.is_foreign || !self.is_certain(name, slips) {
                    missing.push((self.text(name.name), name.diagnostic));
                }
            }
            let mut lines = self.said.not_extended.iter();
            let line = lines.find(|line| line.no_line && self.outermost(line.module) == file);
            let line = line.map(|line| line.diagnostic);
            let told = missing.iter().map(|(_, number)| *number).chain(line);
            let told: FxHashSet<usize> = told.map(|number| self.teller(number)).collect();
            if told.len() > 1 {
                self.join_from(&missing, line);
            }
        }
    }

    /// Puts together what the neighbour defines that defines most, and the standard modules that it may have extended.
    fn join_from(&mut self, missing: &[(String, usize)], line: Option<usize>) {
        let neighbours = self.neighbours();
        let given = |module: &str| {
            let mut modules = vec![module];
            let mut at = 0;
            while let Some(neighbour) = modules.get(at).and_then(|module| neighbours.get(*module)) {
                let new: Vec<&str> = neighbour.extends.iter().map(String::as_str).collect();
                let new = new.into_iter().filter(|name| neighbours.contains_key(*name));
                let new: Vec<&str> = new.filter(|name| !modules.contains(name)).collect();
                modules.extend(new);
                at += 1;
            }
            let defines = |name: &str| {
                let mut defining = modules.iter().filter_map(|module| neighbours.get(*module));
                defining.any(|module| module.names.contains(name))
            };
            missing
                .iter()
                .filter(|(name, _)| defines(name))
                .map(|(_, number)| *number)
                .collect::<Vec<usize>>()
        };
        let candidates = neighbours.keys().map(|module| (given(module), module));
        let best: Option<(Vec<usize>, &String)> =
            candidates.max_by(|a, b| a.0.len().cmp(&b.0.len()).then_with(|| b.1.cmp(a.1)));
        let Some((mut together, module)) = best.filter(|(together, _)| !together.is_empty()) else {
            return;
        };
        together.extend(line);
        together.sort_unstable();
        let Some((first, others)) = together.split_first() else {
            return;
        };
        for other in others {
            self.add_to(*first, *other);
        }
        let teller = self.teller(*first);
        if let Some(diagnostic) = self.diagnostics.get_mut(teller) {
            diagnostic.help = Some(format!(
                "module {module}, which is next to this one, defines what is missing: add {module} to EXTENDS"
            ));
        }
    }

    /// The modules next to the spec that it does not use, by name.
    fn neighbours(&self) -> FxHashMap<String, Neighbour> {
        let is_used = |module: &str| {
            let known = self.spec.names.find(module);
            known.is_some_and(|known| self.files.user.contains_key(&known))
        };
        let neighbours = self.files.search.neighbours();
        neighbours
            .filter(|(module, _)| !is_used(module))
            .map(|(module, text)| (module, Neighbour::new(&text)))
            .collect()
    }
}
