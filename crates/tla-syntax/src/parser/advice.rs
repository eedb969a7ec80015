//! Advice for syntax errors, mostly about habits from other languages.

use super::*;

/// Advice about `!=`.
pub(super) const DIFFERS: &str = "`!=` is no operator: write `#` or `/=`";

/// The TLA+ spelling of a word or symbol of another language, as advice.
fn translation(text: &str) -> Option<String> {
    let symbol = match text {
        "and" | "AND" => "/\\",
        "or" | "OR" => "\\/",
        "not" | "NOT" => "~",
        "in" => "\\in",
        "notin" => "\\notin",
        "mod" | "MOD" => "%",
        "forall" => "\\A",
        "exists" => "\\E",
        "union" => "\\cup",
        "intersect" => "\\cap",
        _ => {
            let capitals = text.to_ascii_uppercase();
            let is_word = capitals != text && Keyword::from_text(&capitals).is_some();
            return is_word.then(|| format!("reserved words are written in capitals: `{capitals}`"));
        }
    };
    Some(format!("write `{symbol}` for `{text}`"))
}

impl Parser<'_> {
    /// Advice about an unexpected token.
    pub(super) fn hint(&self, token: &Token, expected: &str) -> Option<String> {
        let text = self.slice(token.span());
        if token.begins_definition && expected.contains("expression") {
            return Some("`==` defines; to compare write `=`".into());
        }
        if token.kind == TokenKind::Identifier
            && !token.begins_definition
            && let Some(translation) = translation(text)
        {
            return Some(translation);
        }
        let fixed = match token.kind {
            TokenKind::Bang if self.peek_after(1) == TokenKind::Operator(Op::Equal) => DIFFERS,
            TokenKind::Keyword(_) if expected.contains("name") || expected.contains("identifier") => {
                return Some(format!("`{text}` is a reserved word; choose another name"));
            }
            TokenKind::Keyword(Keyword::Lambda) => {
                "a LAMBDA may only be an argument; define an operator instead"
            }
            TokenKind::Define => "`==` defines; to compare write `=`",
            TokenKind::Operator(Op::Equal) if expected.contains("`<-`") => {
                "a substitution is written `name <- expression`"
            }
            TokenKind::Operator(Op::Assign) => "`:=` belongs to PlusCal; to compare write `=`",
            TokenKind::Bang if expected == "an expression" => "to negate write `~`",
            TokenKind::Comma if expected == "`)`" => "a tuple is written `<<a, b>>`",
            _ if expected.contains("EXCEPT") || expected.contains("what changes") => {
                "write `[f EXCEPT ![x] = e]` or `[r EXCEPT !.a = e]`"
            }
            TokenKind::Colon if expected == "`->`" => "an arm of a CASE is written `condition -> value`",
            TokenKind::Arrow if expected.contains("`|->`") => "a function is written `[x \\in S |-> e]`",
            TokenKind::MapsTo if expected == "`:`" => {
                "a record is written `[a |-> 1, b |-> 2]`, a set of records `[a : S, b : T]`"
            }
            TokenKind::Colon if expected == "`|->`" => {
                "a record is written `[a |-> 1, b |-> 2]`, a set of records `[a : S, b : T]`"
            }
            _ if expected == "`,` or `\\in`" => "before what holds write `:`, as in `\\A x \\in S : P`",
            _ if expected.starts_with("a definition after LET") => "a definition is written with `==`",
            _ => return None,
        };
        Some(fixed.into())
    }

    /// Advice about a token after the end of a unit.
    fn stray_advice(&self, token: &Token) -> Option<String> {
        let text = self.slice(token.span());
        let before = self.token_at(self.at.saturating_sub(1));
        let previous = self.slice(before.span());
        if token.kind == TokenKind::Identifier
            && let Some(advice) = translation(text)
        {
            return Some(advice);
        }
        if before.kind == TokenKind::Identifier
            && !self.starts_line(token.start)
            && let Some(advice) = translation(previous)
        {
            return Some(advice);
        }
        let fixed = match token.kind {
            TokenKind::Bang if self.peek_after(1) == TokenKind::Operator(Op::Equal) => DIFFERS,
            TokenKind::Operator(Op::And | Op::Or) => {
                "the bullet belongs to no list: is an earlier line misaligned?"
            }
            TokenKind::Operator(Op::NotEqual | Op::SlashSlash | Op::MinusMinus)
                if self.starts_line(token.start) =>
            {
                "a comment begins with `\\*`, or stands in `(*` and `*)`"
            }
            TokenKind::Comma if self.line_holds(token, TokenKind::Operator(Op::Unchanged)) => {
                "UNCHANGED takes one expression: `UNCHANGED <<x, y>>`"
            }
            TokenKind::Identifier if self.declares(token) => "put a comma between the names",
            TokenKind::Identifier if self.compares_application() => {
                return Some(format!("to define `{text}` write `==`"));
            }
            TokenKind::Identifier | TokenKind::Number | TokenKind::Text => {
                "an operator, a comma or `==` may be missing before or after it"
            }
            _ => return None,
        };
        Some(fixed.into())
    }

    /// Whether a token of some kind stands before this one on its line.
    fn line_holds(&self, token: &Token, kind: TokenKind) -> bool {
        self.before_on_line(token).any(|before| before.kind == kind)
    }

    /// Whether names are declared on the line of a token.
    fn declares(&self, token: &Token) -> bool {
        let first = self.before_on_line(token).last().map(|first| first.kind);
        matches!(
            first,
            Some(TokenKind::Keyword(Keyword::Variable | Keyword::Constant))
        )
    }

    /// The tokens before one on its line, the nearest first.
    fn before_on_line(&self, token: &Token) -> impl Iterator<Item = Token> {
        let end = token.start as usize;
        let line = self.text.get(..end).and_then(|t| t.rfind('\n')).unwrap_or(0);
        (0..self.at)
            .rev()
            .map(|at| self.token_at(at))
            .take_while(move |before| before.start as usize >= line)
    }

    /// Whether `F(a, b) =` stands at the cursor: a definition with one `=` too few.
    fn compares_application(&self) -> bool {
        let mut ahead = 1;
        let mut depth = 0usize;
        loop {
            match self.peek_after(ahead) {
                TokenKind::ParenOpen | TokenKind::BracketOpen => depth += 1,
                TokenKind::ParenClose | TokenKind::BracketClose => depth = depth.saturating_sub(1),
                TokenKind::Operator(Op::Equal) if depth == 0 => return true,
                TokenKind::End | TokenKind::ModuleEnd | TokenKind::Define => return false,
                _ if depth == 0 => return false,
                _ => {}
            }
            ahead += 1;
        }
    }

    /// Whether `--algorithm` or `--fair algorithm` stands at the cursor.
    fn begins_algorithm(&self) -> bool {
        let word = self.slice(self.token_at(self.at + 1).span());
        matches!(word, "algorithm" | "fair")
    }

    /// Skips an algorithm, to the end of the module, and drops the lexer's errors inside it.
    fn forget_algorithm(&mut self, start: &Token) {
        let source = self.tree.source;
        self.diagnostics
            .retain(|d| d.source != source || d.class != Class::Lex || d.span.start < start.start);
        while !matches!(self.token().kind, TokenKind::End | TokenKind::ModuleEnd) {
            self.bump();
        }
    }

    /// Reports something that begins no unit.
    pub(super) fn not_a_unit(&mut self, token: Token) -> Failed {
        let text = self.slice(token.span()).to_owned();
        let next = self.peek_after(1);
        let source = self.tree.source;
        let diagnostic = match token.kind {
            TokenKind::Bad => return Failed,
            TokenKind::Keyword(Keyword::Extends) => self
                .error(
                    Class::Parse,
                    token.span(),
                    "EXTENDS comes before everything else in a module",
                )
                .help("move it to the line after the module's header; a module has one EXTENDS"),
            TokenKind::Keyword(_) | TokenKind::Operator(_) | TokenKind::Number
                if next == TokenKind::Define =>
            {
                let what = if token.kind == TokenKind::Number {
                    "a number"
                } else {
                    "a reserved word"
                };
                self.error(
                    Class::Parse,
                    token.span(),
                    format!("`{text}` is {what} and cannot be defined"),
                )
                .help("choose another name")
            }
            TokenKind::Operator(Op::MinusMinus) if self.begins_algorithm() => {
                self.forget_algorithm(&token);
                self.error(
                    Class::Parse,
                    token.span(),
                    "an algorithm is not part of the module",
                )
                .help("put it in a comment `(* --algorithm … *)`; its translation is what counts")
            }
            TokenKind::Identifier if next == TokenKind::Operator(Op::Equal) => self
                .error(
                    Class::Parse,
                    token.span(),
                    format!("`{text} =` is neither a definition nor a statement"),
                )
                .label(source, self.token_at(self.at + 1).span(), "this compares")
                .help(format!("to define `{text}` write `{text} ==`")),
            TokenKind::Identifier if next == TokenKind::Operator(Op::Assign) => self
                .error(Class::Parse, token.span(), format!("`{text} :=` is not TLA+"))
                .help("an algorithm belongs in a comment `(* --algorithm … *)`; to define write `==`"),
            TokenKind::Define if self.token_at(self.at + 1).start == token.end => self
                .error(
                    Class::Parse,
                    self.previous_span(),
                    "the module's closing line is expected after this",
                )
                .label(source, token.span(), "this is too short to close a module")
                .help("a module ends with at least four equal signs: `====`"),
            TokenKind::Define => self
                .error(Class::Parse, self.previous_span(), "a name is missing after this")
                .label(source, token.span(), "there is nothing here to define")
                .help("a definition is written `Name == expression`"),
            _ => {
                let found = self.describe(&token);
                let expected = if self.starts_line(token.start) {
                    "a definition, a declaration or `====`"
                } else {
                    "an operator or the next definition"
                };
                let message = format!("expected {expected}, found {found}");
                let mut diagnostic = self.error(Class::Parse, token.span(), message);
                diagnostic.help = self.stray_advice(&token);
                diagnostic
            }
        };
        self.report(diagnostic)
    }
}
