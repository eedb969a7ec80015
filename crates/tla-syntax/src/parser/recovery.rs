//! Recovery after a mistake: where parsing resumes, and which of the errors of a broken unit are kept.

use super::module::begins_unit;
use super::*;

/// From this number of diagnostics on, consequences of earlier mistakes are no longer removed, which would take quadratic time.
const MAX_WEIGHED: usize = 1000;

impl Parser<'_> {
    /// After a mistake, moves to the next unit that starts no further right than the broken one did.
    pub(super) fn recover(&mut self, begin: usize, column: u32) {
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

    /// Whether a broken unit, from its first token to the current one, is the rest of another broken unit: it follows that unit
    /// and begins with a token that cannot begin a definition. A token that can only stand inside a unit, such as PROVE,
    /// may come one unit later.
    pub(super) fn is_rest(&self, begin: usize, reported: usize) -> bool {
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

    /// Keeps the first error of a broken unit, from its first token to the current one, and no error of a unit that is the rest
    /// of another or begins where the previous mistake was reported.
    pub(super) fn keep_first_mistake(&mut self, begin: usize, reported: usize, is_rest: bool) {
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
        // The lexer has read the whole file already, so its errors in these tokens come before the parser's.
        let mut is_reported = self.diagnostics.len() > reported || is_rest;
        let mut index = 0;
        self.diagnostics.retain(|d| {
            let is_repeated = index < reported && within(d) && std::mem::replace(&mut is_reported, true);
            index += 1;
            !is_repeated
        });
    }

    /// Whether the tokens skipped since `begin` are prose, such as the lines of a comment that is not opened: three words in a
    /// row, words with dashes, an invalid character, or one word alone. The next line of prose is not reported again.
    pub(super) fn is_text(&self, begin: usize) -> bool {
        let skipped = self.tokens.get(begin..self.at).unwrap_or(&[]);
        let is_word = |token: &Token| token.kind == TokenKind::Identifier && !token.begins_definition;
        let is_dashes = |token: &Token| token.kind == TokenKind::Separator;
        let is_title = skipped.iter().any(is_dashes) && skipped.iter().all(|t| is_word(t) || is_dashes(t));
        skipped.len() == 1
            || is_title
            || skipped.iter().any(|token| token.kind == TokenKind::Bad)
            || skipped.windows(3).any(|words| words.iter().all(is_word))
    }

    /// Whether a name stands where a definition would begin: at the start of a line, after a complete expression. Two
    /// definitions that are both broken are two mistakes.
    fn seems_to_begin_unit(&self, token: &Token) -> bool {
        let before = self.token_at(self.at.saturating_sub(1));
        let between = Span::new(before.end, token.start);
        let names = matches!(
            token.kind,
            TokenKind::Identifier | TokenKind::Operator(Op::Negative)
        );
        names && before.can_end_expression() && self.slice(between).contains('\n')
    }

    /// A definition in place of a broken one, so that uses of its name are not reported as undefined.
    pub(super) fn placeholder(&mut self, begin: usize) -> Option<UnitId> {
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
}
