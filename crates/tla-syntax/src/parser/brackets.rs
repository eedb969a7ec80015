//! Expressions in parentheses, braces, square brackets and angle brackets, and the names bound there.

use super::*;

impl Parser<'_> {
    /// Whether names separated by commas and then a token of the given kind come next.
    pub(super) fn names_until(&self, end: TokenKind) -> bool {
        let mut ahead = 0;
        loop {
            if !is_name(self.peek_after(ahead)) {
                return false;
            }
            match self.peek_after(ahead + 1) {
                TokenKind::Comma => ahead += 2,
                kind => return kind == end,
            }
        }
    }

    /// Whether a bound comes next: `x, y \in` or `<<x, y>> \in`.
    fn bound_ahead(&self) -> bool {
        if self.peek() != TokenKind::AngleOpen {
            return self.names_until(TokenKind::Operator(Op::In));
        }
        let mut ahead = 1;
        while is_name(self.peek_after(ahead)) || self.peek_after(ahead) == TokenKind::Comma {
            ahead += 1;
        }
        self.peek_after(ahead) == TokenKind::AngleClose
            && self.peek_after(ahead + 1) == TokenKind::Operator(Op::In)
    }

    /// `x, y \in S, <<a, b>> \in T`.
    pub(super) fn bounds(&mut self) -> Parsed<Box<[Bound]>> {
        let mut bounds = vec![self.bound()?];
        while self.eat(TokenKind::Comma) {
            bounds.push(self.bound()?);
        }
        Ok(bounds.into())
    }

    pub(super) fn bound(&mut self) -> Parsed<Bound> {
        let tuple = self.peek() == TokenKind::AngleOpen;
        let names = if tuple {
            self.tuple_names()?
        } else {
            let mut names = vec![self.identifier("a name")?];
            while self.eat(TokenKind::Comma) {
                names.push(self.identifier("a name")?);
            }
            names.into()
        };
        self.expect(
            TokenKind::Operator(Op::In),
            if tuple { "`\\in`" } else { "`,` or `\\in`" },
        )?;
        Ok(Bound {
            tuple,
            names,
            set: Some(self.expression()?),
        })
    }

    /// `<<x, y>>` as a pattern.
    pub(super) fn tuple_names(&mut self) -> Parsed<Box<[Ident]>> {
        self.bump();
        let mut names = Vec::new();
        if self.peek() != TokenKind::AngleClose {
            names.push(self.identifier("a name")?);
            while self.eat(TokenKind::Comma) {
                names.push(self.identifier("a name")?);
            }
        }
        self.expect(TokenKind::AngleClose, "`,` or `>>`")?;
        Ok(names.into())
    }

    /// `(e)`.
    pub(super) fn parentheses(&mut self) -> Parsed<ExprId> {
        let open = self.bump();
        let inner = self.expression()?;
        let close = self.close(TokenKind::ParenClose, "`)`", open.span())?;
        Ok(self.expr(ExprKind::Paren(inner), open.span().to(close.span())))
    }

    /// `{a, b}`, `{x \in S : p}` or `{e : x \in S}`.
    pub(super) fn braces(&mut self) -> Parsed<ExprId> {
        let open = self.bump();
        if self.peek() == TokenKind::BraceClose {
            let close = self.bump();
            return Ok(self.expr(ExprKind::SetEnum(Box::new([])), open.span().to(close.span())));
        }
        let first = self.expression()?;
        if self.peek() != TokenKind::Colon {
            let mut elements = vec![first];
            while self.eat(TokenKind::Comma) {
                elements.push(self.expression()?);
            }
            let expected = if elements.len() == 1 {
                "`,`, `:` or `}`"
            } else {
                "`,` or `}`"
            };
            let close = self.close(TokenKind::BraceClose, expected, open.span())?;
            return Ok(self.expr(ExprKind::SetEnum(elements.into()), open.span().to(close.span())));
        }
        self.bump();
        let kind = match self.membership(first)? {
            Some(bound) => ExprKind::SetFilter(Box::new(bound), self.expression()?),
            None => ExprKind::SetMap(first, self.bounds()?),
        };
        let close = self.close(TokenKind::BraceClose, "`}`", open.span())?;
        Ok(self.expr(kind, open.span().to(close.span())))
    }

    /// `x \in S` or `<<x, y>> \in S` before a `:`, as a bound.
    fn membership(&mut self, id: ExprId) -> Parsed<Option<Bound>> {
        let ExprKind::Infix(Op::In, _, pattern, set) = self.tree.expr(id).kind else {
            return Ok(None);
        };
        let at = self.names.intern("@");
        let plain = |p: &Self, id: ExprId| match &p.tree.expr(id).kind {
            ExprKind::Apply(ident, args) if args.is_empty() => Some(*ident),
            ExprKind::At => Some(Ident {
                name: at,
                span: p.span_of(id),
            }),
            _ => None,
        };
        let (tuple, names) = match &self.tree.expr(pattern).kind {
            ExprKind::Tuple(parts) => (
                true,
                parts
                    .iter()
                    .map(|part| plain(self, *part))
                    .collect::<Option<Box<[_]>>>(),
            ),
            _ => (
                false,
                plain(self, pattern).map(|ident| Box::new([ident]) as Box<[_]>),
            ),
        };
        match names {
            Some(names) => Ok(Some(Bound {
                tuple,
                names,
                set: Some(set),
            })),
            None => {
                let span = self.span_of(pattern);
                let diagnostic = self
                    .error(
                        Class::Parse,
                        span,
                        "expected a name or a tuple of names before this `\\in`",
                    )
                    .help("if a set of truth values is meant, put the first part in parentheses");
                Err(self.report(diagnostic))
            }
        }
    }

    /// Everything that begins with `[` where an operand is expected.
    pub(super) fn brackets(&mut self) -> Parsed<ExprId> {
        let open = self.bump();
        if self.bound_ahead() {
            let bounds = self.bounds()?;
            if matches!(self.peek(), TokenKind::BracketCloseSub | TokenKind::BracketClose) {
                let span = self.token().span();
                let diagnostic = self
                    .error(Class::Parse, span, "expected `,` or `|->` after `[x \\in S`")
                    .help("if an action is meant, put it in parentheses: `[(x \\in S)]_v`");
                return Err(self.report(diagnostic));
            }
            self.expect(TokenKind::MapsTo, "`,` or `|->`")?;
            let body = self.expression()?;
            let close = self.close(TokenKind::BracketClose, "`]`", open.span())?;
            return Ok(self.expr(ExprKind::Function(bounds, body), open.span().to(close.span())));
        }
        let token = self.token();
        let field = matches!(token.kind, TokenKind::Identifier | TokenKind::At) || self.is_word(&token);
        match self.peek_after(1) {
            TokenKind::MapsTo if field => {
                let fields = self.fields(TokenKind::MapsTo, "`|->`")?;
                let close = self.close(TokenKind::BracketClose, "`,` or `]`", open.span())?;
                Ok(self.expr(ExprKind::Record(fields), open.span().to(close.span())))
            }
            TokenKind::Colon if field => {
                let fields = self.fields(TokenKind::Colon, "`:`")?;
                let close = self.close(TokenKind::BracketClose, "`,` or `]`", open.span())?;
                Ok(self.expr(ExprKind::RecordSet(fields), open.span().to(close.span())))
            }
            _ => self.bracketed_expression(open.span()),
        }
    }

    fn fields(&mut self, between: TokenKind, expected: &str) -> Parsed<Box<[(Ident, ExprId)]>> {
        // `@` is a field name like any other; a reserved word is allowed only as the first field.
        let token = self.bump();
        let first = self.ident_of(&token);
        self.expect(between, expected)?;
        let mut fields = vec![(first, self.expression()?)];
        while self.eat(TokenKind::Comma) {
            let field = self.identifier("the name of a field")?;
            self.expect(between, expected)?;
            fields.push((field, self.expression()?));
        }
        Ok(fields.into())
    }

    /// `[S -> T]`, `[f EXCEPT …]` or `[A]_v`.
    fn bracketed_expression(&mut self, open: Span) -> Parsed<ExprId> {
        let first = self.expression()?;
        match self.peek() {
            TokenKind::Arrow => {
                self.bump();
                let range = self.expression()?;
                let close = self.close(TokenKind::BracketClose, "`]`", open)?;
                Ok(self.expr(ExprKind::FunctionSet(first, range), open.to(close.span())))
            }
            TokenKind::Keyword(Keyword::Except) => {
                self.bump();
                let mut updates = vec![self.update()?];
                while self.eat(TokenKind::Comma) {
                    updates.push(self.update()?);
                }
                let close = self.close(TokenKind::BracketClose, "`,` or `]`", open)?;
                Ok(self.expr(ExprKind::Except(first, updates.into()), open.to(close.span())))
            }
            TokenKind::BracketCloseSub => {
                self.bump();
                let subscript = self.nested(Self::action_subscript)?;
                let span = open.to(self.previous_span());
                Ok(self.expr(ExprKind::Action(true, first, subscript), span))
            }
            TokenKind::BracketClose => {
                let close = self.token().span();
                let diagnostic = self
                    .error(
                        Class::Parse,
                        open.to(close),
                        "an expression in `[` `]` alone has no meaning",
                    )
                    .help(match self.tree.expr(first).kind {
                        ExprKind::Infix(Op::Dots, ..) => "a range is a set already: write `1..10`",
                        ExprKind::Infix(Op::Equal, ..) => {
                            "a record is written `[a |-> 1]`, an action with a subscript `[A]_v`"
                        }
                        _ => "write `[A]_v` for an action with a subscript, or use parentheses",
                    });
                Err(self.report(diagnostic))
            }
            TokenKind::Comma if matches!(self.tree.expr(first).kind, ExprKind::Infix(Op::Equal, ..)) => {
                let span = self.span_of(first);
                let diagnostic = self
                    .error(Class::Parse, span, "a field of a record is not written with `=`")
                    .help("a record is written `[a |-> 1, b |-> 2]`");
                Err(self.report(diagnostic))
            }
            _ => Err(self.unexpected("`]_`, `->`, `|->` or EXCEPT")),
        }
    }

    fn update(&mut self) -> Parsed<ExceptUpdate> {
        let start = self.expect(TokenKind::Bang, "`!` and what changes, as in `!.a` or `![x]`")?;
        let mut path = Vec::new();
        loop {
            if self.eat(TokenKind::Dot) {
                path.push(Access::Field(self.lenient_identifier("the name of a field")?));
            } else if self.eat(TokenKind::BracketOpen) {
                path.push(Access::Index(self.expressions()?));
                self.expect(TokenKind::BracketClose, "`,` or `]`")?;
            } else {
                break;
            }
        }
        if path.is_empty() {
            return Err(self.unexpected("what changes: `.` and a field or `[` and an argument"));
        }
        self.expect(TokenKind::Operator(Op::Equal), "`=`, `.` or `[`")?;
        let value = self.expression()?;
        Ok(ExceptUpdate {
            path: path.into(),
            value,
            span: start.span().to(self.span_of(value)),
        })
    }

    /// `<<a, b>>` or `<<A>>_v`.
    pub(super) fn angles(&mut self) -> Parsed<ExprId> {
        let open = self.bump();
        if self.peek() == TokenKind::AngleClose {
            let close = self.bump();
            return Ok(self.expr(ExprKind::Tuple(Box::new([])), open.span().to(close.span())));
        }
        let parts = self.expressions()?;
        if let (TokenKind::AngleCloseSub, [action]) = (self.peek(), &*parts) {
            self.bump();
            let subscript = self.nested(Self::action_subscript)?;
            let span = open.span().to(self.previous_span());
            return Ok(self.expr(ExprKind::Action(false, *action, subscript), span));
        }
        let close = self.close(TokenKind::AngleClose, "`,` or `>>`", open.span())?;
        Ok(self.expr(ExprKind::Tuple(parts), open.span().to(close.span())))
    }

    /// The subscript of `[A]_v` or `<<A>>_v`. Like SANY, drops an argument list after its last name, so that `[A]_v(x)` means
    /// `[A]_v`, and warns about it.
    fn action_subscript(&mut self) -> Parsed<ExprId> {
        let begin = (self.tree.exprs.len(), self.tree.units.len());
        let subscript = self.subscript()?;
        let last = self.previous_span();
        let node = &mut self.tree.exprs[subscript.0 as usize];
        let (args, named) = match &mut node.kind {
            ExprKind::Apply(ident, args) => (args, ident.span),
            ExprKind::Path(segments) => match segments.last_mut() {
                Some(segment) if matches!(segment.kind, SegmentKind::Name(_)) => {
                    (&mut segment.args, segment.span)
                }
                _ => return Ok(subscript),
            },
            _ => return Ok(subscript),
        };
        if args.is_empty() {
            return Ok(subscript);
        }
        *args = Box::new([]);
        let (kind, span) = (node.kind.clone(), Span::new(node.span.start, named.end));
        let message = "arguments after a subscript are dropped";
        let dropped = Span::new(named.end, last.end);
        let warning = Diagnostic::warning(Class::Parse, self.tree.source, dropped, message);
        let help = "if they belong to the subscript, put it in parentheses: `[A]_(f(x))`";
        self.diagnostics.push(warning.help(help));
        let mut kept = 0;
        self.tree.for_each_child(subscript, |_| kept += 1);
        if kept == 0 {
            self.tree.exprs.truncate(begin.0);
            self.tree.units.truncate(begin.1);
        }
        Ok(self.expr(kind, span))
    }

    /// A subscript without parentheses after `]_`, `>>_` or `WF_`: a name with arguments, or anything in brackets.
    fn subscript(&mut self) -> Parsed<ExprId> {
        let token = self.token();
        match self.peek() {
            TokenKind::Identifier => {
                self.bump();
                let ident = self.ident_of(&token);
                let args = if self.peek() == TokenKind::ParenOpen {
                    self.arguments()?
                } else {
                    Box::new([])
                };
                if self.peek() == TokenKind::Bang {
                    return self.path(Segment {
                        kind: SegmentKind::Name(ident.name),
                        args,
                        span: ident.span,
                    });
                }
                Ok(self.expr(
                    ExprKind::Apply(ident, args),
                    token.span().to(self.previous_span()),
                ))
            }
            TokenKind::ParenOpen => self.parentheses(),
            TokenKind::BraceOpen => self.braces(),
            TokenKind::BracketOpen => self.brackets(),
            TokenKind::AngleOpen => self.angles(),
            _ => Err(self.unexpected("the subscript: a name, or an expression in parentheses")),
        }
    }

    /// `WF_v(A)`. Of several argument lists in a row the last one is the action.
    pub(super) fn fairness(&mut self, strong: bool) -> Parsed<ExprId> {
        let start = self.bump();
        let subscript = self.subscript()?;
        let (subscript, action) = if self.peek() == TokenKind::ParenOpen {
            self.bump();
            let action = self.expression()?;
            self.expect(TokenKind::ParenClose, "`)`")?;
            (subscript, action)
        } else {
            self.split_action(subscript)?
        };
        let span = start.span().to(self.previous_span());
        Ok(self.expr(ExprKind::Fairness(strong, subscript, action), span))
    }

    /// Splits `v(A)` into the subscript `v` and the action `A`.
    fn split_action(&mut self, subscript: ExprId) -> Parsed<(ExprId, ExprId)> {
        let span = self.span_of(subscript);
        let node = &mut self.tree.exprs[subscript.0 as usize];
        let taken = match &mut node.kind {
            ExprKind::Apply(ident, args) => {
                node.span = ident.span;
                Some(std::mem::take(args))
            }
            ExprKind::Path(segments) => segments.last_mut().map(|last| {
                node.span = Span::new(span.start, last.span.end);
                std::mem::take(&mut last.args)
            }),
            _ => None,
        };
        match taken.as_deref() {
            Some([action]) => Ok((subscript, *action)),
            _ => Err(self.unexpected("`(` and the action")),
        }
    }
}
