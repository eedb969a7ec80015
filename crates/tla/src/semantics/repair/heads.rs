//! Repairs of definitions whose first line is missing, so that the rest continues the definition before.
//!
//! The rest begins a line with something that continues an expression, and a blank line or a comment is before it: a
//! seam. A head is put in at a seam for each name that is missing later. Its parameters are the names that are missing
//! in the rest, but only where there are at least two and as many as the later use gives arguments: one name that
//! is missing here and one there may be misspelled both.

use super::edit::{Edit, Words};
use super::spoilt_text::SpoiltText;
use crate::source::Span;
use crate::syntax::operators::Fixity;
use crate::syntax::token::{Token, TokenKind};

/// How many seams are tried.
const MAX_SEAMS: usize = 24;

/// The name of a definition that nothing uses.
const UNUSED: &str = "OmniLinkLostDefinition";

impl SpoiltText<'_> {
    /// The heads that may be missing.
    pub fn heads(&self) -> Vec<Edit> {
        let seams = (1..self.tokens.len()).filter(|at| self.is_seam(*at));
        seams
            .take(MAX_SEAMS)
            .flat_map(|seam| self.heads_at(seam))
            .collect()
    }

    fn heads_at(&self, seam: usize) -> Vec<Edit> {
        let mut edits = Vec::new();
        let rest = self.tokens_from(seam);
        let Some(token) = rest.first() else {
            return edits;
        };
        let next = rest
            .iter()
            .find(|token| token.begins_definition && token.column == 0);
        let end = next.map_or(u32::MAX, |token| token.start);
        let inside = self
            .missing
            .iter()
            .filter(|span| (token.start..end).contains(&span.start));
        let inside: Vec<&str> = inside.map(|span| self.slice(*span)).collect();
        for name in self.missing.iter().filter(|span| span.start >= end) {
            let given = self.arguments_after(self.token_at(name.start));
            let params = match given {
                0 => String::new(),
                _ if given > 1 && given == inside.len() => format!("({})", inside.join(", ")),
                _ => continue,
            };
            edits.extend(self.head(token, &format!("{}{params}", self.slice(*name))));
        }
        // What was meant as the beginning of an expression has become the arguments of the last name before.
        if token.kind == TokenKind::ParenOpen && !inside.is_empty() {
            edits.extend(self.head(token, &format!("{UNUSED}({})", inside.join(", "))));
        }
        edits
    }

    fn head(&self, before: &Token, head: &str) -> Option<Edit> {
        let is_list = before.bullet || before.kind == TokenKind::ParenOpen;
        let operand = if is_list { "" } else { "{}" };
        // On a line of its own, so that the rest stands where it stood.
        let blanks = " ".repeat(before.column as usize);
        self.insertion(
            before.start,
            format!("{head} == {operand}\n{blanks}"),
            Words::Head,
        )
    }

    /// Whether a token continues an expression after blank lines or comments.
    fn is_seam(&self, at: usize) -> bool {
        let [before, token, ..] = self.tokens_from(at - 1) else {
            return false;
        };
        let is_infix = token.operator().is_some_and(|op| op.fixity() == Fixity::Infix);
        let between = self.slice(Span::new(before.end, token.start));
        (is_infix || token.kind == TokenKind::ParenOpen) && between.matches('\n').count() > 1
    }
}
