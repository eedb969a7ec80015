//! Expressions: operators by precedence range, names, and the forms that begin with a word.

use std::cmp::Ordering;

use super::*;
use crate::operators::Fixity;

/// The operator to the left of an operand, waiting for it.
pub(super) type Waiting = Option<(Op, Span)>;

impl Parser<'_> {
    /// An expression, as far as it goes.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        self.operators(None)
    }

    /// Operands and operators as long as they bind tighter than the operator waiting on the left.
    fn operators(&mut self, left: Waiting) -> Parsed<ExprId> {
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
    fn holds(&self, op: Op, left: Span, right: &Token) -> bool {
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

    fn operand(&mut self, left: Waiting) -> Parsed<ExprId> {
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

    /// Whether `@ ::` or `@(x, y) ::` stands at the cursor: a label that is called `@`.
    fn is_label_ahead(&self) -> bool {
        let mut ahead = 1;
        if self.peek_after(ahead) == TokenKind::ParenOpen {
            while is_name(self.peek_after(ahead + 1)) || self.peek_after(ahead + 1) == TokenKind::Comma {
                ahead += 1;
            }
            if self.peek_after(ahead + 1) != TokenKind::ParenClose {
                return false;
            }
            ahead += 2;
        }
        self.peek_after(ahead) == TokenKind::ColonColon
    }

    fn prefix(&mut self, op: Op) -> Parsed<ExprId> {
        let token = self.bump();
        let operand = self.operators(Some((op, token.span())))?;
        let span = token.span().to(self.span_of(operand));
        Ok(self.expr(ExprKind::Prefix(op, operand), span))
    }

    /// An operator symbol used like a name: `+(1, 2)`, or as a label.
    fn symbol(&mut self, op: Op, left: Waiting) -> Parsed<ExprId> {
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

    fn number(&mut self) -> Parsed<ExprId> {
        let token = self.bump();
        self.check_based_number(&token)?;
        let whole = self.intern(token.span());
        if self.peek() == TokenKind::Dot && self.peek_after(1) == TokenKind::Number {
            self.bump();
            let fraction = self.bump();
            let digits = self.intern(fraction.span());
            return Ok(self.expr(ExprKind::Decimal(whole, digits), token.span().to(fraction.span())));
        }
        Ok(self.expr(ExprKind::Number(whole), token.span()))
    }

    /// Numbers with a base are bit patterns and have to fit in 32 bits, sign included, as they do for TLC.
    fn check_based_number(&mut self, token: &Token) -> Parsed<()> {
        let text = self.slice(token.span());
        let radix = match text.as_bytes() {
            [b'\\', b'b' | b'B', ..] => 2,
            [b'\\', b'o' | b'O', ..] => 8,
            [b'\\', b'h' | b'H', ..] => 16,
            _ => return Ok(()),
        };
        if i32::from_str_radix(text.get(2..).unwrap_or(""), radix).is_ok() {
            return Ok(());
        }
        let diagnostic = self
            .error(Class::Parse, token.span(), "this number does not fit in 32 bits")
            .help("write large numbers in decimal");
        Err(self.report(diagnostic))
    }

    fn string(&mut self) -> Parsed<ExprId> {
        let token = self.bump();
        let raw = self
            .text
            .get(token.start as usize + 1..token.end as usize - 1)
            .unwrap_or("");
        let name = if raw.contains('\\') {
            let mut text = String::with_capacity(raw.len());
            let mut chars = raw.chars();
            while let Some(c) = chars.next() {
                text.push(match (c, if c == '\\' { chars.next() } else { None }) {
                    (_, Some('n')) => '\n',
                    (_, Some('t')) => '\t',
                    (_, Some('r')) => '\r',
                    (_, Some('f')) => '\u{c}',
                    (_, Some(other)) => other,
                    (c, None) => c,
                });
            }
            self.names.intern(&text)
        } else {
            self.names.intern(raw)
        };
        Ok(self.expr(ExprKind::Text(name), token.span()))
    }

    /// A name with arguments, a path, or a label.
    fn name(&mut self, left: Waiting) -> Parsed<ExprId> {
        let begin = self.tree.exprs.len();
        let token = self.bump();
        let ident = self.ident_of(&token);
        let args = if self.peek() == TokenKind::ParenOpen {
            self.arguments()?
        } else {
            Box::new([])
        };
        match self.peek() {
            TokenKind::ColonColon => self.label(ident, &args, left, begin),
            TokenKind::Bang => {
                let first = Segment {
                    kind: SegmentKind::Name(ident.name),
                    args,
                    span: ident.span,
                };
                let path = self.path(first)?;
                if self.peek() == TokenKind::ColonColon {
                    return self.prefixed_label(path, left, begin);
                }
                Ok(path)
            }
            _ => Ok(self.expr(
                ExprKind::Apply(ident, args),
                token.span().to(self.previous_span()),
            )),
        }
    }

    pub(super) fn path(&mut self, first: Segment) -> Parsed<ExprId> {
        let start = first.span;
        let mut segments = vec![first];
        while self.eat(TokenKind::Bang) {
            segments.push(self.segment()?);
        }
        Ok(self.expr(ExprKind::Path(segments.into()), start.to(self.previous_span())))
    }

    fn segment(&mut self) -> Parsed<Segment> {
        let token = self.token();
        let kind = match self.peek() {
            TokenKind::Identifier => SegmentKind::Name(self.intern(token.span())),
            TokenKind::Operator(Op::Equal) => {
                let bang = self.previous_span();
                let diagnostic = self
                    .error(
                        Class::Parse,
                        bang.to(token.span()),
                        "`=` is no name that could follow `!`",
                    )
                    .help(advice::DIFFERS);
                return Err(self.report(diagnostic));
            }
            TokenKind::Operator(op) => SegmentKind::Name(self.names.intern(op.text())),
            TokenKind::Number => match self.slice(token.span()).parse() {
                Ok(number) => SegmentKind::Part(number),
                Err(_) => return Err(self.unexpected("the number of a part")),
            },
            TokenKind::Colon => SegmentKind::Body,
            TokenKind::At => SegmentKind::At,
            TokenKind::AngleOpen => SegmentKind::First,
            TokenKind::AngleClose => SegmentKind::Second,
            TokenKind::ParenOpen => {
                let args = self.arguments()?;
                let span = token.span().to(self.previous_span());
                return Ok(Segment {
                    kind: SegmentKind::Bind,
                    args,
                    span,
                });
            }
            _ => return Err(self.unexpected("a name or the number of a part after `!`")),
        };
        self.bump();
        let named = matches!(kind, SegmentKind::Name(_));
        let args = if named && self.peek() == TokenKind::ParenOpen {
            self.arguments()?
        } else {
            Box::new([])
        };
        Ok(Segment {
            kind,
            args,
            span: token.span(),
        })
    }

    /// `I!lab(x) ::`, a label like `lab(x) ::`: SANY reads it, and what stands before the `!` means nothing.
    fn prefixed_label(&mut self, path: ExprId, left: Waiting, begin: usize) -> Parsed<ExprId> {
        let span = self.span_of(path);
        let ExprKind::Path(segments) = &self.tree.expr(path).kind else {
            return Err(self.unexpected("an expression"));
        };
        let named = segments.last().and_then(|last| match last.kind {
            SegmentKind::Name(name) if !last.args.is_empty() => Some((name, last.span, last.args.clone())),
            _ => None,
        });
        let Some((name, at, args)) = named else {
            let diagnostic = self
                .error(Class::Parse, span, "a name with `!` is no label")
                .help("a label is a plain name, with the names bound around it: `lab(x) ::`");
            return Err(self.report(diagnostic));
        };
        let before = Span::new(span.start, at.start);
        let message = "what stands before the `!` of a label means nothing";
        let warning = Diagnostic::warning(Class::Label, self.tree.source, before, message);
        self.diagnostics.push(warning.help("take it out"));
        self.label(Ident { name, span: at }, &args, left, begin)
    }

    /// A label and what it names; its parameters were read as arguments from node `begin` on.
    fn label(&mut self, ident: Ident, args: &[ExprId], left: Waiting, begin: usize) -> Parsed<ExprId> {
        let mut params = Vec::with_capacity(args.len());
        for arg in args {
            match &self.tree.expr(*arg).kind {
                ExprKind::Apply(param, none) if none.is_empty() => params.push(*param),
                _ => {
                    let span = self.span_of(*arg);
                    let diagnostic = self.error(
                        Class::Parse,
                        span,
                        "a label's parameters are names bound around it",
                    );
                    return Err(self.report(diagnostic));
                }
            }
        }
        self.tree.exprs.truncate(begin);
        self.bump();
        let body = self.expression()?;
        let outer = match &self.tree.expr(body).kind {
            ExprKind::Infix(op, ..) | ExprKind::Postfix(op, _) => Some(*op),
            _ => None,
        };
        if let (Some(op), Some((waiting, _))) = (outer, left)
            && waiting.order_before(op) != Some(Ordering::Less)
        {
            let message = "without this label the expression would be read differently";
            let diagnostic = self
                .error(Class::Parse, ident.span, message)
                .help("put the labelled expression in parentheses");
            return Err(self.report(diagnostic));
        }
        let span = ident.span.to(self.span_of(body));
        Ok(self.expr(ExprKind::Label(ident, params.into(), body), span))
    }

    /// `(a, +, LAMBDA x : e)`.
    pub(super) fn arguments(&mut self) -> Parsed<Box<[ExprId]>> {
        let open = self.bump();
        let mut args = vec![self.argument()?];
        while self.eat(TokenKind::Comma) {
            args.push(self.argument()?);
        }
        self.close(TokenKind::ParenClose, "`,` or `)`", open.span())?;
        Ok(args.into())
    }

    /// An expression, an operator symbol or a LAMBDA.
    pub(super) fn argument(&mut self) -> Parsed<ExprId> {
        let token = self.token();
        match self.peek() {
            TokenKind::Keyword(Keyword::Lambda) => {
                self.bump();
                let mut params = vec![self.identifier("the name of a parameter")?];
                while self.eat(TokenKind::Comma) {
                    params.push(self.identifier("the name of a parameter")?);
                }
                self.expect(TokenKind::Colon, "`,` or `:`")?;
                let body = self.nested(Self::expression)?;
                let span = token.span().to(self.span_of(body));
                Ok(self.expr(ExprKind::Lambda(params.into(), body), span))
            }
            TokenKind::Operator(op) if self.ends_argument(self.at + 1) => {
                self.bump();
                let ident = self.op_ident(op, token.span());
                Ok(self.expr(ExprKind::Apply(ident, Box::new([])), token.span()))
            }
            _ => self.expression(),
        }
    }

    fn ends_argument(&self, at: usize) -> bool {
        let token = self.token_at(at);
        token.begins_definition
            || match token.kind {
                TokenKind::Comma | TokenKind::ParenClose | TokenKind::End => true,
                TokenKind::ModuleEnd | TokenKind::ModuleStart | TokenKind::Separator => true,
                TokenKind::Keyword(word) => matches!(
                    word,
                    Keyword::Local
                        | Keyword::Instance
                        | Keyword::Theorem
                        | Keyword::Proposition
                        | Keyword::Assume
                        | Keyword::Assumption
                        | Keyword::Axiom
                        | Keyword::Constant
                        | Keyword::Variable
                        | Keyword::Recursive
                        | Keyword::In
                ),
                _ => false,
            }
    }

    pub(super) fn expressions(&mut self) -> Parsed<Box<[ExprId]>> {
        let mut list = vec![self.expression()?];
        while self.eat(TokenKind::Comma) {
            list.push(self.expression()?);
        }
        Ok(list.into())
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<ExprId> {
        let start = self.bump();
        let bounds = if self.names_until(TokenKind::Colon) {
            let mut names = vec![self.identifier("a name")?];
            while self.eat(TokenKind::Comma) {
                names.push(self.identifier("a name")?);
            }
            Box::new([Bound {
                tuple: false,
                names: names.into(),
                set: None,
            }])
        } else {
            self.bounds()?
        };
        self.expect(TokenKind::Colon, "`,` or `:` and what holds")?;
        let body = self.expression()?;
        let span = start.span().to(self.span_of(body));
        Ok(self.expr(ExprKind::Quantified(quantifier, bounds, body), span))
    }

    fn temporal_quantified(&mut self, quantifier: Quantifier) -> Parsed<ExprId> {
        let start = self.bump();
        let mut names = vec![self.identifier("the name of a variable")?];
        while self.eat(TokenKind::Comma) {
            names.push(self.identifier("the name of a variable")?);
        }
        self.expect(TokenKind::Colon, "`,` or `:`")?;
        let body = self.expression()?;
        let span = start.span().to(self.span_of(body));
        Ok(self.expr(ExprKind::TemporalQuantified(quantifier, names.into(), body), span))
    }

    fn choose(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let tuple = self.peek() == TokenKind::AngleOpen;
        let names = if tuple {
            self.tuple_names()?
        } else {
            Box::new([self.identifier("a name")?])
        };
        let bounded = self.eat(TokenKind::Operator(Op::In));
        let set = if bounded { Some(self.expression()?) } else { None };
        self.expect(TokenKind::Colon, if bounded { "`:`" } else { "`\\in` or `:`" })?;
        let body = self.expression()?;
        let span = start.span().to(self.span_of(body));
        Ok(self.expr(
            ExprKind::Choose(Box::new(Bound { tuple, names, set }), body),
            span,
        ))
    }

    fn conditional(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let condition = self.expression()?;
        self.part_of(
            TokenKind::Keyword(Keyword::Then),
            "THEN",
            start.span(),
            "of this IF",
        )?;
        let yes = self.expression()?;
        self.part_of(
            TokenKind::Keyword(Keyword::Else),
            "ELSE",
            start.span(),
            "every IF has one",
        )?;
        let no = self.expression()?;
        let span = start.span().to(self.span_of(no));
        Ok(self.expr(ExprKind::If(condition, yes, no), span))
    }

    fn case(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let mut arms = Vec::new();
        let mut other = None;
        loop {
            if !arms.is_empty() && self.eat(TokenKind::Keyword(Keyword::Other)) {
                self.expect(TokenKind::Arrow, "`->`")?;
                other = Some(self.expression()?);
                break;
            }
            let condition = self.expression()?;
            self.expect(TokenKind::Arrow, "`->`")?;
            arms.push((condition, self.expression()?));
            if !self.eat(TokenKind::Operator(Op::Always)) {
                break;
            }
        }
        let span = start.span().to(self.previous_span());
        Ok(self.expr(ExprKind::Case(arms.into(), other), span))
    }
}
