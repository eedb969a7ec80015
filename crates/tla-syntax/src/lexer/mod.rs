//! The lexer: one pass over the bytes of a text.
//!
//! The whole text is split at once, because a definition ends where the *next* one begins, and that is visible only at the
//! next `==`: after the pass, [`mark_definitions`] walks back from each `==` to the first token of its left-hand side. Text before
//! the first `---- MODULE` and after the last `====` is skipped. The longest match wins throughout (`\intersect` is not `\in`;
//! `(+)` is an operator even where parentheses were meant).

mod definition;
mod scan;

use definition::mark_definitions;

use super::operators::Op;
use super::token::{Token, TokenKind};
use crate::diagnostic::{Class, Diagnostic};
use crate::source::{Source, SourceId, Span, advance_column};

/// Splits the first module at or after a byte into tokens; the last one is always [`TokenKind::End`].
pub fn tokenize(source: SourceId, text: &str, from: usize, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer::new(source, text, diagnostics);
    lexer.at = from.min(text.len());
    lexer.run();
    let mut tokens = lexer.tokens;
    mark_definitions(&mut tokens);
    tokens
}

/// Like [`tokenize`], for a source in which something else may be read instead of a part.
pub(crate) fn tokenize_source(
    id: SourceId,
    source: &Source,
    from: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    let Some(replaced) = source.replaced() else {
        return tokenize(id, source.text(), from, diagnostics);
    };
    let mut lexer = Lexer::new(id, source.whole_text(), diagnostics);
    let own = source.text().len();
    lexer.bytes = &lexer.bytes[..own];
    lexer.at = from.min(own);
    lexer.parts = vec![
        (replaced.end as usize, own),
        (own, source.whole_text().len()),
        (0, replaced.start as usize),
    ];
    lexer.run();
    let mut tokens = lexer.tokens;
    mark_definitions(&mut tokens);
    tokens
}

/// Splits a whole text that is not a module, such as a configuration, into tokens.
pub fn tokenize_fragment(source: SourceId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer::new(source, text, diagnostics);
    while lexer.skip_blank() {
        let token = lexer.token();
        lexer.tokens.push(token);
    }
    lexer.end();
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The byte whose column is `column`; columns are counted from here on demand.
    column_at: usize,
    column: u32,
    /// The end of the last word without letters. Such a word is several tokens; its end is searched once.
    letterless_end: usize,
    /// The end of the last invalid character.
    meaningless_end: usize,
    /// The parts of the text that are still to be read, the next one last. All of it is read if there are none.
    parts: Vec<(usize, usize)>,
    source: SourceId,
    diagnostics: &'a mut Vec<Diagnostic>,
    tokens: Vec<Token>,
}

impl<'a> Lexer<'a> {
    fn new(source: SourceId, text: &'a str, diagnostics: &'a mut Vec<Diagnostic>) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            column_at: 0,
            column: 0,
            letterless_end: 0,
            meaningless_end: 0,
            parts: Vec::new(),
            source,
            diagnostics,
            tokens: Vec::with_capacity(text.len() / 4),
        }
    }

    fn run(&mut self) {
        let mut depth = 0u32;
        if self.skip_to_module() {
            self.enter_first_part();
            while self.skip_blank() {
                let token = self.token();
                self.tokens.push(token);
                match (token.kind, self.tokens.as_slice()) {
                    // Dashes without a name between them are not a header, so no `====` belongs to them.
                    (TokenKind::Separator, [.., start, _, _]) if start.kind == TokenKind::ModuleStart => {
                        depth += 1;
                    }
                    (TokenKind::ModuleEnd, _) => {
                        depth = depth.saturating_sub(1);
                        if depth == 0 {
                            break;
                        }
                    }
                    _ => {}
                }
            }
        }
        self.end();
    }

    /// Limits reading to the part that the module begins in. A module that begins after the first part is read as it is.
    fn enter_first_part(&mut self) {
        let Some((_, end)) = self.parts.pop() else { return };
        if self.at < end {
            self.bytes = &self.text.as_bytes()[..end]
        } else {
            self.parts.clear()
        }
    }

    /// Moves to the next part of the text, which begins a line; false if there is none.
    fn enter_next_part(&mut self) -> bool {
        let Some((start, end)) = self.parts.pop() else {
            return false;
        };
        self.bytes = &self.text.as_bytes()[..end];
        self.at = start;
        (self.column_at, self.column) = (start, 0);
        (self.letterless_end, self.meaningless_end) = (0, 0);
        true
    }

    fn end(&mut self) {
        let end = self.at as u32;
        let column = self.column_of(self.at);
        self.tokens.push(Token {
            kind: TokenKind::End,
            bullet: false,
            begins_definition: false,
            start: end,
            end,
            column,
        });
    }

    /// Moves to the first `---- MODULE`; text before it is prose.
    fn skip_to_module(&mut self) -> bool {
        let own = self.bytes.len();
        while let Some(found) = self.text.get(self.at..own).and_then(|rest| rest.find("----")) {
            self.at += found;
            if self.module_start_length().is_some() && !is_commented(self.text, self.at) {
                return true;
            }
            self.at += self.run_length(b'-');
        }
        self.at = self.bytes.len();
        false
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    fn run_length(&self, byte: u8) -> usize {
        self.bytes[self.at..].iter().take_while(|b| **b == byte).count()
    }

    fn module_start_length(&self) -> Option<usize> {
        let dashes = self.run_length(b'-');
        let rest = &self.bytes[self.at + dashes..];
        let spaces = rest.iter().take_while(|b| **b == b' ').count();
        (dashes >= 4 && rest[spaces..].starts_with(b"MODULE")).then_some(dashes + spaces + 6)
    }

    fn column_of(&mut self, at: usize) -> u32 {
        for (offset, c) in self.text.get(self.column_at..at).unwrap_or("").char_indices() {
            let next = self.bytes.get(self.column_at + offset + 1);
            let ends_line = c == '\n' || (c == '\r' && next != Some(&b'\n'));
            self.column = if ends_line {
                0
            } else {
                advance_column(self.column, c)
            };
        }
        self.column_at = at;
        self.column
    }

    fn error(&mut self, start: usize, end: usize, message: impl Into<String>, help: &str) {
        let span = Span::new(start as u32, end as u32);
        self.diagnostics
            .push(Diagnostic::error(Class::Lex, self.source, span, message).help(help));
    }

    /// Skips white space and comments; false at the end of the text.
    fn skip_blank(&mut self) -> bool {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == b'*' => {
                    self.at += self.bytes[self.at..]
                        .iter()
                        .take_while(|b| !matches!(b, b'\n' | b'\r'))
                        .count();
                }
                b'(' if self.peek(1) == b'*' => self.skip_comment(),
                0 if self.at >= self.bytes.len() => {
                    if !self.enter_next_part() {
                        return false;
                    }
                }
                _ => return true,
            }
        }
    }

    /// Skips a comment. A comment that is never closed leaves a bad token, so that the parser does not report the text it
    /// contains as missing.
    fn skip_comment(&mut self) {
        let start = self.at;
        let mut depth = 0u32;
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (b'(', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b')') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
        self.error(
            start,
            start + 2,
            "this comment is never closed",
            "close it with `*)`; comments nest",
        );
        let column = self.column_of(start);
        self.tokens.push(Token {
            kind: TokenKind::Bad,
            bullet: false,
            begins_definition: false,
            start: start as u32,
            end: self.at as u32,
            column,
        });
    }

    fn token(&mut self) -> Token {
        let start = self.at;
        let column = self.column_of(start);
        let (kind, length) = self.scan();
        self.at = (start + length.max(1)).min(self.bytes.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        let bullet = matches!(kind, TokenKind::Operator(Op::And | Op::Or)) && self.bytes[start + 1] != b'l';
        Token {
            kind,
            bullet,
            begins_definition: false,
            start: start as u32,
            end: self.at as u32,
            column,
        }
    }
}

/// Whether `\*` stands before a place in its line. TLC writes modules that are commented out so behind a trace as a module.
fn is_commented(text: &str, at: usize) -> bool {
    let line = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    text[line..at].contains("\\*")
}

/// The start of the header of the module with the given name, if there is one at or after byte `from`.
pub fn find_module(text: &str, name: &str, from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find("----")) {
        let start = at + found;
        let header = text.get(start..).unwrap_or("").trim_start_matches('-');
        let title = header
            .trim_start_matches(' ')
            .strip_prefix("MODULE")
            .map(str::trim_start);
        let rest = title.and_then(|title| title.strip_prefix(name));
        if rest.is_some_and(|rest| rest.trim_start().starts_with("----")) && !is_commented(text, start) {
            return Some(start);
        }
        at = text.len() - header.len();
    }
    None
}
