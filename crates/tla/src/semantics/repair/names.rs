//! Repairs of names: another one, a parameter more, a prime less.

use super::edit::{Edit, Words};
use super::spoilt_text::SpoiltText;
use crate::syntax::operators::Op;
use crate::syntax::token::TokenKind;

/// How many primes of a definition are looked at.
const MAX_PRIMES: usize = 24;

impl SpoiltText<'_> {
    /// What stands where an error points should have had a name that is missing.
    pub fn other_names(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for unknown in &self.unknown {
            let places = self.errors.iter().chain(&self.labels);
            let tokens = places.filter_map(|place| self.token(place.start));
            for token in tokens.filter(|token| token.kind == TokenKind::Identifier) {
                edits.extend(self.edit(token.span(), self.slice(*unknown), Words::Meant));
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
        let mut edits = Vec::new();
        for error in &self.errors {
            let around = self.definitions_around(error.start).last().unwrap_or(0);
            let word = self.token(error.start).map(|token| self.word(token));
            let named = self.tokens.windows(2).position(|pair| match pair {
                [name, next] => {
                    let is_operator = name.begins_definition && next.kind == TokenKind::ParenOpen;
                    is_operator && Some(self.word(name)) == word
                }
                _ => false,
            });
            for definition in std::iter::once(around).chain(named) {
                let tokens = self.tokens_from(definition).iter().enumerate();
                let tokens =
                    tokens.take_while(|(at, token)| *at == 0 || !token.begins_definition || token.column > 0);
                let primes = tokens.filter(|(_, token)| token.operator() == Some(Op::Prime));
                for (_, prime) in primes.take(MAX_PRIMES) {
                    edits.extend(self.edit(prime.span(), "", Words::Meant));
                }
            }
        }
        edits
    }

    /// What the definitions around an error define may be spoilt: the symbol of an operator is in the wrong place, or is
    /// missing, so that a parameter is defined instead.
    pub fn other_heads(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        let definitions = self
            .errors
            .iter()
            .flat_map(|error| self.definitions_around(error.start));
        for at in definitions {
            let before = (1..=2).filter_map(|distance| at.checked_sub(distance));
            for swapped in before.chain([at, at + 1]) {
                edits.extend(self.swapped(swapped));
            }
            let [name, next, ..] = self.tokens_from(at) else {
                continue;
            };
            if next.kind == TokenKind::Define {
                for symbol in ["^+", "^*", "^#"] {
                    edits.extend(self.insertion(name.end, symbol, Words::Meant));
                }
                edits.extend(self.insertion(name.start, "-. ", Words::Meant));
            }
        }
        edits
    }
}
