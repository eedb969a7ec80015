//! One edit of one text.

use crate::source::{SourceId, Sources, Span};

/// Other words for a part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Edit {
    /// The text.
    pub source: SourceId,
    /// The part; empty where something is put in.
    pub span: Span,
    /// What is to stand there.
    pub new: String,
    /// What the new words are.
    pub words: Words,
}

/// What the new words of an edit are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Words {
    /// Those that should be there.
    Meant,
    /// An expression for want of the right one.
    AnyExpression,
    /// The beginning of a definition of which only the rest is there.
    Head,
    /// Lines of which the first has come to be the last.
    LineDown,
    /// Lines of which the last has come to be the first.
    LineUp,
}

impl Edit {
    /// The text after the edit; `None` if it has no such part.
    pub fn applied(&self, text: &str) -> Option<String> {
        let before = text.get(..self.span.start as usize)?;
        let after = text.get(self.span.end as usize..)?;
        Some([before, &self.new, after].concat())
    }

    /// Whether it begins a comment, whose end may be anywhere, or ends a module.
    pub fn reaches_far(&self) -> bool {
        self.new.contains("(*") || self.new.contains("====")
    }

    /// Where something that began at a byte begins after the edit.
    pub fn moved(&self, start: u32) -> u32 {
        if start < self.span.start {
            start
        } else if start < self.span.end {
            self.span.start
        } else {
            start - self.span.end + self.span.start + self.new.len() as u32
        }
    }

    /// The edit as an order to the reader.
    pub fn advice(&self, sources: &Sources) -> String {
        let source = sources.get(self.source);
        let in_one_line = |words: &str| words.split_whitespace().collect::<Vec<_>>().join(" ");
        let (old, new) = (in_one_line(source.slice(self.span)), in_one_line(&self.new));
        let place = source.place(self.span.start);
        let (line, lines) = (place.line, self.new.matches('\n').count());
        let last = (line as usize + lines).saturating_sub(1);
        let place = format!("in line {}, column {}", place.line, place.column);
        let change = match (old.is_empty(), new.is_empty(), self.words) {
            (.., Words::Head) => format!("begin a definition {place}, where its first line is missing"),
            (.., Words::LineDown) if lines == 2 => format!("let lines {line} and {last} change places"),
            (.., Words::LineDown) => format!("put line {line} after line {last}"),
            (.., Words::LineUp) => format!("put line {last} before line {line}"),
            (true, _, Words::AnyExpression) => format!("put in an expression {place}"),
            (_, _, Words::AnyExpression) => format!("write something else for `{old}` {place}"),
            (true, _, Words::Meant) => format!("put in `{new}` {place}"),
            (_, true, Words::Meant) => format!("take out `{old}` {place}"),
            _ => format!("write `{new}` for `{old}` {place}"),
        };
        format!("one change mends all of this: {change}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: u32, end: u32, new: &str) -> Edit {
        Edit {
            source: SourceId(0),
            span: Span::new(start, end),
            new: new.into(),
            words: Words::Meant,
        }
    }

    #[test]
    fn what_is_after_an_edit_moves_with_it() {
        let longer = edit(2, 3, "long");
        assert_eq!(longer.applied("a b c").as_deref(), Some("a long c"));
        assert_eq!([0, 2, 4].map(|start| longer.moved(start)), [0, 2, 7]);
        let insertion = edit(2, 2, "x ");
        assert_eq!(insertion.applied("a b c").as_deref(), Some("a x b c"));
        assert_eq!([0, 2, 4].map(|start| insertion.moved(start)), [0, 4, 6]);
    }

    #[test]
    fn a_part_that_a_text_does_not_have_is_not_edited() {
        assert_eq!(edit(1, 2, "").applied("∀"), None);
        assert_eq!(edit(4, 9, "").applied("a b c"), None);
    }
}
