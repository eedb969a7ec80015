//! Tokens of an algorithm.

use std::rc::Rc;

use omnilink_tla_syntax::source::Span;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or a word of PlusCal or TLA+.
    Word,
    /// A whole number.
    Number,
    /// A variable that the translation adds: `stack`. Where an algorithm reads it or `pc`, it says itself whose.
    Own,
    /// A string with its quotes.
    Text,
    /// An operator, a bracket or a punctuation mark.
    Symbol,
}

/// A token, and where it stands on its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its text.
    pub text: Rc<str>,
    /// Where it comes from.
    pub span: Span,
    /// Its column, from 0; a tab moves to the next multiple of eight.
    pub column: u32,
    /// The columns between the token before it on its line and this one; `None` if it is the first of its line.
    pub gap: Option<u32>,
}

/// Words that neither an expression nor a name can contain.
const KEYWORDS: [&str; 30] = [
    "algorithm",
    "assert",
    "await",
    "begin",
    "call",
    "define",
    "do",
    "either",
    "else",
    "elsif",
    "end",
    "fair",
    "goto",
    "if",
    "macro",
    "or",
    "print",
    "procedure",
    "process",
    "return",
    "skip",
    "then",
    "variable",
    "variables",
    "when",
    "while",
    "with",
    "--algorithm",
    "--fair",
    "options",
];

impl Token {
    /// Whether it is the given word or symbol.
    pub fn is(&self, text: &str) -> bool {
        &*self.text == text && self.kind != TokenKind::Text
    }

    /// Whether it is a word that PlusCal reserves.
    pub fn is_keyword(&self) -> bool {
        self.kind == TokenKind::Word && is_keyword(&self.text)
    }

    /// Whether it can be a name: a word that neither PlusCal nor TLA+ reserves.
    pub fn is_name(&self) -> bool {
        self.kind == TokenKind::Word && !is_keyword(&self.text) && !is_tla_word(&self.text)
    }

    /// The columns it takes.
    pub fn width(&self) -> u32 {
        self.text.chars().count() as u32
    }

    /// Whether it may begin an item of a junction list.
    pub fn is_junction(&self) -> bool {
        self.kind == TokenKind::Symbol && matches!(&*self.text, "/\\" | "\\/" | "∧" | "∨")
    }

    /// Whether an expression can end with it.
    pub fn can_end_operand(&self) -> bool {
        match self.kind {
            TokenKind::Number | TokenKind::Text | TokenKind::Own => true,
            TokenKind::Word => {
                !is_tla_word(&self.text) || matches!(&*self.text, "TRUE" | "FALSE" | "BOOLEAN" | "STRING")
            }
            TokenKind::Symbol => matches!(
                &*self.text,
                ")" | "]" | "}" | ">>" | "⟩" | "'" | "@" | "^+" | "^*" | "^#"
            ),
        }
    }
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word) && word != "options"
}

/// Words of TLA+ that are not names.
pub(crate) fn is_tla_word(word: &str) -> bool {
    matches!(
        word,
        "ASSUME"
            | "ASSUMPTION"
            | "AXIOM"
            | "BOOLEAN"
            | "CASE"
            | "CHOOSE"
            | "CONSTANT"
            | "CONSTANTS"
            | "DOMAIN"
            | "ELSE"
            | "ENABLED"
            | "EXCEPT"
            | "EXTENDS"
            | "FALSE"
            | "IF"
            | "IN"
            | "INSTANCE"
            | "LAMBDA"
            | "LET"
            | "LOCAL"
            | "MODULE"
            | "OTHER"
            | "RECURSIVE"
            | "STRING"
            | "SUBSET"
            | "THEN"
            | "THEOREM"
            | "TRUE"
            | "UNCHANGED"
            | "UNION"
            | "VARIABLE"
            | "VARIABLES"
            | "WITH"
    )
}
