//! The elements of one JSON array, or a sequence of JSON values, read without holding the whole input in memory.

use std::sync::Arc;

use omnilink_value::json::{JsonCursor, JsonError};

use super::{End, InputBuffer, Next, TextInput};
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
    /// Whether the array is a member of an object, and of which name.
    is_member: bool,
    key: &'static str,
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
            key: "",
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
    /// column if it is not the first of its line.
    pub(crate) fn next<T>(
        &mut self,
        read: impl FnOnce(&str, u64) -> Result<T, Problem>,
    ) -> Result<Next<(T, u64)>, TraceError> {
        let last_line = self.last_line;
        let source = Arc::clone(self.text.source());
        self.next_at(|text, line, column| {
            let position = line_and_column(line, (line == last_line).then_some(column));
            let error = |problem| TraceError::new(Location::at(&source, position), problem);
            Ok((read(text, position).map_err(error)?, position))
        })
    }

    /// Reads the next element with `read`, which is given its text, its line and its column.
    pub(crate) fn next_at<T>(
        &mut self,
        read: impl FnOnce(&str, u64, u64) -> Result<T, TraceError>,
    ) -> Result<Next<T>, TraceError> {
        self.enter_member()?;
        if let Some(end) = self.reach_element()? {
            return Ok(Next::End(end));
        }
        let Some(length) = self.value_length()? else {
            return Ok(Next::End(self.text.cut("the last element is incomplete")));
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
        Ok(Next::One(value))
    }

    /// The length of the value that begins here, which is fetched; `None` if the input ends in it.
    fn value_length(&mut self) -> Result<Option<usize>, TraceError> {
        let mut scan = ValueScan::default();
        loop {
            if let Some(length) = scan.length(self.text.unread()) {
                return Ok(Some(length));
            }
            if !self.text.read_more()? {
                // A number or word may end with the input; an object, an array or a string may not.
                let is_open = matches!(self.text.unread().first(), None | Some(b'{' | b'[' | b'"'));
                return Ok((!is_open).then_some(self.text.unread().len()));
            }
        }
    }

    /// Consumes an object up to the array that is read.
    fn enter_member(&mut self) -> Result<(), TraceError> {
        let Some(key) = self.member else { return Ok(()) };
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
                    self.key = key;
                    return Ok(());
                }
                Err(None) => return Err(self.text.error(Problem::missing(None, key, "an array"))),
                Err(Some(_)) if self.text.read_much()? => {}
                Err(Some(error)) => return Err(self.text.error(error)),
            }
        }
    }

    /// Consumes what separates elements, up to one; the end if none follows.
    fn reach_element(&mut self) -> Result<Option<End>, TraceError> {
        let mut has_comma = false;
        loop {
            let Some(byte) = self.peek()? else {
                return if self.is_array && !self.has_ended {
                    Ok(Some(self.text.cut("the array is not closed")))
                } else {
                    self.text.end().map(Some)
                };
            };
            match byte {
                b'[' if !self.has_begun => (self.is_array, self.has_begun) = (true, true),
                b',' if self.is_array && self.has_element && !has_comma => has_comma = true,
                b']' if self.is_array && !has_comma => {
                    self.has_ended = true;
                    self.text.consume(1);
                    return if self.is_member {
                        self.leave_object().map(Some)
                    } else {
                        self.peek()?;
                        self.text.end().map(Some)
                    };
                }
                b',' | b']' => return Err(self.unexpected("an element")),
                _ if self.is_array && self.has_element && !has_comma => {
                    return Err(self.unexpected("a comma between elements"));
                }
                _ => {
                    (self.has_begun, self.has_element) = (true, true);
                    return Ok(None);
                }
            }
            self.text.consume(1);
        }
    }

    /// Reads the other members of the object whose array was read, and its end, behind which nothing may stand.
    fn leave_object(&mut self) -> Result<End, TraceError> {
        const CUT: &str = "the object is not closed";
        loop {
            match self.peek()? {
                None => return Ok(self.text.cut(CUT)),
                Some(b'}') => {
                    self.text.consume(1);
                    self.peek()?;
                    return self.text.end();
                }
                Some(b',') => self.text.consume(1),
                Some(_) => return Err(self.unexpected("the next member of the object, or its end")),
            }
            if self.peek()?.is_some_and(|byte| byte != b'"') {
                return Err(self.unexpected("the name of a member, in double quotes"));
            }
            let Some(name) = self.part()? else {
                return Ok(self.text.cut(CUT));
            };
            if name.trim_matches('"') == self.key {
                return Err(self.unexpected("one array of this name in the object"));
            }
            match self.peek()? {
                None => return Ok(self.text.cut(CUT)),
                Some(b':') => self.text.consume(1),
                Some(_) => return Err(self.unexpected("a colon")),
            }
            self.peek()?;
            if self.part()?.is_none() {
                return Ok(self.text.cut(CUT));
            }
        }
    }

    /// Consumes a value of which nothing is needed but that it is one; `None` if the input ends in it.
    fn part(&mut self) -> Result<Option<String>, TraceError> {
        let Some(length) = self.value_length()? else {
            return Ok(None);
        };
        let text = std::str::from_utf8(&self.text.unread()[..length]);
        let Ok(text) = text else {
            return Err(self.unexpected("JSON, which is UTF-8"));
        };
        let mut cursor = JsonCursor::new(text);
        cursor
            .skip()
            .and_then(|()| cursor.end())
            .map_err(|error| self.text.error(error))?;
        let text = text.to_owned();
        self.text.consume(length);
        Ok(Some(text))
    }

    /// Skips white space; the byte behind it, if there is one.
    fn peek(&mut self) -> Result<Option<u8>, TraceError> {
        loop {
            match self.text.unread().first().copied() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.text.consume(1),
                Some(byte) => return Ok(Some(byte)),
                None if self.text.read_more()? => {}
                None => return Ok(None),
            }
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

/// Looks for the end of a value, by brackets and quotes alone, where it was left when the bytes ended.
#[derive(Default)]
struct ValueScan {
    scanned: usize,
    open: usize,
    in_string: bool,
    is_escaped: bool,
}

impl ValueScan {
    /// The length of the value at the beginning of `bytes`, which begin with those of the call before; `None` if its end is not in them.
    fn length(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(&byte) = bytes.get(self.scanned) {
            let at = self.scanned;
            self.scanned += 1;
            if self.in_string {
                self.in_string = self.is_escaped || byte != b'"';
                self.is_escaped = !self.is_escaped && byte == b'\\';
                if !self.in_string && self.open == 0 {
                    return Some(at + 1);
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.open += 1,
                b'}' | b']' if self.open <= 1 => return Some(at + usize::from(self.open == 1)),
                b'}' | b']' => self.open -= 1,
                b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if self.open == 0 => return Some(at),
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::ValueScan;

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
            assert_eq!(ValueScan::default().length(text.as_bytes()), length, "{text}");
            let mut scan = ValueScan::default();
            let in_parts = (0..=text.len()).find_map(|read| scan.length(&text.as_bytes()[..read]));
            assert_eq!(in_parts, length, "{text}");
        }
    }
}
