//! The encoding of values.
//!
//! A value writes itself directly into the thread's buffer: no tree of values is built, nothing is allocated. The types
//! ensure that a record is well formed: a [`ValueSlot`] takes exactly one value, because every method that fills it consumes
//! it and only those methods create the [`Written`] that must be returned; and the lengths of arrays and maps are counted,
//! not declared.

use crate::{
    RecordError,
    buffer::Buffer,
    storage::Storage,
    text::{has_escape, lossless},
};

/// A value that can be recorded: as an argument, a result or as `meta`.
///
/// Implemented for integers, booleans, strings, options (`None` is null), slices and tuples (both are TLA+ tuples), sets and
/// maps (TLA+ functions). Not implemented for floating-point numbers, which TLA+ lacks.
///
/// ```
/// use omnilink_record::{Record, ValueSlot, Written};
///
/// struct Point { x: i64, y: i64 }
///
/// impl Record for Point {
///     fn record(&self, slot: ValueSlot<'_>) -> Written {
///         slot.fields(|point| {
///             point.field("x", &self.x);
///             point.field("y", &self.y);
///         })
///     }
/// }
/// ```
pub trait Record {
    /// Writes the value into the slot.
    fn record(&self, slot: ValueSlot<'_>) -> Written;

    /// Whether there is nothing to record: a result `()` is omitted from the trace.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Proof that a slot was filled.
#[derive(Debug)]
pub struct Written(());

/// A place for exactly one value.
#[derive(Debug)]
pub struct ValueSlot<'a> {
    buffer: &'a mut Buffer,
}

impl<'a> ValueSlot<'a> {
    #[inline]
    pub(crate) fn new(buffer: &'a mut Buffer) -> Self {
        Self { buffer }
    }

    /// Writes null: the model value `null`.
    #[inline]
    pub fn null(self) -> Written {
        self.buffer.put(&[0xc0]);
        Written(())
    }

    /// Writes a boolean.
    #[inline]
    pub fn bool(self, value: bool) -> Written {
        self.buffer.put(&[if value { 0xc3 } else { 0xc2 }]);
        Written(())
    }

    /// Writes an integer.
    #[inline]
    pub fn int(self, value: i64) -> Written {
        if let Ok(small) = i8::try_from(value)
            && small >= -32
        {
            self.buffer.put(&[small as u8]);
        } else if let Ok(medium) = i32::try_from(value) {
            let [a, b, c, d] = medium.to_be_bytes();
            self.buffer.put(&[0xd2, a, b, c, d]);
        } else {
            self.buffer.put(&tagged(0xd3, value.to_be_bytes()));
        }
        Written(())
    }

    /// Writes an integer that may exceed `i64`. Readers treat those that do as opaque values.
    #[inline]
    pub fn uint(self, value: u64) -> Written {
        match i64::try_from(value) {
            Ok(value) => self.int(value),
            Err(_) => {
                self.buffer.put(&tagged(0xcf, value.to_be_bytes()));
                Written(())
            }
        }
    }

    /// Writes a string. What looks like an escape of [`text`](Self::text) is escaped itself.
    #[inline]
    pub fn str(self, text: &str) -> Written {
        if has_escape(text) {
            return self.text(text.as_bytes());
        }
        self.escaped(text)
    }

    /// Writes a text that may not be Unicode, such as a file name: a wrong byte is `\xff` in the trace, in the recorders of all languages.
    pub fn text(self, text: &[u8]) -> Written {
        self.escaped(&lossless(text))
    }

    /// Writes a text that has its escapes already.
    #[doc(hidden)]
    #[inline]
    pub fn escaped(self, text: &str) -> Written {
        let length = text.len();
        match u32::try_from(length) {
            Ok(short @ 0..=31) => self.buffer.put(&[0xa0 | short as u8]),
            Ok(length) => {
                let [a, b, c, d] = length.to_be_bytes();
                self.buffer.put(&[0xdb, a, b, c, d]);
            }
            Err(_) => self.buffer.fail(too_large(length)),
        }
        self.buffer.put(text.as_bytes());
        Written(())
    }

    /// Writes an array, a TLA+ tuple: `fill` writes its items.
    #[inline]
    pub fn items(self, fill: impl FnOnce(&mut Items<'_>)) -> Written {
        let count = LengthPrefix::begin(self.buffer, ARRAY);
        let mut items = Items {
            buffer: self.buffer,
            count,
        };
        fill(&mut items);
        let Items { buffer, count } = items;
        count.end(buffer);
        Written(())
    }

    /// Writes a map, a TLA+ record: `fill` writes its fields. Names must differ; readers refuse a trace with duplicates.
    #[inline]
    pub fn fields(self, fill: impl FnOnce(&mut Fields<'_>)) -> Written {
        let count = LengthPrefix::begin(self.buffer, MAP);
        let mut fields = Fields {
            buffer: self.buffer,
            count,
        };
        fill(&mut fields);
        let Fields { buffer, count } = fields;
        count.end(buffer);
        Written(())
    }
}

/// The items of an array that is being written.
#[derive(Debug)]
pub struct Items<'a> {
    buffer: &'a mut Buffer,
    count: LengthPrefix,
}

impl Items<'_> {
    /// Adds an item.
    #[inline]
    pub fn item(&mut self, value: &(impl Record + ?Sized)) {
        self.item_with(|slot| value.record(slot));
    }

    /// Adds an item that `write` writes.
    #[inline]
    pub fn item_with(&mut self, write: impl FnOnce(ValueSlot<'_>) -> Written) {
        self.count.add();
        write(ValueSlot::new(self.buffer));
    }
}

/// The fields of a map that is being written.
#[derive(Debug)]
pub struct Fields<'a> {
    buffer: &'a mut Buffer,
    count: LengthPrefix,
}

impl Fields<'_> {
    /// Adds a field.
    #[inline]
    pub fn field(&mut self, name: &str, value: &(impl Record + ?Sized)) {
        self.field_with(name, |slot| value.record(slot));
    }

    /// Adds a field whose value `write` writes.
    #[inline]
    pub fn field_with(&mut self, name: &str, write: impl FnOnce(ValueSlot<'_>) -> Written) {
        self.count.add();
        ValueSlot::new(self.buffer).str(name);
        write(ValueSlot::new(self.buffer));
    }

    /// Adds a field whose name has its escapes already.
    #[doc(hidden)]
    pub fn escaped_field(&mut self, name: &str, value: &(impl Record + ?Sized)) {
        self.count.add();
        ValueSlot::new(self.buffer).escaped(name);
        value.record(ValueSlot::new(self.buffer));
    }
}

pub(crate) const ARRAY: u8 = 0xdd;
pub(crate) const MAP: u8 = 0xdf;

/// The length of an array or map, which is patched in when it is known.
#[derive(Debug, Default)]
pub(crate) struct LengthPrefix {
    at: usize,
    count: usize,
}

impl LengthPrefix {
    /// The length of a map that is a whole record: its first byte is written by [`Buffer::publish`].
    pub(crate) fn begin_record(buffer: &mut Buffer) -> Self {
        buffer.begin_record(&[0; 5]);
        Self {
            at: buffer.position().saturating_sub(4),
            count: 0,
        }
    }
    #[inline]
    pub(crate) fn begin(buffer: &mut Buffer, kind: u8) -> Self {
        buffer.put(&[kind, 0, 0, 0, 0]);
        // Counted from the end, because the position of a failed buffer does not move.
        Self {
            at: buffer.position().saturating_sub(4),
            count: 0,
        }
    }

    /// The length of the map that was written at `at`, to be increased; `None` if there is no map.
    #[inline]
    pub(crate) fn of_map_at(buffer: &Buffer, at: usize) -> Option<Self> {
        let [kind, a, b, c, d] = buffer.written(at)?;
        (kind == MAP).then(|| Self {
            at: at + 1,
            count: u32::from_be_bytes([a, b, c, d]) as usize,
        })
    }

    #[inline]
    pub(crate) fn add(&mut self) {
        self.count += 1;
    }

    #[inline]
    pub(crate) fn end(self, buffer: &mut Buffer) {
        match u32::try_from(self.count) {
            Ok(count) => buffer.patch(self.at, count.to_be_bytes()),
            Err(_) => buffer.fail(too_large(self.count)),
        }
    }
}

#[cold]
fn too_large(bytes: usize) -> RecordError {
    RecordError::TooLarge {
        thread: String::new(),
        bytes,
    }
}

#[inline]
pub(crate) fn tagged(kind: u8, [a, b, c, d, e, f, g, h]: [u8; 8]) -> [u8; 9] {
    [kind, a, b, c, d, e, f, g, h]
}

/// A value as MessagePack, for copying into many records or headers.
pub(crate) fn encoded(value: &impl Record) -> Result<Vec<u8>, RecordError> {
    let mut buffer = Buffer::new(Storage::in_memory());
    // The first byte of a record publishes it; it is removed below.
    buffer.begin_record(&[0]);
    value.record(ValueSlot::new(&mut buffer));
    buffer.publish(1);
    Ok(buffer.into_bytes()?.split_off(1))
}
