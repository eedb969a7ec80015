//! Strings in JSON.

use std::borrow::Cow;

use super::cursor::{JsonCursor, Read};
use super::{JsonError, JsonProblem};

impl<'a> JsonCursor<'a> {
    /// Reads a string; borrows it from the text unless it has escapes.
    ///
    /// # Errors
    /// When anything else follows.
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

    pub(super) fn skip_string(&mut self) -> Read<()> {
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
}

/// The number of leading bytes that need no unescaping.
#[inline]
pub(super) fn plain_bytes(bytes: &[u8]) -> usize {
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

/// Marks the bytes of a word that end a plain part of a string: quotes, backslashes and control characters. The lowest mark
/// is exact; a mark above it may be wrong, because subtraction borrows.
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
