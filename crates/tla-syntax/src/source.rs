//! Source texts and positions in them.
//!
//! Every syntax node carries a [`Span`]: two byte offsets, eight bytes in all. Lines and columns are computed on demand from a
//! line table built once per text, because a spec without mistakes never needs them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The number of bytes of a line that are counted at most to find a column.
const MILESTONE_BYTES: usize = 1024;

/// A half-open range of bytes in one source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from `start` up to, not including, `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// Names one of the texts of a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A line and a column, both counted from 1. A column counts characters; a tab moves to the next multiple of eight,
/// as it does for junction lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A part of a text that was made from another part of it, such as a formula from a statement. Positions in it are shown as positions in the
/// part that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The first byte of the part.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Where it comes from.
    pub span: Span,
}

/// A definition in a text that a program put together. Positions in it are shown as positions in what the definition was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The first byte of the body, which begins a line. The section ends where the next one begins.
    pub start: u32,
    /// The name of the definition, which messages do not show.
    pub definition: String,
    /// What it was made from, such as an entry of a link file.
    pub made_from: String,
}

/// One text and the path it was read from.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    /// The text of the file, and after it what is read instead of a part of it.
    text: String,
    /// The length of the text of the file.
    own_bytes: usize,
    /// The part of the file that is not read; what follows the text of the file is read there.
    replaced: Option<Span>,
    /// In order, without overlaps.
    origins: Vec<Origin>,
    /// In order.
    sections: Vec<Section>,
    line_starts: Vec<u32>,
    milestones: OnceLock<Vec<Milestone>>,
}

/// A byte far inside a long line, and its column from 0.
#[derive(Clone, Copy, Debug)]
struct Milestone {
    offset: u32,
    column: u32,
}

impl Source {
    /// A text under the path that messages show.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(i, _)| i as u32 + 1),
        );
        Self {
            path: path.into(),
            own_bytes: text.len(),
            text,
            replaced: None,
            origins: Vec::new(),
            sections: Vec::new(),
            line_starts,
            milestones: OnceLock::new(),
        }
    }

    /// The same text, parts of which come from others.
    #[must_use]
    pub fn with_origins(mut self, origins: Vec<Origin>) -> Self {
        self.origins = origins;
        self
    }

    /// The same text, in which something else is read instead of a part. The origins are those of what is read.
    #[must_use]
    pub fn with_replacement(mut self, replaced: Span, text: &str, origins: &[Origin]) -> Self {
        let from = self.text.len() as u32;
        self.text.push_str(text);
        self.replaced = Some(replaced);
        self.origins = origins
            .iter()
            .map(|origin| Origin {
                start: origin.start + from,
                end: origin.end + from,
                span: origin.span,
            })
            .collect();
        self
    }

    /// The text of the file, followed by what is read instead of a part of it.
    pub(crate) fn whole_text(&self) -> &str {
        &self.text
    }

    /// The part of the file that is not read, if there is one.
    pub(crate) fn replaced(&self) -> Option<Span> {
        self.replaced
    }

    /// Where a span comes from: itself, unless it was made from another.
    pub fn origin(&self, span: Span) -> Span {
        let Some(first) = self.origin_at(span.start) else {
            return span;
        };
        let last = self.origin_at(span.end.saturating_sub(1).max(span.start));
        let start = first.position(span.start);
        let end = last.map_or(first.span.end, |last| last.span.end);
        if end > start {
            Span::new(start, end)
        } else {
            Span::new(start, first.span.end)
        }
    }

    /// The origin of a byte. Blanks and line ends between two parts belong to the first.
    fn origin_at(&self, offset: u32) -> Option<&Origin> {
        let passed = self.origins.partition_point(|origin| origin.start <= offset);
        let origin = passed.checked_sub(1).and_then(|at| self.origins.get(at));
        if offset as usize >= self.own_bytes {
            origin.or(self.origins.first())
        } else {
            origin.filter(|origin| offset < origin.end)
        }
    }

    fn position(&self, offset: u32) -> u32 {
        self.origin_at(offset)
            .map_or(offset, |origin| origin.position(offset))
    }

    /// The path of the text.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole text of the file.
    pub fn text(&self) -> &str {
        &self.text[..self.own_bytes]
    }

    /// The text of a span; empty if the span is not of this text.
    pub fn slice(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// The line (from 1) that a byte is on, or comes from.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.own_line_of(self.position(offset))
    }

    fn own_line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset) as u32
    }

    /// A line's text without its line ending; empty if there is no such line.
    pub fn line(&self, line: u32) -> &str {
        let Some(start) = self.line_starts.get((line as usize).wrapping_sub(1)) else {
            return "";
        };
        let end = self
            .line_starts
            .get(line as usize)
            .map_or(self.own_bytes, |next| *next as usize);
        self.text
            .get(*start as usize..end)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r'])
    }

    /// Where a byte is, for messages: path, line and column, or what its section was made from.
    pub fn place(&self, offset: u32) -> String {
        if let Some(made_from) = self.made_from(offset) {
            return made_from.to_owned();
        }
        let place = self.line_column(offset);
        format!("{}:{}:{}", self.path.display(), place.line, place.column)
    }

    /// The number of a line, for messages: within its section, if it is in one.
    pub fn shown_line(&self, line: u32) -> u32 {
        let start = self.line_starts.get((line as usize).wrapping_sub(1));
        let section = start.and_then(|start| self.section(*start));
        section.map_or(line, |section| line - self.own_line_of(section.start) + 1)
    }

    /// What the definition at a byte was made from, if it was put together.
    pub fn made_from(&self, offset: u32) -> Option<&str> {
        self.section(offset).map(|section| &*section.made_from)
    }

    fn section(&self, offset: u32) -> Option<&Section> {
        let offset = self.position(offset);
        let next = self.sections.partition_point(|section| section.start <= offset);
        self.sections[..next].last()
    }

    /// The line and column of a byte, or of what it comes from.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        self.own_line_column(self.position(offset))
    }

    /// The line and column of a byte itself, if it is in the file.
    pub fn own_line_column(&self, offset: u32) -> LineColumn {
        let offset = if (offset as usize) < self.own_bytes {
            offset
        } else {
            self.position(offset)
        };
        let line = self.own_line_of(offset);
        let start = self
            .line_starts
            .get((line as usize).wrapping_sub(1))
            .copied()
            .unwrap_or(0);
        let mut from = Milestone {
            offset: start,
            column: 0,
        };
        if offset.saturating_sub(start) as usize > MILESTONE_BYTES {
            let milestones = self.milestones.get_or_init(|| self.find_milestones());
            let passed = milestones.partition_point(|milestone| milestone.offset <= offset);
            let last = passed.checked_sub(1).and_then(|at| milestones.get(at));
            from = last.copied().filter(|m| m.offset > start).unwrap_or(from);
        }
        let before = self.text.get(from.offset as usize..offset as usize).unwrap_or("");
        LineColumn {
            line,
            column: before.chars().fold(from.column, advance_column) + 1,
        }
    }

    fn find_milestones(&self) -> Vec<Milestone> {
        let mut milestones = Vec::new();
        let (mut column, mut last) = (0, 0);
        for (offset, character) in self.text().char_indices() {
            if offset - last >= MILESTONE_BYTES {
                last = offset;
                milestones.push(Milestone {
                    offset: offset as u32,
                    column,
                });
            }
            if character == '\n' {
                (column, last) = (0, offset + 1);
            } else {
                column = advance_column(column, character);
            }
        }
        milestones
    }
}

impl Origin {
    /// The byte that a byte of the part comes from: the same one, if the part is a copy.
    fn position(&self, offset: u32) -> u32 {
        let is_copy = self.end - self.start == self.span.end - self.span.start;
        if is_copy {
            self.span.start + offset.saturating_sub(self.start).min(self.end - self.start)
        } else {
            self.span.start
        }
    }
}

/// The column (from 0) after a character that begins at column `column`.
pub(crate) fn advance_column(column: u32, character: char) -> u32 {
    if character == '\t' {
        (column / 8 + 1) * 8
    } else {
        column + 1
    }
}

/// All texts of one run.
#[derive(Debug, Default)]
pub struct Sources {
    texts: Vec<Source>,
}

impl Sources {
    /// Adds a text.
    pub fn add(&mut self, source: Source) -> SourceId {
        self.texts.push(source);
        SourceId(self.texts.len() as u32 - 1)
    }

    /// The text of an id that [`Sources::add`] of the same collection returned.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.texts[id.0 as usize]
    }

    /// Says what the definitions of a text were made from, in order. Nothing happens if there is no text of this path.
    pub fn set_sections(&mut self, path: &Path, sections: Vec<Section>) {
        if let Some(text) = self.texts.iter_mut().find(|text| text.path == path) {
            text.sections = sections;
        }
    }

    /// What the definition of this name was made from, if it is one of a section.
    pub fn made_from(&self, definition: &str) -> Option<&str> {
        let mut sections = self.texts.iter().flat_map(|text| &text.sections);
        let section = sections.find(|section| section.definition == definition)?;
        Some(&section.made_from)
    }

    /// All texts with their ids, in the order in which they were read.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.texts
            .iter()
            .enumerate()
            .map(|(i, s)| (SourceId(i as u32), s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_moves_to_the_next_multiple_of_eight() {
        let source = Source::new("x", "ab\tc\n\t\td");
        assert_eq!(source.line_column(3), LineColumn { line: 1, column: 9 });
        assert_eq!(source.line_column(7), LineColumn { line: 2, column: 17 });
        assert_eq!(source.line(2), "\t\td");
    }

    #[test]
    fn columns_of_a_long_line_are_those_that_counting_gives() {
        let line = "a∀\tb".repeat(2_000);
        let source = Source::new("x", format!("short\n{line}\nend {line}"));
        let from = "short\n".len();
        let mut column = 0;
        for (offset, character) in line.char_indices() {
            let place = source.line_column((from + offset) as u32);
            assert_eq!((place.line, place.column), (2, column + 1));
            column = advance_column(column, character);
        }
        assert_eq!(
            source.line_column((from + line.len() + 1) as u32),
            LineColumn { line: 3, column: 1 }
        );
    }

    #[test]
    fn a_section_is_shown_as_what_it_was_made_from() {
        let mut sources = Sources::default();
        let id = sources.add(Source::new("x.tla", "EXTENDS y\na ==\n1 +\n 2\nb ==\n3\n"));
        let section = |start, definition: &str| Section {
            start,
            definition: definition.to_owned(),
            made_from: format!("entry {definition}"),
        };
        sources.set_sections(Path::new("x.tla"), vec![section(15, "a"), section(27, "b")]);
        let source = sources.get(id);
        assert_eq!(&source.text()[27..28], "3");
        assert_eq!(source.place(3), "x.tla:1:4");
        assert_eq!(
            (source.place(20), source.shown_line(4)),
            ("entry a".to_owned(), 2)
        );
        assert_eq!(
            (source.place(27), source.shown_line(6)),
            ("entry b".to_owned(), 1)
        );
        assert_eq!(sources.made_from("b"), Some("entry b"));
        assert_eq!(sources.made_from("c"), None);
    }

    #[test]
    fn a_part_that_was_made_from_another_is_shown_where_that_stands() {
        let file = "A: x := 1\nold\nrest";
        let origin = Origin {
            start: 0,
            end: 6,
            span: Span::new(3, 9),
        };
        let source = Source::new("x", file).with_replacement(Span::new(10, 14), "x' = 1", &[origin]);
        let made = file.len() as u32;
        assert_eq!(source.text(), file);
        assert_eq!(source.slice(Span::new(made, made + 6)), "x' = 1");
        assert_eq!(source.line_column(made + 5), LineColumn { line: 1, column: 9 });
        assert_eq!(source.origin(Span::new(made, made + 6)), Span::new(3, 9));
        assert_eq!(source.line_column(14), LineColumn { line: 3, column: 1 });
        let stored = Source::new("x", file).with_origins(vec![Origin {
            start: 10,
            end: 13,
            span: Span::new(0, 1),
        }]);
        assert_eq!(stored.line_column(12), LineColumn { line: 1, column: 1 });
        assert_eq!(stored.own_line_column(12), LineColumn { line: 2, column: 3 });
        assert_eq!(stored.line_column(13), LineColumn { line: 2, column: 4 });
    }

    #[test]
    fn a_column_counts_characters_not_bytes() {
        let source = Source::new("x", "∀ x");
        assert_eq!(source.line_column(4), LineColumn { line: 1, column: 3 });
    }
}
