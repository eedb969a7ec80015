//! The parser of both syntaxes: the one with words (`begin … end`), and the one with braces.
//!
//! A mistake in a statement is reported once, and parsing goes on after its semicolon.

mod assignment;
mod declaration;
mod expression;
mod statement;

use omnilink_tla_syntax::source::Span;

use crate::ast::{Algorithm, Body, Ident};
use crate::fault::{AlgorithmError, AlgorithmErrorKind};
use crate::locate::{AlgorithmPlace, begins_algorithm};
use crate::token::Token;

/// How deep statements may be nested.
const MAX_NESTING: u32 = 100;
/// How many mistakes are reported at most.
const MAX_FAULTS: usize = 20;

/// A mistake has been reported.
#[derive(Debug)]
pub(super) struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Parses the tokens of an algorithm, from behind the word `algorithm`.
pub(crate) fn parse(tokens: &[Token], place: &AlgorithmPlace) -> Result<Algorithm, Vec<AlgorithmError>> {
    let mut parser = Parser {
        tokens,
        at: 0,
        has_braces: false,
        depth: 0,
        end: place.end as u32,
        assumed_semicolon: None,
        faults: Vec::new(),
    };
    let parsed = parser.algorithm(place.is_fair);
    match parsed {
        Ok(algorithm) if parser.faults.is_empty() => Ok(algorithm),
        _ => Err(parser.faults),
    }
}

pub(super) struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    /// Whether the algorithm is written with braces.
    has_braces: bool,
    depth: u32,
    /// Where the text ends.
    end: u32,
    /// The position of a statement before which a semicolon is missing; it is read as if it were there.
    assumed_semicolon: Option<usize>,
    faults: Vec<AlgorithmError>,
}

impl<'t> Parser<'t> {
    fn algorithm(&mut self, mut is_fair: bool) -> Parsed<Algorithm> {
        let name = self.algorithm_name()?;
        self.has_braces = self.is("{");
        if self.has_braces {
            self.next();
        }
        let variables = self.variables(true)?;
        let define = self.define()?;
        let mut macros = Vec::new();
        while self.is("macro") {
            macros.push(self.macro_definition()?);
        }
        let mut procedures = Vec::new();
        while self.is("procedure") {
            procedures.push(self.procedure()?);
        }
        let body = if self.begins_process() {
            let mut processes = Vec::new();
            while self.begins_process() {
                processes.push(self.process()?);
            }
            Body::Processes(processes)
        } else {
            self.check_order()?;
            is_fair |= self.skip("fair");
            self.open_body()?;
            let body = Body::Single(self.statements()?);
            if self.has_braces {
                self.expect("}", "the body of the algorithm began with `{`")?;
            }
            body
        };
        self.check_order()?;
        if self.has_braces {
            self.expect("}", "the algorithm began with `{`")?;
        } else {
            self.close("algorithm")?;
        }
        Ok(Algorithm {
            name,
            is_fair,
            variables,
            define,
            macros,
            procedures,
            body,
        })
    }

    /// Reports a part of the algorithm that stands too late.
    fn check_order(&mut self) -> Parsed<()> {
        const PARTS: [&str; 5] = ["variable", "variables", "define", "macro", "procedure"];
        let Some(part) = PARTS.iter().find(|part| self.is(part)) else {
            return Ok(());
        };
        let message = format!("`{part}` stands too late");
        self.fail_here(
            AlgorithmErrorKind::Syntax,
            message,
            "the order is: variables, define, macros, procedures, then processes or the body",
        )
    }

    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn ahead(&self, by: usize) -> Option<&'t Token> {
        self.tokens.get(self.at + by)
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.is(text))
    }

    fn is_ahead(&self, by: usize, text: &str) -> bool {
        self.ahead(by).is_some_and(|token| token.is(text))
    }

    fn next(&mut self) -> Option<&'t Token> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Skips a token if it is the given one.
    fn skip(&mut self, text: &str) -> bool {
        let is = self.is(text);
        if is {
            self.at += 1;
        }
        is
    }

    fn here(&self) -> Span {
        self.peek()
            .map_or(Span::new(self.end, self.end), |token| token.span)
    }

    fn found(&self) -> String {
        self.peek().map_or("the end of the comment".to_owned(), |token| {
            format!("`{}`", token.text)
        })
    }

    fn report(&mut self, fault: AlgorithmError) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }

    fn fail_here<T>(
        &mut self,
        kind: AlgorithmErrorKind,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Parsed<T> {
        let fault = AlgorithmError::new(kind, self.here(), message).help(help);
        self.report(fault);
        Err(Failed)
    }

    fn expect(&mut self, text: &str, why: &str) -> Parsed<Span> {
        let span = self.here();
        if self.skip(text) {
            return Ok(span);
        }
        let message = format!("expected `{text}` but found {}", self.found());
        self.fail_here(AlgorithmErrorKind::Syntax, message, why)
    }

    /// The name of the algorithm. It may be a word of PlusCal, if what follows can begin an algorithm.
    fn algorithm_name(&mut self) -> Parsed<Ident> {
        match (self.peek(), self.tokens.get(self.at + 1)) {
            (Some(word), Some(next)) if word.is_keyword() && begins_algorithm(next) => {
                self.at += 1;
                Ok(Ident {
                    name: word.text.clone(),
                    span: word.span,
                })
            }
            _ => self.name("the name of the algorithm"),
        }
    }

    fn name(&mut self, what: &str) -> Parsed<Ident> {
        match self.peek() {
            Some(token) if token.is_name() => {
                self.at += 1;
                Ok(Ident {
                    name: token.text.clone(),
                    span: token.span,
                })
            }
            Some(token) if token.is_keyword() => {
                let message = format!("expected {what} but found `{}`", token.text);
                let help = format!("`{}` is a word of PlusCal and cannot be a name", token.text);
                self.fail_here(AlgorithmErrorKind::Syntax, message, help)
            }
            _ => {
                let message = format!("expected {what} but found {}", self.found());
                self.fail_here(AlgorithmErrorKind::Syntax, message, format!("write {what} here"))
            }
        }
    }

    /// The beginning of a body: `begin` or `{`.
    fn open_body(&mut self) -> Parsed<()> {
        let (text, why) = if self.has_braces {
            ("{", "the statements stand between `{` and `}`")
        } else {
            ("begin", "the statements stand between `begin` and `end`")
        };
        self.expect(text, why)?;
        Ok(())
    }

    /// The end of a part in words: `end if`.
    fn close(&mut self, part: &str) -> Parsed<()> {
        if self.is("end") && self.is_ahead(1, part) {
            self.at += 2;
            return Ok(());
        }
        if self.is("end") {
            self.at += 1;
        }
        let message = format!("expected `end {part}` but found {}", self.found());
        self.fail_here(
            AlgorithmErrorKind::Syntax,
            message,
            format!("close it with `end {part}`"),
        )
    }

    /// The end of a body, and the semicolon that may follow.
    fn close_body(&mut self, part: &str) -> Parsed<()> {
        if self.has_braces {
            self.expect("}", &format!("the body of the {part} ends with `}}`"))?;
        } else {
            self.close(part)?;
        }
        self.skip(";");
        Ok(())
    }
}
