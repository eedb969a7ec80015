//! Repairs of names: another one, a parameter more, a prime less.

use rustc_hash::FxHashMap;

use super::edit::{Edit, Words};
use super::spoilt_text::SpoiltText;
use crate::source::Span;
use crate::syntax::operators::Op;
use crate::syntax::token::{Keyword, TokenKind};

/// How many primes of a definition are looked at.
const MAX_PRIMES: usize = 24;

/// How many words from the beginning of an error on may name its cause.
const MAX_NAMED: usize = 12;

impl SpoiltText<'_> {
    /// What stands where an error points should have had a name that is missing, which an error about a name that is
    /// taken may show as another of its places.
    pub fn other_names(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        let names = self.unknown.iter().chain(&self.taken);
        for unknown in names.filter(|name| self.slice(**name).starts_with(char::is_alphabetic)) {
            let places = self.errors.iter().chain(&self.labels);
            let tokens = places.filter_map(|place| self.token(place.start));
            for token in tokens.filter(|token| token.kind == TokenKind::Identifier) {
                edits.extend(self.edit(token.span(), self.slice(*unknown), Words::Meant));
            }
        }
        edits
    }

    /// What RECURSIVE announces should be what is defined next.
    pub fn announcements(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            if token.kind != TokenKind::Keyword(Keyword::Recursive) {
                continue;
            }
            let mut rest = self.tokens_from(at + 1).iter();
            let announced = rest.next();
            let defined = rest.find(|token| token.begins_definition);
            if let (Some(announced), Some(defined)) = (announced, defined) {
                edits.extend(self.edit(announced.span(), self.word(defined), Words::Meant));
            }
        }
        edits
    }

    /// A name that is missing should have been a parameter of a definition around it.
    pub fn parameters(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for unknown in &self.unknown {
            let name = self.slice(*unknown);
            for at in self.definitions_around(unknown.start) {
                let [head, next, ..] = self.tokens_from(at) else {
                    continue;
                };
                edits.extend(match next.kind {
                    TokenKind::ParenOpen => self.insertion(next.end, format!("{name}, "), Words::Meant),
                    TokenKind::Define => self.insertion(head.end, format!("({name})"), Words::Meant),
                    _ => None,
                });
            }
        }
        edits
    }

    /// A prime too many, in a definition with an error, or in that of an operator which an error names: there it limits
    /// what may be put in for the parameters.
    pub fn primes(&self) -> Vec<Edit> {
        let around = self.errors.iter();
        let around = around.map(|error| self.definitions_around(error.start).last().unwrap_or(0));
        // Of what has no parameters, the level is what it is meant to be, or is told as the cause.
        let has_params = |at: &usize| self.arguments_after(*at) > 0;
        let named = self
            .definitions_named(&self.errors, MAX_NAMED)
            .into_iter()
            .filter(has_params);
        named.chain(around).flat_map(|at| self.primes_of(at)).collect()
    }

    /// The definitions of what is named where one of some errors begins, as many tokens after that, or two before.
    pub fn definitions_named(&self, errors: &[Span], reach: usize) -> Vec<usize> {
        let mut words: FxHashMap<&str, usize> = FxHashMap::default();
        for error in errors {
            let first = self.token_at(error.start).saturating_sub(2);
            let tokens = self.tokens_from(first).iter();
            let tokens = tokens.take_while(|token| !token.begins_definition || token.start <= error.start);
            for token in tokens.take(reach + 2) {
                let next = words.len();
                words.entry(self.word(token)).or_insert(next);
            }
        }
        let tokens = self.tokens.iter().enumerate();
        let heads = tokens.filter(|(_, token)| token.begins_definition);
        let mut named: Vec<(usize, usize)> = heads
            .filter_map(|(at, token)| Some((*words.get(self.word(token))?, at)))
            .collect();
        named.sort_unstable();
        named.into_iter().map(|(_, at)| at).collect()
    }

    fn primes_of(&self, definition: usize) -> Vec<Edit> {
        let tokens = self.tokens_from(definition).iter().enumerate();
        let tokens =
            tokens.take_while(|(at, token)| *at == 0 || !token.begins_definition || token.column > 0);
        let primes = tokens.filter(|(_, token)| token.operator() == Some(Op::Prime));
        let primes = primes.take(MAX_PRIMES);
        primes
            .filter_map(|(_, prime)| self.edit(prime.span(), "", Words::Meant))
            .collect()
    }

    /// The definition before a place in a line that begins at the margin, whatever stands before it there.
    fn line_of_definition(&self, start: u32) -> Option<usize> {
        let before = self.tokens.get(..self.token_at(start))?;
        before.iter().rposition(|token| {
            let line = self.text.get(..token.start as usize).unwrap_or("");
            let line = line.rsplit('\n').next().unwrap_or("");
            token.begins_definition && !line.starts_with([' ', '\t'])
        })
    }

    /// What the definitions around an error define may be spoilt: the symbol of an operator is in the wrong place, or is
    /// missing, so that a parameter is defined instead.
    pub fn other_heads(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for error in &self.errors {
            let around = self.definitions_around(error.start);
            for at in around.chain(self.line_of_definition(error.start)) {
                edits.extend(self.other_heads_at(at));
            }
        }
        edits
    }

    fn other_heads_at(&self, at: usize) -> Vec<Edit> {
        let mut edits = Vec::new();
        let before = (1..=2).filter_map(|distance| at.checked_sub(distance));
        for swapped in before.chain([at, at + 1]) {
            edits.extend(self.swapped(swapped));
        }
        if let Some([operand, symbol]) = at.checked_sub(2).and_then(|from| self.tokens.get(from..at))
            && symbol.operator().is_some()
        {
            for unknown in &self.unknown {
                edits.extend(self.edit(operand.span(), self.slice(*unknown), Words::Meant));
            }
        }
        let [name, next, ..] = self.tokens_from(at) else {
            return edits;
        };
        if next.kind == TokenKind::Define {
            for symbol in ["^+", "^*", "^#"] {
                edits.extend(self.insertion(name.end, symbol, Words::Meant));
            }
            edits.extend(self.insertion(name.start, "-. ", Words::Meant));
        }
        if next.operator().is_some() {
            let symbols = self.unknown.iter().map(|unknown| self.slice(*unknown));
            let symbols = symbols.filter(|symbol| !symbol.starts_with(char::is_alphanumeric));
            edits.extend(symbols.filter_map(|symbol| self.edit(next.span(), symbol, Words::Meant)));
        }
        edits
    }
}
