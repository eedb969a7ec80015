//! Expressions: everything up to a token that cannot belong to one.

use super::{Failed, Parsed, Parser};
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

/// Symbols that an expression may end with.
const ENDS: [&str; 11] = [")", "]", "}", ">>", "⟩", "'", "^+", "^*", "^#", "⁺", "@"];

impl Parser<'_> {
    /// An expression that must not be empty.
    pub(super) fn expression(&mut self, what: &str, until: Until) -> Parsed<Expression> {
        let start = self.at;
        let unclosed = self.skip_expression(until);
        if let Some(open) = unclosed {
            let token = &self.tokens[open];
            let fault = AlgorithmError::new(
                AlgorithmErrorKind::Syntax,
                token.span,
                format!("this `{}` is never closed", token.text),
            );
            self.report(fault.help(format!("close it before {}", self.found())));
            return Err(Failed);
        }
        if start == self.at {
            let message = format!("expected {what} but found {}", self.found());
            return self.fail_here(AlgorithmErrorKind::Syntax, message, format!("write {what} here"));
        }
        self.check_semicolon(start)?;
        self.check_operand(start)?;
        Ok(Expression {
            tokens: self.tokens[start..self.at].to_vec(),
        })
    }

    /// Moves to the first token that is not part of the expression. Returns the place of a bracket that is not closed there.
    fn skip_expression(&mut self, until: Until) -> Option<usize> {
        let mut open: Vec<usize> = Vec::new();
        // Quantifiers whose names are being listed: their commas separate names, and their colons are no labels.
        let mut binders = 0u32;
        while let Some(token) = self.peek() {
            // `r.then` is a field, whatever its name.
            let is_field = self.at > 0 && self.tokens[self.at - 1].is(".");
            let is_inside = !open.is_empty();
            if !is_inside && (token.is_keyword() && !is_field || self.ends(token, until, binders)) {
                return None;
            }
            match (&*token.text, token.kind) {
                (_, TokenKind::Text) => {}
                ("(" | "[" | "{" | "<<" | "⟨", _) => open.push(self.at),
                (")" | "]" | "}" | ">>" | "⟩" | ">>_" | "]_", _) => drop(open.pop()),
                // A semicolon is in no expression.
                (";" | ":=", _) => return open.pop(),
                ("\\A" | "\\E" | "\\AA" | "\\EE" | "CHOOSE" | "∀" | "∃" | "LAMBDA", _) if !is_inside => {
                    binders += 1
                }
                (":", _) if !is_inside => binders = binders.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        open.pop()
    }

    /// Reports an operator at the end, which lacks its second operand.
    fn check_operand(&mut self, start: usize) -> Parsed<()> {
        let Some(last) = self.tokens[start..self.at]
            .split_first()
            .and_then(|(_, rest)| rest.last())
        else {
            return Ok(());
        };
        if last.kind != TokenKind::Symbol || ENDS.contains(&&*last.text) {
            return Ok(());
        }
        let fault = AlgorithmError::new(
            AlgorithmErrorKind::Syntax,
            last.span,
            format!("the expression ends with `{}`", last.text),
        );
        self.report(fault.help(format!("write what belongs behind it before {}", self.found())));
        Err(Failed)
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
