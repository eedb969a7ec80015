//! The lexer: splits the text of an algorithm, or of a translation, into tokens.
//!
//! Comments are skipped. A token remembers its column, because junction lists are read by column. The longest symbol wins.

use std::rc::Rc;

use omnilink_tla_syntax::source::Span;

use crate::fault::{AlgorithmError, AlgorithmErrorKind};
use crate::token::{Token, TokenKind};

/// Symbols of more than one character that do not begin with a backslash and a letter, the longest first.
const SYMBOLS: [&str; 62] = [
    "-+->", "::=", "<=>", "|->", "...", "(+)", "(-)", "(.)", "(/)", ">>_", ":=", "||", "==", "=>", "=<",
    "=|", "<=", "<<", "<>", "<-", "<:", ">=", ">>", "/\\", "\\/", "//", "/=", "->", "-|", "-.", "--", "..",
    "|-", "|=", "::", ":>", "[]", "]_", "~>", "@@", "##", "$$", "%%", "&&", "**", "++", "^^", "^+", "^*",
    "^#", "??", "!!", "(\\X)", "=", "#", "<", ">", "+", "-", "*", ":", ";",
];

/// What the lexer found.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    pub faults: Vec<AlgorithmError>,
}

/// Splits a part of a text. Columns are those of the whole text.
pub(crate) fn tokenize(text: &str, from: usize, until: usize) -> Lexed {
    let line_start = text[..from].rfind('\n').map_or(0, |at| at + 1);
    let mut lexer = Lexer {
        text,
        at: from,
        until,
        column: text[line_start..from].chars().fold(0, advance),
        last_end: None,
        comment: false,
        lexed: Lexed::default(),
    };
    lexer.run();
    lexer.lexed
}

/// The column after a character.
fn advance(column: u32, char: char) -> u32 {
    match char {
        '\t' => (column / 8 + 1) * 8,
        '\n' => 0,
        _ => column + 1,
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    until: usize,
    column: u32,
    /// The column after the last token, if it is on the same line.
    last_end: Option<u32>,
    /// Whether a comment stands between the last token and here.
    comment: bool,
    lexed: Lexed,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..self.until]
    }

    fn run(&mut self) {
        while let Some(first) = self.rest().chars().next() {
            let rest = self.rest();
            if first.is_whitespace() {
                self.skip(first.len_utf8());
            } else if rest.starts_with("\\*") {
                self.comment = true;
                self.skip(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("(*") {
                self.skip_comment();
            } else {
                let (kind, length) = self.scan(first);
                self.push(kind, length);
            }
        }
    }

    fn skip(&mut self, length: usize) {
        for char in self.text[self.at..self.at + length].chars() {
            self.column = advance(self.column, char);
            if char == '\n' {
                self.last_end = None;
            }
        }
        self.at += length;
    }

    fn skip_comment(&mut self) {
        let rest = self.rest();
        let mut depth = 0u32;
        let mut at = 0;
        while at < rest.len() {
            if rest[at..].starts_with("(*") {
                (depth, at) = (depth + 1, at + 2);
            } else if rest[at..].starts_with("*)") {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    break;
                }
            } else {
                at += rest[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
        if depth > 0 {
            let span = Span::new(self.at as u32, self.at as u32 + 2);
            let fault =
                AlgorithmError::new(AlgorithmErrorKind::Lexical, span, "this comment is never closed");
            self.lexed
                .faults
                .push(fault.help("close it with `*)`; comments nest"));
        }
        self.comment = true;
        self.skip(at);
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let start = self.at;
        let column = self.column;
        let gap = self.last_end.map(|end| {
            if self.comment {
                1
            } else {
                column.saturating_sub(end)
            }
        });
        self.skip(length);
        self.last_end = Some(self.column);
        self.comment = false;
        let text = &self.text[start..self.at];
        let text: Rc<str> = match text {
            "≔" => ":=".into(),
            "‖" => "||".into(),
            _ => text.into(),
        };
        self.lexed.tokens.push(Token {
            kind,
            text,
            span: Span::new(start as u32, self.at as u32),
            column,
            gap,
        });
    }

    /// The kind and the length of the token that begins here.
    fn scan(&mut self, first: char) -> (TokenKind, usize) {
        let rest = self.rest();
        if first == '"' {
            return (TokenKind::Text, self.string_length());
        }
        if is_word(first) {
            let length = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
            let is_number = rest[..length].bytes().all(|byte| byte.is_ascii_digit());
            let kind = if is_number {
                TokenKind::Number
            } else {
                TokenKind::Word
            };
            return (kind, length);
        }
        for word in ["--algorithm", "--fair"] {
            if rest.starts_with(word) {
                return (TokenKind::Word, word.len());
            }
        }
        // Arithmetic in parentheses is more frequent than the operators `(-)` and `(+)`, but these are what TLA+ reads.
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            return (TokenKind::Symbol, symbol.len());
        }
        if first == '\\' {
            let named = rest[1..].find(|char: char| !char.is_ascii_alphanumeric());
            return (TokenKind::Symbol, 1 + named.unwrap_or(rest.len() - 1));
        }
        (TokenKind::Symbol, first.len_utf8())
    }

    fn string_length(&mut self) -> usize {
        let rest = self.rest();
        let mut is_escaped = false;
        for (at, char) in rest.char_indices().skip(1) {
            match char {
                '"' if !is_escaped => return at + 1,
                '\n' => return self.open_string(at),
                _ => is_escaped = char == '\\' && !is_escaped,
            }
        }
        self.open_string(rest.len())
    }

    fn open_string(&mut self, length: usize) -> usize {
        let span = Span::new(self.at as u32, (self.at + length) as u32);
        let fault = AlgorithmError::new(AlgorithmErrorKind::Lexical, span, "this string is never closed");
        self.lexed
            .faults
            .push(fault.help("end it with `\"` on the same line; write `\\\"` for a quote inside a string"));
        length
    }
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || (!char.is_ascii() && char.is_alphanumeric())
}
