//! Expressions: everything up to a token that cannot belong to one.

use super::{Parsed, Parser};
use crate::expression::Expression;
use crate::fault::{AlgorithmError, AlgorithmErrorKind};
use crate::token::{Token, TokenKind};

/// What ends an expression besides what always does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// A comma, too: in a list.
    Comma,
    /// Only a semicolon and the like.
    Statement,
}

impl Parser<'_> {
    /// An expression that must not be empty.
    pub(super) fn expression(&mut self, what: &str, until: Until) -> Parsed<Expression> {
        let start = self.at;
        self.skip_expression(until);
        if start == self.at {
            let message = format!("expected {what} but found {}", self.found());
            return self.fail_here(AlgorithmErrorKind::Syntax, message, format!("write {what} here"));
        }
        self.check_semicolon(start)?;
        Ok(Expression {
            tokens: self.tokens[start..self.at].to_vec(),
        })
    }

    /// Moves to the first token that is not part of the expression.
    fn skip_expression(&mut self, until: Until) {
        let mut depth = 0u32;
        // Quantifiers whose names are being listed: their commas separate names, and their colons are no labels.
        let mut binders = 0u32;
        while let Some(token) = self.peek() {
            // `r.then` is a field, whatever its name.
            let is_field = self.at > 0 && self.tokens[self.at - 1].is(".");
            if depth == 0 && (token.is_keyword() && !is_field || self.ends(token, until, binders)) {
                return;
            }
            match (&*token.text, token.kind) {
                (_, TokenKind::Text) => {}
                ("(" | "[" | "{" | "<<" | "⟨", _) => depth += 1,
                (")" | "]" | "}" | ">>" | "⟩" | ">>_" | "]_", _) => depth = depth.saturating_sub(1),
                // A semicolon is in no expression: here, a bracket is not closed.
                (";" | ":=", _) => return,
                ("\\A" | "\\E" | "\\AA" | "\\EE" | "CHOOSE" | "∀" | "∃" | "LAMBDA", _) if depth == 0 => {
                    binders += 1
                }
                (":", _) if depth == 0 => binders = binders.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
    }

    fn ends(&self, token: &Token, until: Until, binders: u32) -> bool {
        if token.kind == TokenKind::Text {
            return false;
        }
        match &*token.text {
            ";" | ":=" | "||" | ")" | "]" | "}" | ">>" | "⟩" => true,
            ":" => binders == 0,
            "," => until == Until::Comma && binders == 0,
            _ => false,
        }
    }

    /// Reports a semicolon that is missing: the expression ended where the next statement was assigned to or labelled.
    fn check_semicolon(&mut self, start: usize) -> Parsed<()> {
        let first = if self.is(":=") {
            self.left_side_before(self.at)
        } else if self.is(":") {
            self.at.checked_sub(1)
        } else {
            None
        };
        let Some(first) = first.filter(|first| *first > start && self.tokens[*first].is_name()) else {
            return Ok(());
        };
        let token = &self.tokens[first];
        let fault = AlgorithmError::new(
            AlgorithmErrorKind::Syntax,
            token.span,
            format!("expected `;` before `{}`", token.text),
        );
        self.report(fault.help("statements are separated by semicolons"));
        self.at = first;
        self.assumed_semicolon = Some(first);
        Ok(())
    }

    /// The first token of the left side of an assignment that ends at a position.
    fn left_side_before(&self, end: usize) -> Option<usize> {
        let mut at = end.checked_sub(1)?;
        loop {
            let token = self.tokens.get(at)?;
            if token.is("]") {
                let mut depth = 0u32;
                loop {
                    let token = self.tokens.get(at)?;
                    depth += u32::from(token.is("]"));
                    depth -= u32::from(token.is("["));
                    at = at.checked_sub(1)?;
                    if depth == 0 {
                        break;
                    }
                }
            } else if at > 0 && self.tokens[at - 1].is(".") {
                at = at.checked_sub(2)?;
            } else {
                return Some(at);
            }
        }
    }
}
