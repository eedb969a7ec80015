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
        let around = self.errors.iter();
        let around = around.map(|error| self.definitions_around(error.start).last().unwrap_or(0));
        let named = self
            .errors
            .iter()
            .filter_map(|error| self.operator_named_at(error.start));
        named.chain(around).flat_map(|at| self.primes_of(at)).collect()
    }

    /// The definition of the operator with parameters that is used at a place.
    fn operator_named_at(&self, start: u32) -> Option<usize> {
        let word = self.word(self.token(start)?);
        self.tokens.windows(2).position(|pair| match pair {
            [name, next] => {
                let is_operator = name.begins_definition && next.kind == TokenKind::ParenOpen;
                is_operator && self.word(name) == word
            }
            _ => false,
        })
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
