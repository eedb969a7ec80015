//! Modules and what they are made of.

use super::*;
use crate::operators::Fixity;

/// Beyond this many, diagnostics are not weighed against each other: nobody sees them, and it takes time.
const MAX_WEIGHED: usize = 1000;

/// Whether a unit of a module can begin with a token.
fn begins_unit(token: &Token) -> bool {
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
        self.tree.modules.push(Module {
            name: nowhere,
            extends: Box::new([]),
            units: Box::new([]),
            span: start.span(),
        });
        if self.depth >= MAX_NESTING {
            let failed = self.too_deep();
            // Every header that follows would be too deep as well.
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
                // Nothing of the rest is TLA+.
                self.at = self.tokens.len() - 1;
                break;
            }
            let begin = self.at;
            // What begins no unit is the rest of the one before, which is broken there.
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

    /// Whether the header of a configuration is next, `---- CONFIG Name ----`, which stands after modules only.
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

    /// After a mistake: goes to the next unit that starts no further right than the broken one did.
    fn recover(&mut self, begin: usize, column: u32) {
        self.junctions.clear();
        self.at = self.at.max(begin + 1).min(self.tokens.len() - 1);
        loop {
            let token = self.token();
            let ends = match token.kind {
                TokenKind::End | TokenKind::ModuleEnd => true,
                TokenKind::ModuleStart => {
                    self.starts_line(token.start)
                        || (self.peek_after(1), self.peek_after(2))
                            == (TokenKind::Identifier, TokenKind::Separator)
                }
                _ => false,
            };
            if ends || (token.column <= column && (begins_unit(&token) || self.seems_to_begin_unit(&token))) {
                return;
            }
            self.bump();
        }
    }

    /// Whether a broken unit, from its first token to the current one, is the rest of another: it comes after a unit that
    /// could not be read and begins with what begins no definition however broken. What can only stand inside a unit,
    /// such as PROVE, may come one unit later.
    fn is_rest(&self, begin: usize, reported: usize) -> bool {
        let (first, second) = (self.token_at(begin), self.token_at(begin + 1));
        let is_inner = matches!(first.kind, TokenKind::Keyword(_) | TokenKind::Step) && !begins_unit(&first);
        let is_after = self.since_mistake <= u32::from(is_inner);
        is_after
            && match first.kind {
                TokenKind::Keyword(Keyword::Constant | Keyword::Variable) => {
                    let found = self.diagnostics.get(reported).map(|d| d.span);
                    second.kind == TokenKind::Comma && found == Some(second.span())
                }
                _ if first.begins_definition => {
                    let noticed = self.diagnostics.get(reported.wrapping_sub(1));
                    let is_shown = noticed.is_some_and(|d| d.labels.iter().any(|l| l.span == first.span()));
                    let found = self.diagnostics.get(reported).map(|d| d.span);
                    is_shown && second.kind == TokenKind::Define && found == Some(second.span())
                }
                _ if begins_unit(&first) => false,
                TokenKind::Identifier => {
                    let mut skipped = self.tokens.get(begin..self.at).unwrap_or(&[]).iter();
                    let is_lone = self.at == begin + 1 || second.kind == TokenKind::Comma;
                    is_lone && skipped.all(|token| token.kind != TokenKind::Define)
                }
                TokenKind::Operator(Op::Negative) => false,
                _ => true,
            }
    }

    /// Of what is wrong with a broken unit, from its first token to the current one, keeps what was said first. Nothing
    /// is new in a unit that is the rest of another, or that begins where the mistake before was noticed.
    fn keep_first_mistake(&mut self, begin: usize, reported: usize, is_rest: bool) {
        if reported > MAX_WEIGHED {
            return;
        }
        let first = self.token_at(begin);
        let noticed = self.diagnostics.get(..reported).and_then(|before| before.last());
        let is_at = |d: &Diagnostic| (d.source, d.span) == (self.tree.source, first.span());
        let is_noticed = !first.begins_definition && noticed.is_some_and(is_at);
        if is_noticed || is_rest {
            self.diagnostics.truncate(reported);
        }
        let (source, end) = (self.tree.source, self.token().start);
        let within = |d: &Diagnostic| {
            let is_lexical = d.source == source && d.class == Class::Lex && d.is_error();
            is_lexical && d.span.start >= first.start && d.span.end <= end
        };
        // The lexer has read the whole file already: its complaints about these tokens came before the parser's.
        let mut is_said = self.diagnostics.len() > reported || is_rest;
        let mut index = 0;
        self.diagnostics.retain(|d| {
            let is_repeated = index < reported && within(d) && std::mem::replace(&mut is_said, true);
            index += 1;
            !is_repeated
        });
    }

    /// Whether what was skipped since a token is text that was never meant as TLA+, such as the lines of a comment that
    /// is not opened: three words in a row, words with dashes, a character without a meaning, or one word alone. The next line of the
    /// same text is no mistake of its own.
    fn is_text(&self, begin: usize) -> bool {
        let skipped = self.tokens.get(begin..self.at).unwrap_or(&[]);
        let is_word = |token: &Token| token.kind == TokenKind::Identifier && !token.begins_definition;
        let is_dashes = |token: &Token| token.kind == TokenKind::Separator;
        let is_title = skipped.iter().any(is_dashes) && skipped.iter().all(|t| is_word(t) || is_dashes(t));
        skipped.len() == 1
            || is_title
            || skipped.iter().any(|token| token.kind == TokenKind::Bad)
            || skipped.windows(3).any(|words| words.iter().all(is_word))
    }

    /// Whether a name stands where a definition would, though it is none: on a line of its own, after something that
    /// needs nothing more. Two definitions that are both broken are two mistakes.
    fn seems_to_begin_unit(&self, token: &Token) -> bool {
        let before = self.token_at(self.at.saturating_sub(1));
        let between = Span::new(before.end, token.start);
        let names = matches!(
            token.kind,
            TokenKind::Identifier | TokenKind::Operator(Op::Negative)
        );
        names && before.can_end_expression() && self.slice(between).contains('\n')
    }

    /// What a broken definition defines, so that its uses are not mistakes too.
    fn placeholder(&mut self, begin: usize) -> Option<UnitId> {
        let token = self.token_at(begin);
        let named = token.begins_definition && token.kind == TokenKind::Identifier;
        if !named {
            return None;
        }
        let ident = self.ident_of(&token);
        let body = self.expr(ExprKind::Error, token.span());
        let name = OpDecl {
            ident,
            arity: 0,
            op: None,
        };
        Some(self.unit(
            UnitKind::Operator {
                name,
                params: Box::new([]),
                body,
            },
            false,
            token.span(),
        ))
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

    fn variables(&mut self) -> Parsed<Box<[Ident]>> {
        let mut names = Vec::new();
        loop {
            let token = self.expect(TokenKind::Identifier, "the name of a variable")?;
            names.push(self.ident_of(&token));
            if !self.eat(TokenKind::Comma) {
                return Ok(names.into());
            }
        }
    }

    fn declarations(&mut self) -> Parsed<Box<[OpDecl]>> {
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

    /// The `Name ==` of a named assumption or theorem.
    fn statement_name(&mut self) -> Option<Ident> {
        let token = self.token();
        let named = is_name(token.kind) && self.peek_after(1) == TokenKind::Define;
        named.then(|| {
            self.bump();
            self.bump();
            self.ident_of(&token)
        })
    }

    /// An expression or ASSUME/PROVE.
    fn statement(&mut self) -> Parsed<AssumeProve> {
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

    fn is_boxed(&self, token: &Token) -> bool {
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
    fn instance(&mut self) -> Parsed<Instance> {
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
        Ok(Instance {
            module,
            substitutions: substitutions.into(),
            span,
        })
    }

    fn substitution(&mut self) -> Parsed<Substitution> {
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
            // LOCAL says nothing new in a LET, but it may be said.
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
