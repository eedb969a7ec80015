//! JSON values from one array, or one after the other, without reading the whole input into memory.

use std::sync::Arc;

use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::{Note, Place, Problem, TraceError};

/// Reads element after element.
pub(crate) struct JsonElements {
    window: Window,
    source: Arc<Source>,
    notes: Notes,
    /// The line that is read next, counted from 1.
    line: u64,
    /// Whether the elements stand in an array.
    is_array: bool,
    has_begun: bool,
    has_ended: bool,
}

impl JsonElements {
    pub(crate) fn new(window: Window, source: Arc<Source>, notes: Notes) -> Self {
        Self {
            window,
            source,
            notes,
            line: 1,
            is_array: false,
            has_begun: false,
            has_ended: false,
        }
    }

    /// Hands the next element and its line to `read` and gives the line; `None` at the end or at a cut.
    pub(crate) fn next<T>(
        &mut self,
        read: impl FnOnce(&str, u64) -> Result<T, Problem>,
    ) -> Result<Option<(T, u64)>, TraceError> {
        if !self.reach_element()? {
            return Ok(None);
        }
        let length = loop {
            if let Some(length) = element_length(self.window.unread()) {
                break length;
            }
            if !self.grow()? {
                // A number or word may end with the input; anything with brackets or quotes may not.
                if matches!(self.window.unread().first(), Some(b'{' | b'[' | b'"')) {
                    self.note_cut(match self.window.is_truncated() {
                        true => "the compressed data end early",
                        false => "the last element is incomplete",
                    });
                    return Ok(None);
                }
                break self.window.unread().len();
            }
        };
        let line = self.line;
        let element = &self.window.unread()[..length];
        let text = std::str::from_utf8(element).map_err(|_| {
            let expected = "JSON, which is UTF-8";
            self.error_here(Problem::BadLine {
                expected,
                found: String::from_utf8_lossy(element).chars().take(60).collect(),
            })
        })?;
        let value = read(text, line).map_err(|problem| self.error_here(problem))?;
        self.line += element.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.window.consume(length);
        Ok(Some((value, line)))
    }

    /// Passes over what stands between elements; says whether there is an element.
    fn reach_element(&mut self) -> Result<bool, TraceError> {
        let mut has_comma = false;
        loop {
            let Some(&byte) = self.window.unread().first() else {
                if self.grow()? {
                    continue;
                }
                if self.window.is_truncated() {
                    self.note_cut("the compressed data end early");
                } else if self.is_array && !self.has_ended {
                    self.note_cut("the array is not closed");
                }
                return Ok(false);
            };
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                _ if self.has_ended => return Err(self.unexpected("nothing after the array")),
                b'[' if !self.has_begun => (self.is_array, self.has_begun) = (true, true),
                b',' if self.is_array && self.has_begun && !has_comma => has_comma = true,
                b']' if self.is_array => self.has_ended = true,
                b',' | b']' => return Err(self.unexpected("an element")),
                _ => {
                    self.has_begun = true;
                    return Ok(true);
                }
            }
            self.window.consume(1);
        }
    }

    fn grow(&mut self) -> Result<bool, TraceError> {
        self.window.grow().map_err(|error| self.error_here(error))
    }

    fn note_cut(&self, reason: &'static str) {
        self.notes.push(Note::Cut {
            place: Place::at(&self.source, self.line),
            reason,
        });
    }

    fn unexpected(&self, expected: &'static str) -> TraceError {
        let found = String::from_utf8_lossy(self.window.unread())
            .chars()
            .take(60)
            .collect();
        self.error_here(Problem::BadLine { expected, found })
    }

    #[cold]
    fn error_here(&self, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(Place::at(&self.source, self.line), problem)
    }
}

/// The length of the value that begins here, going by brackets and quotes alone; `None` when its end is not in sight.
fn element_length(bytes: &[u8]) -> Option<usize> {
    let mut open = 0_usize;
    let mut in_string = false;
    let mut is_escaped = false;
    for (at, &byte) in bytes.iter().enumerate() {
        if in_string {
            in_string = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            if !in_string && open == 0 {
                return Some(at + 1);
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => open += 1,
            b'}' | b']' if open <= 1 => return Some(at + usize::from(open == 1)),
            b'}' | b']' => open -= 1,
            b',' | b' ' | b'\n' | b'\r' | b'\t' if open == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::element_length;

    #[test]
    fn an_element_ends_where_its_brackets_and_quotes_say() {
        for (text, length) in [
            (r#"{"a":[1,{"b":"}"}]},2"#, Some(19)),
            (r#""a\"b" "#, Some(6)),
            ("12,", Some(2)),
            ("12", None),
            (r#"{"a":"#, None),
            ("]", Some(0)),
        ] {
            assert_eq!(element_length(text.as_bytes()), length, "{text}");
        }
    }
}
