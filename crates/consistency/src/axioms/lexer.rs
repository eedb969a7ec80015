//! The lexer of the axiom language.

use super::error::{AxiomError, AxiomProblem};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Kind(String),
    Contains,
    Within,
    Equals,
    Then,
    Or,
    Plus,
    Star,
    Optional,
    Not,
    Colon,
    Open,
    Close,
    OpenFilter,
    CloseFilter,
    /// The end of an axiom.
    End,
}

impl Token {
    /// Its text in messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Word(word) => format!("\"{word}\""),
            Self::Kind(kind) => format!("\"@{kind}\""),
            Self::Contains => "`>=`".to_owned(),
            Self::Within => "`<=`".to_owned(),
            Self::Equals => "`=`".to_owned(),
            Self::Then => "`;`".to_owned(),
            Self::Or => "`|`".to_owned(),
            Self::Plus => "`+`".to_owned(),
            Self::Star => "`*`".to_owned(),
            Self::Optional => "`?`".to_owned(),
            Self::Not => "`!`".to_owned(),
            Self::Colon => "`:`".to_owned(),
            Self::Open => "`(`".to_owned(),
            Self::Close => "`)`".to_owned(),
            Self::OpenFilter => "`[`".to_owned(),
            Self::CloseFilter => "`]`".to_owned(),
            Self::End => "the end of the axiom".to_owned(),
        }
    }
}

/// A token with its position.
#[derive(Clone, Debug)]
pub(super) struct Spanned {
    pub token: Token,
    pub from: usize,
    pub to: usize,
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '$')
}

/// Splits `source` into tokens. Newlines, commas and conjunctions end an axiom, except inside parentheses.
pub(super) fn tokens(file: &str, source: &str) -> Result<Vec<Spanned>, AxiomError> {
    let mut tokens = Vec::new();
    let mut letters = source.char_indices().peekable();
    let mut depth = 0_usize;
    while let Some((from, letter)) = letters.next() {
        let mut to = from + letter.len_utf8();
        let mut next_is = |wanted: char| {
            let is_next = letters.peek().is_some_and(|(_, next)| *next == wanted);
            if is_next {
                letters.next();
                to += wanted.len_utf8();
            }
            is_next
        };
        let token = match letter {
            '\n' if depth > 0 => continue,
            '\n' | ',' | '∧' => Token::End,
            '&' => {
                next_is('&');
                Token::End
            }
            '/' if next_is('\\') => Token::End,
            '#' | '/' if letter == '#' || next_is('/') => {
                while letters.peek().is_some_and(|(_, next)| *next != '\n') {
                    letters.next();
                }
                continue;
            }
            space if space.is_whitespace() => continue,
            '>' if next_is('=') => Token::Contains,
            '<' if next_is('=') => Token::Within,
            '⊇' | '⊃' => Token::Contains,
            '⊆' | '⊂' => Token::Within,
            '=' => Token::Equals,
            ';' | '⨾' | '∘' => Token::Then,
            '|' | '∪' => Token::Or,
            '+' | '⁺' => Token::Plus,
            '*' => Token::Star,
            '?' => Token::Optional,
            '!' | '¬' => Token::Not,
            ':' => Token::Colon,
            '(' => {
                depth += 1;
                Token::Open
            }
            ')' => {
                depth = depth.saturating_sub(1);
                Token::Close
            }
            '[' => Token::OpenFilter,
            ']' => Token::CloseFilter,
            letter if letter == '@' || is_word(letter) => {
                let mut word = String::new();
                if letter != '@' {
                    word.push(letter);
                }
                while let Some((at, next)) = letters.next_if(|(_, next)| is_word(*next)) {
                    word.push(next);
                    to = at + next.len_utf8();
                }
                match (letter, word.as_str()) {
                    ('@', _) => Token::Kind(word),
                    (_, "and") => Token::End,
                    _ => Token::Word(word),
                }
            }
            other => {
                return Err(AxiomError::new(
                    file,
                    source,
                    from,
                    to,
                    AxiomProblem::Character(other),
                ));
            }
        };
        tokens.push(Spanned { token, from, to });
    }
    tokens.push(Spanned {
        token: Token::End,
        from: source.len(),
        to: source.len(),
    });
    Ok(tokens)
}
