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

    /// A prime too many, in a definition with an error.
    pub fn primes(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for error in &self.errors {
            let outermost = self.definitions_around(error.start).last().unwrap_or(0);
            let tokens = self.tokens_from(outermost).iter().enumerate();
            let definition =
                tokens.take_while(|(at, token)| *at == 0 || !token.begins_definition || token.column > 0);
            let primes = definition.filter(|(_, token)| token.operator() == Some(Op::Prime));
            for (_, prime) in primes.take(MAX_PRIMES) {
                edits.extend(self.edit(prime.span(), "", Words::Meant));
            }
        }
        edits
    }
}
