//! Repairs of one word near an error, whatever it is: one more before it, or another in its place.
//!
//! Whatever single word is lost or spoilt, its restoration is tried here, or something of its kind: one of each kind of
//! operator stands for all, and `TRUE` for every expression. What is nearest to the errors comes first; then follow the
//! further places that they show, the heads of the definitions they are in, and the definitions of what they name. Not
//! for errors about levels: a definition may be of action level on purpose, and be used in two wrong places.

use rustc_hash::FxHashSet;

use super::edit::{Edit, Words};
use super::spoilt_text::SpoiltText;
use super::symbols::{ANY_EXPRESSION, is_module_border};
use crate::source::Span;
use crate::syntax::token::{Keyword, Token, TokenKind};

/// How far from an error a word may be missing or be another one, in tokens.
const REACH: usize = 2;

/// What may be missing. Nothing here ends a module, begins a proof or a comment, takes a name for a label, or makes a
/// state predicate of any action, as ENABLED does.
pub(super) const SYMBOLS: [&str; 40] = [
    ",",
    ")",
    "(",
    "]",
    "[",
    "}",
    "{",
    ">>",
    "<<",
    "==",
    ":",
    "=",
    "\\in",
    "/\\",
    "THEN",
    "ELSE",
    "IN",
    "LET",
    "IF",
    "|->",
    "->",
    ".",
    "!",
    "<-",
    "\\cup",
    "=>",
    "~",
    "'",
    "[]",
    "UNCHANGED",
    "\\A",
    "\\E",
    "CHOOSE",
    "LAMBDA",
    "CASE",
    "OTHER",
    "EXCEPT",
    "WITH",
    "INSTANCE",
    "@",
];

/// What begins a unit, and is missing only at the beginning of a line.
const UNIT_WORDS: [&str; 6] = [
    "CONSTANTS",
    "VARIABLES",
    "LOCAL",
    "RECURSIVE",
    "ASSUME",
    "THEOREM",
];

impl SpoiltText<'_> {
    /// A word more, or another one.
    pub fn one_more_or_other(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        let names = self.unknown.iter().map(|name| self.slice(*name));
        let is_word = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let names: FxHashSet<&str> = names.filter(is_word).collect();
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_unstable();
        let places = self.places();
        let mut known = FxHashSet::default();
        for distance in 0..=REACH {
            for place in &places {
                let near = [place.checked_sub(distance), place.checked_add(distance)];
                for at in near.into_iter().flatten().filter(|at| known.insert(*at)) {
                    edits.extend(self.one_more_or_other_at(at, &names));
                }
            }
        }
        edits
    }

    fn one_more_or_other_at(&self, at: usize, names: &[&str]) -> Vec<Edit> {
        let mut edits = Vec::from_iter(self.without(at));
        edits.extend(self.swapped(at));
        let Some(token) = self.tokens.get(at) else {
            return edits;
        };
        let unit_words = UNIT_WORDS.iter().filter(|_| self.may_begin_unit(token));
        let meant = SYMBOLS.iter().chain(unit_words).chain(names);
        let meant = meant.map(|word| (*word, Words::Meant));
        let any = std::iter::once((ANY_EXPRESSION, Words::AnyExpression));
        for (word, words) in any.chain(meant) {
            edits.extend(self.one_more(token, word, words));
            if !is_module_border(token) && self.word(token) != word {
                edits.extend(self.edit(token.span(), format!(" {word} "), words));
            }
        }
        edits
    }

    /// A word before a token. Where it begins a line it has to stand where it stood, which was before one of the blanks.
    fn one_more(&self, before: &Token, word: &str, words: Words) -> Option<Edit> {
        if let Some(blank) = before.start.checked_sub(1).filter(|_| self.begins_line(before))
            && self.slice(Span::new(blank, before.start)) == " "
        {
            return self.insertion(blank, word, words);
        }
        self.insertion(before.start, format!(" {word} "), words)
    }

    /// Whether a word that begins a unit may be missing before or instead of a token.
    fn may_begin_unit(&self, token: &Token) -> bool {
        self.begins_line(token) && token.kind != TokenKind::Keyword(Keyword::Extends)
    }

    /// The numbers of the tokens that may be near the mistake, the likeliest first.
    fn places(&self) -> Vec<usize> {
        let errors = || self.errors.iter();
        let mut places: Vec<usize> = errors().map(|error| self.token_at(error.start)).collect();
        places.extend(errors().map(|error| self.token_at(error.end)));
        places.extend(
            self.labels_not_of_levels
                .iter()
                .map(|label| self.token_at(label.start)),
        );
        places.extend(errors().flat_map(|error| self.definitions_around(error.start)));
        places.extend(self.definitions_named(&self.not_of_levels, REACH));
        let mut known = FxHashSet::default();
        places.retain(|place| known.insert(*place));
        places
    }
}
