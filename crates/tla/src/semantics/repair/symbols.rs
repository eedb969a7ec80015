//! Repairs of symbols near an error: one less, two the other way round, one for another that looks much like it.

use super::edit::{Edit, Words};
use super::spoilt_text::SpoiltText;
use crate::source::Span;
use crate::syntax::token::{Token, TokenKind};

/// How far from an error a symbol may be that is taken out or swapped, in tokens.
const REACH: usize = 4;

/// How many lines before the first error a comment may begin.
const COMMENT_LINES: usize = 6;

/// What ends a module.
const MODULE_END: &str = "====";

/// An expression that has a meaning everywhere.
pub(super) const ANY_EXPRESSION: &str = "TRUE";

impl SpoiltText<'_> {
    /// The numbers of the tokens around a place, the nearest first.
    pub fn around(&self, start: u32, reach: usize) -> impl Iterator<Item = usize> {
        let at = self.token_at(start);
        let before = (0..=reach).map(move |distance| at.checked_sub(distance));
        let after = (0..=reach).map(move |distance| at.checked_add(distance));
        before
            .zip(after)
            .flat_map(|(before, after)| [before, after])
            .flatten()
    }

    /// A symbol too many, in the wrong place or glued to another.
    pub fn symbols_too_many(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for error in &self.errors {
            for at in self.around(error.start, REACH) {
                edits.extend(self.without(at));
                edits.extend(self.swapped(at));
                edits.extend(self.shortened(at));
            }
        }
        edits
    }

    /// A symbol in place of one that looks or works much like it.
    pub fn confused_symbols(&self) -> Vec<Edit> {
        let places = self
            .errors
            .iter()
            .flat_map(|error| self.around(error.start, REACH));
        places.filter_map(|at| self.confused(at)).collect()
    }

    /// An expression in place of what means something else, or none.
    pub fn other_expressions(&self) -> Vec<Edit> {
        let places = self
            .errors
            .iter()
            .flat_map(|error| self.around(error.start, REACH));
        let tokens = places.filter_map(|at| self.tokens.get(at));
        tokens
            .filter(|token| !is_module_border(token) && !token.begins_definition)
            .filter_map(|token| self.edit(token.span(), format!(" {ANY_EXPRESSION} "), Words::AnyExpression))
            .collect()
    }

    /// What an error names may have changed places with something where it is met first, which is where it is
    /// introduced. Not for errors about levels, since what is introduced as something else is of another level.
    pub fn introductions(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for error in &self.not_of_levels {
            let word = self.token(error.start).map(|token| self.word(token));
            let first = self
                .tokens
                .iter()
                .position(|token| Some(self.word(token)) == word);
            if let Some(first) = first {
                edits.extend(self.swapped(first));
                edits.extend(first.checked_sub(1).and_then(|before| self.swapped(before)));
            }
        }
        edits
    }

    /// The beginning of a comment of which only the end is there: at the first error, or at the beginning of its line or
    /// of one before.
    pub fn comments(&self) -> Vec<Edit> {
        let Some(first) = self.first_error() else {
            return Vec::new();
        };
        let mut pairs = self.tokens_from(self.token_at(first)).windows(2);
        let is_end = |pair: &[Token]| match pair {
            [stars, close] => {
                let is_close = close.kind == TokenKind::ParenClose && close.start == stars.end;
                is_close && self.word(stars).ends_with('*')
            }
            _ => false,
        };
        if !pairs.any(is_end) {
            return Vec::new();
        }
        let before = self.text.get(..first as usize).unwrap_or("");
        let lines = before.rmatch_indices('\n').map(|(at, _)| at as u32 + 1);
        let places = std::iter::once(first).chain(lines.take(COMMENT_LINES));
        places
            .map(|at| Edit {
                source: self.source,
                span: Span::new(at, at),
                new: "(* ".to_owned(),
                words: Words::Meant,
            })
            .collect()
    }

    /// The end of the module where a line has nothing but too few signs for it, or where the text ends: nothing is behind
    /// that which it could hide.
    pub fn module_ends(&self) -> Vec<Edit> {
        let is_end = |token: &&Token| {
            let line_end = self.text.get(token.end as usize..).unwrap_or("").lines().next();
            let is_alone = self.begins_line(token) && line_end.is_none_or(|rest| rest.trim().is_empty());
            is_alone && self.word(token).trim_matches('=').is_empty()
        };
        let ends = self.tokens.iter().filter(is_end);
        let ends = ends.filter(|token| token.kind != TokenKind::ModuleEnd && token.kind != TokenKind::End);
        let ends = ends.filter_map(|token| self.edit(token.span(), MODULE_END, Words::Meant));
        let last = self.insertion(self.text.len() as u32, format!("\n{MODULE_END}\n"), Words::Meant);
        ends.chain(last).collect()
    }

    pub fn without(&self, at: usize) -> Option<Edit> {
        let token = self.tokens.get(at).filter(|token| token.end > token.start)?;
        // With the blanks after it, so that what follows comes to stand where it stood before.
        let rest = self.text.get(token.end as usize..)?;
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        self.edit(
            Span::new(token.start, token.end + blanks as u32),
            "",
            Words::Meant,
        )
    }

    pub fn swapped(&self, at: usize) -> Option<Edit> {
        let [token, next, ..] = self.tokens_from(at) else {
            return None;
        };
        if is_module_border(token) || is_module_border(next) {
            return None;
        }
        let between = self.slice(Span::new(token.end, next.start));
        let span = token.span().to(next.span());
        self.pair(span, [self.word(next), between, self.word(token)])
    }

    /// A comma for a full stop or the other way round, or an operator for what leads into an instance.
    fn confused(&self, at: usize) -> Option<Edit> {
        let token = self.tokens.get(at)?;
        match token.kind {
            TokenKind::Comma => self.edit(token.span(), ".", Words::Meant),
            TokenKind::Dot => self.edit(token.span(), ",", Words::Meant),
            TokenKind::Operator(_) => self.edit(token.span(), "!", Words::Meant),
            _ => None,
        }
    }

    /// Two symbols without a blank between them are another one: `!!` for `!`.
    fn shortened(&self, at: usize) -> Option<Edit> {
        let token = self.tokens.get(at).filter(|token| token.operator().is_some())?;
        let word = self.word(token);
        let half = word.get(1..).filter(|half| half.len() == 1)?;
        self.edit(token.span(), half, Words::Meant)
    }
}

/// Whether a token begins or ends a module, so that what it stands before or after may not be read at all.
pub(super) fn is_module_border(token: &Token) -> bool {
    matches!(
        token.kind,
        TokenKind::ModuleStart | TokenKind::ModuleEnd | TokenKind::End
    )
}
