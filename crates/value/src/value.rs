//! The type [`Value`]: its representation and access to its parts.

use std::hash::{Hash, Hasher};

use triomphe::ThinArc;

use crate::hash::{avalanche, mix, of_bool, of_sum};
use crate::text::{LongText, ShortText, long_text, long_text_str};

/// A TLA+ value.
///
/// Cloning copies 16 bytes and at most bumps a reference count. See the [crate page](crate) for the canonical form.
pub struct Value(pub(crate) Repr);

impl Clone for Value {
    /// Models copy many values for each state. A variant without an allocation is copied as one 16-byte block: copying it
    /// field by field would stall the next load of the whole value (store forwarding).
    #[inline]
    fn clone(&self) -> Self {
        match &self.0 {
            Repr::Bool(_) | Repr::Int(_) | Repr::ShortStr(_) | Repr::ShortModel(_) => {
                // SAFETY: these variants own nothing, so a copy of their bits is a value in its own right.
                unsafe { std::ptr::read(self) }
            }
            shared => Self(clone_shared(shared)),
        }
    }
}

#[inline(never)]
fn clone_shared(shared: &Repr) -> Repr {
    shared.clone()
}

const _: () = assert!(size_of::<Value>() == 16);

/// The heap part of sets and tuples: the hash sum, then the elements.
pub(crate) type Elements = ThinArc<u64, Value>;
/// The heap part of records and functions: the hash sum, then the entries sorted by key.
pub(crate) type Entries = ThinArc<u64, (Value, Value)>;

/// Short and long text are separate variants because a nested enum would not fit 16 bytes. Only `build.rs`, `edit.rs` and
/// `shape.rs` make collections, which keeps them canonical. Variants without an allocation come first, so that one
/// comparison identifies them.
#[derive(Clone)]
pub(crate) enum Repr {
    Bool(bool),
    Int(i64),
    ShortStr(ShortText),
    ShortModel(ShortText),
    LongStr(LongText),
    LongModel(LongText),
    Set(Elements),
    Tuple(Elements),
    Record(Entries),
    Function(Entries),
}

/// The kind of a value. A value of an earlier kind is smaller than one of a later kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// An untyped model value: equal only to itself.
    Model,
    /// `FALSE` or `TRUE`.
    Bool,
    /// An integer of 64 bits.
    Int,
    /// A string.
    Str,
    /// A finite set.
    Set,
    /// A tuple or sequence: a function over `1..n`, also the empty function.
    Tuple,
    /// A record: a function over a nonempty set of strings.
    Record,
    /// Any other function.
    Function,
}

/// The model value that JSON `null`, MessagePack nil and EDN `nil` become.
const NULL: &str = "null";

impl Value {
    /// The integer.
    #[inline]
    pub fn int(value: i64) -> Self {
        Self(Repr::Int(value))
    }

    /// `TRUE` or `FALSE`.
    #[inline]
    pub fn bool(value: bool) -> Self {
        Self(Repr::Bool(value))
    }

    /// The string.
    #[inline]
    pub fn str(text: &str) -> Self {
        Self(match ShortText::new(text) {
            Some(short) => Repr::ShortStr(short),
            None => Repr::LongStr(long_text(text)),
        })
    }

    /// The model value of this name.
    #[inline]
    pub fn model(name: &str) -> Self {
        Self(match ShortText::new(name) {
            Some(short) => Repr::ShortModel(short),
            None => Repr::LongModel(long_text(name)),
        })
    }

    /// The model value `null`, for the null of formats that have one.
    pub fn null() -> Self {
        Self::model(NULL)
    }

    /// Whether this is [`Value::null`].
    pub fn is_null(&self) -> bool {
        self.as_model() == Some(NULL)
    }

    /// Its approximate size on the heap, including what it shares with other values.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Repr::Bool(_) | Repr::Int(_) | Repr::ShortStr(_) | Repr::ShortModel(_) => 0,
            _ => self.shared_bytes(),
        }
    }

    fn shared_bytes(&self) -> usize {
        match &self.0 {
            Repr::Bool(_) | Repr::Int(_) | Repr::ShortStr(_) | Repr::ShortModel(_) => 0,
            Repr::LongStr(text) | Repr::LongModel(text) => 24 + long_text_str(text).len(),
            Repr::Set(elements) | Repr::Tuple(elements) => {
                let inside = elements.slice.iter().map(Self::heap_bytes).sum::<usize>();
                24 + size_of_val(&elements.slice) + inside
            }
            Repr::Record(entries) | Repr::Function(entries) => {
                let each = entries.slice.iter();
                let inside = each
                    .map(|(key, value)| key.heap_bytes() + value.heap_bytes())
                    .sum::<usize>();
                24 + size_of_val(&entries.slice) + inside
            }
        }
    }

    /// The kind of this value.
    #[inline]
    pub fn kind(&self) -> ValueKind {
        match &self.0 {
            Repr::Bool(_) => ValueKind::Bool,
            Repr::Int(_) => ValueKind::Int,
            Repr::ShortStr(_) | Repr::LongStr(_) => ValueKind::Str,
            Repr::ShortModel(_) | Repr::LongModel(_) => ValueKind::Model,
            Repr::Set(_) => ValueKind::Set,
            Repr::Tuple(_) => ValueKind::Tuple,
            Repr::Record(_) => ValueKind::Record,
            Repr::Function(_) => ValueKind::Function,
        }
    }

    /// The integer, if it is one.
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        match self.0 {
            Repr::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        match self.0 {
            Repr::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The text, if this is a string.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::ShortStr(text) => Some(text.as_str()),
            Repr::LongStr(text) => Some(long_text_str(text)),
            _ => None,
        }
    }

    /// The name, if this is a model value.
    #[inline]
    pub fn as_model(&self) -> Option<&str> {
        match &self.0 {
            Repr::ShortModel(text) => Some(text.as_str()),
            Repr::LongModel(text) => Some(long_text_str(text)),
            _ => None,
        }
    }

    /// The elements in order, if this is a tuple or sequence.
    #[inline]
    pub fn as_tuple(&self) -> Option<&[Value]> {
        match &self.0 {
            Repr::Tuple(elements) => Some(&elements.slice),
            _ => None,
        }
    }

    /// The elements, sorted and distinct, if this is a set.
    #[inline]
    pub fn as_set(&self) -> Option<&[Value]> {
        match &self.0 {
            Repr::Set(elements) => Some(&elements.slice),
            _ => None,
        }
    }

    /// The fields, sorted by name, if this is a record. The empty function `<<>>` is also the record without fields.
    #[inline]
    pub fn as_record(&self) -> Option<RecordFields<'_>> {
        match &self.0 {
            Repr::Record(entries) => Some(RecordFields {
                entries: &entries.slice,
            }),
            Repr::Tuple(elements) if elements.slice.is_empty() => Some(RecordFields { entries: &[] }),
            _ => None,
        }
    }

    /// The `(key, value)` entries sorted by key, if this is a record or a function that is not a tuple.
    #[inline]
    pub fn as_entries(&self) -> Option<&[(Value, Value)]> {
        match &self.0 {
            Repr::Record(entries) | Repr::Function(entries) => Some(&entries.slice),
            _ => None,
        }
    }

    /// The number of elements, fields or entries of a collection; `None` for other kinds.
    #[inline]
    pub fn len(&self) -> Option<usize> {
        match &self.0 {
            Repr::Set(elements) | Repr::Tuple(elements) => Some(elements.slice.len()),
            Repr::Record(entries) | Repr::Function(entries) => Some(entries.slice.len()),
            _ => None,
        }
    }

    /// Whether this is the empty set or the empty function.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// The field of this name, if this is a record that has it.
    #[inline]
    pub fn field(&self, name: &str) -> Option<&Value> {
        match &self.0 {
            Repr::Record(entries) => RecordFields {
                entries: &entries.slice,
            }
            .get(name),
            _ => None,
        }
    }

    /// The function applied to `argument`, if this is a function (tuple, record) with `argument` in its domain.
    pub fn apply(&self, argument: &Value) -> Option<&Value> {
        match &self.0 {
            Repr::Tuple(elements) => {
                let index = usize::try_from(argument.as_int()?).ok()?.checked_sub(1)?;
                elements.slice.get(index)
            }
            Repr::Record(entries) | Repr::Function(entries) => {
                let at = self.index_of(argument)?;
                entries.slice.get(at).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// A structural hash: equal values have equal hashes, in every process and on every machine.
    #[inline]
    pub fn hash64(&self) -> u64 {
        match self.0 {
            Repr::Int(value) => avalanche(value as u64),
            _ => self.hash_other(),
        }
    }

    #[inline(never)]
    fn hash_other(&self) -> u64 {
        let seed = self.kind() as u64 + 1;
        match &self.0 {
            Repr::Bool(value) => of_bool(*value),
            Repr::Int(value) => avalanche(*value as u64),
            Repr::ShortStr(text) | Repr::ShortModel(text) => avalanche(mix(text.hash(), seed)),
            Repr::LongStr(text) | Repr::LongModel(text) => avalanche(mix(text.header.header, seed)),
            Repr::Set(elements) | Repr::Tuple(elements) => self.hash_of_sum(elements.header.header),
            Repr::Record(entries) | Repr::Function(entries) => self.hash_of_sum(entries.header.header),
        }
    }

    /// The hash of a collection of this kind whose parts have this sum.
    #[inline]
    pub(crate) fn hash_of_sum(&self, sum: u64) -> u64 {
        of_sum(self.kind(), sum)
    }
}

impl Hash for Value {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash64());
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::int(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::bool(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::str(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::str(&text)
    }
}

/// The fields of a record, sorted by name; iterates as `(&str, &Value)`.
#[derive(Clone, Copy, Debug)]
pub struct RecordFields<'a> {
    entries: &'a [(Value, Value)],
}

impl<'a> RecordFields<'a> {
    /// The number of fields.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The field of this name. A linear search: records are small, and comparing two short names compares 15 bytes.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        let field = match ShortText::new(name) {
            Some(short) => self
                .entries
                .iter()
                .find(|(key, _)| matches!(&key.0, Repr::ShortStr(text) if *text == short)),
            None => self.entries.iter().find(|(key, _)| key.as_str() == Some(name)),
        };
        field.map(|(_, value)| value)
    }

    /// The fields in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a str, &'a Value)> + use<'a> {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_str().unwrap_or_default(), value))
    }
}
