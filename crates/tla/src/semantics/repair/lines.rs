//! Repairs of whole lines: two that have changed places.
//!
//! That is tried with the lines around everything that the errors show. Where signs of comments or of the end of a
//! module move with a line, as much has to be read afterwards as before: otherwise a mistake would only be hidden.

use rustc_hash::FxHashSet;

use super::edit::{Edit, Words};
use super::spoilt_text::SpoiltText;
use crate::source::Span;
use crate::syntax::tokenize;

/// How far from a place that an error shows the first of two lines may be.
const REACH: usize = 2;

/// What decides how much of a text is read.
const BORDERS: [&str; 4] = ["(*", "*)", "====", "----"];

impl SpoiltText<'_> {
    /// Two lines the other way round.
    pub fn swapped_lines(&self) -> Vec<Edit> {
        let places = self.errors.iter().chain(&self.labels);
        let mut known = FxHashSet::default();
        let mut edits = Vec::new();
        for place in places {
            let mut first = self.line_around(place.start);
            for _ in 0..REACH {
                first = self.line_around(first.start.saturating_sub(1));
            }
            for _ in 0..=2 * REACH {
                let second = self.line_around(first.end);
                if known.insert(first.start) {
                    edits.extend(self.with_lines_swapped(first, second));
                }
                first = second;
            }
        }
        edits
    }

    fn with_lines_swapped(&self, first: Span, second: Span) -> Option<Edit> {
        let lines = [self.slice(second), self.slice(first)];
        // The last line of a text may have no end.
        if first.end != second.start || !lines.iter().all(|line| line.ends_with('\n')) {
            return None;
        }
        let new = lines.concat();
        let moves_borders = BORDERS.iter().any(|sign| new.contains(sign));
        let edit = Edit {
            source: self.source,
            span: first.to(second),
            new,
            words: Words::Lines,
        };
        let hides = || {
            let text = edit.applied(self.text).unwrap_or_default();
            tokenize(self.source, &text, 0, &mut Vec::new()).len() < self.tokens.len()
        };
        (lines[0] != lines[1] && !(moves_borders && hides())).then_some(edit)
    }

    /// The line that a byte is in, with its end.
    fn line_around(&self, at: u32) -> Span {
        let at = (at as usize).min(self.text.len());
        let before = self.text.get(..at).unwrap_or("");
        let after = self.text.get(at..).unwrap_or("");
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = after.find('\n').map_or(self.text.len(), |end| at + end + 1);
        Span::new(start as u32, end as u32)
    }
}
