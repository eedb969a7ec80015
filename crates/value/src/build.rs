//! Building sets, tuples, records and functions: the one place that makes collections canonical.

use smallvec::SmallVec;
use thiserror::Error;
use triomphe::ThinArc;

use crate::hash::{avalanche, mix};
use crate::value::{Elements, Entries, Repr, Value};

/// Entries on their way into a record or function; most have few.
pub(crate) type EntryBuffer = SmallVec<[(Value, Value); 8]>;
/// Elements on their way into a tuple or set.
pub(crate) type ElementBuffer = SmallVec<[Value; 8]>;

/// A function was given two values for one argument.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the key {key} occurs twice; a function has one value for each key")]
pub struct DuplicateKey {
    /// The key in question.
    pub key: Value,
}

impl Value {
    /// The tuple or sequence of these elements.
    pub fn tuple(elements: impl IntoIterator<Item = Value>) -> Self {
        Self::from_element_buffer(elements.into_iter().collect())
    }

    /// The set of these elements, in any order and however often each is given.
    pub fn set(elements: impl IntoIterator<Item = Value>) -> Self {
        let mut elements: ElementBuffer = elements.into_iter().collect();
        elements.sort_unstable();
        elements.dedup();
        let sum = elements.iter().fold(elements.len() as u64, |sum, element| {
            sum.wrapping_add(avalanche(element.hash64()))
        });
        Self(Repr::Set(Elements::from_header_and_iter(
            sum,
            elements.into_iter(),
        )))
    }

    /// The record of these fields. Where a name occurs twice, the last one wins; use [`Value::function`] to be told.
    pub fn record<N: AsRef<str>>(fields: impl IntoIterator<Item = (N, Value)>) -> Self {
        let mut entries: EntryBuffer = fields
            .into_iter()
            .map(|(name, value)| (Value::str(name.as_ref()), value))
            .collect();
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        entries.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        Self::from_sorted_strings(entries)
    }

    /// The function that maps each key to its value, in canonical form: a tuple, a record or a function.
    ///
    /// # Errors
    /// When a key is given twice, even with the same value.
    pub fn function(entries: impl IntoIterator<Item = (Value, Value)>) -> Result<Self, DuplicateKey> {
        Self::from_entry_buffer(entries.into_iter().collect())
    }

    pub(crate) fn from_element_buffer(elements: ElementBuffer) -> Self {
        let sum = (1..)
            .zip(elements.iter())
            .fold(elements.len() as u64, |sum, (index, element)| {
                sum.wrapping_add(mix(index, element.hash64()))
            });
        Self(Repr::Tuple(Elements::from_header_and_iter(
            sum,
            elements.into_iter(),
        )))
    }

    pub(crate) fn from_entry_buffer(mut entries: EntryBuffer) -> Result<Self, DuplicateKey> {
        let is_sorted = entries.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !is_sorted {
            entries.sort_unstable_by(|left, right| left.0.cmp(&right.0));
            if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(DuplicateKey {
                    key: pair[0].0.clone(),
                });
            }
        }
        let is_sequence = (1..)
            .zip(entries.iter())
            .all(|(index, (key, _))| key.as_int() == Some(index));
        if is_sequence {
            return Ok(Self::from_element_buffer(
                entries.into_iter().map(|(_, value)| value).collect(),
            ));
        }
        // Keys are sorted by kind first, so the first and the last speak for all.
        let is_string = |entry: Option<&(Value, Value)>| entry.is_some_and(|(key, _)| key.as_str().is_some());
        if is_string(entries.first()) && is_string(entries.last()) {
            return Ok(Self::from_sorted_strings(entries));
        }
        Ok(Self(Repr::Function(shared_entries(entries))))
    }

    /// From entries with distinct string keys in order.
    fn from_sorted_strings(entries: EntryBuffer) -> Self {
        if entries.is_empty() {
            return Self::from_element_buffer(ElementBuffer::new());
        }
        Self(Repr::Record(shared_entries(entries)))
    }
}

fn shared_entries(entries: EntryBuffer) -> Entries {
    let sum = entries.iter().fold(entries.len() as u64, |sum, (key, value)| {
        sum.wrapping_add(mix(key.hash64(), value.hash64()))
    });
    ThinArc::from_header_and_iter(sum, entries.into_iter())
}
