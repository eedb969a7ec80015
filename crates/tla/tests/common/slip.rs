//! Slips: one token spoilt, in each of the ways that a hand slips.

use omnilink_tla::syntax::operators::Op;
use omnilink_tla::syntax::token::{Token, TokenKind};

/// One way to spoil a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// It is not there.
    Forgotten,
    /// It is there twice.
    Doubled,
    /// A name is misspelled.
    Misspelled,
    /// `=` for `==` or the other way round.
    Confused,
    /// A bracket too many before it.
    Bracketed,
    /// It has a prime too many.
    Primed,
    /// It stands a column too far left.
    Outdented,
    /// It is EXTENDS, and its line is not there.
    NotExtended,
}

pub const SLIPS: [Slip; 8] = [
    Slip::Forgotten,
    Slip::Doubled,
    Slip::Misspelled,
    Slip::Confused,
    Slip::Bracketed,
    Slip::Primed,
    Slip::Outdented,
    Slip::NotExtended,
];

/// The text with one token spoilt, where that slip can be made there.
pub fn spoilt(text: &str, token: &Token, slip: Slip) -> Option<String> {
    let (start, end) = (token.start as usize, token.end as usize);
    let word = text.get(start..end)?;
    let named = token.kind == TokenKind::Identifier;
    let with = |new: &str| Some(format!("{}{new}{}", &text[..start], &text[end..]));
    match slip {
        Slip::Forgotten => with(""),
        Slip::Doubled => with(&format!("{word} {word}")),
        // As long as before, so that no bullet after it moves.
        Slip::Misspelled if named => with(&format!("{}Z", &word[..word.len() - 1])),
        Slip::Confused if token.kind == TokenKind::Define => with("="),
        Slip::Confused if token.kind == TokenKind::Operator(Op::Equal) => with("=="),
        Slip::Bracketed => with(&format!("({word}")),
        Slip::Primed if named => with(&format!("{word}'")),
        Slip::Outdented if token.bullet && text[..start].ends_with("  ") => {
            Some(format!("{}{} {}", &text[..start - 1], word, &text[end..]))
        }
        Slip::NotExtended if word == "EXTENDS" => {
            let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let rest = text[start..].find('\n').map_or(text.len(), |at| start + at + 1);
            Some(format!("{}{}", &text[..line], &text[rest..]))
        }
        _ => None,
    }
}
