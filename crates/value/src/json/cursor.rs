//! Reading JSON into values.

use std::borrow::Cow;

use super::{JsonError, JsonProblem, from_object};
use crate::DEPTH_MAX;
use crate::build::{ElementBuffer, EntryBuffer};
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
        let mut cursor = Cursor::new(text);
        let value = cursor.value()?;
        cursor.end()?;
        Ok(value)
    }
}

/// A place in a JSON text, for readers that know which keys to expect and want no values built for them.
///
/// ```
/// use omnilink_value::json::Cursor;
///
/// let mut cursor = Cursor::new(r#"{"start": 12, "args": [1, 2]}"#);
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
pub struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

type Read<T> = Result<T, JsonError>;

/// An integer of so many digits fits 64 bits whatever they are.
const DIGITS_SURE: usize = 18;

const POWERS: [i64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// How many of eight bytes are decimal digits, up to the first that is none, and the number that they write.
#[inline]
fn leading_digits(word: u64) -> (usize, u64) {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let digits = word ^ (ONES * u64::from(b'0'));
    // Marks bytes above 9. The lowest mark is exact; one above it may be wrong, because addition carries.
    let others = ((digits.wrapping_add(ONES * 0x76)) | digits) & (ONES * 0x80);
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // The first digit is in the lowest byte; missing ones become zeros in front of it. Neighbours are then put together: to
    // pairs, to fours, to all eight.
    let aligned = digits << (64 - 8 * count);
    let pairs = aligned.wrapping_mul(10).wrapping_add(aligned >> 8);
    const LOW: u64 = 0x0000_00ff_0000_00ff;
    let fours = (pairs & LOW).wrapping_mul(100 + (1_000_000 << 32));
    let rest = ((pairs >> 16) & LOW).wrapping_mul(1 + (10_000 << 32));
    (count, fours.wrapping_add(rest) >> 32)
}

/// How many bytes stand for themselves in a string.
#[inline]
fn plain_bytes(bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some(word) = bytes.get(count..).and_then(|rest| rest.first_chunk::<8>()) {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return count + (special.trailing_zeros() / 8) as usize;
        }
        count += 8;
    }
    let is_special = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < 0x20;
    let tail = bytes.get(count..).unwrap_or_default();
    count + tail.iter().position(is_special).unwrap_or(tail.len())
}

/// Marks the bytes of a word that do not stand for themselves in a string: quotes, backslashes and control characters.
/// The lowest mark is exact; a mark above it may be wrong, because subtraction borrows.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word;
    let quotes = zero_bytes(word ^ (ONES * u64::from(b'"')));
    let backslashes = zero_bytes(word ^ (ONES * u64::from(b'\\')));
    let controls = word.wrapping_sub(ONES * 0x20) & !word;
    (quotes | backslashes | controls) & HIGHS
}

impl<'a> Cursor<'a> {
    /// The beginning of `text`.
    #[inline]
    pub fn new(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    /// Bytes from the beginning of the text.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The text that is still to be read.
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
    /// When what stands here is not JSON.
    #[inline]
    pub fn value(&mut self) -> Read<Value> {
        self.value_at_depth(0)
    }

    /// Passes over a value without building it; makes sure of no more than strings and brackets.
    ///
    /// # Errors
    /// When the text ends before the value does, or no value begins here.
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

    fn skip_string(&mut self) -> Read<()> {
        self.offset += 1;
        loop {
            self.offset += self.plain_bytes();
            match self.text.as_bytes().get(self.offset) {
                Some(b'"') => break,
                Some(b'\\') => self.offset += 2,
                Some(_) => self.offset += 1,
                None => return Err(self.unexpected("the end of the string")),
            }
        }
        self.offset += 1;
        Ok(())
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

    /// Reads an integer.
    ///
    /// # Errors
    /// When anything else stands here, also a number with a fraction or beyond 64 bits.
    #[inline]
    pub fn integer(&mut self) -> Read<i64> {
        let is_negative = self.peek() == Some(b'-');
        let begin = self.offset;
        let digits = begin + usize::from(is_negative);
        let rest = self.text.as_bytes().get(digits..).unwrap_or_default();
        let mut value = 0_i64;
        let mut count = 0;
        loop {
            let (read, digits) = leading_digits(self.word_at(digits + count));
            if read == 0 {
                break;
            }
            // May wrap, but only beyond the digits that are trusted below.
            value = value.wrapping_mul(POWERS[read]).wrapping_add(digits as i64);
            count += read;
            if read < 8 {
                break;
            }
        }
        let is_plain = count == 1 || (count > 1 && count <= DIGITS_SURE && rest.first() != Some(&b'0'));
        if !is_plain || matches!(rest.get(count), Some(b'.' | b'e' | b'E')) {
            return self.unusual_integer(begin, digits, digits + count);
        }
        self.offset = digits + count;
        Ok(if is_negative { -value } else { value })
    }

    /// Eight bytes from `offset` on, zeros beyond the end; the first is the lowest.
    #[inline]
    fn word_at(&self, offset: usize) -> u64 {
        let bytes = self.text.as_bytes();
        let rest = bytes.get(offset..).unwrap_or_default();
        if let Some(word) = rest.first_chunk() {
            return u64::from_le_bytes(*word);
        }
        match bytes.last_chunk() {
            Some(last) if !rest.is_empty() => u64::from_le_bytes(*last) >> (8 * (8 - rest.len())),
            _ => rest
                .iter()
                .rev()
                .fold(0, |word, byte| (word << 8) | u64::from(*byte)),
        }
    }

    /// The number in `begin..end`, whose digits begin at `digits`: a large one, or none.
    #[cold]
    fn unusual_integer(&mut self, begin: usize, digits: usize, end: usize) -> Read<i64> {
        self.offset = end;
        let problem = match self.text.as_bytes().get(end) {
            _ if end == digits => return Err(self.unexpected("an integer")),
            Some(b'.' | b'e' | b'E') => JsonProblem::NotAnInteger,
            _ if self.text.as_bytes().get(digits) == Some(&b'0') => JsonProblem::Unexpected {
                expected: "an integer without leading zeros",
                found: '0',
            },
            _ => match self.text.get(begin..end).and_then(|number| number.parse().ok()) {
                Some(value) => return Ok(value),
                None => JsonProblem::IntegerTooLarge,
            },
        };
        Err(JsonError {
            offset: begin,
            problem,
        })
    }

    /// Reads a string; borrows it from the text unless it has escapes.
    ///
    /// # Errors
    /// When anything else stands here.
    #[inline]
    pub fn string(&mut self) -> Read<Cow<'a, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a string"));
        }
        self.offset += 1;
        let begin = self.offset;
        let end = begin + self.plain_bytes();
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.offset = end + 1;
            return Ok(Cow::Borrowed(&self.text[begin..end]));
        }
        self.string_with_escapes().map(Cow::Owned)
    }

    /// Reads the opening brace of an object; [`Cursor::key`] reads on.
    ///
    /// # Errors
    /// When anything else stands here.
    #[inline]
    pub fn object(&mut self) -> Read<()> {
        self.token(b'{', "an object")
    }

    /// Reads the next key of an object with the comma before and the colon after it, or the closing brace.
    ///
    /// # Errors
    /// When neither stands here.
    #[inline]
    pub fn key(&mut self, is_first: bool) -> Read<Option<Cow<'a, str>>> {
        if !self.member(is_first, b'}', "a comma or the end of the object")? {
            return Ok(None);
        }
        let key = self.string()?;
        self.token(b':', "a colon")?;
        Ok(Some(key))
    }

    /// Reads exactly these bytes if they stand here: for readers that know how their input is usually written.
    #[inline]
    pub fn literal(&mut self, literal: &str) -> bool {
        let rest = self.text.as_bytes().get(self.offset..).unwrap_or_default();
        let is_here = rest.starts_with(literal.as_bytes());
        self.offset += if is_here { literal.len() } else { 0 };
        is_here
    }

    /// Reads the opening bracket of an array; [`Cursor::element`] reads on.
    ///
    /// # Errors
    /// When anything else stands here.
    #[inline]
    pub fn array(&mut self) -> Read<()> {
        self.token(b'[', "an array")
    }

    /// Reads the comma before the next element of an array, or the closing bracket; says whether there is an element.
    ///
    /// # Errors
    /// When neither stands here.
    #[inline]
    pub fn element(&mut self, is_first: bool) -> Read<bool> {
        self.member(is_first, b']', "a comma or the end of the array")
    }

    /// Makes sure that nothing but white space is left.
    ///
    /// # Errors
    /// When something is.
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

    #[inline]
    fn number(&mut self) -> Read<Value> {
        let begin = self.offset;
        match self.integer() {
            Ok(integer) => Ok(Value::int(integer)),
            Err(error) => self.unusual_number(begin, error),
        }
    }

    /// The number that begins at `begin` and is no 64-bit integer, as `error` says.
    #[cold]
    fn unusual_number(&mut self, begin: usize, error: JsonError) -> Read<Value> {
        let is_integer = match error.problem {
            JsonProblem::IntegerTooLarge => true,
            JsonProblem::NotAnInteger => false,
            _ if self.text.get(begin..).is_some_and(|rest| rest.starts_with("-I")) => {
                self.offset = begin + 1;
                return self.word("Infinity").map(|()| Value::float(f64::NEG_INFINITY));
            }
            _ => return Err(error),
        };
        // Reading the integer stopped behind its digits: a point or an exponent follows, or nothing.
        if !is_integer {
            let bytes = self.text.as_bytes();
            let first = begin + usize::from(bytes.get(begin) == Some(&b'-'));
            if bytes.get(first) == Some(&b'0') && bytes.get(first + 1).is_some_and(u8::is_ascii_digit) {
                return Err(JsonError {
                    offset: begin,
                    problem: JsonProblem::Unexpected {
                        expected: "a number without leading zeros",
                        found: '0',
                    },
                });
            }
            if bytes.get(self.offset) == Some(&b'.') {
                self.offset += 1;
                self.digits()?;
            }
            if matches!(bytes.get(self.offset), Some(b'e' | b'E')) {
                self.offset += 1;
                self.offset += usize::from(matches!(bytes.get(self.offset), Some(b'+' | b'-')));
                self.digits()?;
            }
        }
        let text = self.text.get(begin..self.offset).unwrap_or_default();
        Value::number(text).ok_or(JsonError {
            offset: begin,
            problem: JsonProblem::NotAnInteger,
        })
    }

    fn digits(&mut self) -> Read<()> {
        let rest = self.text.as_bytes().get(self.offset..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.unexpected("a digit"));
        }
        self.offset += count;
        Ok(())
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
        }
        from_object(&mut entries).map_err(|error| JsonError {
            offset: begin,
            problem: error.into(),
        })
    }

    /// The next key, if it is written without white space or escapes, as machines write it.
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

    fn word(&mut self, word: &'static str) -> Read<()> {
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

    #[inline]
    fn plain_bytes(&self) -> usize {
        plain_bytes(self.text.as_bytes().get(self.offset..).unwrap_or_default())
    }

    #[cold]
    fn string_with_escapes(&mut self) -> Read<String> {
        let mut text = String::new();
        loop {
            let end = self.offset + self.plain_bytes();
            text.push_str(self.text.get(self.offset..end).unwrap_or_default());
            self.offset = end;
            match self.text.as_bytes().get(end) {
                Some(b'"') => {
                    self.offset += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.error(JsonProblem::ControlCharacter)),
                None => return Err(self.unexpected("the end of the string")),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let begin = self.offset;
        let bad = JsonError {
            offset: begin,
            problem: JsonProblem::BadEscape,
        };
        self.offset += 1;
        let letter = self.text.as_bytes().get(self.offset).copied();
        self.offset += 1;
        match letter {
            Some(b'"') => Ok('"'),
            Some(b'\\') => Ok('\\'),
            Some(b'/') => Ok('/'),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            Some(b'u') => {
                let first = self.hex().ok_or_else(|| bad.clone())?;
                if !(0xd800..0xdc00).contains(&first) {
                    return char::from_u32(first).ok_or(bad);
                }
                let is_pair = self.rest().starts_with("\\u");
                self.offset += 2;
                match self.hex() {
                    Some(second @ 0xdc00..0xe000) if is_pair => {
                        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or(bad)
                    }
                    _ => Err(bad),
                }
            }
            Some(_) => Err(bad),
            None => {
                self.offset = self.text.len();
                Err(self.unexpected("the rest of the escape sequence"))
            }
        }
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.offset..self.offset + 4)?;
        self.offset += 4;
        // `from_str_radix` would also take a sign.
        digits
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then(|| u32::from_str_radix(digits, 16).ok())?
    }

    /// What to say when something else was expected here.
    #[cold]
    pub fn unexpected(&self, expected: &'static str) -> JsonError {
        match self.text.get(self.offset..).and_then(|rest| rest.chars().next()) {
            Some(found) => self.error(JsonProblem::Unexpected { expected, found }),
            None => self.error(JsonProblem::Incomplete { expected }),
        }
    }

    fn error(&self, problem: JsonProblem) -> JsonError {
        JsonError {
            offset: self.offset,
            problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_at_the_beginning_of_a_word_are_read_at_once() {
        let others = [
            0u8, b'/', b':', b' ', b'}', b',', b'.', 0x7f, 0x80, 0xff, b'-', b'e',
        ];
        for count in 0..=8 {
            for number in ["00000000", "12345678", "99999999", "10203040", "90817263"] {
                for other in others {
                    for filler in [0u8, b'7', 0xff, b'0'] {
                        let mut word = [filler; 8];
                        word[..count].copy_from_slice(&number.as_bytes()[..count]);
                        if count < 8 {
                            word[count] = other;
                        }
                        let expected = number[..count].parse().unwrap_or(0);
                        assert_eq!(
                            leading_digits(u64::from_le_bytes(word)),
                            (count, expected),
                            "{word:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn integers_are_read_wherever_they_stand() {
        for number in [
            0,
            7,
            -7,
            10,
            12_345_678,
            123_456_789,
            -99_999_999,
            100_000_000,
            1_234_567_890_123_456_789,
            i64::MAX,
            i64::MIN,
        ] {
            for before in ["", "[", "[1,", "[1234567,", "[\"long before it\", "] {
                for after in ["", "]", ",", "   ]", "]          "] {
                    let text = format!("{before}{number}{after}");
                    let mut cursor = Cursor {
                        text: &text,
                        offset: before.len(),
                    };
                    assert_eq!(cursor.integer().ok(), Some(number), "{text}");
                    assert_eq!(cursor.offset(), before.len() + number.to_string().len(), "{text}");
                }
            }
        }
    }
}
