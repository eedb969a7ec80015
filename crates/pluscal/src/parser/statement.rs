//! Statements.

use omnilink_tla_syntax::source::Span;

use super::expression::Until;
use super::{Failed, MAX_NESTING, Parsed, Parser};
use crate::ast::{AfterCall, Binding, Call, Ident, Label, Mark, Statement, StatementKind};
use crate::expression::Expression;
use crate::fault::AlgorithmErrorKind;
use crate::token::TokenKind;

impl Parser<'_> {
    /// A list of statements up to what ends it, which is not read.
    pub(super) fn statements(&mut self) -> Parsed<Vec<Statement>> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            let message = format!("statements are nested more than {MAX_NESTING} deep");
            return self.fail_here(
                AlgorithmErrorKind::Syntax,
                message,
                "move the inner statements into a procedure",
            );
        }
        let mut list = Vec::new();
        let mut has_failed = false;
        while !self.ends_list() {
            let start = self.at;
            match self.statement(&mut list) {
                Ok(()) => {}
                Err(Failed) if self.recover(start) => has_failed = true,
                Err(Failed) => return Err(Failed),
            }
        }
        if list.is_empty() && !has_failed {
            let message = format!("expected a statement but found {}", self.found());
            return self.fail_here(
                AlgorithmErrorKind::Syntax,
                message,
                "write `skip` if nothing is to be done here",
            );
        }
        self.depth -= 1;
        Ok(list)
    }

    fn ends_list(&self) -> bool {
        let ends = ["end", "else", "elsif", "or", "}"];
        self.peek().is_none() || ends.iter().any(|end| self.is(end))
    }

    /// Moves behind the semicolon of a statement that is wrong; false if the statement has none.
    fn recover(&mut self, start: usize) -> bool {
        let depth = self.depth;
        self.at = self.at.max(start + 1);
        while let Some(token) = self.peek() {
            const PARTS: [&str; 8] = ["end", "else", "elsif", "or", "}", "process", "procedure", "macro"];
            if self.skip(";") {
                self.depth = depth;
                return true;
            }
            if PARTS.iter().any(|part| token.is(part)) {
                return false;
            }
            self.at += 1;
        }
        false
    }

    /// A statement and its semicolon; a block is added statement by statement.
    fn statement(&mut self, list: &mut Vec<Statement>) -> Parsed<()> {
        let is_block = self.labelled(list)?;
        if self.skip(";") || self.ends_list() || self.assumed_semicolon == Some(self.at) {
            return Ok(());
        }
        let is_after_brace = is_block
            || self
                .at
                .checked_sub(1)
                .is_some_and(|last| self.tokens[last].is("}"));
        if self.has_braces && is_after_brace {
            return Ok(());
        }
        let message = format!("expected `;` but found {}", self.found());
        self.fail_here(
            AlgorithmErrorKind::Syntax,
            message,
            "statements are separated by semicolons",
        )
    }

    /// A statement with its label. Says whether it was a block.
    fn labelled(&mut self, list: &mut Vec<Statement>) -> Parsed<bool> {
        let label = self.label()?;
        if let Some(second) = self.label()? {
            let message = format!("`{}` is a second label of one statement", second.ident.name);
            self.at -= 2;
            return self.fail_here(
                AlgorithmErrorKind::Syntax,
                message,
                "a statement has at most one label; write `skip;` between the two",
            );
        }
        if self.has_braces && self.is("{") {
            self.next();
            let mut block = self.statements()?;
            self.expect("}", "the block began with `{`")?;
            if let (Some(label), Some(first)) = (label, block.first_mut()) {
                if let Some(inner) = &first.label {
                    let message = format!("`{}` is a second label of one statement", inner.ident.name);
                    let fault = crate::fault::AlgorithmError::new(
                        AlgorithmErrorKind::Syntax,
                        inner.ident.span,
                        message,
                    );
                    self.report(fault.help("remove one of the two labels"));
                    return Err(Failed);
                }
                first.label = Some(label);
            }
            list.append(&mut block);
            return Ok(true);
        }
        if self.ends_list() {
            let message = format!("expected a statement but found {}", self.found());
            return self.fail_here(
                AlgorithmErrorKind::Syntax,
                message,
                "a label stands before a statement; write `skip` if nothing is to be done here",
            );
        }
        self.bare(label, list)?;
        Ok(false)
    }

    fn label(&mut self) -> Parsed<Option<Label>> {
        let Some(token) = self.peek() else { return Ok(None) };
        if !self.is_ahead(1, ":") || token.kind != TokenKind::Word {
            return Ok(None);
        }
        let ident = self.name("a label")?;
        self.next();
        let mark = if self.skip("+") {
            Mark::Plus
        } else if self.skip("-") {
            Mark::Minus
        } else {
            Mark::Plain
        };
        Ok(Some(Label {
            ident,
            mark,
            is_added: false,
        }))
    }

    /// The span from a byte to the last token that was read.
    pub(super) fn span_from(&self, start: Span) -> Span {
        let last = self.at.checked_sub(1).and_then(|last| self.tokens.get(last));
        last.map_or(start, |token| start.to(token.span))
    }

    fn bare(&mut self, label: Option<Label>, list: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.here();
        let word = self.peek().map_or("", |token| &*token.text);
        let mut head = None;
        let kind = match word {
            "if" => {
                self.next();
                self.if_statement(&mut head, start)?
            }
            "while" => self.while_statement(&mut head)?,
            "either" => {
                head = Some(start);
                self.either_statement()?
            }
            "with" => self.with_statement(&mut head)?,
            "await" | "when" => {
                self.next();
                StatementKind::Await(self.expression("a condition", Until::Statement)?)
            }
            "assert" => {
                self.next();
                StatementKind::Assert(self.expression("a condition", Until::Statement)?)
            }
            "print" => {
                self.next();
                StatementKind::Print(self.expression("an expression", Until::Statement)?)
            }
            "skip" => {
                self.next();
                StatementKind::Skip
            }
            "goto" => {
                self.next();
                StatementKind::Goto(self.target()?)
            }
            "return" => {
                self.next();
                StatementKind::Return
            }
            "call" => self.call_statement()?,
            _ if self.is_ahead(1, "(") => {
                let ident = self.name("a statement")?;
                StatementKind::Macro(ident, self.arguments()?)
            }
            _ => self.assignment()?,
        };
        let span = head.unwrap_or_else(|| self.span_from(start));
        list.push(Statement {
            label,
            kind,
            span,
            called_at: None,
        });
        Ok(())
    }

    /// One statement or a block, where the syntax with braces has one; else statements up to the next word.
    fn branch(&mut self) -> Parsed<Vec<Statement>> {
        if !self.has_braces {
            return self.statements();
        }
        self.depth += 1;
        if self.depth > MAX_NESTING {
            let message = format!("statements are nested more than {MAX_NESTING} deep");
            return self.fail_here(
                AlgorithmErrorKind::Syntax,
                message,
                "move the inner statements into a procedure",
            );
        }
        let mut list = Vec::new();
        self.labelled(&mut list)?;
        self.depth -= 1;
        Ok(list)
    }

    /// The condition of an `if` or `while`, which the syntax with braces has in parentheses.
    fn condition(&mut self) -> Parsed<Expression> {
        if self.has_braces {
            self.expect("(", "a condition stands in parentheses")?;
        }
        let condition = self.expression("a condition", Until::Statement)?;
        if self.has_braces {
            self.expect(")", "the parenthesis of the condition is not closed")?;
        }
        Ok(condition)
    }

    /// What follows `if` or `elsif`.
    fn if_statement(&mut self, head: &mut Option<Span>, start: Span) -> Parsed<StatementKind> {
        let condition = self.condition()?;
        *head = Some(self.span_from(start));
        if self.has_braces {
            let then = self.branch()?;
            if self.is(";") && self.is_ahead(1, "else") {
                self.next();
            }
            let otherwise = if self.skip("else") {
                self.branch()?
            } else {
                Vec::new()
            };
            return Ok(StatementKind::If(condition, then, otherwise));
        }
        self.expect("then", "write `if condition then … end if`")?;
        let then = self.statements()?;
        let elsif = self.here();
        if self.skip("elsif") {
            self.depth += 1;
            if self.depth > MAX_NESTING {
                let message = format!("statements are nested more than {MAX_NESTING} deep");
                return self.fail_here(
                    AlgorithmErrorKind::Syntax,
                    message,
                    "move the inner statements into a procedure",
                );
            }
            let mut inner = None;
            let kind = self.if_statement(&mut inner, elsif)?;
            self.depth -= 1;
            let nested = Statement {
                label: None,
                kind,
                span: inner.unwrap_or(elsif),
                called_at: None,
            };
            return Ok(StatementKind::If(condition, then, vec![nested]));
        }
        let otherwise = if self.skip("else") {
            self.statements()?
        } else {
            Vec::new()
        };
        self.close("if")?;
        Ok(StatementKind::If(condition, then, otherwise))
    }

    fn while_statement(&mut self, head: &mut Option<Span>) -> Parsed<StatementKind> {
        let start = self.here();
        self.next();
        let condition = self.condition()?;
        *head = Some(self.span_from(start));
        if !self.has_braces {
            self.expect("do", "write `while condition do … end while`")?;
        }
        let body = self.branch()?;
        if !self.has_braces {
            self.close("while")?;
        }
        Ok(StatementKind::While(condition, body))
    }

    fn either_statement(&mut self) -> Parsed<StatementKind> {
        let start = self.here();
        self.next();
        let mut branches = vec![self.branch()?];
        loop {
            if self.has_braces && self.is(";") && self.is_ahead(1, "or") {
                self.next();
            }
            if !self.skip("or") {
                break;
            }
            branches.push(self.branch()?);
        }
        if branches.len() == 1 {
            let fault = crate::fault::AlgorithmError::new(
                AlgorithmErrorKind::Syntax,
                start,
                "this `either` has no `or`",
            );
            self.report(fault.help("add `or` with the other choice, or remove `either`"));
            return Err(Failed);
        }
        if !self.has_braces {
            self.close("either")?;
        }
        Ok(StatementKind::Either(branches))
    }

    fn with_statement(&mut self, head: &mut Option<Span>) -> Parsed<StatementKind> {
        let start = self.here();
        self.next();
        let has_parenthesis = self.has_braces;
        if has_parenthesis {
            self.expect("(", "write `with (x \\in Set)` or `with (x = value)`")?;
        }
        let mut bindings = Vec::new();
        loop {
            let ident = self.name("the name of a variable")?;
            let is_element = self.skip("\\in") || self.skip("∈");
            if !is_element {
                self.expect("=", "write `with x \\in Set` or `with x = value`")?;
            }
            let value = self.expression("an expression", Until::Comma)?;
            bindings.push(Binding {
                ident,
                is_element,
                value,
            });
            let goes_on = self.skip(",") || self.skip(";");
            if !goes_on || self.is(")") || self.is("do") {
                break;
            }
        }
        *head = Some(self.span_from(start));
        if has_parenthesis {
            self.expect(")", "the parenthesis after `with` is not closed")?;
        } else {
            self.expect("do", "write `with x \\in Set do … end with`")?;
        }
        let mut body = self.branch()?;
        if !self.has_braces {
            self.close("with")?;
        }
        while let Some(binding) = bindings.pop() {
            let kind = StatementKind::With(binding, body);
            if bindings.is_empty() {
                return Ok(kind);
            }
            body = vec![Statement {
                label: None,
                kind,
                span: head.unwrap_or(start),
                called_at: None,
            }];
        }
        Err(Failed)
    }

    fn arguments(&mut self) -> Parsed<Vec<Expression>> {
        self.expect("(", "arguments stand in parentheses, even if there are none")?;
        let mut arguments = Vec::new();
        while !self.is(")") {
            arguments.push(self.expression("an argument", Until::Comma)?);
            if !self.skip(",") {
                break;
            }
        }
        self.expect(")", "arguments are separated by commas, and end with `)`")?;
        Ok(arguments)
    }

    fn call_statement(&mut self) -> Parsed<StatementKind> {
        self.next();
        let procedure = self.name("the name of a procedure")?;
        let arguments = self.arguments()?;
        let after = if self.is(";") && self.is_ahead(1, "return") {
            self.at += 2;
            AfterCall::Return
        } else if self.is(";") && self.is_ahead(1, "goto") {
            self.at += 2;
            AfterCall::Goto(self.target()?)
        } else {
            AfterCall::Continue
        };
        Ok(StatementKind::Call(Call {
            procedure,
            arguments,
            after,
        }))
    }

    /// The label after a `goto`, which may stand in quotes.
    fn target(&mut self) -> Parsed<Ident> {
        match self.peek() {
            Some(token) if token.kind == TokenKind::Text => {
                self.at += 1;
                Ok(Ident {
                    name: token.text.trim_matches('"').into(),
                    span: token.span,
                })
            }
            _ => self.name("a label"),
        }
    }
}
