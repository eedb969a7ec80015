//! Formulas of the translation, and their text.
//!
//! A formula is printed at a column; every line of it stays at or right of that column, so that junction lists nest.

use omnilink_tla_syntax::source::Span;

use crate::expression::{Expression, made};
use crate::token::TokenKind;
use crate::written::Written;

/// A formula and the statement that it comes from.
#[derive(Debug)]
pub(crate) struct Formula {
    pub kind: FormulaKind,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum FormulaKind {
    /// A junction list of conjuncts.
    And(Vec<Formula>),
    /// A junction list of disjuncts.
    Or(Vec<Formula>),
    If(Expression, Box<Formula>, Box<Formula>),
    /// `\E x \in S:` or `LET x == e IN`: what stands before and after the expression, and the formula below.
    Scope(String, Expression, &'static str, Box<Formula>),
    /// An expression as it is.
    Leaf(Expression),
    /// Variables that keep their values.
    Unchanged(Vec<String>),
}

impl Formula {
    pub fn new(kind: FormulaKind, span: Span) -> Self {
        Self { kind, span }
    }

    pub fn leaf(expression: Expression, span: Span) -> Self {
        Self::new(FormulaKind::Leaf(expression), span)
    }

    /// Text that does not come from an expression of the algorithm.
    pub fn text(text: &str, span: Span) -> Self {
        let token = made(TokenKind::Symbol, text, span, 0);
        Self::leaf(Expression { tokens: vec![token] }, span)
    }

    /// The frame: variables that keep their values. `None` if there are none.
    pub fn unchanged(names: &[&str], span: Span) -> Option<Self> {
        match names {
            [] => None,
            // As the reference translator: the shorter of the two forms.
            [only] if only.chars().count() <= 5 => Some(Self::text(&format!("{only}' = {only}"), span)),
            [only] => Some(Self::text(&format!("UNCHANGED {only}"), span)),
            _ => {
                let names = names.iter().map(|name| (*name).to_owned()).collect();
                Some(Self::new(FormulaKind::Unchanged(names), span))
            }
        }
    }

    /// Writes it at the current column.
    pub fn write(&self, out: &mut Written) {
        let column = out.column();
        match &self.kind {
            FormulaKind::And(items) => Self::write_list(items, "/\\ ", out),
            FormulaKind::Or(items) => Self::write_list(items, "\\/ ", out),
            FormulaKind::If(condition, then, otherwise) => {
                out.push("IF ", self.span);
                out.push_expression(condition);
                out.line(column + 3);
                out.push("THEN ", self.span);
                then.write(out);
                out.line(column + 3);
                out.push("ELSE ", self.span);
                otherwise.write(out);
            }
            FormulaKind::Scope(before, value, after, body) => {
                out.push(before, self.span);
                out.push_expression(value);
                out.push(after, self.span);
                out.line(column + 2);
                body.write(out);
            }
            FormulaKind::Leaf(expression) => out.push_expression(expression),
            FormulaKind::Unchanged(names) => {
                let names: Vec<(String, Span)> = names.iter().map(|name| (name.clone(), self.span)).collect();
                out.push_list("UNCHANGED << ", &names, " >>", self.span);
            }
        }
    }

    fn write_list(items: &[Formula], bullet: &str, out: &mut Written) {
        let column = out.column();
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                out.line(column);
            }
            out.push(bullet, item.span);
            item.write(out);
        }
    }
}
