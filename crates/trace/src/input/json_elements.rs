//! The elements of one JSON array, or a sequence of JSON values, read without holding the whole input in memory.

use std::sync::Arc;

use omnilink_value::json::{JsonCursor, JsonError};

use super::{InputBuffer, TextInput};
use crate::location::line_and_column;
use crate::note::Notes;
use crate::{Location, Problem, TraceError};

/// Reads one element after the other.
pub(crate) struct JsonElements {
    text: TextInput,
    /// Whether the elements are those of an array.
    is_array: bool,
    has_begun: bool,
    has_ended: bool,
    /// Whether an element was read.
    has_element: bool,
    /// The member of an object of which the elements are read, until it is found.
    member: Option<&'static str>,
    /// Whether the array is a member of an object.
    is_member: bool,
    /// The line on which the last element ended.
    last_line: u64,
}

impl JsonElements {
    pub(crate) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self {
            text: TextInput::with_columns(buffer, name, notes),
            is_array: false,
            has_begun: false,
            has_ended: false,
            has_element: false,
            member: None,
            is_member: false,
            last_line: 0,
        }
    }

    /// The elements of the array that is the member `key` of an object; if the input is no object, its elements.
    pub(crate) fn inside(key: &'static str, buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self {
            member: Some(key),
            ..Self::new(buffer, name, notes)
        }
    }

    pub(crate) fn text(&self) -> &TextInput {
        &self.text
    }

    /// Reads the next element with `read`, which is given its text and its position, and returns it with its position: its line, and its
    /// column if it is not the first of its line. `None` at the end or at a cut.
    pub(crate) fn next<T>(
        &mut self,
        read: impl FnOnce(&str, u64) -> Result<T, Problem>,
    ) -> Result<Option<(T, u64)>, TraceError> {
        let last_line = self.last_line;
        let source = Arc::clone(self.text.source());
        self.next_at(|text, line, column| {
            let position = line_and_column(line, (line == last_line).then_some(column));
            let error = |problem| TraceError::new(Location::at(&source, position), problem);
            Ok((read(text, position).map_err(error)?, position))
        })
    }

    /// Reads the next element with `read`, which is given its text, its line and its column. `None` at the end or at a cut.
    pub(crate) fn next_at<T>(
        &mut self,
        read: impl FnOnce(&str, u64, u64) -> Result<T, TraceError>,
    ) -> Result<Option<T>, TraceError> {
        if !self.enter_member()? || !self.reach_element()? {
            return Ok(None);
        }
        let length = loop {
            if let Some(length) = element_length(self.text.unread()) {
                break length;
            }
            if !self.text.read_more()? {
                // A number or word may end with the input; an object, an array or a string may not.
                if matches!(self.text.unread().first(), Some(b'{' | b'[' | b'"')) {
                    self.text.note_cut("the last element is incomplete");
                    return Ok(None);
                }
                break self.text.unread().len();
            }
        };
        let (line, column) = (self.text.line(), self.text.column());
        let element = &self.text.unread()[..length];
        let text = std::str::from_utf8(element).map_err(|_| {
            let position = line_and_column(line, (line == self.last_line).then_some(column));
            let problem = Problem::bad_line("JSON, which is UTF-8", &String::from_utf8_lossy(element));
            TraceError::new(Location::at(self.text.source(), position), problem)
        })?;
        let value = read(text, line, column)?;
        self.text.consume(length);
        self.last_line = self.text.line();
        Ok(Some(value))
    }

    /// Consumes an object up to the array that is read; returns whether it is there.
    fn enter_member(&mut self) -> Result<bool, TraceError> {
        let Some(key) = self.member else { return Ok(true) };
        loop {
            let bytes = self.text.unread();
            let readable = match std::str::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
            };
            match member_offset(readable, key) {
                Ok(offset) => {
                    self.text.consume(offset);
                    self.member = None;
                    self.is_member = offset > 0;
                    return Ok(true);
                }
                Err(None) => return Err(self.text.error(Problem::missing(None, key, "an array"))),
                Err(Some(_)) if self.text.read_more()? => {}
                Err(Some(error)) => return Err(self.text.error(error)),
            }
        }
    }

    /// Consumes what separates elements; returns whether an element follows.
    fn reach_element(&mut self) -> Result<bool, TraceError> {
        let mut has_comma = false;
        loop {
            let Some(&byte) = self.text.unread().first() else {
                if self.text.read_more()? {
                    continue;
                }
                if self.is_array && !self.has_ended {
                    self.text.note_cut("the array is not closed")
                } else {
                    self.text.note_truncation()
                }
                return Ok(false);
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {}
                // Other members of the object follow.
                _ if self.has_ended && self.is_member => return Ok(false),
                _ if self.has_ended => return Err(self.unexpected("nothing after the array")),
                b'[' if !self.has_begun => (self.is_array, self.has_begun) = (true, true),
                b',' if self.is_array && self.has_element && !has_comma => has_comma = true,
                b']' if self.is_array && !has_comma => self.has_ended = true,
                b',' | b']' => return Err(self.unexpected("an element")),
                _ if self.is_array && self.has_element && !has_comma => {
                    return Err(self.unexpected("a comma between elements"));
                }
                _ => {
                    (self.has_begun, self.has_element) = (true, true);
                    return Ok(true);
                }
            }
            self.text.consume(1);
        }
    }

    fn unexpected(&self, expected: &'static str) -> TraceError {
        let found = String::from_utf8_lossy(self.text.unread());
        self.text.error(Problem::bad_line(expected, &found))
    }
}

/// The offset of the array that is the member `key` of an object; 0 if the text is no object. The error is none if there is no such
/// member, and otherwise that of a text that may be incomplete.
fn member_offset(text: &str, key: &str) -> Result<usize, Option<JsonError>> {
    let mut cursor = JsonCursor::new(text);
    match cursor.peek() {
        Some(b'{') => cursor.object()?,
        Some(_) => return Ok(0),
        None => return Err(Some(cursor.unexpected("an object or an array"))),
    }
    let mut is_first = true;
    while let Some(name) = cursor.key(is_first)? {
        is_first = false;
        if name == key {
            return match cursor.peek() {
                Some(b'[') => Ok(cursor.offset()),
                Some(_) => Err(None),
                None => Err(Some(cursor.unexpected("an array"))),
            };
        }
        cursor.skip()?;
    }
    Err(None)
}

/// The length of the value that begins here, by brackets and quotes alone; `None` if its end is not in `bytes`.
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
    fn an_element_ends_where_its_brackets_and_quotes_close() {
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
