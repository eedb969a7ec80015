//! A text with errors in it, and how to find one's way in it.

use super::edit::{Edit, Words};
use crate::diagnostic::Class;
use crate::semantics::loader::Loaded;
use crate::source::{SourceId, Span};
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tokenize;

/// A text with errors in it.
pub(super) struct SpoiltText<'l> {
    pub source: SourceId,
    pub text: &'l str,
    pub tokens: Vec<Token>,
    /// Where the errors are.
    pub errors: Vec<Span>,
    /// The further places that they show.
    pub labels: Vec<Span>,
    /// The names that nothing defines, as far as they have errors of their own.
    pub unknown: Vec<Span>,
    /// The names that nothing defines.
    pub missing: Vec<Span>,
    /// Whether something has a name that is taken.
    pub is_taken: bool,
}

impl<'l> SpoiltText<'l> {
    /// The texts that the errors with the given numbers are in.
    pub fn all(loaded: &'l Loaded, errors: &[usize]) -> Vec<Self> {
        let mut texts: Vec<Self> = Vec::new();
        let errors = || errors.iter().filter_map(|number| loaded.diagnostics.get(*number));
        for error in errors() {
            let known = texts.iter().position(|text| text.source == error.source);
            let at = known.unwrap_or_else(|| {
                texts.push(Self::new(
                    error.source,
                    loaded.spec.sources.get(error.source).text(),
                ));
                texts.len() - 1
            });
            let Some(text) = texts.get_mut(at) else { continue };
            text.errors.push(error.span);
            text.is_taken |= error.class == Class::Redefined;
            if error.class == Class::Undefined {
                let labels = error.labels.iter().filter(|label| label.source == error.source);
                text.unknown.push(error.span);
                text.missing.push(error.span);
                text.missing.extend(labels.map(|label| label.span));
            }
        }
        for label in errors().flat_map(|error| &error.labels) {
            if let Some(text) = texts.iter_mut().find(|text| text.source == label.source) {
                text.labels.push(label.span);
            }
        }
        texts
    }

    fn new(source: SourceId, text: &'l str) -> Self {
        Self {
            source,
            text,
            tokens: tokenize(source, text, 0, &mut Vec::new()),
            errors: Vec::new(),
            labels: Vec::new(),
            unknown: Vec::new(),
            missing: Vec::new(),
            is_taken: false,
        }
    }

    pub fn slice(&self, span: Span) -> &'l str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    pub fn word(&self, token: &Token) -> &'l str {
        self.slice(token.span())
    }

    /// The tokens from one number on.
    pub fn tokens_from(&self, at: usize) -> &[Token] {
        self.tokens.get(at..).unwrap_or(&[])
    }

    /// The number of the first token that ends after a byte.
    pub fn token_at(&self, start: u32) -> usize {
        self.tokens.partition_point(|token| token.end <= start)
    }

    /// The token that a byte is in, or the next one.
    pub fn token(&self, start: u32) -> Option<&Token> {
        self.tokens.get(self.token_at(start))
    }

    /// The module's own name.
    pub fn name(&self) -> Option<&str> {
        let name = self
            .tokens
            .iter()
            .find(|token| token.kind == TokenKind::Identifier);
        name.map(|token| self.word(token))
    }

    /// Where the first error is.
    pub fn first_error(&self) -> Option<u32> {
        self.errors.iter().map(|error| error.start).min()
    }

    /// The definitions that a place is in, the innermost first: the first token of each.
    pub fn definitions_around(&self, start: u32) -> impl Iterator<Item = usize> {
        let mut column = u32::MAX;
        let end = (self.token_at(start) + 1).min(self.tokens.len());
        let before = self.tokens.get(..end).unwrap_or(&[]).iter().enumerate().rev();
        before
            .filter(move |(_, token)| {
                let is_around = token.begins_definition && token.column < column;
                if is_around {
                    column = token.column;
                }
                is_around
            })
            .map(|(at, _)| at)
    }

    /// How many arguments or parameters the token with the given number has.
    pub fn arguments_after(&self, at: usize) -> usize {
        let rest = self.tokens_from(at + 1);
        if rest.first().map(|token| token.kind) != Some(TokenKind::ParenOpen) {
            return 0;
        }
        let (mut depth, mut count) = (0usize, 1);
        for token in rest {
            match token.kind {
                TokenKind::ParenOpen
                | TokenKind::BracketOpen
                | TokenKind::BraceOpen
                | TokenKind::AngleOpen => depth += 1,
                TokenKind::ParenClose
                | TokenKind::BracketClose
                | TokenKind::BraceClose
                | TokenKind::AngleClose => depth = depth.saturating_sub(1),
                TokenKind::Comma if depth == 1 => count += 1,
                TokenKind::Define | TokenKind::End => break,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        count
    }

    /// Other words for a part of the text; none if they are no others, or would begin a comment.
    pub fn edit(&self, span: Span, new: impl Into<String>, words: Words) -> Option<Edit> {
        let new = new.into();
        let last = self.text.get(..span.start as usize)?.chars().next_back();
        let next = self.text.get(span.end as usize..)?.chars().next();
        let seam: String = last.into_iter().chain(new.chars()).chain(next).collect();
        let is_edit = self.slice(span) != new && !seam.contains("(*") && !seam.contains("\\*");
        is_edit.then_some(Edit {
            source: self.source,
            span,
            new,
            words,
        })
    }

    /// Words to be put in before a byte.
    pub fn insertion(&self, before: u32, new: impl Into<String>, words: Words) -> Option<Edit> {
        self.edit(Span::new(before, before), new, words)
    }
}
