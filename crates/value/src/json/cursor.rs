//! A cursor over JSON text that reads values and parts of values.

use std::borrow::Cow;

use super::string::plain_bytes;
use super::{JsonError, JsonProblem, from_object};
use crate::DEPTH_MAX;
use crate::build::{ElementBuffer, EntryBuffer, may_end, may_grow};
use crate::value::Value;

impl Value {
    /// The value that this JSON text denotes.
    ///
    /// # Errors
    /// When the text is not one JSON value.
    pub fn from_json(text: &[u8]) -> Result<Self, JsonError> {
        let text = std::str::from_utf8(text).map_err(|error| JsonError {
            offset: error.valid_up_to(),
            problem: JsonProblem::NotUtf8,
        })?;
        let mut cursor = JsonCursor::new(text);
        let value = cursor.value()?;
        cursor.end()?;
        Ok(value)
    }
}

/// A position in a JSON text, for readers that know which keys to expect and need no intermediate values.
///
/// ```
/// use omnilink_value::json::JsonCursor;
///
/// let mut cursor = JsonCursor::new(r#"{"start": 12, "args": [1, 2]}"#);
/// cursor.object()?;
/// assert_eq!(cursor.key(true)?.as_deref(), Some("start"));
/// assert_eq!(cursor.integer()?, 12);
/// assert_eq!(cursor.key(false)?.as_deref(), Some("args"));
/// assert_eq!(cursor.value()?.to_string(), "<<1, 2>>");
/// assert_eq!(cursor.key(false)?, None);
/// cursor.end()?;
/// # Ok::<(), omnilink_value::json::JsonError>(())
/// ```
#[derive(Debug, Clone)]
pub struct JsonCursor<'a> {
    pub(super) text: &'a str,
    pub(super) offset: usize,
}

pub(super) type Read<T> = Result<T, JsonError>;

impl<'a> JsonCursor<'a> {
    /// A cursor at the beginning of `text`.
    #[inline]
    pub fn new(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    /// Bytes from the beginning of the text.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The unread text.
    #[inline]
    pub fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// The next byte that is not white space, without reading it.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.offset)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.offset += 1;
        }
    }

    /// Reads any value.
    ///
    /// # Errors
    /// When no JSON value follows.
    #[inline]
    pub fn value(&mut self) -> Read<Value> {
        self.value_at_depth(0)
    }

    /// Skips a value without building it; checks only strings and brackets.
    ///
    /// # Errors
    /// When the text ends before the value does, or no value follows.
    pub fn skip(&mut self) -> Read<()> {
        match self.peek() {
            Some(b'"') => self.skip_string(),
            Some(b'{' | b'[') => self.skip_brackets(),
            None | Some(b',' | b':' | b'}' | b']') => Err(self.unexpected("a value")),
            Some(_) => {
                self.skip_word();
                Ok(())
            }
        }
    }

    fn skip_brackets(&mut self) -> Read<()> {
        let mut open = 0_usize;
        while let Some(&byte) = self.text.as_bytes().get(self.offset) {
            match byte {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'{' | b'[' => open += 1,
                b'}' | b']' => open -= 1,
                _ => {}
            }
            self.offset += 1;
            if open == 0 {
                return Ok(());
            }
        }
        Err(self.unexpected("a closing bracket"))
    }

    fn skip_word(&mut self) {
        let is_end = |byte: &u8| {
            matches!(
                byte,
                b',' | b':' | b'}' | b']' | b'{' | b'[' | b'"' | b' ' | b'\t' | b'\n' | b'\r'
            )
        };
        let rest = self.text.as_bytes().get(self.offset..).unwrap_or_default();
        self.offset += rest.iter().position(is_end).unwrap_or(rest.len()).max(1);
    }

    /// Reads the opening brace of an object; [`JsonCursor::key`] reads its keys.
    ///
    /// # Errors
    /// When anything else follows.
    #[inline]
    pub fn object(&mut self) -> Read<()> {
        self.token(b'{', "an object")
    }

    /// Reads the next key of an object with the comma before and the colon after it, or the closing brace.
    ///
    /// # Errors
    /// When neither follows.
    #[inline]
    pub fn key(&mut self, is_first: bool) -> Read<Option<Cow<'a, str>>> {
        if !self.member(is_first, b'}', "a comma or the end of the object")? {
            return Ok(None);
        }
        let key = self.string()?;
        self.token(b':', "a colon")?;
        Ok(Some(key))
    }

    /// Reads exactly these bytes if they follow: for readers that know how their input is usually written.
    #[inline]
    pub fn literal(&mut self, literal: &str) -> bool {
        let rest = self.text.as_bytes().get(self.offset..).unwrap_or_default();
        let is_match = rest.starts_with(literal.as_bytes());
        self.offset += if is_match { literal.len() } else { 0 };
        is_match
    }

    /// Reads the opening bracket of an array; [`JsonCursor::element`] reads the separators of its elements.
    ///
    /// # Errors
    /// When anything else follows.
    #[inline]
    pub fn array(&mut self) -> Read<()> {
        self.token(b'[', "an array")
    }

    /// Reads the comma before the next element of an array, or the closing bracket; returns whether an element follows.
    ///
    /// # Errors
    /// When neither follows.
    #[inline]
    pub fn element(&mut self, is_first: bool) -> Read<bool> {
        self.member(is_first, b']', "a comma or the end of the array")
    }

    /// Checks that nothing but white space follows.
    ///
    /// # Errors
    /// When something else follows.
    #[inline]
    pub fn end(&mut self) -> Read<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(JsonProblem::Trailing)),
        }
    }

    fn value_at_depth(&mut self, depth: usize) -> Read<Value> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'"') => self.string().map(|text| Value::str(&text)),
            Some(b'{') => self.object_at_depth(depth),
            Some(b'[') => self.array_at_depth(depth),
            Some(b't') => self.word("true").map(|()| Value::bool(true)),
            Some(b'f') => self.word("false").map(|()| Value::bool(false)),
            Some(b'n') => self.word("null").map(|()| Value::null()),
            Some(b'N') => self.word("NaN").map(|()| Value::float(f64::NAN)),
            Some(b'I') => self.word("Infinity").map(|()| Value::float(f64::INFINITY)),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn object_at_depth(&mut self, depth: usize) -> Read<Value> {
        let begin = self.offset;
        self.descend(depth)?;
        let mut entries = EntryBuffer::new();
        loop {
            let key = match self.plain_key(entries.is_empty()) {
                Some(key) => Value::str(key),
                None => match self.key(entries.is_empty())? {
                    Some(key) => Value::str(&key),
                    None => break,
                },
            };
            entries.push((key, self.value_at_depth(depth + 1)?));
            if !may_grow(entries.len()) {
                return Err(self.error(JsonProblem::Stopped));
            }
        }
        from_object(&mut entries).map_err(|error| JsonError {
            offset: begin,
            problem: error.into(),
        })
    }

    /// The next key, if it is written without white space or escapes, as programs write it.
    #[inline]
    fn plain_key(&mut self, is_first: bool) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let quote = self.offset + usize::from(!is_first);
        if (!is_first && bytes.get(self.offset) != Some(&b',')) || bytes.get(quote) != Some(&b'"') {
            return None;
        }
        let begin = quote + 1;
        let end = begin + plain_bytes(bytes.get(begin..)?);
        if bytes.get(end) != Some(&b'"') || bytes.get(end + 1) != Some(&b':') {
            return None;
        }
        self.offset = end + 2;
        self.text.get(begin..end)
    }

    fn array_at_depth(&mut self, depth: usize) -> Read<Value> {
        self.descend(depth)?;
        let mut elements = ElementBuffer::new();
        while self.element(elements.is_empty())? {
            elements.push(self.value_at_depth(depth + 1)?);
            if !may_grow(elements.len()) {
                return Err(self.error(JsonProblem::Stopped));
            }
        }
        if !may_end(elements.len()) {
            return Err(self.error(JsonProblem::Stopped));
        }
        Ok(Value::from_elements(&mut elements))
    }

    fn descend(&mut self, depth: usize) -> Read<()> {
        if depth >= DEPTH_MAX {
            return Err(self.error(JsonProblem::TooDeep));
        }
        self.offset += 1;
        Ok(())
    }

    #[inline]
    fn member(&mut self, is_first: bool, close: u8, expected: &'static str) -> Read<bool> {
        match self.peek() {
            Some(byte) if byte == close => {
                self.offset += 1;
                Ok(false)
            }
            Some(_) if is_first => Ok(true),
            Some(b',') => {
                self.offset += 1;
                Ok(true)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    #[inline]
    fn token(&mut self, token: u8, expected: &'static str) -> Read<()> {
        if self.peek() != Some(token) {
            return Err(self.unexpected(expected));
        }
        self.offset += 1;
        Ok(())
    }

    pub(super) fn word(&mut self, word: &'static str) -> Read<()> {
        let matching = self
            .rest()
            .bytes()
            .zip(word.bytes())
            .take_while(|(left, right)| left == right)
            .count();
        if matching == word.len() {
            self.offset += word.len();
            return Ok(());
        }
        self.offset += matching;
        Err(self.unexpected(word))
    }

    /// The error that something else was expected here.
    #[cold]
    pub fn unexpected(&self, expected: &'static str) -> JsonError {
        match self.text.get(self.offset..).and_then(|rest| rest.chars().next()) {
            Some(found) => self.error(JsonProblem::Unexpected { expected, found }),
            None => self.error(JsonProblem::Incomplete { expected }),
        }
    }

    pub(super) fn error(&self, problem: JsonProblem) -> JsonError {
        JsonError {
            offset: self.offset,
            problem,
        }
    }
}
