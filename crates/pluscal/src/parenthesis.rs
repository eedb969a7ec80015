//! Which values of assignments stand in parentheses.
//!
//! `x := a = b` becomes `x' = (a = b)`: a value needs parentheses if it has, outside of brackets, an operator that binds no tighter than `=`. As in the
//! reference translator, unions and quotients have them, too.

use crate::expression::Expression;
use crate::token::{Token, TokenKind};

pub(crate) fn needs_parentheses(value: &Expression) -> bool {
    if is_enclosed(value) {
        return false;
    }
    let mut depth = 0u32;
    for token in &value.tokens {
        if token.kind == TokenKind::Symbol {
            match &*token.text {
                "(" | "[" | "{" | "<<" | "⟨" => depth += 1,
                ")" | "]" | "}" | ">>" | "⟩" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth == 0 && binds_loosely(token) {
            return true;
        }
    }
    false
}

/// Whether one pair of parentheses encloses all of it.
fn is_enclosed(value: &Expression) -> bool {
    let Some((last, inside)) = value.tokens.split_last() else {
        return true;
    };
    let mut depth = 0u32;
    for token in inside {
        depth += u32::from(token.is("("));
        depth = depth.saturating_sub(u32::from(token.is(")")));
        if depth == 0 {
            return false;
        }
    }
    last.is(")") && depth == 1
}

/// Whether a token is an operator that binds no tighter than `=`, or one of the others that get parentheses.
fn binds_loosely(token: &Token) -> bool {
    match token.kind {
        TokenKind::Symbol => matches!(
            &*token.text,
            "=" | "#"
                | "/="
                | "<"
                | ">"
                | "<="
                | "=<"
                | ">="
                | "\\leq"
                | "\\geq"
                | "≤"
                | "≥"
                | "≠"
                | "\\neq"
                | "\\in"
                | "\\notin"
                | "∈"
                | "∉"
                | "\\subseteq"
                | "\\subset"
                | "\\supset"
                | "\\supseteq"
                | "⊆"
                | "\\prec"
                | "\\preceq"
                | "\\succ"
                | "\\succeq"
                | "\\sqsubseteq"
                | "\\sqsubset"
                | "\\sqsupset"
                | "\\sqsupseteq"
                | "\\ll"
                | "\\gg"
                | "\\sim"
                | "\\simeq"
                | "\\approx"
                | "\\cong"
                | "\\doteq"
                | "\\asymp"
                | "\\propto"
                | "|-"
                | "-|"
                | "|="
                | "=|"
                | "/\\"
                | "\\/"
                | "∧"
                | "∨"
                | "\\land"
                | "\\lor"
                | "=>"
                | "⇒"
                | "<=>"
                | "\\equiv"
                | "≡"
                | "~>"
                | "\\cup"
                | "\\union"
                | "∪"
                | "\\cap"
                | "\\intersect"
                | "∩"
                | "\\div"
                | "\\A"
                | "\\E"
                | "∀"
                | "∃"
        ),
        TokenKind::Word | TokenKind::Own | TokenKind::Number | TokenKind::Text => false,
    }
}
