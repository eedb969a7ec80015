//! A cursor over MessagePack data that reads values and parts of values.

use rmp::Marker;

use super::{MsgpackError, MsgpackProblem};
use crate::DEPTH_MAX;
use crate::build::{ElementBuffer, EntryBuffer, may_end, may_grow};
use crate::json::from_object;
use crate::value::Value;

impl Value {
    /// The value that these bytes denote.
    ///
    /// # Errors
    /// When the bytes are not one MessagePack value, or hold binary data or an extension.
    pub fn from_msgpack(bytes: &[u8]) -> Result<Self, MsgpackError> {
        let mut cursor = MsgpackCursor::new(bytes);
        let value = cursor.value()?;
        match cursor.peek() {
            None => Ok(value),
            Some(_) => Err(cursor.error(MsgpackProblem::Trailing)),
        }
    }
}

/// A position in MessagePack data, for readers that know which keys to expect and need no intermediate values.
#[derive(Debug, Clone)]
pub struct MsgpackCursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

type Read<T> = Result<T, MsgpackError>;

impl<'a> MsgpackCursor<'a> {
    /// A cursor at the beginning of `bytes`.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Bytes from the beginning.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The next marker.
    #[inline]
    pub fn peek(&self) -> Option<Marker> {
        self.bytes.get(self.offset).map(|&byte| Marker::from_u8(byte))
    }

    /// Reads any value.
    ///
    /// # Errors
    /// When no value follows.
    #[inline]
    pub fn value(&mut self) -> Read<Value> {
        self.value_at_depth(0)
    }

    /// Reads the number of entries of a map; keys and values follow alternately.
    ///
    /// # Errors
    /// When anything else follows.
    #[inline]
    pub fn map_len(&mut self) -> Read<usize> {
        let begin = self.offset;
        match self.marker()? {
            Marker::FixMap(len) => Ok(usize::from(len)),
            Marker::Map16 => self.length::<2>(),
            Marker::Map32 => self.length::<4>(),
            other => Err(unexpected(begin, "a map", other)),
        }
    }

    /// Reads a string.
    ///
    /// # Errors
    /// When anything else follows.
    #[inline]
    pub fn string(&mut self) -> Read<&'a str> {
        let begin = self.offset;
        match self.marker()? {
            marker @ (Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32) => self.text(marker),
            other => Err(unexpected(begin, "a string", other)),
        }
    }

    /// Reads an integer.
    ///
    /// # Errors
    /// When anything else follows, including an unsigned integer beyond 63 bits.
    #[inline]
    pub fn integer(&mut self) -> Read<i64> {
        let begin = self.offset;
        let marker = self.marker()?;
        self.integer_of(marker, begin)?
            .ok_or_else(|| unexpected(begin, "an integer", marker))
    }

    /// Reads a boolean.
    ///
    /// # Errors
    /// When anything else follows.
    #[inline]
    pub fn boolean(&mut self) -> Read<bool> {
        let begin = self.offset;
        match self.marker()? {
            Marker::True => Ok(true),
            Marker::False => Ok(false),
            other => Err(unexpected(begin, "a boolean", other)),
        }
    }

    /// Reads a nil, if one follows; returns whether it did.
    #[inline]
    pub fn nil(&mut self) -> bool {
        let is_nil = self.peek() == Some(Marker::Null);
        self.offset += usize::from(is_nil);
        is_nil
    }

    /// Skips a value without building it, including floats, binary data and extensions.
    ///
    /// # Errors
    /// When the data end before the value does, or no value follows.
    pub fn skip(&mut self) -> Read<()> {
        let mut left = 1_usize;
        while left > 0 {
            left -= 1;
            let begin = self.offset;
            let inside = match self.marker()? {
                Marker::FixArray(len) => usize::from(len),
                Marker::Array16 => self.length::<2>()?,
                Marker::Array32 => self.length::<4>()?,
                Marker::FixMap(len) => usize::from(len) * 2,
                Marker::Map16 => self.length::<2>()? * 2,
                Marker::Map32 => self.length::<4>()?.saturating_mul(2),
                marker => {
                    let bytes = match marker {
                        Marker::FixPos(_)
                        | Marker::FixNeg(_)
                        | Marker::Null
                        | Marker::True
                        | Marker::False => 0,
                        Marker::U8 | Marker::I8 => 1,
                        Marker::U16 | Marker::I16 | Marker::FixExt1 => 2,
                        Marker::FixExt2 => 3,
                        Marker::U32 | Marker::I32 | Marker::F32 => 4,
                        Marker::FixExt4 => 5,
                        Marker::U64 | Marker::I64 | Marker::F64 => 8,
                        Marker::FixExt8 => 9,
                        Marker::FixExt16 => 17,
                        Marker::FixStr(len) => usize::from(len),
                        Marker::Str8 | Marker::Bin8 => self.length::<1>()?,
                        Marker::Str16 | Marker::Bin16 => self.length::<2>()?,
                        Marker::Str32 | Marker::Bin32 => self.length::<4>()?,
                        Marker::Ext8 => self.length::<1>()?.saturating_add(1),
                        Marker::Ext16 => self.length::<2>()?.saturating_add(1),
                        Marker::Ext32 => self.length::<4>()?.saturating_add(1),
                        other => return Err(unexpected(begin, "a value", other)),
                    };
                    self.slice(bytes)?;
                    0
                }
            };
            left = left.saturating_add(inside);
        }
        Ok(())
    }

    fn value_at_depth(&mut self, depth: usize) -> Read<Value> {
        let begin = self.offset;
        match self.marker()? {
            Marker::Null => Ok(Value::null()),
            Marker::True => Ok(Value::bool(true)),
            Marker::False => Ok(Value::bool(false)),
            marker @ (Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32) => {
                self.text(marker).map(Value::str)
            }
            Marker::FixArray(len) => self.array(usize::from(len), depth, begin),
            Marker::Array16 => self.length::<2>().and_then(|len| self.array(len, depth, begin)),
            Marker::Array32 => self.length::<4>().and_then(|len| self.array(len, depth, begin)),
            Marker::FixMap(len) => self.map(usize::from(len), depth, begin),
            Marker::Map16 => self.length::<2>().and_then(|len| self.map(len, depth, begin)),
            Marker::Map32 => self.length::<4>().and_then(|len| self.map(len, depth, begin)),
            Marker::U64 => {
                let integer = u64::from_be_bytes(self.take()?);
                Ok(match i64::try_from(integer) {
                    Ok(integer) => Value::int(integer),
                    Err(_) => Value::model(&integer.to_string()),
                })
            }
            Marker::F32 => Ok(Value::float32(f32::from_be_bytes(self.take()?))),
            Marker::F64 => Ok(Value::float(f64::from_be_bytes(self.take()?))),
            marker => {
                let integer = self.integer_of(marker, begin)?;
                integer
                    .map(Value::int)
                    .ok_or_else(|| unexpected(begin, "a value", marker))
            }
        }
    }

    fn array(&mut self, len: usize, depth: usize, begin: usize) -> Read<Value> {
        limit_depth(depth, begin)?;
        let mut elements = ElementBuffer::new();
        for _ in 0..len {
            elements.push(self.value_at_depth(depth + 1)?);
            if !may_grow(elements.len()) {
                return Err(self.error(MsgpackProblem::Stopped));
            }
        }
        if !may_end(elements.len()) {
            return Err(self.error(MsgpackProblem::Stopped));
        }
        Ok(Value::from_elements(&mut elements))
    }

    fn map(&mut self, len: usize, depth: usize, begin: usize) -> Read<Value> {
        limit_depth(depth, begin)?;
        let mut entries = EntryBuffer::new();
        for _ in 0..len {
            let key = self.value_at_depth(depth + 1)?;
            entries.push((key, self.value_at_depth(depth + 1)?));
            if !may_grow(entries.len()) {
                return Err(self.error(MsgpackProblem::Stopped));
            }
        }
        from_object(&mut entries).map_err(|error| MsgpackError {
            offset: begin,
            problem: error.into(),
        })
    }

    #[inline]
    fn integer_of(&mut self, marker: Marker, begin: usize) -> Read<Option<i64>> {
        Ok(Some(match marker {
            Marker::FixPos(value) => i64::from(value),
            Marker::FixNeg(value) => i64::from(value),
            Marker::U8 => i64::from(u8::from_be_bytes(self.take()?)),
            Marker::U16 => i64::from(u16::from_be_bytes(self.take()?)),
            Marker::U32 => i64::from(u32::from_be_bytes(self.take()?)),
            Marker::U64 => i64::try_from(u64::from_be_bytes(self.take()?)).map_err(|_| MsgpackError {
                offset: begin,
                problem: MsgpackProblem::IntegerTooLarge,
            })?,
            Marker::I8 => i64::from(i8::from_be_bytes(self.take()?)),
            Marker::I16 => i64::from(i16::from_be_bytes(self.take()?)),
            Marker::I32 => i64::from(i32::from_be_bytes(self.take()?)),
            Marker::I64 => i64::from_be_bytes(self.take()?),
            _ => return Ok(None),
        }))
    }

    #[inline]
    fn text(&mut self, marker: Marker) -> Read<&'a str> {
        let len = match marker {
            Marker::FixStr(len) => usize::from(len),
            Marker::Str8 => self.length::<1>()?,
            Marker::Str16 => self.length::<2>()?,
            _ => self.length::<4>()?,
        };
        let begin = self.offset;
        let bytes = self.slice(len)?;
        std::str::from_utf8(bytes).map_err(|_| MsgpackError {
            offset: begin,
            problem: MsgpackProblem::NotUtf8,
        })
    }

    #[inline]
    fn marker(&mut self) -> Read<Marker> {
        let marker = self
            .peek()
            .ok_or_else(|| self.error(MsgpackProblem::Incomplete))?;
        self.offset += 1;
        Ok(marker)
    }

    /// A big-endian length of `N` bytes.
    #[inline]
    fn length<const N: usize>(&mut self) -> Read<usize> {
        Ok(self
            .take::<N>()?
            .iter()
            .fold(0, |len, &byte| len << 8 | usize::from(byte)))
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Read<[u8; N]> {
        let incomplete = self.error(MsgpackProblem::Incomplete);
        self.slice(N)?.try_into().map_err(|_| incomplete)
    }

    #[inline]
    fn slice(&mut self, len: usize) -> Read<&'a [u8]> {
        let end = self
            .offset
            .checked_add(len)
            .filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| self.error(MsgpackProblem::Incomplete))?;
        let slice = &self.bytes[self.offset..end];
        self.offset = end;
        Ok(slice)
    }

    fn error(&self, problem: MsgpackProblem) -> MsgpackError {
        MsgpackError {
            offset: self.offset,
            problem,
        }
    }
}

fn limit_depth(depth: usize, begin: usize) -> Read<()> {
    if depth < DEPTH_MAX {
        Ok(())
    } else {
        Err(MsgpackError {
            offset: begin,
            problem: MsgpackProblem::TooDeep,
        })
    }
}

#[cold]
fn unexpected(offset: usize, expected: &'static str, found: Marker) -> MsgpackError {
    let found = match found {
        Marker::Null => "nil",
        Marker::True | Marker::False => "a boolean",
        Marker::F32 | Marker::F64 => "a floating-point number",
        Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => "a string",
        Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => "an array",
        Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => "a map",
        Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => "binary data",
        Marker::Reserved => "a byte that begins nothing",
        Marker::FixExt1
        | Marker::FixExt2
        | Marker::FixExt4
        | Marker::FixExt8
        | Marker::FixExt16
        | Marker::Ext8
        | Marker::Ext16
        | Marker::Ext32 => "an extension type",
        _ => "an integer",
    };
    MsgpackError {
        offset,
        problem: MsgpackProblem::Unexpected { expected, found },
    }
}
