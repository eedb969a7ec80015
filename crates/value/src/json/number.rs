//! Numbers in JSON.

use super::cursor::{JsonCursor, Read};
use super::{JsonError, JsonProblem};
use crate::value::Value;

/// Every integer with at most this many digits fits 64 bits.
const SAFE_DIGITS_MAX: usize = 18;

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

impl JsonCursor<'_> {
    /// Reads an integer.
    ///
    /// # Errors
    /// When anything else follows, including a number with a fraction or beyond 64 bits.
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
            // May wrap, but only beyond `SAFE_DIGITS_MAX` digits.
            value = value.wrapping_mul(POWERS[read]).wrapping_add(digits as i64);
            count += read;
            if read < 8 {
                break;
            }
        }
        let is_plain = count == 1 || (count > 1 && count <= SAFE_DIGITS_MAX && rest.first() != Some(&b'0'));
        if !is_plain || matches!(rest.get(count), Some(b'.' | b'e' | b'E')) {
            return self.unusual_integer(begin, digits, digits + count);
        }
        self.offset = digits + count;
        Ok(if is_negative { -value } else { value })
    }

    /// Eight bytes from `offset`, with zeros beyond the end; the first byte is the lowest.
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

    /// The number in `begin..end`, whose digits begin at `digits`: a large integer, or an error.
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

    #[inline]
    pub(super) fn number(&mut self) -> Read<Value> {
        let begin = self.offset;
        match self.integer() {
            Ok(integer) => Ok(Value::int(integer)),
            Err(error) => self.unusual_number(begin, error),
        }
    }

    /// The number that begins at `begin` and is not a 64-bit integer, according to `error`.
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
        // The cursor is behind the digits of the integer part: a point, an exponent or nothing follows.
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
}

/// The number of leading decimal digits among eight bytes, and the number that they form.
#[inline]
fn leading_digits(word: u64) -> (usize, u64) {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let digits = word ^ (ONES * u64::from(b'0'));
    // Marks bytes above 9. The lowest mark is exact; a mark above it may be wrong, because addition carries.
    let others = ((digits.wrapping_add(ONES * 0x76)) | digits) & (ONES * 0x80);
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // The first digit is in the lowest byte; missing digits become zeros in front of it. Then neighbours are combined: to
    // pairs, to fours, to all eight.
    let aligned = digits << (64 - 8 * count);
    let pairs = aligned.wrapping_mul(10).wrapping_add(aligned >> 8);
    const LOW: u64 = 0x0000_00ff_0000_00ff;
    let fours = (pairs & LOW).wrapping_mul(100 + (1_000_000 << 32));
    let rest = ((pairs >> 16) & LOW).wrapping_mul(1 + (10_000 << 32));
    (count, fours.wrapping_add(rest) >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_digits_of_a_word_are_counted_and_combined() {
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
    fn integers_are_read_at_any_offset() {
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
                    let mut cursor = JsonCursor {
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
