//! Assignments.

use super::expression::Until;
use super::{Parsed, Parser};
use crate::ast::{Assignment, Ident, StatementKind};
use crate::expression::Expression;
use crate::fault::AlgorithmErrorKind;
use crate::token::TokenKind;

impl Parser<'_> {
    /// One or more assignments that happen together.
    pub(super) fn assignment(&mut self) -> Parsed<StatementKind> {
        let mut assignments = Vec::new();
        loop {
            let start = self.here();
            let variable: Ident = self.name("a statement")?;
            let path = self.path()?;
            if self.is("=") || self.is("==") {
                return self.fail_here(
                    AlgorithmErrorKind::Syntax,
                    "an assignment is written with `:=`",
                    "write `:=`; `=` compares two values",
                );
            }
            if !self.is(":=") {
                let message = format!(
                    "expected `:=` after `{}` but found {}",
                    variable.name,
                    self.found()
                );
                return self.fail_here(
                    AlgorithmErrorKind::Syntax,
                    message,
                    "a statement is an assignment, or begins with a word such as `if`, `await` or `skip`",
                );
            }
            self.next();
            let value = self.expression("the value that is assigned", Until::Statement)?;
            assignments.push(Assignment {
                variable,
                path,
                value,
                span: self.span_from(start),
            });
            if !self.skip("||") {
                return Ok(StatementKind::Assign(assignments));
            }
        }
    }

    /// The path into a variable: indexes and fields.
    fn path(&mut self) -> Parsed<Expression> {
        let start = self.at;
        loop {
            if self.skip(".") {
                self.at += 1;
            } else if self.is("[") {
                let opened = self.at;
                let mut depth = 0u32;
                while let Some(token) = self.peek() {
                    if matches!(&*token.text, "[" | "(" | "{" | "<<") && token.kind == TokenKind::Symbol {
                        depth += 1;
                    } else if matches!(&*token.text, "]" | ")" | "}" | ">>")
                        && token.kind == TokenKind::Symbol
                    {
                        depth = depth.saturating_sub(1);
                    } else if token.is(";") || token.is(":=") {
                        self.at = opened;
                        return self.fail_here(
                            AlgorithmErrorKind::Syntax,
                            "this `[` is never closed",
                            "close the index with `]`",
                        );
                    }
                    self.at += 1;
                    if depth == 0 {
                        break;
                    }
                }
            } else {
                let end = self.at.min(self.tokens.len());
                return Ok(Expression {
                    tokens: self.tokens.get(start..end).unwrap_or_default().to_vec(),
                });
            }
        }
    }
}
