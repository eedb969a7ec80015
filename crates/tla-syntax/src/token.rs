//! Tokens: sixteen bytes each, pointing into the text.

use super::operators::{Fixity, Op};
use crate::source::Span;

macro_rules! keywords {
    ($($variant:ident $($word:literal)+;)*) => {
        /// A reserved word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Keyword { $($variant,)* }

        impl Keyword {
            /// The reserved word that a text is, if it is one.
            pub fn from_text(text: &str) -> Option<Keyword> {
                match text { $($($word)|+ => Some(Keyword::$variant),)* _ => None }
            }
        }
    };
}

keywords! {
    Action "ACTION" "ACTIONS";
    Assume "ASSUME";
    Assumption "ASSUMPTION";
    Axiom "AXIOM";
    By "BY";
    Case "CASE";
    Choose "CHOOSE";
    Constant "CONSTANT" "CONSTANTS";
    Def "DEF" "DEFS";
    Define "DEFINE";
    Else "ELSE";
    Except "EXCEPT";
    Extends "EXTENDS";
    Have "HAVE";
    Hide "HIDE";
    If "IF";
    In "IN";
    Instance "INSTANCE";
    Lambda "LAMBDA";
    Let "LET";
    Local "LOCAL";
    Module "MODULE";
    New "NEW";
    Obvious "OBVIOUS";
    Omitted "OMITTED";
    Only "ONLY";
    Other "OTHER";
    Pick "PICK";
    Proof "PROOF";
    Proposition "PROPOSITION" "LEMMA" "COROLLARY";
    Prove "PROVE";
    Qed "QED";
    Recursive "RECURSIVE";
    State "STATE";
    Suffices "SUFFICES";
    Take "TAKE";
    Temporal "TEMPORAL" "TEMPORALS";
    Then "THEN";
    Theorem "THEOREM";
    Use "USE";
    Variable "VARIABLE" "VARIABLES";
    With "WITH";
    Witness "WITNESS";
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `---- MODULE`.
    ModuleStart,
    /// `----` inside a module.
    Separator,
    /// `====`.
    ModuleEnd,
    /// An identifier.
    Identifier,
    /// A whole number in any base.
    Number,
    /// A string with its quotes.
    Text,
    /// A proof step's number, such as `<1>2.`.
    Step,
    /// A reserved word.
    Keyword(Keyword),
    /// An operator symbol.
    Operator(Op),
    /// `\A`.
    ForAll,
    /// `\E`.
    Exists,
    /// `\AA`.
    TemporalForAll,
    /// `\EE`.
    TemporalExists,
    /// `WF_`.
    WeakFairness,
    /// `SF_`.
    StrongFairness,
    /// `,`.
    Comma,
    /// `:`.
    Colon,
    /// `::`.
    ColonColon,
    /// `.`.
    Dot,
    /// `_`.
    Underscore,
    /// `==`.
    Define,
    /// `(`.
    ParenOpen,
    /// `)`.
    ParenClose,
    /// `[`.
    BracketOpen,
    /// `]`.
    BracketClose,
    /// `]_`.
    BracketCloseSub,
    /// `{`.
    BraceOpen,
    /// `}`.
    BraceClose,
    /// `<<`.
    AngleOpen,
    /// `>>`.
    AngleClose,
    /// `>>_`.
    AngleCloseSub,
    /// `!`.
    Bang,
    /// `->`.
    Arrow,
    /// `<-`.
    Substitute,
    /// `|->`.
    MapsTo,
    /// `@`.
    At,
    /// An invalid token; the lexer has already reported it.
    Bad,
    /// The end of the text, of the definition or of the junction list item.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Whether it is `/\` or `\/`, which may begin a junction list item; `\land` may not.
    pub bullet: bool,
    /// Whether it is the first token of a definition (`f` of `f[x \in S] == …`), which ends the expression before it.
    pub begins_definition: bool,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Column from 0, tabs counting to the next multiple of eight.
    pub column: u32,
}

impl Token {
    /// Its span.
    pub fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }

    /// Whether an expression can end with it.
    pub fn can_end_expression(&self) -> bool {
        match self.kind {
            TokenKind::Operator(op) => op.fixity() == Fixity::Postfix,
            TokenKind::Identifier
            | TokenKind::Number
            | TokenKind::Text
            | TokenKind::At
            | TokenKind::ParenClose
            | TokenKind::BracketClose
            | TokenKind::BraceClose
            | TokenKind::AngleClose
            | TokenKind::Bad => true,
            _ => false,
        }
    }

    /// The operator it is, if it is one.
    pub fn operator(&self) -> Option<Op> {
        if let TokenKind::Operator(op) = self.kind {
            Some(op)
        } else {
            None
        }
    }
}
