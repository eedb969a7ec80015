//! Modules and their units.

use super::*;

/// Whether a unit of a module can begin with a token.
pub(super) fn begins_unit(token: &Token) -> bool {
    match token.kind {
        TokenKind::Separator | TokenKind::ModuleStart => true,
        TokenKind::Keyword(word) => matches!(
            word,
            Keyword::Constant
                | Keyword::Variable
                | Keyword::Assume
                | Keyword::Assumption
                | Keyword::Axiom
                | Keyword::Theorem
                | Keyword::Proposition
                | Keyword::Recursive
                | Keyword::Local
                | Keyword::Instance
                | Keyword::Use
                | Keyword::Hide
        ),
        _ => token.begins_definition,
    }
}

impl Parser<'_> {
    /// A module, from its `---- MODULE` to its `====`.
    pub(super) fn module(&mut self) -> Parsed<ModuleIndex> {
        let start = self.bump();
        let index = ModuleIndex(self.tree.modules.len() as u32);
        let nowhere = Ident {
            name: self.names.intern(""),
            span: start.span(),
        };
        self.tree.modules.push(ParsedModule {
            name: nowhere,
            extends: Box::new([]),
            units: Box::new([]),
            span: start.span(),
        });
        if self.depth >= MAX_NESTING {
            let failed = self.too_deep();
            // Every further header would be too deep as well.
            self.at = self.tokens.len() - 1;
            return Err(failed);
        }
        let name = self.nested(Self::module_header)?;
        self.tree.modules[index.0 as usize].name = name;
        let mut units = Vec::new();
        match self.extends() {
            Ok(extends) => self.tree.modules[index.0 as usize].extends = extends,
            Err(Failed) => self.recover(self.at, 0),
        }
        let mut unit_column = u32::MAX;
        let mut is_text = false;
        loop {
            let token = self.token();
            if matches!(token.kind, TokenKind::ModuleEnd | TokenKind::End) {
                break;
            }
            if self.begins_config() {
                let message = format!("module {} is not closed", self.slice(name.span));
                let diagnostic = self.error(Class::Parse, token.span(), message);
                self.report(diagnostic.help("end it with a line `====` before the CONFIG section"));
                // The rest is not TLA+.
                self.at = self.tokens.len() - 1;
                break;
            }
            let begin = self.at;
            // A token that begins no unit belongs to the unit before, which is broken.
            unit_column = if begins_unit(&token) {
                token.column
            } else {
                unit_column.min(token.column)
            };
            self.junctions.clear();
            let reported = self.diagnostics.len();
            match self.nested(Self::module_unit) {
                Ok(unit) => {
                    is_text &= token.kind == TokenKind::Separator;
                    let is_read = !matches!(token.kind, TokenKind::Separator | TokenKind::ModuleStart);
                    self.since_mistake = self.since_mistake.saturating_add(u32::from(is_read));
                    units.push(unit);
                }
                Err(Failed) => {
                    self.recover(begin, unit_column);
                    let is_rest = is_text && !begins_unit(&token) || self.is_rest(begin, reported);
                    self.keep_first_mistake(begin, reported, is_rest);
                    self.since_mistake = 0;
                    is_text = self.is_text(begin);
                    if let Some(unit) = self.placeholder(begin) {
                        units.push(unit);
                    }
                }
            }
        }
        let end = self.token();
        let module = &mut self.tree.modules[index.0 as usize];
        module.units = units.into();
        module.span = start.span().to(end.span());
        if end.kind == TokenKind::ModuleEnd {
            self.bump();
            return Ok(index);
        }
        if !self.has_failed() {
            let name = self.slice(name.span).to_owned();
            let span = self.end_span();
            let source = self.tree.source;
            let diagnostic = self
                .error(Class::Parse, span, format!("module {name} is not closed"))
                .label(source, start.span(), "it begins here")
                .help("end it with a line `====`");
            self.report(diagnostic);
        }
        Ok(index)
    }

    /// Whether the header of a configuration, `---- CONFIG Name ----`, is next. It may only stand after modules.
    fn begins_config(&self) -> bool {
        use TokenKind::{Identifier, Separator};
        let kinds = [0, 1, 2, 3].map(|ahead| self.peek_after(ahead));
        kinds == [Separator, Identifier, Identifier, Separator]
            && self.slice(self.token_at(self.at + 1).span()) == "CONFIG"
    }

    fn module_header(&mut self) -> Parsed<Ident> {
        let name = self.lenient_identifier("the module's name")?;
        if self.peek() != TokenKind::Separator {
            let message = "at least four dashes are missing after the module's name";
            let help = "a module begins with `---- MODULE Name ----`";
            let diagnostic = self.error(Class::Parse, name.span, message).help(help);
            return Err(self.report(diagnostic));
        }
        self.bump();
        Ok(name)
    }

    fn extends(&mut self) -> Parsed<Box<[Ident]>> {
        let mut names = Vec::new();
        if self.token().kind == TokenKind::Keyword(Keyword::Extends) {
            self.bump();
            loop {
                names.push(self.lenient_identifier("the name of a module")?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        Ok(names.into())
    }

    fn module_unit(&mut self) -> Parsed<UnitId> {
        let start = self.token();
        let local = start.kind == TokenKind::Keyword(Keyword::Local);
        if local {
            self.bump();
        }
        let token = self.token();
        if token.begins_definition {
            return self.definition(local, start.span());
        }
        let kind = match token.kind {
            TokenKind::Keyword(Keyword::Instance) => {
                let instance = self.instance()?;
                UnitKind::Instance(instance)
            }
            _ if local => return Err(self.unexpected("a definition or INSTANCE after LOCAL")),
            TokenKind::Separator => {
                self.bump();
                UnitKind::Separator
            }
            TokenKind::ModuleStart => UnitKind::Module(self.module()?),
            TokenKind::Keyword(Keyword::Constant) => {
                self.bump();
                UnitKind::Constants(self.declarations()?)
            }
            TokenKind::Keyword(Keyword::Recursive) => {
                self.bump();
                UnitKind::Recursive(self.declarations()?)
            }
            TokenKind::Keyword(Keyword::Variable) => {
                self.bump();
                UnitKind::Variables(self.variables()?)
            }
            TokenKind::Keyword(keyword @ (Keyword::Assume | Keyword::Assumption | Keyword::Axiom))
                if !self.is_boxed(&token) =>
            {
                self.bump();
                UnitKind::Assume {
                    name: self.statement_name(),
                    body: self.expression()?,
                    is_axiom: keyword == Keyword::Axiom,
                }
            }
            TokenKind::Keyword(Keyword::Theorem | Keyword::Proposition) => {
                self.bump();
                let name = self.statement_name();
                let statement = Box::new(self.statement()?);
                let proof = self.skip_proof()?;
                UnitKind::Theorem {
                    name,
                    statement,
                    proof,
                }
            }
            TokenKind::Keyword(Keyword::Use | Keyword::Hide) => {
                self.skip_facts()?;
                UnitKind::UseOrHide
            }
            _ => return Err(self.not_a_unit(token)),
        };
        Ok(self.unit(kind, local, start.span().to(self.previous_span())))
    }
}
