//! TLC's binary form of values, as `IOSerialize` writes it.
//!
//! A value is a tag byte and its content; numbers are big-endian. Strings, records, tuples, sets and functions are numbered in the
//! order in which they begin (strings: end), and may be referred to by that number. A string is three numbers (two internal to TLC's
//! process, and the length) and one byte per character. The writer uses no back references, which every reader accepts.

use omnilink_value::{Value, ValueKind};

use super::entries::pairs_of;
use crate::error::ErrorClass;
use crate::materialize::ELEMENTS_MAX;

const BOOL: u8 = 0;
const INT: u8 = 1;
const STRING: u8 = 3;
const RECORD: u8 = 4;
const SET: u8 = 5;
const TUPLE: u8 = 7;
const FUNCTION: u8 = 9;
const MODEL: u8 = 21;
const INTERVAL: u8 = 23;
const SEEN_BEFORE: u8 = 26;

/// The encoding of a function's domain: the ends of an interval, or the keys in any order.
const OVER_INTERVAL: u8 = 0;
const OVER_LIST: u8 = 2;

/// Deeper nesting counts as a damaged file.
const DEPTH_MAX: usize = 1000;

/// A decoding error.
pub(super) type Wrong = (ErrorClass, String);

fn wrong<T>(class: ErrorClass, message: impl Into<String>) -> Result<T, Wrong> {
    Err((class, message.into()))
}

/// Decodes a value.
pub(super) fn read(bytes: &[u8]) -> Result<Value, Wrong> {
    let mut reader = Reader {
        bytes,
        at: 0,
        seen: Vec::new(),
    };
    let value = reader.value(0).map_err(|(class, message)| {
        let place = format!("byte {}: {message}", reader.at);
        (class, place)
    })?;
    if reader.at < bytes.len() {
        return wrong(
            ErrorClass::Io,
            format!("byte {}: something follows the value", reader.at),
        );
    }
    Ok(value)
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The numbered values; `None` while one is being read.
    seen: Vec<Option<Value>>,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Wrong> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>());
        match taken {
            Some(taken) => {
                self.at += N;
                Ok(*taken)
            }
            None => wrong(ErrorClass::Io, "the value is cut off"),
        }
    }

    fn byte(&mut self) -> Result<u8, Wrong> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn int(&mut self) -> Result<i32, Wrong> {
        self.take().map(i32::from_be_bytes)
    }

    /// A length: two bytes, or four with the sign inverted if two are not enough.
    fn natural(&mut self) -> Result<usize, Wrong> {
        let high = i16::from_be_bytes(self.take()?);
        if high >= 0 {
            return Ok(high as usize);
        }
        let low = u16::from_be_bytes(self.take()?);
        let number = (i32::from(high) << 16) | i32::from(low);
        Ok(number.unsigned_abs() as usize)
    }

    /// The number of parts. Each takes at least a byte, so a larger number means a damaged file.
    fn size(&mut self, size: usize) -> Result<usize, Wrong> {
        if size > self.bytes.len() - self.at.min(self.bytes.len()) {
            return wrong(
                ErrorClass::Io,
                format!("{size} parts are announced, but there are fewer bytes"),
            );
        }
        Ok(size)
    }

    fn number(&mut self) -> usize {
        self.seen.push(None);
        self.seen.len() - 1
    }

    fn text(&mut self) -> Result<String, Wrong> {
        // Its number and place in the tables of the process that wrote it.
        self.int()?;
        self.int()?;
        let length = self.int()?.unsigned_abs() as usize;
        let length = self.size(length)?;
        let bytes = self.bytes.get(self.at..self.at + length).unwrap_or_default();
        self.at += length;
        Ok(bytes.iter().map(|byte| char::from(*byte)).collect())
    }

    fn seen_before(&mut self) -> Result<Value, Wrong> {
        let number = self.natural()?;
        match self.seen.get(number) {
            Some(Some(value)) => Ok(value.clone()),
            _ => wrong(
                ErrorClass::Io,
                format!("value number {number} is referred to before it is there"),
            ),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Wrong> {
        if depth > DEPTH_MAX {
            return wrong(ErrorClass::Io, "the value is nested too deep");
        }
        let tag = self.byte()?;
        match tag {
            BOOL => Ok(Value::bool(self.byte()? != 0)),
            INT => Ok(Value::int(i64::from(self.int()?))),
            STRING => {
                let value = Value::str(&self.text()?);
                self.seen.push(Some(value.clone()));
                Ok(value)
            }
            INTERVAL => {
                let (low, high) = (self.int()?, self.int()?);
                if i64::from(high) - i64::from(low) > ELEMENTS_MAX as i64 {
                    return wrong(
                        ErrorClass::Resource,
                        format!("{low}..{high} has too many elements"),
                    );
                }
                Ok(Value::set_of_sorted(
                    (low..=high).map(|int| Value::int(i64::from(int))),
                ))
            }
            RECORD => self.numbered(|this| this.record(depth)),
            SET => self.numbered(|this| {
                let size = this.int()?.unsigned_abs() as usize;
                Ok(Value::set(this.values(size, depth)?))
            }),
            TUPLE => self.numbered(|this| {
                let size = this.natural()?;
                Ok(Value::tuple(this.values(size, depth)?))
            }),
            FUNCTION => self.numbered(|this| this.function(depth)),
            SEEN_BEFORE => self.seen_before(),
            MODEL => wrong(
                ErrorClass::Type,
                "a model value: files hold only its number in the process that wrote it; write a string instead",
            ),
            other => wrong(ErrorClass::Io, format!("no value begins with {other}")),
        }
    }

    fn numbered(&mut self, read: impl FnOnce(&mut Self) -> Result<Value, Wrong>) -> Result<Value, Wrong> {
        let number = self.number();
        let value = read(self)?;
        if let Some(place) = self.seen.get_mut(number) {
            *place = Some(value.clone());
        }
        Ok(value)
    }

    fn values(&mut self, size: usize, depth: usize) -> Result<Vec<Value>, Wrong> {
        let size = self.size(size)?;
        (0..size).map(|_| self.value(depth + 1)).collect()
    }

    fn record(&mut self, depth: usize) -> Result<Value, Wrong> {
        let size = self.int()?.unsigned_abs() as usize;
        let size = self.size(size)?;
        let mut fields = Vec::with_capacity(size);
        for _ in 0..size {
            let name = match self.byte()? {
                SEEN_BEFORE => self.seen_before()?,
                STRING => {
                    let number = self.number();
                    let name = Value::str(&self.text()?);
                    self.seen[number] = Some(name.clone());
                    name
                }
                other => return wrong(ErrorClass::Io, format!("no field name begins with {other}")),
            };
            fields.push((name, self.value(depth + 1)?));
        }
        function(fields)
    }

    fn function(&mut self, depth: usize) -> Result<Value, Wrong> {
        let size = self.natural()?;
        let size = self.size(size)?;
        if self.byte()? == OVER_INTERVAL {
            let low = i64::from(self.int()?);
            self.int()?;
            let values = self.values(size, depth)?;
            return function((low..).map(Value::int).zip(values).collect());
        }
        let mut entries = Vec::with_capacity(size);
        for _ in 0..size {
            entries.push((self.value(depth + 1)?, self.value(depth + 1)?));
        }
        function(entries)
    }
}

fn function(entries: Vec<(Value, Value)>) -> Result<Value, Wrong> {
    Value::function(entries).map_err(|twice| (ErrorClass::Io, twice.to_string()))
}

/// Encodes a value.
pub(super) fn write(value: &Value) -> Result<Vec<u8>, Wrong> {
    let mut out = Vec::new();
    write_value(&mut out, value)?;
    Ok(out)
}

fn write_value(out: &mut Vec<u8>, value: &Value) -> Result<(), Wrong> {
    match value.kind() {
        ValueKind::Bool => out.extend([BOOL, u8::from(value.as_bool() == Some(true))]),
        ValueKind::Int => {
            let int = value.as_int().unwrap_or_default();
            let Ok(int) = i32::try_from(int) else {
                return wrong(
                    ErrorClass::Overflow,
                    format!("{int} does not fit into the 32 bits that TLC's files have"),
                );
            };
            out.push(INT);
            out.extend(int.to_be_bytes());
        }
        ValueKind::Str => write_text(out, value.as_str().unwrap_or_default())?,
        ValueKind::Model => {
            return wrong(
                ErrorClass::Type,
                format!("the model value {value} means nothing to another process; write a string instead"),
            );
        }
        ValueKind::Set => {
            let elements = value.as_set().unwrap_or_default();
            out.push(SET);
            // The sign marks elements that are not in TLC's order.
            out.extend((-(elements.len() as i32)).to_be_bytes());
            for element in elements {
                write_value(out, element)?;
            }
        }
        ValueKind::Tuple => {
            let parts = value.as_tuple().unwrap_or_default();
            out.push(TUPLE);
            write_natural(out, parts.len());
            for part in parts {
                write_value(out, part)?;
            }
        }
        ValueKind::Record => {
            let entries = value.as_entries().unwrap_or_default();
            out.push(RECORD);
            out.extend((-(entries.len() as i32)).to_be_bytes());
            for (name, value) in entries {
                write_text(out, name.as_str().unwrap_or_default())?;
                write_value(out, value)?;
            }
        }
        ValueKind::Function => {
            let pairs = pairs_of(value).unwrap_or_default();
            out.push(FUNCTION);
            write_natural(out, pairs.len());
            out.push(OVER_LIST);
            for (key, value) in &pairs {
                write_value(out, key)?;
                write_value(out, value)?;
            }
        }
    }
    Ok(())
}

fn write_natural(out: &mut Vec<u8>, number: usize) {
    match i16::try_from(number) {
        Ok(small) => out.extend(small.to_be_bytes()),
        Err(_) => out.extend((-(number as i32)).to_be_bytes()),
    }
}

fn write_text(out: &mut Vec<u8>, text: &str) -> Result<(), Wrong> {
    let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    let Some(bytes) = bytes else {
        return wrong(
            ErrorClass::Io,
            format!("\"{text}\" has characters that TLC's files cannot hold; write JSON instead"),
        );
    };
    out.push(STRING);
    out.extend((-1i32).to_be_bytes());
    out.extend((-1i32).to_be_bytes());
    out.extend((bytes.len() as i32).to_be_bytes());
    out.extend(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use omnilink_value::Value;

    use super::{read, write};

    fn sample() -> Value {
        let record = Value::record([
            ("name", Value::str("é")),
            ("set", Value::set([1.into(), 2.into()])),
        ]);
        let function = Value::function([
            (Value::int(0), record.clone()),
            (Value::int(7), Value::bool(true)),
        ]);
        Value::tuple([
            record,
            function.unwrap_or_else(|_| Value::int(0)),
            Value::int(-5),
            Value::tuple([]),
        ])
    }

    #[test]
    fn what_is_written_is_read_back() {
        let bytes = write(&sample()).unwrap();
        assert_eq!(read(&bytes).unwrap(), sample());
    }

    #[test]
    fn what_was_seen_before_is_referred_to_by_number() {
        // <<"a", "a">>: the tuple is number 0, the string number 1.
        let bytes = [7, 0, 2, 3, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 1, b'a', 26, 0, 1];
        assert_eq!(read(&bytes).unwrap(), Value::tuple(["a".into(), "a".into()]));
    }

    #[test]
    fn damage_is_an_error_wherever_it_is() {
        let bytes = write(&sample()).unwrap();
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            let _ = read(&damaged);
        }
    }
}
