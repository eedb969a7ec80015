//! Expressions that begin with a reserved word or a quantifier.

use super::*;

impl Parser<'_> {
    pub(super) fn quantified(&mut self, quantifier: Quantifier) -> Parsed<ExprId> {
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

    pub(super) fn temporal_quantified(&mut self, quantifier: Quantifier) -> Parsed<ExprId> {
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

    pub(super) fn choose(&mut self) -> Parsed<ExprId> {
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

    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
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

    pub(super) fn case(&mut self) -> Parsed<ExprId> {
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
