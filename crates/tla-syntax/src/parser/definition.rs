//! Declarations, definitions and instances.

use super::*;
use crate::operators::Fixity;

impl Parser<'_> {
    pub(super) fn variables(&mut self) -> Parsed<Box<[Ident]>> {
        let mut names = Vec::new();
        loop {
            let token = self.expect(TokenKind::Identifier, "the name of a variable")?;
            names.push(self.ident_of(&token));
            if !self.eat(TokenKind::Comma) {
                return Ok(names.into());
            }
        }
    }

    pub(super) fn declarations(&mut self) -> Parsed<Box<[OpDecl]>> {
        let mut list = vec![self.declaration()?];
        while self.eat(TokenKind::Comma) {
            list.push(self.declaration()?);
        }
        Ok(list.into())
    }

    /// `c`, `F(_, _)`, `_ + _`, `-. _` or `_ ^+`.
    pub(super) fn declaration(&mut self) -> Parsed<OpDecl> {
        match self.peek() {
            TokenKind::Underscore => {
                self.bump();
                let TokenKind::Operator(op) = self.peek() else {
                    return Err(self.unexpected("an infix or postfix operator"));
                };
                let token = self.bump();
                let arity = match op.fixity() {
                    Fixity::Postfix => 1,
                    Fixity::Infix => {
                        self.expect(TokenKind::Underscore, "`_` for the right operand")?;
                        2
                    }
                    Fixity::Prefix => {
                        self.at -= 1;
                        return Err(self.unexpected("an infix or postfix operator"));
                    }
                };
                Ok(OpDecl {
                    ident: self.op_ident(op, token.span()),
                    arity,
                    op: Some(op),
                })
            }
            TokenKind::Operator(op) if op.fixity() == Fixity::Prefix => {
                let token = self.bump();
                self.expect(TokenKind::Underscore, "`_` for the operand")?;
                Ok(OpDecl {
                    ident: self.op_ident(op, token.span()),
                    arity: 1,
                    op: Some(op),
                })
            }
            _ => {
                let ident = self.identifier("a name")?;
                let mut arity = 0;
                if self.peek() == TokenKind::ParenOpen && self.peek_after(1) == TokenKind::Underscore {
                    self.bump();
                    loop {
                        self.expect(TokenKind::Underscore, "`_`")?;
                        arity += 1;
                        if !self.eat(TokenKind::Comma) {
                            break;
                        }
                    }
                    self.expect(TokenKind::ParenClose, "`,` or `)`")?;
                }
                Ok(OpDecl {
                    ident,
                    arity,
                    op: None,
                })
            }
        }
    }

    /// A definition; the cursor is on its first token after any LOCAL.
    pub(super) fn definition(&mut self, local: bool, start: Span) -> Parsed<UnitId> {
        let first = self.bump();
        if let Some(op) = first.operator() {
            let name = self.op_ident(op, first.span());
            let param = self.plain_param()?;
            return self.operator_definition(name, Some(op), vec![param], local, start);
        }
        let ident = self.ident_of(&first);
        match self.token().kind {
            TokenKind::Operator(op) => {
                let symbol = self.bump();
                let mut params = vec![OpDecl {
                    ident,
                    arity: 0,
                    op: None,
                }];
                if op.fixity() == Fixity::Infix {
                    params.push(self.plain_param()?);
                }
                let name = self.op_ident(op, symbol.span());
                self.operator_definition(name, Some(op), params, local, start)
            }
            TokenKind::BracketOpen => {
                self.bump();
                let bounds = self.bounds()?;
                self.expect(TokenKind::BracketClose, "`,` or `]`")?;
                self.expect(TokenKind::Define, "`==`")?;
                let body = self.expression()?;
                let span = start.to(self.previous_span());
                Ok(self.unit(
                    UnitKind::Function {
                        name: ident,
                        bounds,
                        body,
                    },
                    local,
                    span,
                ))
            }
            TokenKind::ParenOpen => {
                self.bump();
                let mut params = vec![self.declaration()?];
                while self.eat(TokenKind::Comma) {
                    params.push(self.declaration()?);
                }
                self.expect(TokenKind::ParenClose, "`,` or `)`")?;
                self.operator_definition(ident, None, params, local, start)
            }
            _ => self.operator_definition(ident, None, Vec::new(), local, start),
        }
    }

    fn plain_param(&mut self) -> Parsed<OpDecl> {
        let ident = self.identifier("the name of a parameter")?;
        Ok(OpDecl {
            ident,
            arity: 0,
            op: None,
        })
    }

    fn operator_definition(
        &mut self,
        ident: Ident,
        op: Option<Op>,
        params: Vec<OpDecl>,
        local: bool,
        start: Span,
    ) -> Parsed<UnitId> {
        self.expect(TokenKind::Define, "`==`")?;
        let params: Box<[OpDecl]> = params.into();
        let kind = if self.peek() == TokenKind::Keyword(Keyword::Instance) && op.is_none() {
            UnitKind::NamedInstance {
                name: ident,
                params,
                instance: self.instance()?,
            }
        } else {
            let name = OpDecl {
                ident,
                arity: params.len() as u32,
                op,
            };
            UnitKind::Operator {
                name,
                params,
                body: self.expression()?,
            }
        };
        let span = start.to(self.previous_span());
        Ok(self.unit(kind, local, span))
    }

    /// `INSTANCE M WITH …`.
    pub(super) fn instance(&mut self) -> Parsed<ModuleInstance> {
        let start = self.bump();
        let module = self.lenient_identifier("the name of a module")?;
        let mut substitutions = Vec::new();
        if self.eat(TokenKind::Keyword(Keyword::With)) {
            loop {
                substitutions.push(self.substitution()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let span = start.span().to(self.previous_span());
        Ok(ModuleInstance {
            module,
            substitutions: substitutions.into(),
            span,
        })
    }

    pub(super) fn substitution(&mut self) -> Parsed<Substitution> {
        let target = match self.peek() {
            TokenKind::Operator(op) => {
                let token = self.bump();
                self.op_ident(op, token.span())
            }
            _ => self.identifier("the name of a constant or variable")?,
        };
        self.expect(TokenKind::Substitute, "`<-`")?;
        Ok(Substitution {
            target,
            value: self.argument()?,
        })
    }

    /// The definitions of a LET, up to its IN.
    pub(super) fn let_units(&mut self) -> Parsed<Box<[UnitId]>> {
        let mut units = Vec::new();
        loop {
            let token = self.token();
            let recursive = token.kind == TokenKind::Keyword(Keyword::Recursive);
            // LOCAL has no effect in a LET, but it is allowed.
            let local = token.kind == TokenKind::Keyword(Keyword::Local)
                && self.token_at(self.at + 1).begins_definition;
            if !token.begins_definition && !recursive && !local {
                break;
            }
            if self.is_outside(&token) {
                return Err(self.misplaced(token, "a definition or IN"));
            }
            if recursive {
                self.bump();
                let declared = self.declarations()?;
                let span = token.span().to(self.previous_span());
                units.push(self.unit(UnitKind::Recursive(declared), false, span));
            } else {
                if local {
                    self.bump();
                }
                units.push(self.nested(|p| p.definition(local, token.span()))?);
            }
        }
        if units.is_empty() {
            return Err(self.unexpected("a definition after LET, as in `LET x == 1 IN x`"));
        }
        Ok(units.into())
    }
}
