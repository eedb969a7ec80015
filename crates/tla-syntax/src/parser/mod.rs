//! The parser: recursive descent for units and brackets, precedence climbing over *ranges* for operators.
//!
//! Three things end an expression: a token that cannot continue it, the first token of the next definition (marked by the
//! lexer), and, inside a junction list item, any token at or left of the item's bullet. In the last two cases `Parser::peek`
//! returns [`TokenKind::End`] although there is a token.
//!
//! A mistake affects only its unit: it is reported once, the rest of the unit is skipped, and parsing resumes at the next unit that
//! starts no further right. Recursion is limited to [`MAX_NESTING`] levels. Chains without brackets (`a + b + c`, `f[x][y].z`)
//! are parsed in loops and have no limit.

mod advice;
mod brackets;
mod definition;
mod expression;
mod keyword;
mod literal;
mod module;
mod name;
mod proof;
mod recovery;
mod statement;

use super::ast::*;
use super::lexer::{tokenize, tokenize_source};
use super::operators::Op;
use super::token::{Keyword, Token, TokenKind};
use crate::diagnostic::{Class, Diagnostic};
use crate::names::{Name, Names};
use crate::source::{Source, SourceId, Span};

/// The maximum nesting depth of brackets, quantifiers, IFs and the like.
pub const MAX_NESTING: u32 = 2000;

/// A mistake has been reported; the unit is abandoned.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Parses a file. The tree is complete if no error was added; otherwise it contains what could be parsed.
///
/// Needs a stack for [`MAX_NESTING`] levels: see [`crate::deep_stack::run`].
pub fn parse(source: SourceId, text: &str, names: &mut Names, diagnostics: &mut Vec<Diagnostic>) -> Tree {
    parse_from(source, text, 0, names, diagnostics)
}

/// Like [`parse`], for the first module at or after a byte.
pub fn parse_from(
    source: SourceId,
    text: &str,
    from: usize,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Tree {
    let tokens = tokenize(source, text, from, diagnostics);
    parse_tokens(source, text, tokens, names, diagnostics)
}

/// Like [`parse_from`], for a source in which something else may be read instead of a part.
pub fn parse_source(
    id: SourceId,
    source: &Source,
    from: usize,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Tree {
    let tokens = tokenize_source(id, source, from, diagnostics);
    parse_tokens(id, source.whole_text(), tokens, names, diagnostics)
}

fn parse_tokens(
    source: SourceId,
    text: &str,
    tokens: Vec<Token>,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Tree {
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        junctions: Vec::new(),
        depth: 0,
        since_mistake: u32::MAX,
        names,
        diagnostics,
        tree: Tree {
            source,
            exprs: Vec::new(),
            units: Vec::new(),
            modules: Vec::new(),
            root: None,
        },
    };
    parser.file();
    parser.tree
}

/// Whether a token can be a name where one is introduced.
fn is_name(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Identifier | TokenKind::At)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// The junction lists around the current token: the kind and column of their bullets.
    junctions: Vec<(Junction, u32)>,
    depth: u32,
    /// The number of units parsed since the last broken one, not counting separators and nested modules.
    since_mistake: u32,
    names: &'a mut Names,
    diagnostics: &'a mut Vec<Diagnostic>,
    tree: Tree,
}

impl Parser<'_> {
    fn file(&mut self) {
        if self.token().kind == TokenKind::ModuleStart {
            let index = ModuleIndex(0);
            if self.module().is_ok() || !self.tree.modules.is_empty() {
                self.tree.root = Some(index);
            }
            return;
        }
        let unclosed_comment = self.has_failed();
        if unclosed_comment {
            return;
        }
        let header = self.text.find("MODULE").map(|at| {
            let line = self
                .text
                .get(..at)
                .and_then(|t| t.rfind('\n'))
                .map_or(0, |n| n + 1);
            Span::new(line as u32, at as u32 + 6)
        });
        let span = header.unwrap_or(Span::new(0, 0));
        let message = if header.is_some() {
            "a module's header begins with at least four dashes"
        } else {
            "there is no module in this file"
        };
        let help = if self.text.contains("M\0O\0D") {
            "the file seems to be UTF-16: save it as UTF-8"
        } else {
            "a module begins with `---- MODULE Name ----` and ends with `====`"
        };
        self.report(Diagnostic::error(Class::Parse, self.tree.source, span, message).help(help));
    }

    /// Whether a mistake has been reported in this file.
    fn has_failed(&self) -> bool {
        let source = self.tree.source;
        self.diagnostics
            .iter()
            .any(|d| d.is_error() && d.source == source)
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        self.diagnostics.push(diagnostic);
        Failed
    }

    fn error(&mut self, class: Class, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(class, self.tree.source, span, message)
    }

    // Cursor.

    /// The current token, even if the expression must end before it.
    fn token(&self) -> Token {
        self.token_at(self.at)
    }

    fn token_at(&self, at: usize) -> Token {
        // The lexer always leaves an End token last.
        self.tokens[at.min(self.tokens.len() - 1)]
    }

    /// The kind of the current token, or `End` where the expression must end before it.
    fn peek(&self) -> TokenKind {
        let token = self.token();
        if token.begins_definition || self.is_outside(&token) {
            TokenKind::End
        } else {
            token.kind
        }
    }

    /// Whether a token is at or left of the bullet of the innermost junction list item.
    fn is_outside(&self, token: &Token) -> bool {
        self.junctions
            .last()
            .is_some_and(|(_, column)| token.column <= *column)
    }

    fn peek_after(&self, ahead: usize) -> TokenKind {
        self.token_at(self.at + ahead).kind
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn previous_span(&self) -> Span {
        self.at
            .checked_sub(1)
            .map_or(Span::default(), |at| self.token_at(at).span())
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind, expected: &str) -> Parsed<Token> {
        if self.peek() == kind {
            Ok(self.bump())
        } else {
            Err(self.unexpected(expected))
        }
    }

    fn slice(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    fn intern(&mut self, span: Span) -> Name {
        let text = self
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("");
        self.names.intern(text)
    }

    fn ident_of(&mut self, token: &Token) -> Ident {
        Ident {
            name: self.intern(token.span()),
            span: token.span(),
        }
    }

    fn op_ident(&mut self, op: Op, span: Span) -> Ident {
        Ident {
            name: self.names.intern(op.text()),
            span,
        }
    }

    /// A name. SANY accepts `@` as a name, although nothing can refer to it.
    fn identifier(&mut self, expected: &str) -> Parsed<Ident> {
        if !is_name(self.peek()) {
            return Err(self.unexpected(expected));
        }
        let token = self.bump();
        Ok(self.ident_of(&token))
    }

    /// A name where reserved words may stand too: module names, and the first field of a record.
    fn lenient_identifier(&mut self, expected: &str) -> Parsed<Ident> {
        if !matches!(self.peek(), TokenKind::Identifier) && !self.is_word(&self.token()) {
            return Err(self.unexpected(expected));
        }
        let token = self.bump();
        Ok(self.ident_of(&token))
    }

    fn is_word(&self, token: &Token) -> bool {
        match token.kind {
            TokenKind::Keyword(_) | TokenKind::Operator(_) => {
                self.slice(token.span()).bytes().all(|b| b.is_ascii_alphabetic())
            }
            TokenKind::WeakFairness | TokenKind::StrongFairness => true,
            _ => false,
        }
    }

    // Errors.

    /// Reports that something else was expected at the cursor.
    fn unexpected(&mut self, expected: &str) -> Failed {
        let token = self.token();
        let is_over = token.kind == TokenKind::End && self.has_failed();
        if token.kind == TokenKind::Bad || is_over {
            return Failed;
        }
        if !token.begins_definition && token.kind != TokenKind::End && self.is_outside(&token) {
            return self.misplaced(token, expected);
        }
        if expected == "an expression" && self.ends_unit(&token) {
            return self.missing_operand(token);
        }
        let source = self.tree.source;
        let found = self.describe(&token);
        let span = if token.kind == TokenKind::End {
            self.end_span()
        } else {
            token.span()
        };
        let mut diagnostic = self.error(Class::Parse, span, format!("expected {expected}, found {found}"));
        diagnostic.help = self.hint(&token, expected);
        if token.kind == TokenKind::ParenClose && self.token_at(self.at.saturating_sub(1)).end == token.start
        {
            let before = self.token_at(self.at.saturating_sub(1));
            if before.kind == TokenKind::Operator(Op::Star) {
                let stray = before.span().to(token.span());
                diagnostic = diagnostic
                    .label(source, stray, "this closes no comment")
                    .help("open the comment with `(*`, or remove `*)`");
            }
        }
        self.report(diagnostic)
    }

    /// Whether a token can only begin or end a unit, so that something is missing before it.
    fn ends_unit(&self, token: &Token) -> bool {
        let defines = token.begins_definition && self.starts_line(token.start);
        defines
            || matches!(
                token.kind,
                TokenKind::ModuleEnd | TokenKind::Separator | TokenKind::End
            )
    }

    /// Reports an expression that is missing at the end of a unit, at the token before the gap.
    fn missing_operand(&mut self, token: Token) -> Failed {
        let previous = self.previous_span();
        let after = self.slice(previous).to_owned();
        let found = self.describe(&token);
        let source = self.tree.source;
        let mut diagnostic = self.error(
            Class::Parse,
            previous,
            format!("an expression is missing after `{after}`"),
        );
        if token.kind != TokenKind::End {
            diagnostic = diagnostic.label(source, token.span(), format!("instead there is {found}"));
        }
        self.report(diagnostic)
    }

    /// Expects a closing bracket, and shows the opening one where it is missing.
    fn close(&mut self, kind: TokenKind, expected: &str, open: Span) -> Parsed<Token> {
        self.part_of(kind, expected, open, "opened here")
    }

    /// Expects a part of something, and shows where that begins if the part is missing.
    fn part_of(&mut self, kind: TokenKind, expected: &str, whole: Span, label: &str) -> Parsed<Token> {
        let reported = self.diagnostics.len();
        let closed = self.expect(kind, expected);
        if closed.is_err() && self.diagnostics.len() > reported {
            let source = self.tree.source;
            if let Some(diagnostic) = self.diagnostics.pop() {
                self.diagnostics.push(diagnostic.label(source, whole, label));
            }
        }
        closed
    }

    fn misplaced(&mut self, token: Token, expected: &str) -> Failed {
        let column = self.junctions.last().map_or(0, |(_, column)| *column);
        let found = self.describe(&token);
        let message =
            format!("expected {expected}, but {found} is at or left of the bullet of its list item");
        let bullet = (0..self.at)
            .rev()
            .map(|at| self.token_at(at))
            .find(|t| t.bullet && t.column == column);
        let source = self.tree.source;
        let mut diagnostic = self
            .error(Class::Indentation, token.span(), message)
            .help(format!("move it right, past column {} of the bullet", column + 1));
        if let Some(bullet) = bullet {
            diagnostic = diagnostic.label(source, bullet.span(), "the list item begins here");
        }
        self.report(diagnostic)
    }

    /// Whether only blanks stand before a byte on its line.
    fn starts_line(&self, at: u32) -> bool {
        let before = self.text.get(..at as usize).unwrap_or("");
        before.rsplit('\n').next().unwrap_or("").trim().is_empty()
    }

    /// The end of the last token, where something is missing if the text ends too early.
    fn end_span(&self) -> Span {
        let end = self.previous_span().end;
        Span::new(end, end)
    }

    fn describe(&self, token: &Token) -> String {
        let text = self.slice(token.span());
        match token.kind {
            TokenKind::End => "the end of the file".into(),
            TokenKind::ModuleEnd => "the end of the module".into(),
            _ if token.begins_definition => format!("the definition of `{text}`"),
            TokenKind::Text => "a string".into(),
            TokenKind::Keyword(_) => format!("the reserved word `{text}`"),
            _ => format!("`{text}`"),
        }
    }

    // Nodes.

    fn expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.tree.exprs.push(Expr { kind, span });
        ExprId(self.tree.exprs.len() as u32 - 1)
    }

    fn span_of(&self, id: ExprId) -> Span {
        self.tree.expr(id).span
    }

    fn unit(&mut self, kind: UnitKind, local: bool, span: Span) -> UnitId {
        self.tree.units.push(Unit { kind, local, span });
        UnitId(self.tree.units.len() as u32 - 1)
    }

    /// Parses one level deeper, within the limit.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self) -> Failed {
        let span = self.token().span();
        let message = format!("this is nested deeper than {MAX_NESTING} levels");
        let help = "name the inner parts with definitions of their own";
        let diagnostic = self.error(Class::Limit, span, message).help(help);
        self.report(diagnostic)
    }
}
