//! Operators by precedence range, junction lists and operands.

use std::cmp::Ordering;

use super::*;
use crate::operators::Fixity;

/// The operator to the left of an operand, waiting for it.
pub(super) type Waiting = Option<(Op, Span)>;

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        self.operators(None)
    }

    /// Operands and operators while they bind tighter than the operator waiting on the left.
    pub(super) fn operators(&mut self, left: Waiting) -> Parsed<ExprId> {
        self.nested(|p| p.operator_chain(left))
    }

    fn operator_chain(&mut self, left: Waiting) -> Parsed<ExprId> {
        let mut operand = self.operand(left)?;
        loop {
            let token = self.token();
            match self.peek() {
                TokenKind::Operator(op) if op.fixity() != Fixity::Prefix => {
                    if !self.takes_operand(left, op, &token)? {
                        return Ok(operand);
                    }
                    self.bump();
                    let start = self.span_of(operand);
                    if op.fixity() == Fixity::Postfix {
                        operand = self.expr(ExprKind::Postfix(op, operand), start.to(token.span()));
                        continue;
                    }
                    let right = self.operators(Some((op, token.span())))?;
                    operand = if op == Op::Times {
                        self.product(operand, right)?
                    } else {
                        let span = start.to(self.span_of(right));
                        self.expr(ExprKind::Infix(op, token.span(), operand, right), span)
                    };
                }
                TokenKind::Dot => {
                    self.bump();
                    let field = if self.peek() == TokenKind::At {
                        self.identifier("the name of a field")?
                    } else {
                        self.lenient_identifier("the name of a field")?
                    };
                    let span = self.span_of(operand).to(field.span);
                    operand = self.expr(ExprKind::Field(operand, field), span);
                }
                TokenKind::BracketOpen => {
                    self.bump();
                    let args = self.expressions()?;
                    let close = self.close(TokenKind::BracketClose, "`,` or `]`", token.span())?;
                    let span = self.span_of(operand).to(close.span());
                    operand = self.expr(ExprKind::Call(operand, args), span);
                }
                _ => return Ok(operand),
            }
        }
    }

    /// Whether `op` takes the operand before it, rather than the operator waiting on the left.
    fn takes_operand(&mut self, left: Waiting, op: Op, token: &Token) -> Parsed<bool> {
        let Some((waiting, span)) = left else {
            return Ok(true);
        };
        match waiting.order_before(op) {
            Some(Ordering::Greater) => Ok(false),
            Some(_) => Ok(true),
            None => Err(self.conflict(waiting, span, op, token)),
        }
    }

    fn conflict(&mut self, left: Op, span: Span, right: Op, token: &Token) -> Failed {
        let source = self.tree.source;
        let (a, b) = (left.text(), right.text());
        let message = if left == right {
            format!("`{a}` cannot follow itself without parentheses")
        } else {
            format!("`{a}` and `{b}` have no order among each other")
        };
        let bullet = [span.start, token.start]
            .into_iter()
            .any(|at| self.starts_line(at))
            && (token.bullet || matches!(left, Op::And | Op::Or));
        let help = match (left, right) {
            _ if self.holds(Op::AmpAmp, span, token) => "to join formulas write `/\\`, not `&&`".to_owned(),
            _ if self.holds(Op::BarBar, span, token) => "to join formulas write `\\/`, not `||`".to_owned(),
            (Op::Equal, Op::Equal) => "compare pairwise: `a = b /\\ b = c`".to_owned(),
            (Op::Less | Op::LessEq, Op::Less | Op::LessEq) => {
                "compare pairwise: `a < b /\\ b < c`".to_owned()
            }
            _ if left == right => format!("write `(x {a} y) {b} z` or `x {a} (y {b} z)`"),
            (_, Op::Negative) => "put the negative number in parentheses".to_owned(),
            _ if left.fixity() == Fixity::Prefix && right.fixity() == Fixity::Postfix => {
                format!("write `({a} x){b}` or `{a} (x{b})`")
            }
            _ if bullet => {
                format!(
                    "write `(x {a} y) {b} z` or `x {a} (y {b} z)`; if a list was meant, align its bullets"
                )
            }
            _ => format!("write `(x {a} y) {b} z` or `x {a} (y {b} z)`"),
        };
        let diagnostic = self
            .error(Class::Precedence, span, message)
            .label(source, token.span(), format!("`{b}` here"))
            .help(help);
        self.report(diagnostic)
    }

    /// Whether an operator stands between two others.
    pub(super) fn holds(&self, op: Op, left: Span, right: &Token) -> bool {
        (0..self.at)
            .rev()
            .map(|at| self.token_at(at))
            .take_while(|token| token.start >= left.start)
            .any(|token| token.operator() == Some(op) && token.start < right.start)
    }

    /// The rest of `S \X T \X U`, which is one product of three.
    fn product(&mut self, first: ExprId, second: ExprId) -> Parsed<ExprId> {
        let mut factors = vec![first, second];
        while self.peek() == TokenKind::Operator(Op::Times) {
            let token = self.bump();
            factors.push(self.operators(Some((Op::Times, token.span())))?);
        }
        let span = self.span_of(first).to(self.previous_span());
        Ok(self.expr(ExprKind::Times(factors.into()), span))
    }

    pub(super) fn operand(&mut self, left: Waiting) -> Parsed<ExprId> {
        let token = self.token();
        match self.peek() {
            TokenKind::Operator(Op::And | Op::Or) if token.bullet => self.junction_list(),
            TokenKind::Operator(Op::Minus) => {
                if let Some((waiting, span)) = left
                    && waiting.order_before(Op::Negative) == Some(Ordering::Greater)
                {
                    return Err(self.conflict(waiting, span, Op::Negative, &token));
                }
                self.prefix(Op::Negative)
            }
            TokenKind::Operator(op) if op.fixity() == Fixity::Prefix && op != Op::Negative => self.prefix(op),
            TokenKind::Operator(op) => self.symbol(op, left),
            TokenKind::Number => self.number(),
            TokenKind::Text => self.string(),
            TokenKind::Identifier => self.name(left),
            TokenKind::At if self.is_label_ahead() => self.name(left),
            TokenKind::At => {
                self.bump();
                Ok(self.expr(ExprKind::At, token.span()))
            }
            TokenKind::ParenOpen => self.parentheses(),
            TokenKind::BraceOpen => self.braces(),
            TokenKind::BracketOpen => self.brackets(),
            TokenKind::AngleOpen => self.angles(),
            TokenKind::WeakFairness => self.fairness(false),
            TokenKind::StrongFairness => self.fairness(true),
            TokenKind::ForAll => self.quantified(Quantifier::ForAll),
            TokenKind::Exists => self.quantified(Quantifier::Exists),
            TokenKind::TemporalForAll => self.temporal_quantified(Quantifier::ForAll),
            TokenKind::TemporalExists => self.temporal_quantified(Quantifier::Exists),
            TokenKind::Keyword(Keyword::If) => self.conditional(),
            TokenKind::Keyword(Keyword::Case) => self.case(),
            TokenKind::Keyword(Keyword::Choose) => self.choose(),
            TokenKind::Keyword(Keyword::Let) => {
                self.bump();
                let units = self.let_units()?;
                self.expect(TokenKind::Keyword(Keyword::In), "IN after the definitions of LET")?;
                let body = self.expression()?;
                let span = token.span().to(self.span_of(body));
                Ok(self.expr(ExprKind::Let(units, body), span))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn prefix(&mut self, op: Op) -> Parsed<ExprId> {
        let token = self.bump();
        let operand = self.operators(Some((op, token.span())))?;
        let span = token.span().to(self.span_of(operand));
        Ok(self.expr(ExprKind::Prefix(op, operand), span))
    }

    /// An operator symbol used like a name: `+(1, 2)`, or as a label.
    pub(super) fn symbol(&mut self, op: Op, left: Waiting) -> Parsed<ExprId> {
        if self.peek_after(1) == TokenKind::ColonColon {
            let token = self.bump();
            let ident = self.op_ident(op, token.span());
            return self.label(ident, &[], left, self.tree.exprs.len());
        }
        if self.peek_after(1) != TokenKind::ParenOpen {
            let token = self.token();
            let text = self.slice(token.span()).to_owned();
            let mut diagnostic = self.error(
                Class::Parse,
                token.span(),
                format!("`{text}` needs an operand on its left"),
            );
            diagnostic.help = match op {
                Op::Prime => Some("a prime follows what it primes: `x'`".into()),
                Op::Less => Some("a tuple is written `<<a, b>>`".into()),
                _ => None,
            };
            return Err(self.report(diagnostic));
        }
        let begin = self.tree.exprs.len();
        let token = self.bump();
        let ident = self.op_ident(op, token.span());
        let args = self.arguments()?;
        if self.peek() == TokenKind::ColonColon {
            return self.label(ident, &args, left, begin);
        }
        Ok(self.expr(
            ExprKind::Apply(ident, args),
            token.span().to(self.previous_span()),
        ))
    }

    fn junction_list(&mut self) -> Parsed<ExprId> {
        let first = self.token();
        let kind = if first.operator() == Some(Op::And) {
            Junction::And
        } else {
            Junction::Or
        };
        let mut items = Vec::new();
        loop {
            self.bump();
            self.junctions.push((kind, first.column));
            let item = self.expression();
            self.junctions.pop();
            items.push(item?);
            let next = self.token();
            let goes_on = next.bullet && next.operator() == Some(kind.op()) && next.column == first.column;
            if !goes_on {
                break;
            }
        }
        let span = first.span().to(self.previous_span());
        Ok(self.expr(ExprKind::Junction(kind, items.into()), span))
    }
}
