//! Repairs of two words that have become one: what stood between them is gone, or has changed places with one of them.

use rustc_hash::FxHashSet;

use super::edit::{Edit, Words};
use super::one_more::SYMBOLS;
use super::spoilt_text::SpoiltText;
use crate::source::Span;
use crate::syntax::token::{Keyword, TokenKind};

/// Words that every module knows.
const EVERYWHERE: [&str; 11] = [
    "TRUE",
    "FALSE",
    "BOOLEAN",
    "STRING",
    "WF_",
    "SF_",
    "ENABLED",
    "UNCHANGED",
    "DOMAIN",
    "SUBSET",
    "UNION",
];

impl SpoiltText<'_> {
    /// Two words for one near an error, where both are known.
    pub fn glued_words(&self) -> Vec<Edit> {
        let places = self.unknown.iter().chain(&self.errors);
        let places: FxHashSet<usize> = places.map(|place| self.token_at(place.start)).collect();
        let names = |at: &usize| {
            let token = self.tokens.get(*at);
            token.is_some_and(|token| token.kind == TokenKind::Identifier)
        };
        let mut places: Vec<usize> = places.into_iter().filter(names).collect();
        places.sort_unstable();
        let others = self.tokens.iter().enumerate();
        let others = others.filter(|(at, _)| !places.contains(at));
        let words: FxHashSet<&str> = others.map(|(_, token)| self.word(token)).collect();
        let is_known = |word: &str| {
            words.contains(word) || Keyword::from_text(word).is_some() || EVERYWHERE.contains(&word)
        };
        let mut edits = Vec::new();
        for at in places {
            let Some(token) = self.tokens.get(at) else {
                continue;
            };
            let word = self.word(token);
            for (length, _) in word.char_indices().skip(1) {
                let (first, second) = word.split_at(length);
                if is_known(first) && is_known(second) {
                    edits.extend(self.apart(at, first, second));
                }
            }
        }
        edits
    }

    fn apart(&self, at: usize, first: &str, second: &str) -> Vec<Edit> {
        let mut edits = Vec::new();
        let Some(token) = self.tokens.get(at) else {
            return edits;
        };
        for symbol in SYMBOLS {
            let new = format!("{first} {symbol} {second}");
            edits.extend(self.edit(token.span(), new, Words::Meant));
        }
        if let Some(next) = self.tokens.get(at + 1) {
            let between = self.slice(Span::new(token.end, next.start));
            let first = [first, self.word(next)].concat();
            edits.extend(self.pair(token.span().to(next.span()), [&first, between, second]));
        }
        if let Some(last) = at.checked_sub(1).and_then(|before| self.tokens.get(before)) {
            let between = self.slice(Span::new(last.end, token.start));
            let second = [self.word(last), second].concat();
            edits.extend(self.pair(last.span().to(token.span()), [first, between, &second]));
        }
        edits
    }
}
