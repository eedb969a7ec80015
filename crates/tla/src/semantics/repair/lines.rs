//! Repairs of whole lines: one that stands in the wrong place, one or the rest of one that has become a comment.
//!
//! They are tried with the lines around everything that the errors show. Where signs of comments or of the end of a
//! module move with a line, as much has to be read afterwards as before: otherwise a mistake would only be hidden.

use rustc_hash::FxHashSet;

use super::edit::{Edit, Words};
use super::spoilt_text::SpoiltText;
use crate::source::Span;
use crate::syntax::token::{Keyword, Token, TokenKind};
use crate::syntax::tokenize;

/// How far from a place that an error shows a line may be that stands in the wrong place.
const REACH: usize = 2;

/// How many lines one may have to be moved by.
const MAX_LINES: usize = 2;

/// What decides how much of a text is read.
const BORDERS: [&str; 4] = ["(*", "*)", "====", "----"];

/// What begins a comment that ends with its line.
const COMMENT: &str = "\\*";

impl SpoiltText<'_> {
    /// A line a little further up or down.
    pub fn moved_lines(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for by in 1..=MAX_LINES {
            for first in self.lines_shown() {
                edits.extend(self.moved_over(first, by));
            }
        }
        edits
    }

    /// A line without the sign that makes a comment of it or of its rest. What declares something may be far from where
    /// that is used.
    pub fn commented_lines(&self) -> Vec<Edit> {
        let is_declared = |kind: TokenKind| {
            matches!(
                kind,
                TokenKind::Keyword(
                    Keyword::Extends | Keyword::Constant | Keyword::Variable | Keyword::Recursive
                )
            )
        };
        let declarations = self.tokens.iter().filter(|token| is_declared(token.kind));
        let declarations = declarations.map(|token| self.line_around(token.start));
        let mut known = FxHashSet::default();
        let lines = self.lines_shown().into_iter().chain(declarations);
        let mut edits = Vec::new();
        for line in lines.filter(|line| known.insert(line.start)) {
            let text = self.slice(line);
            if let Some(at) = text.find(COMMENT) {
                let rest = text.get(at + COMMENT.len()..).unwrap_or("");
                let blanks = rest.len() - rest.trim_start_matches(' ').len();
                let start = line.start + at as u32;
                let end = start + (COMMENT.len() + blanks) as u32;
                edits.extend(self.edit(Span::new(start, end), "", Words::Meant));
            }
        }
        edits
    }

    /// The lines around everything that the errors show.
    fn lines_shown(&self) -> Vec<Span> {
        let mut lines = Vec::new();
        for place in self.errors.iter().chain(&self.labels) {
            let mut line = self.line_around(place.start);
            for _ in 0..REACH {
                line = self.line_around(line.start.saturating_sub(1));
            }
            for _ in 0..=2 * REACH {
                lines.push(line);
                line = self.line_around(line.end);
            }
        }
        let mut known = FxHashSet::default();
        lines.retain(|line| line.start < line.end && known.insert(line.start));
        lines
    }

    /// A line below as many lines after it, and the last of those above it and the others.
    fn moved_over(&self, first: Span, by: usize) -> Vec<Edit> {
        let mut lines = vec![first];
        for _ in 0..by {
            let end = lines.last().map_or(0, |line| line.end);
            lines.push(self.line_around(end));
        }
        let words: Vec<&str> = lines.iter().map(|line| self.slice(*line)).collect();
        // The last line of a text may have no end.
        if !words.iter().all(|line| line.ends_with('\n')) {
            return Vec::new();
        }
        let span = lines.iter().fold(first, |all, line| all.to(*line));
        let (mut down, mut up) = (words.clone(), words);
        down.rotate_left(1);
        up.rotate_right(1);
        let down = self.rearranged(span, down, Words::LineDown);
        let up = self.rearranged(span, up, Words::LineUp).filter(|_| by > 1);
        down.into_iter().chain(up).collect()
    }

    /// Lines in another order; none if that is the same, or leaves less to be read.
    fn rearranged(&self, span: Span, lines: Vec<&str>, words: Words) -> Option<Edit> {
        let edit = Edit {
            source: self.source,
            span,
            new: lines.concat(),
            words,
        };
        let moves_borders = BORDERS.iter().any(|sign| edit.new.contains(sign));
        let hides = || {
            let text = edit.applied(self.text).unwrap_or_default();
            words_in(&tokenize(self.source, &text, 0, &mut Vec::new())) < words_in(&self.tokens)
        };
        (self.slice(span) != edit.new && !(moves_borders && hides())).then_some(edit)
    }

    /// The line that a byte is in, with its end.
    fn line_around(&self, at: u32) -> Span {
        let at = (at as usize).min(self.text.len());
        let before = self.text.get(..at).unwrap_or("");
        let after = self.text.get(at..).unwrap_or("");
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = after.find('\n').map_or(self.text.len(), |end| at + end + 1);
        Span::new(start as u32, end as u32)
    }
}

/// How many words there are among tokens, without symbols: those that a comment begins or ends with are none elsewhere.
fn words_in(tokens: &[Token]) -> usize {
    let is_word = |token: &&Token| {
        matches!(
            token.kind,
            TokenKind::Identifier | TokenKind::Number | TokenKind::Text | TokenKind::Keyword(_)
        )
    };
    tokens.iter().filter(is_word).count()
}
