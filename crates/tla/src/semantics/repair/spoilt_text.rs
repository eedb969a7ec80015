//! A text with errors in it, and how to find one's way in it.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::edit::{Edit, Words};
use super::window::{Cut, cuts};
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
    /// Where something new begins at the left margin.
    pub cuts: Vec<Cut>,
    /// Whether it can be parsed.
    pub is_parsed: bool,
    /// The skeletons of parts of the text, as far as they were asked for.
    pub skeletons: RefCell<FxHashMap<Span, Option<String>>>,
    /// Where the errors are.
    pub errors: Vec<Span>,
    /// Those that are not about levels.
    pub not_of_levels: Vec<Span>,
    /// The further places that they show.
    pub labels: Vec<Span>,
    /// The further places that those show which are not about levels.
    pub labels_not_of_levels: Vec<Span>,
    /// The names that nothing defines, as far as they have errors of their own.
    pub unknown: Vec<Span>,
    /// The names that nothing defines.
    pub missing: Vec<Span>,
    /// Where something has a name that is taken, and the other places of such errors.
    pub taken: Vec<Span>,
}

impl<'l> SpoiltText<'l> {
    /// The texts that the errors with the given numbers are in.
    pub fn all(loaded: &'l Loaded, errors: &[usize]) -> Vec<Self> {
        let mut texts: Vec<Self> = Vec::new();
        let errors = || errors.iter().filter_map(|number| loaded.diagnostics.get(*number));
        for error in errors() {
            let known = texts.iter().position(|text| text.source == error.source);
            let at = known.unwrap_or_else(|| {
                let text = loaded.spec.sources.get(error.source).text();
                texts.push(Self::new(error.source, text, loaded.spec.root.is_some()));
                texts.len() - 1
            });
            let Some(text) = texts.get_mut(at) else { continue };
            text.errors.push(error.span);
            if error.class != Class::Level {
                text.not_of_levels.push(error.span);
            }
            let labels = error.labels.iter().filter(|label| label.source == error.source);
            let places = std::iter::once(error.span).chain(labels.map(|label| label.span));
            match error.class {
                Class::Undefined => {
                    text.unknown.push(error.span);
                    text.missing.extend(places);
                }
                Class::Redefined => text.taken.extend(places),
                _ => {}
            }
        }
        let labels = errors().flat_map(|error| error.labels.iter().map(|label| (error.class, label)));
        for (class, label) in labels {
            if let Some(text) = texts.iter_mut().find(|text| text.source == label.source) {
                text.labels.push(label.span);
                if class != Class::Level {
                    text.labels_not_of_levels.push(label.span);
                }
            }
        }
        texts
    }

    fn new(source: SourceId, text: &'l str, is_parsed: bool) -> Self {
        let tokens = tokenize(source, text, 0, &mut Vec::new());
        Self {
            source,
            text,
            cuts: cuts(&tokens),
            is_parsed,
            skeletons: RefCell::default(),
            tokens,
            errors: Vec::new(),
            not_of_levels: Vec::new(),
            labels: Vec::new(),
            labels_not_of_levels: Vec::new(),
            unknown: Vec::new(),
            missing: Vec::new(),
            taken: Vec::new(),
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

    /// Whether nothing is before a token in its line.
    pub fn begins_line(&self, token: &Token) -> bool {
        let before = self.text.get(..token.start as usize).unwrap_or("");
        let line = before.rsplit('\n').next().unwrap_or("");
        line.trim_start().is_empty()
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
        self.listed_after(at, TokenKind::ParenOpen)
    }

    /// To how many arguments the function is applied that the token with the given number names.
    pub fn indices_after(&self, at: usize) -> usize {
        self.listed_after(at, TokenKind::BracketOpen)
    }

    fn listed_after(&self, at: usize, open: TokenKind) -> usize {
        let rest = self.tokens_from(at + 1);
        if rest.first().map(|token| token.kind) != Some(open) {
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

    /// Two words and what is between them for a part of the text; what is between may be a comment.
    pub fn pair(&self, span: Span, [first, between, second]: [&str; 3]) -> Option<Edit> {
        let is_apart = if between.is_empty() { "" } else { " " };
        let edit = self.edit(span, [first, is_apart, second].concat(), Words::Meant)?;
        Some(Edit {
            new: [first, between, second].concat(),
            ..edit
        })
    }

    /// Words to be put in before a byte.
    pub fn insertion(&self, before: u32, new: impl Into<String>, words: Words) -> Option<Edit> {
        self.edit(Span::new(before, before), new, words)
    }
}
