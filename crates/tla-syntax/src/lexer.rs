//! From text to tokens, in one pass over the bytes.
//!
//! The whole text is split at once, because what ends a definition is the *next* definition, and that shows only at
//! its `==`: after the pass, [`mark_definitions`] walks back from each `==` to the first token of its left-hand side.
//! Text before the first `---- MODULE` and after the last `====` is skipped. The longest match wins throughout
//! (`\intersect` is not `\in`; `(+)` is an operator even where parentheses were meant).

use super::operators::{Fixity, Op};
use super::token::{Keyword, Token, TokenKind};
use crate::diagnostic::{Class, Diagnostic};
use crate::source::{SourceId, Span, advance_column};

/// Splits the first module at or after a byte into tokens; the last one is always [`TokenKind::End`].
pub fn tokenize(source: SourceId, text: &str, from: usize, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer::new(source, text, diagnostics);
    lexer.at = from.min(text.len());
    lexer.run();
    let mut tokens = lexer.tokens;
    mark_definitions(&mut tokens);
    tokens
}

/// Splits a whole text that is no module, such as a configuration, into tokens.
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
    /// The end of the word without letters that was met last: it is several tokens, and looked through once.
    letterless_end: usize,
    /// The end of the last character that has no meaning.
    meaningless_end: usize,
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
            source,
            diagnostics,
            tokens: Vec::with_capacity(text.len() / 4),
        }
    }

    fn run(&mut self) {
        let mut depth = 0u32;
        if self.skip_to_module() {
            while self.skip_blank() {
                let token = self.token();
                self.tokens.push(token);
                match (token.kind, self.tokens.as_slice()) {
                    // What has no name between its dashes is no header, and has no end of its own.
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
        while let Some(found) = self.text.get(self.at..).and_then(|rest| rest.find("----")) {
            self.at += found;
            if self.module_start_length().is_some() {
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
                0 if self.at >= self.bytes.len() => return false,
                _ => return true,
            }
        }
    }

    /// Skips a comment. One that is never closed leaves a bad token: what it swallowed is not missing.
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
        self.at = start + length.max(1);
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

    /// The token at the current byte and its length. `self.at` is left where it is.
    fn scan(&mut self) -> (TokenKind, usize) {
        use TokenKind as K;
        let op = |op: Op, length: usize| (K::Operator(op), length);
        let (b0, b1, b2) = (self.peek(0), self.peek(1), self.peek(2));
        match b0 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => self.word(),
            b'"' => self.string(),
            b'\\' => self.backslash(),
            b',' => (K::Comma, 1),
            b'{' => (K::BraceOpen, 1),
            b'}' => (K::BraceClose, 1),
            b')' => (K::ParenClose, 1),
            b'(' => match (b1, b2, self.peek(3)) {
                (b'+', b')', _) => op(Op::Oplus, 3),
                (b'-', b')', _) => op(Op::Ominus, 3),
                (b'.', b')', _) => op(Op::Odot, 3),
                (b'/', b')', _) => op(Op::Oslash, 3),
                (b'\\', b'X', b')') => op(Op::Otimes, 4),
                _ => (K::ParenOpen, 1),
            },
            b'[' if self.starts_with("[]ASSUME") => (K::Keyword(Keyword::Assume), 8),
            b'[' if self.starts_with("[]PROVE") => (K::Keyword(Keyword::Prove), 7),
            b'[' if b1 == b']' => op(Op::Always, 2),
            b'[' => (K::BracketOpen, 1),
            b']' if b1 == b'_' => (K::BracketCloseSub, 2),
            b']' => (K::BracketClose, 1),
            b'<' => match (b1, b2) {
                (b'<', _) => (K::AngleOpen, 2),
                (b'=', b'>') => op(Op::Equiv, 3),
                (b'=', _) => op(Op::LessEq, 2),
                (b'-', _) => (K::Substitute, 2),
                (b':', _) => op(Op::LessColon, 2),
                (b'>', _) => op(Op::Eventually, 2),
                _ => match self.step_length() {
                    Some(length) => (K::Step, length),
                    None => op(Op::Less, 1),
                },
            },
            b'>' => match (b1, b2) {
                (b'>', b'_') => (K::AngleCloseSub, 3),
                (b'>', _) => (K::AngleClose, 2),
                (b'=', _) => op(Op::GreaterEq, 2),
                _ => op(Op::Greater, 1),
            },
            b'=' => match b1 {
                b'=' if self.run_length(b'=') >= 4 => (K::ModuleEnd, self.run_length(b'=')),
                b'=' => (K::Define, 2),
                b'>' => op(Op::Implies, 2),
                b'<' => op(Op::LessEq, 2),
                b'|' => op(Op::EqualBar, 2),
                _ => op(Op::Equal, 1),
            },
            b'-' => self.dash(),
            b'.' => match (b1, b2) {
                (b'.', b'.') => op(Op::Dots3, 3),
                (b'.', _) => op(Op::Dots, 2),
                _ => (K::Dot, 1),
            },
            b':' => match (b1, b2) {
                (b':', b'=') => op(Op::BnfRule, 3),
                (b':', _) => (K::ColonColon, 2),
                (b'=', _) => op(Op::Assign, 2),
                (b'>', _) => op(Op::MapsTo, 2),
                _ => (K::Colon, 1),
            },
            b'/' => match b1 {
                b'\\' => op(Op::And, 2),
                b'/' => op(Op::SlashSlash, 2),
                b'=' => op(Op::NotEqual, 2),
                _ => op(Op::Slash, 1),
            },
            b'|' => match (b1, b2) {
                (b'-', b'>') => (K::MapsTo, 3),
                (b'-', _) => op(Op::BarDash, 2),
                (b'|', _) => op(Op::BarBar, 2),
                (b'=', _) => op(Op::BarEqual, 2),
                _ => op(Op::Bar, 1),
            },
            b'^' => match b1 {
                b'^' => op(Op::CaretCaret, 2),
                b'+' => op(Op::CaretPlus, 2),
                b'*' => op(Op::CaretStar, 2),
                b'#' => op(Op::CaretHash, 2),
                _ => op(Op::Caret, 1),
            },
            b'~' if b1 == b'>' => op(Op::LeadsTo, 2),
            b'~' => op(Op::Not, 1),
            b'#' if b1 == b'#' => op(Op::HashHash, 2),
            b'#' => op(Op::NotEqual, 1),
            b'$' if b1 == b'$' => op(Op::Dollar2, 2),
            b'$' => op(Op::Dollar, 1),
            b'%' if b1 == b'%' => op(Op::Percent2, 2),
            b'%' => op(Op::Percent, 1),
            b'&' if b1 == b'&' => op(Op::AmpAmp, 2),
            b'&' => op(Op::Amp, 1),
            b'@' if b1 == b'@' => op(Op::AtAt, 2),
            b'@' => (K::At, 1),
            b'!' if b1 == b'!' => op(Op::BangBang, 2),
            b'!' => (K::Bang, 1),
            b'?' if b1 == b'?' => op(Op::QuestQuest, 2),
            b'*' if b1 == b'*' => op(Op::StarStar, 2),
            b'*' => op(Op::Star, 1),
            b'+' if b1 == b'+' => op(Op::PlusPlus, 2),
            b'+' => op(Op::Plus, 1),
            b'\'' => op(Op::Prime, 1),
            _ => self.unicode(),
        }
    }

    fn dash(&mut self) -> (TokenKind, usize) {
        if let Some(length) = self.module_start_length() {
            return (TokenKind::ModuleStart, length);
        }
        let dashes = self.run_length(b'-');
        match (dashes, self.peek(1)) {
            (4.., _) => (TokenKind::Separator, dashes),
            (2.., _) => (TokenKind::Operator(Op::MinusMinus), 2),
            (_, b'+') if self.starts_with("-+->") => (TokenKind::Operator(Op::PlusArrow), 4),
            (_, b'>') => (TokenKind::Arrow, 2),
            (_, b'|') => (TokenKind::Operator(Op::DashBar), 2),
            (_, b'.') => (TokenKind::Operator(Op::Negative), 2),
            _ => (TokenKind::Operator(Op::Minus), 1),
        }
    }

    fn word(&mut self) -> (TokenKind, usize) {
        let rest = &self.bytes[self.at..];
        if self.at < self.letterless_end {
            return number_or_underscore(rest);
        }
        let length = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
            .count();
        let word = &rest[..length];
        if word.starts_with(b"WF_") {
            return (TokenKind::WeakFairness, 3);
        }
        if word.starts_with(b"SF_") {
            return (TokenKind::StrongFairness, 3);
        }
        if !word.iter().any(u8::is_ascii_alphabetic) {
            self.letterless_end = self.at + length;
            return number_or_underscore(word);
        }
        if !word[0].is_ascii_uppercase() {
            return (TokenKind::Identifier, length);
        }
        let text = self.text.get(self.at..self.at + length).unwrap_or("");
        let kind = match text {
            "ENABLED" => TokenKind::Operator(Op::Enabled),
            "UNCHANGED" => TokenKind::Operator(Op::Unchanged),
            "SUBSET" => TokenKind::Operator(Op::Powerset),
            "UNION" => TokenKind::Operator(Op::BigUnion),
            "DOMAIN" => TokenKind::Operator(Op::Domain),
            _ => Keyword::from_text(text).map_or(TokenKind::Identifier, TokenKind::Keyword),
        };
        (kind, length)
    }

    fn string(&mut self) -> (TokenKind, usize) {
        let start = self.at;
        let mut at = start + 1;
        let mut good = true;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => break,
                None | Some(b'\n' | b'\r') => {
                    self.error(
                        start,
                        at,
                        "this string is never closed",
                        "close it with `\"` on the same line",
                    );
                    return (TokenKind::Bad, at - start);
                }
                Some(b'\\') => {
                    match self.bytes.get(at + 1) {
                        Some(b'n' | b't' | b'r' | b'f' | b'\\' | b'"') => {}
                        None | Some(b'\n' | b'\r') => {}
                        Some(_) => {
                            let escape = self.text.get(at..).and_then(|t| t.chars().nth(1)).unwrap_or('?');
                            self.error(
                                at,
                                at + 1 + escape.len_utf8(),
                                format!("a string has no escape `\\{escape}`"),
                                r#"the escapes are `\"` `\\` `\n` `\t` `\r` `\f`; write `\\` for a backslash"#,
                            );
                            good = false;
                        }
                    }
                    at += if matches!(self.bytes.get(at + 1), None | Some(b'\n' | b'\r')) {
                        1
                    } else {
                        2
                    };
                }
                Some(_) => at += 1,
            }
        }
        let span = Span::new(start as u32, at as u32 + 1);
        if self
            .text
            .get(start..at)
            .is_some_and(|text| text.contains('\u{fffd}'))
        {
            let message = "this string holds bytes that are no text and are read as U+FFFD";
            let warning = Diagnostic::warning(Class::Lex, self.source, span, message);
            self.diagnostics.push(warning.help("save the file as UTF-8"));
        }
        (
            if good { TokenKind::Text } else { TokenKind::Bad },
            at + 1 - start,
        )
    }

    /// `<1>`, `<1>2.`, `<*>a`, `<+>`: the number of a proof step.
    fn step_length(&self) -> Option<usize> {
        let rest = &self.bytes[self.at + 1..];
        let level = match rest.first() {
            Some(b'*' | b'+') => 1,
            _ => rest.iter().take_while(|b| b.is_ascii_digit()).count(),
        };
        if level == 0 || rest.get(level) != Some(&b'>') {
            return None;
        }
        let name = &rest[level + 1..];
        let named = name
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
            .count();
        let marked = if named == 0 && matches!(name.first(), Some(b'*' | b'-')) {
            1
        } else {
            named
        };
        let dots = name[marked..].iter().take_while(|b| **b == b'.').count();
        Some(1 + level + 1 + marked + dots)
    }

    fn backslash(&mut self) -> (TokenKind, usize) {
        let rest = &self.bytes[self.at + 1..];
        if rest.first() == Some(&b'/') {
            return (TokenKind::Operator(Op::Or), 2);
        }
        let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let digits = |known: fn(&u8) -> bool| rest[1..].iter().take_while(|b| known(b)).count();
        let number = match rest.first() {
            Some(b'o' | b'O') => digits(|b| (b'0'..=b'7').contains(b)),
            Some(b'b' | b'B') => digits(|b| matches!(b, b'0' | b'1')),
            Some(b'h' | b'H') => digits(u8::is_ascii_hexdigit),
            _ => 0,
        };
        let word = self.text.get(self.at..self.at + 1 + letters).unwrap_or("\\");
        let symbol = (1..=word.len())
            .rev()
            .find_map(|l| backslash_word(&word[..l]).map(|kind| (kind, l)));
        match symbol {
            Some((kind, length)) if number == 0 || length > number + 2 => (kind, length),
            _ if number > 0 => (TokenKind::Number, number + 2),
            _ => (TokenKind::Operator(Op::SetMinus), 1),
        }
    }

    fn unicode(&mut self) -> (TokenKind, usize) {
        use TokenKind as K;
        let c = self
            .text
            .get(self.at..)
            .and_then(|t| t.chars().next())
            .unwrap_or('\u{fffd}');
        let length = c.len_utf8();
        let kind = match c {
            '∀' => K::ForAll,
            '∃' => K::Exists,
            '≜' => K::Define,
            '∷' => K::ColonColon,
            '⟨' => K::AngleOpen,
            '⟩' if self.peek(length) == b'_' => return (K::AngleCloseSub, length + 1),
            '⟩' => K::AngleClose,
            '→' => K::Arrow,
            '←' => K::Substitute,
            '↦' => K::MapsTo,
            'ℕ' | 'ℤ' | 'ℝ' => K::Identifier,
            _ => match unicode_operator(c) {
                Some(op) => K::Operator(op),
                None => {
                    self.meaningless(c);
                    K::Bad
                }
            },
        };
        (kind, length)
    }

    /// Reports a character that begins no token, once in a line: quotes come in pairs.
    fn meaningless(&mut self, c: char) {
        let end = self.at + c.len_utf8();
        let since = std::mem::replace(&mut self.meaningless_end, end);
        let between = self.text.get(since..self.at).unwrap_or("");
        if since > 0 && !between.contains('\n') {
            return;
        }
        let shown = if c.is_control() || c.is_whitespace() || ('\u{200b}'..='\u{200f}').contains(&c) {
            format!("the invisible character U+{:04X}", c as u32)
        } else {
            format!("`{c}`")
        };
        let help = match c {
            '“' | '”' => "write strings with straight quotes: `\"`",
            '‘' | '’' => "write a prime with a straight apostrophe: `'`",
            ';' => "TLA+ has no `;`; PlusCal belongs in a comment",
            '\u{fffd}' => "save the file as UTF-8",
            _ if c.is_whitespace() => "write a plain space",
            _ => "remove it, or put it in a comment or a string",
        };
        self.error(self.at, end, format!("{shown} has no meaning here"), help);
    }
}

/// The first of the tokens that a word without letters is.
fn number_or_underscore(word: &[u8]) -> (TokenKind, usize) {
    match word.iter().take_while(|b| b.is_ascii_digit()).count() {
        0 => (TokenKind::Underscore, 1),
        digits => (TokenKind::Number, digits),
    }
}

fn backslash_word(word: &str) -> Option<TokenKind> {
    Some(match word {
        "\\A" | "\\forall" => TokenKind::ForAll,
        "\\E" | "\\exists" => TokenKind::Exists,
        "\\AA" => TokenKind::TemporalForAll,
        "\\EE" => TokenKind::TemporalExists,
        "\\in" => TokenKind::Operator(Op::In),
        "\\cup" => TokenKind::Operator(Op::Cup),
        "\\o" => TokenKind::Operator(Op::Circ),
        "\\X" => TokenKind::Operator(Op::Times),
        _ if word.len() < 3 => return None,
        _ => TokenKind::Operator(*Op::ALL.iter().find(|op| op.spellings().contains(&word))?),
    })
}

fn unicode_operator(c: char) -> Option<Op> {
    let mut buffer = [0; 4];
    let text: &str = c.encode_utf8(&mut buffer);
    Op::ALL
        .iter()
        .copied()
        .find(|op| c as u32 > 127 && op.spellings().contains(&text))
}

/// Where the header of a module of the given name begins, if there is one at or after a byte.
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
        if rest.is_some_and(|rest| rest.trim_start().starts_with("----")) {
            return Some(start);
        }
        at = text.len() - header.len();
    }
    None
}

/// Marks the first token of every definition, walking back from its `==`.
fn mark_definitions(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        if tokens[at].kind == TokenKind::Define
            && let Some(start) = definition_start(tokens, at)
        {
            tokens[start].begins_definition = true;
        }
    }
}

fn definition_start(tokens: &[Token], define: usize) -> Option<usize> {
    let kind = |at: usize| tokens.get(at).map(|t| t.kind);
    let is_name = |at: usize| matches!(kind(at), Some(TokenKind::Identifier | TokenKind::At));
    let last = define.checked_sub(1)?;
    match kind(last)? {
        TokenKind::ParenClose => opening(tokens, last).filter(|at| is_name(*at)),
        TokenKind::BracketClose => opening(tokens, last).filter(|at| is_name(*at)),
        TokenKind::Identifier | TokenKind::At => {
            let Some(before) = last.checked_sub(1) else {
                return Some(last);
            };
            match kind(before)? {
                TokenKind::Operator(op) if op.fixity() == Fixity::Prefix => {
                    let begins = before
                        .checked_sub(1)
                        .is_none_or(|at| may_precede_definition(tokens, at));
                    Some(if begins || op == Op::Negative {
                        before
                    } else {
                        last
                    })
                }
                TokenKind::Operator(op) if op.fixity() == Fixity::Infix => {
                    let Some(left) = before.checked_sub(1) else {
                        return Some(last);
                    };
                    // `x + y == …` defines `+`, unless `x` cannot begin a definition because it is still an operand.
                    let begins = left
                        .checked_sub(1)
                        .is_none_or(|at| may_precede_definition(tokens, at));
                    Some(if is_name(left) && begins { left } else { last })
                }
                _ => Some(last),
            }
        }
        TokenKind::Operator(op) if op.fixity() == Fixity::Postfix => {
            last.checked_sub(1).filter(|at| is_name(*at))
        }
        _ => None,
    }
}

/// The token before the bracket that closes at `close`.
fn opening(tokens: &[Token], close: usize) -> Option<usize> {
    let mut depth = 0usize;
    for at in (0..=close).rev() {
        match tokens[at].kind {
            TokenKind::ParenClose
            | TokenKind::BracketClose
            | TokenKind::BracketCloseSub
            | TokenKind::BraceClose
            | TokenKind::AngleClose
            | TokenKind::AngleCloseSub => depth += 1,
            TokenKind::ParenOpen | TokenKind::BracketOpen | TokenKind::BraceOpen | TokenKind::AngleOpen => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at.checked_sub(1);
                }
            }
            TokenKind::Define | TokenKind::ModuleStart | TokenKind::ModuleEnd => return None,
            _ => {}
        }
    }
    None
}

fn may_precede_definition(tokens: &[Token], at: usize) -> bool {
    match tokens[at].kind {
        TokenKind::Separator | TokenKind::ModuleEnd | TokenKind::Step => true,
        TokenKind::Keyword(word) => matches!(
            word,
            Keyword::Let
                | Keyword::Local
                | Keyword::Define
                | Keyword::Def
                | Keyword::Omitted
                | Keyword::Obvious
                | Keyword::Qed
        ),
        _ => tokens[at].can_end_expression(),
    }
}
