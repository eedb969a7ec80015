//! The text of a translation, and where each part of it comes from.

use omnilink_tla_syntax::source::{Origin, Span};

use crate::expression::Expression;

/// A text that is being written.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub text: String,
    pub origins: Vec<Origin>,
    column: u32,
    line_width: u32,
}

impl Written {
    pub fn new(line_width: u32) -> Self {
        Self {
            line_width,
            ..Self::default()
        }
    }

    pub fn column(&self) -> u32 {
        self.column
    }

    /// Adds text without line ends.
    pub fn push(&mut self, text: &str, span: Span) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        self.column += text.chars().count() as u32;
        let end = self.text.len() as u32;
        match self.origins.last_mut() {
            Some(last) if last.end == start && last.span == span => last.end = end,
            _ => self.origins.push(Origin { start, end, span }),
        }
    }

    /// Begins a line at a column.
    pub fn line(&mut self, column: u32) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', column as usize));
        self.column = column;
    }

    /// Adds an expression. Its lines keep their places to each other, and none is left of the current column.
    pub fn push_expression(&mut self, expression: &Expression) {
        let Some(first) = expression.tokens.first() else {
            return;
        };
        let base = self.column;
        let indent = expression.indent();
        for (at, token) in expression.tokens.iter().enumerate() {
            let gap = match token.gap {
                _ if at == 0 => indent,
                Some(gap) => gap,
                None => {
                    self.line(
                        (base + indent + token.column)
                            .saturating_sub(first.column)
                            .max(base),
                    );
                    0
                }
            };
            self.text.extend(std::iter::repeat_n(' ', gap as usize));
            self.column += gap;
            self.push(&token.text, token.span);
        }
    }

    /// Adds a list of names with their origins, broken into lines at the width.
    pub fn push_list(&mut self, before: &str, names: &[(String, Span)], after: &str, span: Span) {
        self.push(before, span);
        let column = self.column;
        for (at, (name, origin)) in names.iter().enumerate() {
            let is_last = at + 1 == names.len();
            let width = name.chars().count() as u32 + if is_last { after.len() as u32 } else { 1 };
            if at > 0 {
                if self.column + 1 + width > self.line_width {
                    self.line(column);
                } else {
                    self.push(" ", span);
                }
            }
            self.push(name, *origin);
            if !is_last {
                self.push(",", span);
            }
        }
        self.push(after, span);
    }
}
