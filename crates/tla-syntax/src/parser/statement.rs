//! The statements of theorems and assumptions.

use super::*;

impl Parser<'_> {
    /// The `Name ==` of a named assumption or theorem.
    pub(super) fn statement_name(&mut self) -> Option<Ident> {
        let token = self.token();
        let named = is_name(token.kind) && self.peek_after(1) == TokenKind::Define;
        named.then(|| {
            self.bump();
            self.bump();
            self.ident_of(&token)
        })
    }

    /// An expression or ASSUME/PROVE.
    pub(super) fn statement(&mut self) -> Parsed<AssumeProve> {
        if self.peek() == TokenKind::Keyword(Keyword::Assume) {
            return self.assume_prove(None);
        }
        let prove = self.expression()?;
        Ok(AssumeProve {
            label: None,
            boxed: false,
            assumes: Box::new([]),
            prove,
            span: self.span_of(prove),
        })
    }

    /// `ASSUME … PROVE …`; the cursor is on the ASSUME.
    fn assume_prove(&mut self, label: Option<Ident>) -> Parsed<AssumeProve> {
        let assume = self.bump();
        let mut assumes = Vec::new();
        loop {
            assumes.push(self.nested(Self::assumed)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let prove = self.expect(TokenKind::Keyword(Keyword::Prove), "`,` or PROVE")?;
        let boxed = self.is_boxed(&assume);
        if boxed != self.is_boxed(&prove) {
            let source = self.tree.source;
            let (a, b) = (
                self.slice(assume.span()).to_owned(),
                self.slice(prove.span()).to_owned(),
            );
            let diagnostic = self
                .error(
                    Class::Semantic,
                    assume.span(),
                    format!("{a} does not go with {b}"),
                )
                .label(source, prove.span(), "they belong together")
                .help("write `ASSUME … PROVE …` or `[]ASSUME … []PROVE …`");
            return Err(self.report(diagnostic));
        }
        let prove = self.expression()?;
        Ok(AssumeProve {
            label,
            boxed,
            assumes: assumes.into(),
            prove,
            span: assume.span().to(self.span_of(prove)),
        })
    }

    pub(super) fn is_boxed(&self, token: &Token) -> bool {
        self.slice(token.span()).starts_with("[]")
    }

    fn assumed(&mut self) -> Parsed<Assumed> {
        let new = self.eat(TokenKind::Keyword(Keyword::New));
        let kind = match self.peek() {
            TokenKind::Keyword(Keyword::Constant) => Some(NewKind::Constant),
            TokenKind::Keyword(Keyword::Variable) => Some(NewKind::Variable),
            TokenKind::Keyword(Keyword::State) => Some(NewKind::State),
            TokenKind::Keyword(Keyword::Action) => Some(NewKind::Action),
            TokenKind::Keyword(Keyword::Temporal) => Some(NewKind::Temporal),
            _ => None,
        };
        if kind.is_some() {
            self.bump();
        } else if !new {
            let labelled = self.peek() == TokenKind::Identifier
                && self.peek_after(1) == TokenKind::ColonColon
                && self.peek_after(2) == TokenKind::Keyword(Keyword::Assume);
            return Ok(if labelled {
                let label = self.identifier("a label")?;
                self.bump();
                Assumed::Nested(Box::new(self.assume_prove(Some(label))?))
            } else if self.peek() == TokenKind::Keyword(Keyword::Assume) {
                Assumed::Nested(Box::new(self.assume_prove(None)?))
            } else {
                Assumed::Formula(self.expression()?)
            });
        }
        let declared = self.declaration()?;
        let bounded = declared.arity == 0 && self.eat(TokenKind::Operator(Op::In));
        let set = if bounded { Some(self.expression()?) } else { None };
        Ok(Assumed::New(kind.unwrap_or(NewKind::Constant), declared, set))
    }
}
