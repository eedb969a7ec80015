//! Expressions: tokens that keep their places relative to each other.
//!
//! The translator never parses an expression. It copies it, puts primes and indexes behind names, and replaces parameters of macros. An
//! insertion moves what follows on its line; so that junction lists keep their meaning, the lines below must move with it. [`Layout`] keeps
//! for each open junction list the column of its bullets before and after. A token that begins a line
//!
//! - and is the next bullet of a list goes to the new column of that list;
//! - else stays right of every list that it was right of, and no further right than a list that it ended.
//!
//! The columns of nested lists increase, before and after, so there is always such a column, and each token is in the same lists
//! as before.

use omnilink_tla_syntax::source::Span;

use crate::token::{Token, TokenKind};

/// The tokens of an expression. The columns only matter relative to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expression {
    /// The tokens.
    pub tokens: Vec<Token>,
}

/// What stands for a token after rewriting.
pub(crate) enum Rewritten {
    /// The token itself.
    Same,
    /// The token with another text, and tokens behind it without a gap.
    Renamed(String, Vec<Token>),
    /// A whole expression instead.
    Replaced(Expression),
}

impl Expression {
    /// Its place in the text.
    pub fn span(&self) -> Span {
        let first = self.tokens.first().map(|token| token.span);
        let last = self.tokens.last().map(|token| token.span);
        first.unwrap_or_default().to(last.or(first).unwrap_or_default())
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether it is the given word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(&*self.tokens, [only] if only.is(word))
    }

    /// Whether it is `TRUE`, perhaps in parentheses.
    pub fn is_true(&self) -> bool {
        let mut tokens = &*self.tokens;
        while let [open, inner @ .., close] = tokens
            && open.is("(")
            && close.is(")")
        {
            tokens = inner;
        }
        matches!(tokens, [only] if only.is("TRUE"))
    }

    /// A single token.
    pub(crate) fn word(text: &str, span: Span) -> Self {
        Self {
            tokens: vec![made(TokenKind::Word, text, span, 0)],
        }
    }

    /// Its text on one line.
    pub fn to_line(&self) -> String {
        let mut line = String::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let gap = if at == 0 {
                0
            } else {
                token.gap.map_or(1, |gap| gap.min(1))
            };
            line.extend(std::iter::repeat_n(' ', gap as usize));
            line.push_str(&token.text);
        }
        line
    }

    /// It in parentheses.
    pub(crate) fn parenthesized(&self) -> Self {
        let span = self.span();
        let mut layout = Layout::default();
        layout.put(&made(TokenKind::Symbol, "(", span, 0));
        layout.embed(self, Some(0));
        layout.put(&made(TokenKind::Symbol, ")", span, 0));
        layout.finish()
    }

    /// Several expressions after each other, without gaps.
    pub(crate) fn joined(parts: &[&Expression]) -> Self {
        let mut layout = Layout::default();
        for part in parts {
            layout.embed(part, Some(0));
        }
        layout.finish()
    }

    /// Rewrites it token by token.
    pub(crate) fn rewritten(&self, mut rewrite: impl FnMut(&[Token], usize) -> Rewritten) -> Self {
        let mut layout = Layout::default();
        for (at, token) in self.tokens.iter().enumerate() {
            match rewrite(&self.tokens, at) {
                Rewritten::Same => layout.move_token(token, None),
                Rewritten::Renamed(text, behind) => {
                    layout.move_token(token, Some(&text));
                    behind.iter().for_each(|token| layout.put(token));
                }
                Rewritten::Replaced(expression) => {
                    layout.begin(token);
                    layout.embed(&expression, None);
                }
            }
        }
        layout.finish()
    }

    /// How far its first token is right of its leftmost one, if that matters: without junction lists, columns do not.
    pub(crate) fn indent(&self) -> u32 {
        let Some(first) = self
            .tokens
            .first()
            .filter(|_| self.tokens.iter().any(Token::is_junction))
        else {
            return 0;
        };
        let left = self.tokens.iter().map(|token| token.column).min();
        first.column - left.unwrap_or(first.column).min(first.column)
    }
}

/// A token that no text has.
pub(crate) fn made(kind: TokenKind, text: &str, span: Span, gap: u32) -> Token {
    Token {
        kind,
        text: text.into(),
        span,
        column: 0,
        gap: Some(gap),
    }
}

/// Whether the token at a position is a name that can be a variable: not a field, not qualified by an instance.
pub(crate) fn is_variable(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at).filter(|token| token.is_name()) else {
        return false;
    };
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let after = tokens.get(at + 1);
    if before.is_some_and(|before| before.is(".") || (before.is("!") && token.gap.is_some())) {
        return false;
    }
    let begins_item = before.is_some_and(|before| before.is("[") || before.is(","));
    let field_mark = after.filter(|after| after.is("|->") || after.is(":") || after.is("↦"));
    match field_mark {
        Some(mark) if begins_item => !is_record(tokens, at, mark),
        _ => true,
    }
}

/// Whether the innermost brackets around a position are those of a record or a set of records whose fields have this mark.
fn is_record(tokens: &[Token], at: usize, mark: &Token) -> bool {
    let mut depth = 0u32;
    for (open, token) in tokens.iter().enumerate().take(at).rev() {
        match &*token.text {
            ")" | "]" | "}" | ">>" if token.kind == TokenKind::Symbol => depth += 1,
            "(" | "[" | "{" | "<<" if token.kind == TokenKind::Symbol => {
                if depth == 0 {
                    return token.is("[")
                        && tokens
                            .get(open + 2)
                            .is_some_and(|second| second.text == mark.text);
                }
                depth -= 1;
            }
            _ => {}
        }
    }
    false
}

/// An open junction list, or an open bracket that hides those around it.
enum Open {
    Bracket,
    /// The column of the bullets before and after.
    List(u32, u32),
}

/// Places tokens.
#[derive(Default)]
struct Layout {
    tokens: Vec<Token>,
    open: Vec<Open>,
    /// The columns of tokens before and after, of the lines so far.
    moved: Vec<(u32, u32)>,
    /// The column after the last token.
    end: u32,
    /// The gap before the next token, or that it begins a line at a column.
    pending: Option<Pending>,
}

enum Pending {
    Gap(u32),
    Line(u32),
}

impl Layout {
    fn finish(self) -> Expression {
        Expression { tokens: self.tokens }
    }

    /// Puts a token behind the last one.
    fn put(&mut self, token: &Token) {
        let gap = token.gap.unwrap_or(0);
        self.pending.get_or_insert(Pending::Gap(gap));
        self.place(token.clone());
    }

    /// Decides where what stands for a token begins.
    fn begin(&mut self, token: &Token) {
        let pending = match token.gap {
            _ if self.tokens.is_empty() => Pending::Line(token.column),
            Some(gap) => Pending::Gap(gap),
            None => Pending::Line(self.line_column(token)),
        };
        self.pending = Some(pending);
    }

    /// Puts a token where it belongs, perhaps with another text.
    fn move_token(&mut self, token: &Token, text: Option<&str>) {
        self.begin(token);
        let new = match self.pending {
            Some(Pending::Line(column)) => column,
            Some(Pending::Gap(gap)) => self.end + gap,
            None => self.end,
        };
        self.moved.push((token.column, new));
        self.note(token, new);
        let mut token = token.clone();
        if let Some(text) = text {
            token.text = text.into();
        }
        self.place(token);
    }

    /// Places a token at the pending place.
    fn place(&mut self, mut token: Token) {
        match self.pending.take() {
            Some(Pending::Line(column)) => {
                token.gap = None;
                token.column = column;
            }
            Some(Pending::Gap(gap)) => {
                token.gap = Some(gap);
                token.column = self.end + gap;
            }
            None => {
                token.gap = Some(0);
                token.column = self.end;
            }
        }
        self.end = token.column + token.width();
        self.tokens.push(token);
    }

    /// Puts a whole expression here. Its lines keep their places to each other, and none is left of the first token.
    fn embed(&mut self, expression: &Expression, gap: Option<u32>) {
        let Some(first) = expression.tokens.first() else {
            return;
        };
        if let Some(gap) = gap {
            let pending = if self.tokens.is_empty() {
                Pending::Line(first.column)
            } else {
                Pending::Gap(gap)
            };
            self.pending = Some(pending);
        }
        let indent = expression.indent();
        match &mut self.pending {
            Some(Pending::Line(column)) => *column += indent,
            Some(Pending::Gap(gap)) => *gap += indent,
            None => {}
        }
        for (at, token) in expression.tokens.iter().enumerate() {
            if at > 0 {
                let start = self.tokens.len() - at;
                let base = self.tokens[start].column;
                self.pending = Some(match token.gap {
                    Some(gap) => Pending::Gap(gap),
                    None => Pending::Line(
                        (base + token.column)
                            .saturating_sub(first.column)
                            .max(base - indent),
                    ),
                });
            }
            self.place(token.clone());
        }
    }

    /// The new column of a token that begins a line.
    fn line_column(&mut self, token: &Token) -> u32 {
        let mut right = u32::MAX;
        while let Some(Open::List(old, new)) = self.open.last() {
            if *old < token.column || (*old == token.column && token.is_junction()) {
                break;
            }
            right = *new;
            self.open.pop();
        }
        let mut left = 0;
        if let Some((old, new)) = self.enclosing() {
            if old == token.column && token.is_junction() {
                return new;
            }
            left = if old < token.column { new + 1 } else { 0 };
        }
        let above = self.moved.iter().rev();
        let same = above.clone().find(|(old, _)| *old == token.column);
        let shifted = match same.or_else(|| {
            above
                .clone()
                .filter(|(old, _)| *old < token.column)
                .max_by_key(|(old, _)| *old)
        }) {
            Some((old, new)) => new + (token.column - old),
            None => {
                let (old, new) = self.moved.first().copied().unwrap_or((0, 0));
                (new + token.column).saturating_sub(old)
            }
        };
        shifted.max(left).min(right.max(left))
    }

    /// The innermost open list, whatever brackets are open in it.
    fn enclosing(&self) -> Option<(u32, u32)> {
        self.open.iter().rev().find_map(|open| match open {
            Open::List(old, new) => Some((*old, *new)),
            Open::Bracket => None,
        })
    }

    /// Notes the lists and brackets that a token opens and closes.
    fn note(&mut self, token: &Token, new: u32) {
        if token.kind != TokenKind::Symbol {
            return;
        }
        match &*token.text {
            "(" | "[" | "{" | "<<" | "⟨" => self.open.push(Open::Bracket),
            ")" | "]" | "}" | ">>" | "⟩" => {
                while let Some(open) = self.open.pop() {
                    if matches!(open, Open::Bracket) {
                        break;
                    }
                }
            }
            _ if token.is_junction() => {
                let is_next = matches!(self.open.last(), Some(Open::List(old, _)) if *old == token.column);
                let is_infix = self.tokens.last().is_some_and(Token::can_end_operand);
                if !is_next && !is_infix {
                    self.open.push(Open::List(token.column, new));
                }
            }
            _ => {}
        }
    }
}
