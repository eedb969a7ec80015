//! One token at a time: the longest match at the current byte.

use super::Lexer;
use crate::diagnostic::{Class, Diagnostic};
use crate::operators::Op;
use crate::source::Span;
use crate::token::{Keyword, TokenKind};

impl Lexer<'_> {
    /// The token at the current byte and its length. Does not move `self.at`.
    pub(super) fn scan(&mut self) -> (TokenKind, usize) {
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

    pub(super) fn word(&mut self) -> (TokenKind, usize) {
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

    /// Reports a character that begins no token, once per line: quotes come in pairs.
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

/// The first token of a word without letters.
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
