//! Binary encoding of queued states.
//!
//! A small integer, a Boolean or the tag of a collection takes one byte; strings are stored as they are. An encoded state takes a
//! quarter to a tenth of its values' heap memory, shares nothing with other threads, and can be written to a file as it is. The
//! cost is decoding each distinct state once; generating its successors costs far more.

use omnilink_value::{Value, ValueKind};

use crate::transition_system::State;

/// Bytes that encode no state. They can only come from a file that another program wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a queued state cannot be read back from its temporary file")]
pub struct StateDecodeError;

// Integers from 0 to 127 are their own tag.
const INT: u8 = 0x80;
const FALSE: u8 = 0x81;
const TRUE: u8 = 0x82;
pub(crate) const STR: u8 = 0x83;
pub(crate) const MODEL: u8 = 0x84;
pub(crate) const SET: u8 = 0x85;
pub(crate) const TUPLE: u8 = 0x86;
pub(crate) const FUNCTION: u8 = 0x87;

/// Appends a value.
pub(crate) fn encode(value: &Value, out: &mut Vec<u8>) {
    match value.kind() {
        ValueKind::Int => encode_int(value.as_int().unwrap_or_default(), out),
        ValueKind::Bool => out.push(if value.as_bool() == Some(true) {
            TRUE
        } else {
            FALSE
        }),
        ValueKind::Str => encode_text(STR, value.as_str().unwrap_or_default(), out),
        ValueKind::Model => encode_text(MODEL, value.as_model().unwrap_or_default(), out),
        ValueKind::Set => encode_all(SET, value.as_set().unwrap_or_default(), out),
        ValueKind::Tuple => encode_all(TUPLE, value.as_tuple().unwrap_or_default(), out),
        ValueKind::Record | ValueKind::Function => {
            let entries = value.as_entries().unwrap_or_default();
            out.push(FUNCTION);
            encode_count(entries.len() as u64, out);
            for (key, value) in entries {
                encode(key, out);
                encode(value, out);
            }
        }
    }
}

/// Appends an integer.
pub(crate) fn encode_int(number: i64, out: &mut Vec<u8>) {
    if let 0..=127 = number {
        out.push(number as u8);
        return;
    }
    out.push(INT);
    encode_count(((number << 1) ^ (number >> 63)) as u64, out);
}

/// The length of the encoding of the value at the start, if it is complete.
pub(crate) fn encoded_len(bytes: &[u8]) -> Option<usize> {
    let mut decoder = Decoder::new(bytes);
    decoder.skip().ok()?;
    Some(bytes.len() - decoder.bytes.len())
}

fn encode_text(tag: u8, text: &str, out: &mut Vec<u8>) {
    out.push(tag);
    encode_count(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

fn encode_all(tag: u8, elements: &[Value], out: &mut Vec<u8>) {
    out.push(tag);
    encode_count(elements.len() as u64, out);
    for element in elements {
        encode(element, out);
    }
}

/// LEB128: seven bits per byte, the lowest first.
pub(crate) fn encode_count(mut count: u64, out: &mut Vec<u8>) {
    while count >= 0x80 {
        out.push(count as u8 | 0x80);
        count >>= 7;
    }
    out.push(count as u8);
}

/// Decodes values one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Decoder<'a> {
    bytes: &'a [u8],
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// What is not decoded yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], StateDecodeError> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(StateDecodeError)?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(crate) fn word(&mut self) -> Result<u64, StateDecodeError> {
        let bytes = self.take(8)?.try_into().map_err(|_| StateDecodeError)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn byte(&mut self) -> Result<u8, StateDecodeError> {
        let (&first, rest) = self.bytes.split_first().ok_or(StateDecodeError)?;
        self.bytes = rest;
        Ok(first)
    }

    fn count(&mut self) -> Result<u64, StateDecodeError> {
        let mut count = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            count |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(count);
            }
        }
        Err(StateDecodeError)
    }

    fn text(&mut self) -> Result<&'a str, StateDecodeError> {
        let length = usize::try_from(self.count()?).map_err(|_| StateDecodeError)?;
        std::str::from_utf8(self.take(length)?).map_err(|_| StateDecodeError)
    }

    /// Skips a value.
    fn skip(&mut self) -> Result<(), StateDecodeError> {
        match self.byte()? {
            0..=0x7f | FALSE | TRUE => {}
            INT => {
                self.count()?;
            }
            STR | MODEL => {
                let length = usize::try_from(self.count()?).map_err(|_| StateDecodeError)?;
                self.take(length)?;
            }
            tag @ (SET | TUPLE | FUNCTION) => {
                let count = self.count()?;
                for _ in 0..count {
                    if tag == FUNCTION {
                        self.skip()?;
                    }
                    self.skip()?;
                }
            }
            _ => return Err(StateDecodeError),
        }
        Ok(())
    }

    /// The next state, which has this many variables.
    pub(crate) fn state(&mut self, variables: usize) -> Result<State, StateDecodeError> {
        let mut values = Vec::with_capacity(variables);
        for _ in 0..variables {
            values.push(self.value()?);
        }
        Ok(values.into())
    }

    /// The next value.
    pub(crate) fn value(&mut self) -> Result<Value, StateDecodeError> {
        Ok(match self.byte()? {
            small @ 0..=0x7f => Value::int(i64::from(small)),
            INT => {
                let zigzag = self.count()?;
                Value::int((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
            }
            FALSE => Value::bool(false),
            TRUE => Value::bool(true),
            STR => Value::str(self.text()?),
            MODEL => Value::model(self.text()?),
            SET => self.each(
                |decoder| decoder.value(),
                |elements| Value::set_of_sorted(elements),
            )?,
            TUPLE => self.each(|decoder| decoder.value(), |elements| Value::tuple(elements))?,
            FUNCTION => {
                let entry = |decoder: &mut Self| Ok((decoder.value()?, decoder.value()?));
                self.each(entry, |entries| Value::function(entries))?
                    .map_err(|_| StateDecodeError)?
            }
            _ => return Err(StateDecodeError),
        })
    }

    /// Builds a collection from its length and the parts that follow, without an intermediate list.
    fn each<T, B>(
        &mut self,
        part: impl Fn(&mut Self) -> Result<T, StateDecodeError>,
        build: impl FnOnce(&mut dyn Iterator<Item = T>) -> B,
    ) -> Result<B, StateDecodeError> {
        let count = self.count()?;
        let mut has_error = false;
        let mut parts = (0..count).map_while(|_| {
            let part = part(self);
            has_error |= part.is_err();
            part.ok()
        });
        let built = build(&mut parts);
        if has_error {
            Err(StateDecodeError)
        } else {
            Ok(built)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(value: &Value) -> usize {
        let mut bytes = Vec::new();
        encode(value, &mut bytes);
        let mut decoder = Decoder::new(&bytes);
        assert_eq!(decoder.value().as_ref(), Ok(value));
        assert!(decoder.bytes.is_empty());
        bytes.len()
    }

    #[test]
    fn every_kind_round_trips() {
        for number in [0, 1, 127, 128, -1, -64, 300, i64::MAX, i64::MIN] {
            round_trip(&number.into());
        }
        let long = "a text that does not fit into the value itself";
        for value in [
            Value::bool(true),
            Value::str(""),
            Value::str(long),
            Value::model("p1"),
            Value::model(long),
            Value::set([3.into(), 1.into(), Value::set([])]),
            Value::tuple([]),
            Value::record([("a", 1.into()), (long, Value::bool(false))]),
            Value::function([(0.into(), "x".into()), (1.into(), "y".into())]).expect("distinct keys"),
        ] {
            round_trip(&value);
        }
    }

    #[test]
    fn a_sequence_of_small_numbers_takes_a_byte_for_each() {
        assert_eq!(round_trip(&Value::tuple((0..100).map(Value::int))), 102);
    }

    #[test]
    fn malformed_bytes_are_rejected_without_large_allocations() {
        let mut bytes = Vec::new();
        encode(
            &Value::tuple([1.into(), "ab".into(), Value::set([5.into()])]),
            &mut bytes,
        );
        for end in 0..bytes.len() {
            assert_eq!(Decoder::new(&bytes[..end]).value(), Err(StateDecodeError));
        }
        let huge = [TUPLE, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 2];
        assert_eq!(Decoder::new(&huge).value(), Err(StateDecodeError));
        assert_eq!(Decoder::new(&[0xff]).value(), Err(StateDecodeError));
    }
}
