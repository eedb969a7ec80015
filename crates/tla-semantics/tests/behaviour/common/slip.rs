//! Slips: one token spoilt, in each of the ways that a hand slips.

use omnilink_tla_syntax::operators::Op;
use omnilink_tla_syntax::token::{Token, TokenKind};

use super::line_slip::{LINE_SLIPS, LineSlip, line_spoilt};

/// One way to spoil a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// It is not there.
    Forgotten,
    /// It occurs twice.
    Doubled,
    /// A name is misspelled.
    Misspelled,
    /// A name is quite another one, which nothing has.
    Renamed,
    /// A word of the language lacks its last letter.
    Shortened,
    /// A word of the language is in lower case.
    Lowered,
    /// `=` for `==` or the other way round.
    Confused,
    /// A bracket too many before it.
    Bracketed,
    /// It has a prime too many.
    Primed,
    /// A semicolon stands after it.
    Semicolon,
    /// A full stop stands after it.
    FullStop,
    /// A name has a blank in it.
    Split,
    /// The blanks after it are not there.
    Glued,
    /// The rest of the line from it on is a comment.
    Commented,
    /// A bracket is of another kind.
    OtherBracket,
    /// A symbol is written as in another language.
    Foreign,
    /// A string is in other quotes.
    Quoted,
    /// A string has no end.
    Unclosed,
    /// A sign or letter is another one that looks much like it.
    LookAlike,
    /// It stands a column too far left.
    Outdented,
    /// It is EXTENDS, and its line is not there.
    NotExtended,
    /// It begins a line that is spoilt.
    Line(LineSlip),
}

const TOKEN_SLIPS: [Slip; 21] = [
    Slip::Forgotten,
    Slip::Doubled,
    Slip::Misspelled,
    Slip::Renamed,
    Slip::Shortened,
    Slip::Lowered,
    Slip::Confused,
    Slip::Bracketed,
    Slip::Primed,
    Slip::Semicolon,
    Slip::FullStop,
    Slip::Split,
    Slip::Glued,
    Slip::Commented,
    Slip::OtherBracket,
    Slip::Foreign,
    Slip::Quoted,
    Slip::Unclosed,
    Slip::LookAlike,
    Slip::Outdented,
    Slip::NotExtended,
];

/// All slips.
pub fn slips() -> impl Iterator<Item = Slip> {
    TOKEN_SLIPS.into_iter().chain(LINE_SLIPS.map(Slip::Line))
}

/// What looks like a sign or the first letter of a word, and is not.
fn look_alike(word: &str) -> Option<String> {
    let other = match word {
        "'" => "’",
        "-" => "–",
        "*" => "∗",
        "=" => "＝",
        "==" => "＝＝",
        "\\/" => "V",
        "/\\" => "Λ",
        "~" => "˜",
        "<<" => "«",
        ">>" => "»",
        _ => {
            let letters = [
                ('a', 'а'),
                ('c', 'с'),
                ('e', 'е'),
                ('o', 'о'),
                ('p', 'р'),
                ('x', 'х'),
            ];
            let letters = letters.iter().find(|(letter, _)| word.starts_with(*letter))?;
            return Some(word.replacen(letters.0, &letters.1.to_string(), 1));
        }
    };
    Some(other.to_owned())
}

/// A bracket of another kind.
fn other_bracket(word: &str) -> Option<&'static str> {
    match word {
        "(" => Some("["),
        ")" => Some("]"),
        "[" => Some("{"),
        "]" => Some(")"),
        "{" => Some("("),
        "}" => Some("]"),
        "<<" => Some("<"),
        ">>" => Some(")"),
        _ => None,
    }
}

/// What another language writes for a symbol.
fn foreign(word: &str) -> Option<&'static str> {
    match word {
        "/\\" => Some("&&"),
        "\\/" => Some("||"),
        "=" => Some(":="),
        "==" => Some(":="),
        "#" | "/=" => Some("!="),
        "~" => Some("!"),
        "|->" => Some("=>"),
        "->" => Some("=>"),
        "<-" => Some("="),
        ":" => Some("|"),
        "\\in" => Some("in"),
        "\\A" => Some("forall"),
        "\\E" => Some("exists"),
        "\\div" => Some("/"),
        "=<" | "<=" => Some("\\le="),
        "EXCEPT" => Some("WITH"),
        "THEN" => Some(":"),
        _ => None,
    }
}

/// The text with one token spoilt, where that slip can be made there.
pub fn spoilt(text: &str, token: &Token, slip: Slip) -> Option<String> {
    let (start, end) = (token.start as usize, token.end as usize);
    let word = text.get(start..end)?;
    let named = token.kind == TokenKind::Identifier;
    let reserved = matches!(token.kind, TokenKind::Keyword(_));
    let is_text = token.kind == TokenKind::Text;
    let with = |new: &str| Some(format!("{}{new}{}", &text[..start], &text[end..]));
    match slip {
        Slip::Forgotten => with(""),
        Slip::Doubled => with(&format!("{word} {word}")),
        // As long as before, so that no bullet after it moves.
        Slip::Misspelled if named => with(&format!("{}Z", &word[..word.len() - 1])),
        Slip::Renamed if named => with(&"Quux".chars().cycle().take(word.len()).collect::<String>()),
        Slip::Shortened if reserved => with(&word[..word.len() - 1]),
        Slip::Lowered if reserved => with(&word.to_lowercase()),
        Slip::Confused if token.kind == TokenKind::Define => with("="),
        Slip::Confused if token.kind == TokenKind::Operator(Op::Equal) => with("=="),
        Slip::Bracketed => with(&format!("({word}")),
        Slip::Primed if named => with(&format!("{word}'")),
        Slip::Semicolon => with(&format!("{word};")),
        Slip::FullStop => with(&format!("{word}.")),
        Slip::Split if named && word.len() > 3 && word.is_ascii() => {
            with(&format!("{} {}", &word[..2], &word[2..]))
        }
        Slip::Glued => {
            let rest = text[end..].trim_start_matches(' ');
            (rest.len() < text[end..].len()).then(|| format!("{}{rest}", &text[..end]))
        }
        Slip::Commented => with(&format!("\\* {word}")),
        Slip::OtherBracket => with(other_bracket(word)?),
        Slip::Foreign => with(foreign(word)?),
        Slip::Quoted if is_text => with(&format!("'{}'", word.trim_matches('"'))),
        Slip::Unclosed if is_text => with(&word[..word.len() - 1]),
        Slip::LookAlike => with(&look_alike(word)?),
        Slip::Outdented if token.bullet && text[..start].ends_with("  ") => {
            Some(format!("{}{} {}", &text[..start - 1], word, &text[end..]))
        }
        Slip::NotExtended if word == "EXTENDS" => {
            let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let rest = text[start..].find('\n').map_or(text.len(), |at| start + at + 1);
            Some(format!("{}{}", &text[..line], &text[rest..]))
        }
        Slip::Line(slip) => line_spoilt(text, token, slip),
        _ => None,
    }
}
