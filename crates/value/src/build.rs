//! Construction of sets, tuples, records and functions in canonical form.

use std::cmp::Ordering;

use omnilink_memory::guard;
use smallvec::SmallVec;
use thiserror::Error;
use triomphe::ThinArc;

use crate::hash::{avalanche, mix};
use crate::value::{Elements, Entries, Repr, Value};

/// The entries of a record or function under construction; most have few.
pub(crate) type EntryBuffer = SmallVec<[(Value, Value); 8]>;
/// The elements of a tuple or set under construction.
pub(crate) type ElementBuffer = SmallVec<[Value; 8]>;

/// Whether a value of which this many elements are built may have one more, by the limits of the work.
#[inline]
pub(crate) fn may_grow(elements: usize) -> bool {
    guard::may_grow(elements, size_of::<Value>())
}

/// Whether there is room for the value itself when its elements are complete.
#[inline]
pub(crate) fn may_end(elements: usize) -> bool {
    elements < 64 || guard::has_room(elements.saturating_mul(size_of::<Value>()))
}

/// Two values for one argument of a function.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the key {key} occurs twice; a function has one value for each key")]
pub struct DuplicateKey {
    /// The argument.
    pub key: Value,
}

impl Value {
    /// The tuple or sequence of these elements.
    pub fn tuple(elements: impl IntoIterator<Item = Value>) -> Self {
        Self::from_elements(&mut elements.into_iter().collect())
    }

    /// The set of these elements, which may be in any order and repeat.
    pub fn set(elements: impl IntoIterator<Item = Value>) -> Self {
        let mut elements: ElementBuffer = elements.into_iter().collect();
        elements.sort_unstable();
        elements.dedup();
        Self::from_sorted_elements(elements)
    }

    /// The record of these fields. If a name occurs twice, the last one wins; [`Value::function`] returns an error instead.
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
        Self::from_sorted_strings(&mut entries)
    }

    /// The function that maps each key to its value, in canonical form: a tuple, a record or a function.
    ///
    /// # Errors
    /// When a key occurs twice, even with the same value.
    pub fn function(entries: impl IntoIterator<Item = (Value, Value)>) -> Result<Self, DuplicateKey> {
        Self::from_entries(&mut entries.into_iter().collect())
    }

    /// The set of elements that are sorted and distinct.
    pub(crate) fn from_sorted_elements(elements: ElementBuffer) -> Self {
        let sum = elements.iter().fold(elements.len() as u64, |sum, element| {
            sum.wrapping_add(avalanche(element.hash64()))
        });
        Self(Repr::Set(Elements::from_header_and_iter(
            sum,
            elements.into_iter(),
        )))
    }

    #[inline]
    pub(crate) fn from_elements(elements: &mut ElementBuffer) -> Self {
        let sum = (1..)
            .zip(elements.iter())
            .fold(elements.len() as u64, |sum, (index, element)| {
                sum.wrapping_add(mix(index, element.hash64()))
            });
        Self(Repr::Tuple(Elements::from_header_and_iter(
            sum,
            elements.drain(..),
        )))
    }

    /// Empties `entries`. Buffers are passed by reference because moving one costs more than filling it.
    #[inline]
    pub(crate) fn from_entries(entries: &mut EntryBuffer) -> Result<Self, DuplicateKey> {
        sort_distinct(entries)?;
        // Keys are sorted by kind first, so if the first and the last are strings, all are.
        let is_string = |entry: Option<&(Value, Value)>| entry.is_some_and(|(key, _)| key.as_str().is_some());
        if is_string(entries.first()) && is_string(entries.last()) {
            return Ok(Self(Repr::Record(shared_entries(entries))));
        }
        let is_sequence = (1..)
            .zip(entries.iter())
            .all(|(index, (key, _))| key.as_int() == Some(index));
        if is_sequence {
            return Ok(Self::from_elements(
                &mut entries.drain(..).map(|(_, value)| value).collect(),
            ));
        }
        Ok(Self(Repr::Function(shared_entries(entries))))
    }

    /// From entries with distinct string keys in order.
    fn from_sorted_strings(entries: &mut EntryBuffer) -> Self {
        if entries.is_empty() {
            return Self::from_elements(&mut ElementBuffer::new());
        }
        Self(Repr::Record(shared_entries(entries)))
    }
}

/// Sorts by key. Insertion sort is faster for the few fields that most records have.
#[inline]
fn sort_distinct(entries: &mut EntryBuffer) -> Result<(), DuplicateKey> {
    const FEW: usize = 8;
    let entries = entries.as_mut_slice();
    if entries.len() > FEW {
        entries.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        return match entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(DuplicateKey {
                key: pair[0].0.clone(),
            }),
            None => Ok(()),
        };
    }
    for end in 1..entries.len() {
        for at in (1..=end).rev() {
            match compare_keys(&entries[at - 1].0, &entries[at].0) {
                Ordering::Less => break,
                Ordering::Equal => {
                    return Err(DuplicateKey {
                        key: entries[at].0.clone(),
                    });
                }
                Ordering::Greater => entries.swap(at - 1, at),
            }
        }
    }
    Ok(())
}

/// The order of values, inlined for short texts, which most keys are.
#[inline]
fn compare_keys(left: &Value, right: &Value) -> Ordering {
    match (&left.0, &right.0) {
        (Repr::ShortStr(left), Repr::ShortStr(right)) => left.rank().cmp(&right.rank()),
        _ => left.cmp(right),
    }
}

#[inline]
fn shared_entries(entries: &mut EntryBuffer) -> Entries {
    let sum = entries.iter().fold(entries.len() as u64, |sum, (key, value)| {
        sum.wrapping_add(mix(key.hash64(), value.hash64()))
    });
    ThinArc::from_header_and_iter(sum, entries.drain(..))
}
