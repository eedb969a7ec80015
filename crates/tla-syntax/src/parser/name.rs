//! Names with their arguments, paths through instances, and labels.

use std::cmp::Ordering;

use super::expression::Waiting;
use super::*;

impl Parser<'_> {
    /// Whether `@ ::` or `@(x, y) ::` is at the cursor: a label named `@`.
    pub(super) fn is_label_ahead(&self) -> bool {
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

    /// A name with arguments, a path, or a label.
    pub(super) fn name(&mut self, left: Waiting) -> Parsed<ExprId> {
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

    pub(super) fn segment(&mut self) -> Parsed<Segment> {
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

    /// `I!lab(x) ::`, which SANY reads as the label `lab(x) ::`, ignoring the part before the `!`.
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

    /// A label and the expression it names. Its parameters were parsed as arguments, from node `begin` on.
    pub(super) fn label(
        &mut self,
        ident: Ident,
        args: &[ExprId],
        left: Waiting,
        begin: usize,
    ) -> Parsed<ExprId> {
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
}
