//! Values derived from others: set algebra and replacement of one part.
//!
//! An evaluator mostly adds an element to a set or replaces one value of a function. The parts of an existing value are
//! sorted and distinct, and the hash of a collection is a sum over its parts, so a merge or a copy is enough; nothing is
//! sorted again.

use std::cmp::Ordering;

use smallvec::SmallVec;
use triomphe::Arc;

use crate::build::{ElementBuffer, EntryBuffer};
use crate::hash::{avalanche, mix};
use crate::shape::Exact;
use crate::value::{Elements, Entries, Repr, Value};

/// Up to this many keys or elements, a linear search is faster than a binary search.
const FEW: usize = 8;

/// The index of a value among sorted elements.
pub fn position_in(elements: &[Value], wanted: &Value) -> Option<usize> {
    if elements.len() <= FEW {
        return elements.iter().position(|element| element == wanted);
    }
    elements.binary_search(wanted).ok()
}

impl Value {
    /// The tuple of these elements. Empties `elements`.
    pub fn tuple_of(elements: &mut SmallVec<[Value; 8]>) -> Self {
        Self::from_elements(elements)
    }

    /// The concatenation of two sequences, in one allocation.
    pub fn sequence_of(first: &[Value], second: &[Value]) -> Self {
        let len = first.len() + second.len();
        let sum = (1..)
            .zip(first.iter().chain(second))
            .fold(len as u64, |sum, (index, element)| {
                sum.wrapping_add(mix(index, element.hash64()))
            });
        let elements = Exact(first.iter().chain(second).cloned(), len);
        Self(Repr::Tuple(Elements::from_header_and_iter(sum, elements)))
    }

    /// The set of these elements, which must be sorted and distinct: otherwise the set is not canonical and equality fails.
    pub fn set_of_sorted(elements: impl IntoIterator<Item = Value>) -> Self {
        let elements: ElementBuffer = elements.into_iter().collect();
        debug_assert!(elements.is_sorted_by(|left, right| left < right));
        Self::from_sorted_elements(elements)
    }

    /// The union of two sets, given by their sorted elements.
    pub fn union_of(left: &[Value], right: &[Value]) -> Self {
        if let [one] = right {
            return Self::with_element(left, one);
        }
        if let [one] = left {
            return Self::with_element(right, one);
        }
        let mut merged = ElementBuffer::with_capacity(left.len() + right.len());
        let (mut l, mut r) = (left, right);
        while let ([x, l_rest @ ..], [y, r_rest @ ..]) = (l, r) {
            match x.cmp(y) {
                Ordering::Less => {
                    merged.push(x.clone());
                    l = l_rest;
                }
                Ordering::Greater => {
                    merged.push(y.clone());
                    r = r_rest;
                }
                Ordering::Equal => {
                    merged.push(x.clone());
                    (l, r) = (l_rest, r_rest);
                }
            }
        }
        merged.extend(l.iter().chain(r).cloned());
        Self::from_sorted_elements(merged)
    }

    /// The set with one more element, unless it has it.
    fn with_element(elements: &[Value], one: &Value) -> Self {
        let at = match elements.binary_search(one) {
            Ok(_) => return Self::set_of_sorted(elements.iter().cloned()),
            Err(at) => at,
        };
        let sum = elements
            .iter()
            .chain([one])
            .fold(elements.len() as u64 + 1, |sum, element| {
                sum.wrapping_add(avalanche(element.hash64()))
            });
        let grown = elements[..at].iter().chain([one]).chain(&elements[at..]).cloned();
        Self(Repr::Set(Elements::from_header_and_iter(
            sum,
            Exact(grown, elements.len() + 1),
        )))
    }

    /// This function (tuple, record) with the entry at `index`, in the order of the keys, replaced; `None` if there is no such
    /// entry. The domain stays as it is, so the form stays canonical.
    pub fn with_entry(&self, index: usize, value: Value) -> Option<Self> {
        // Copying all entries and then replacing one is much cheaper than choosing between old and new for each.
        let mut copy = match &self.0 {
            Repr::Tuple(elements) => Repr::Tuple(Elements::from_header_and_iter(
                elements.header.header,
                elements.slice.iter().cloned(),
            )),
            Repr::Record(entries) => Repr::Record(copied(entries)),
            Repr::Function(entries) => Repr::Function(copied(entries)),
            _ => return None,
        };
        replace_unshared(&mut copy, index, value).map(|()| Self(copy))
    }

    /// Replaces the entry at `index`, as [`with_entry`](Self::with_entry) does, in place if this value is not shared. Returns
    /// whether there is such an entry; if not, nothing changes.
    pub fn set_entry(&mut self, index: usize, value: Value) -> bool {
        if replace_unshared(&mut self.0, index, value.clone()).is_some() {
            return true;
        }
        let changed = self.with_entry(index, value);
        let exists = changed.is_some();
        *self = changed.unwrap_or_else(|| self.clone());
        exists
    }

    /// The hash that this function (tuple, record) would have with other values at some distinct indices, given those
    /// values' hashes; `None` if it has no such entry.
    pub fn hash_with_entries(&self, changes: impl IntoIterator<Item = (usize, u64)>) -> Option<u64> {
        let (mut sum, is_tuple) = match &self.0 {
            Repr::Tuple(elements) => (elements.header.header, true),
            Repr::Record(entries) | Repr::Function(entries) => (entries.header.header, false),
            _ => return None,
        };
        for (index, new) in changes {
            let key = match self.as_entries() {
                Some(entries) => entries.get(index)?.0.hash64(),
                None if is_tuple => index as u64 + 1,
                None => return None,
            };
            let old = self.part(index)?.hash64();
            sum = sum.wrapping_sub(mix(key, old)).wrapping_add(mix(key, new));
        }
        Some(self.hash_of_sum(sum))
    }

    /// The hash that this set would have with additional elements, none of which it has, given their hashes.
    pub fn hash_with_elements(&self, more: impl IntoIterator<Item = u64>) -> Option<u64> {
        let Repr::Set(elements) = &self.0 else {
            return None;
        };
        let sum = more.into_iter().fold(elements.header.header, |sum, hash| {
            sum.wrapping_add(avalanche(hash)).wrapping_add(1)
        });
        Some(self.hash_of_sum(sum))
    }

    /// The value of the entry at `index`, in the order of the keys.
    #[inline]
    pub fn part(&self, index: usize) -> Option<&Value> {
        match &self.0 {
            Repr::Tuple(elements) => elements.slice.get(index),
            Repr::Record(entries) | Repr::Function(entries) => {
                entries.slice.get(index).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The index of a key among the entries of this function (tuple, record), in the order of the keys.
    pub fn index_of(&self, key: &Value) -> Option<usize> {
        match &self.0 {
            Repr::Tuple(elements) => {
                let index = usize::try_from(key.as_int()?).ok()?.checked_sub(1)?;
                (index < elements.slice.len()).then_some(index)
            }
            Repr::Record(entries) | Repr::Function(entries) => {
                if entries.slice.len() <= FEW {
                    return entries.slice.iter().position(|(k, _)| k == key);
                }
                entries.slice.binary_search_by(|(k, _)| k.cmp(key)).ok()
            }
            _ => None,
        }
    }

    /// The function with these entries, whose keys are sorted and distinct.
    pub fn function_of_sorted(entries: impl IntoIterator<Item = (Value, Value)>) -> Self {
        let mut entries: EntryBuffer = entries.into_iter().collect();
        debug_assert!(entries.is_sorted_by(|left, right| left.0 < right.0));
        match Self::from_entries(&mut entries) {
            Ok(function) => function,
            Err(duplicate) => unreachable!("{duplicate}"),
        }
    }
}

fn copied(entries: &Entries) -> Entries {
    Entries::from_header_and_iter(entries.header.header, entries.slice.iter().cloned())
}

/// Replaces the entry at `index` of a function (tuple, record) that is not shared; `None`, and nothing changes, if it is
/// shared or has no such entry.
fn replace_unshared(function: &mut Repr, index: usize, value: Value) -> Option<()> {
    let new = value.hash64();
    // The hash sum after a replacement at a key with this hash.
    let updated = |sum: u64, key: u64, old: &Value| {
        let old = mix(key, old.hash64());
        sum.wrapping_sub(old).wrapping_add(mix(key, new))
    };
    match function {
        Repr::Tuple(elements) => elements.with_arc_mut(|elements| {
            let own = Arc::get_mut(elements)?;
            let element = own.slice_mut().get_mut(index)?;
            let old = std::mem::replace(element, value);
            *own.header_mut() = updated(*own.header(), index as u64 + 1, &old);
            Some(())
        }),
        Repr::Record(entries) | Repr::Function(entries) => entries.with_arc_mut(|entries| {
            let own = Arc::get_mut(entries)?;
            let (key, element) = own.slice_mut().get_mut(index)?;
            let key = key.hash64();
            let old = std::mem::replace(element, value);
            *own.header_mut() = updated(*own.header(), key, &old);
            Some(())
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(elements: &[i64]) -> Value {
        Value::set(elements.iter().copied().map(Value::int))
    }

    fn elements(set: &Value) -> &[Value] {
        set.as_set().unwrap_or_default()
    }

    #[test]
    fn a_merged_union_is_the_set_built_from_scratch() {
        let (odd, low) = (ints(&[1, 3, 5, 7]), ints(&[0, 1, 2, 3]));
        let union = Value::union_of(elements(&odd), elements(&low));
        assert_eq!(union, ints(&[0, 1, 2, 3, 5, 7]));
        assert_eq!(union.hash64(), ints(&[0, 1, 2, 3, 5, 7]).hash64());
    }

    #[test]
    fn replacing_an_entry_gives_the_value_and_hash_built_from_scratch() {
        let tuple = Value::tuple([1.into(), 2.into(), 3.into()]);
        let changed = tuple.with_entry(1, "x".into());
        let expected = Value::tuple([1.into(), "x".into(), 3.into()]);
        assert_eq!(changed.as_ref(), Some(&expected));
        assert_eq!(changed.map(|v| v.hash64()), Some(expected.hash64()));

        let record = Value::record([("a", 1.into()), ("b", Value::int(2))]);
        let expected = Value::record([("a", 1.into()), ("b", Value::bool(true))]);
        let changed = record
            .index_of(&"b".into())
            .and_then(|at| record.with_entry(at, true.into()));
        assert_eq!(changed.as_ref(), Some(&expected));
        assert_eq!(changed.map(|v| v.hash64()), Some(expected.hash64()));
        assert_eq!(tuple.with_entry(3, 0.into()), None);
    }

    #[test]
    fn replacing_an_entry_in_place_does_not_change_other_values() {
        let function = || Value::function_of_sorted((0..9).map(|key| (key.into(), Value::int(key * key))));
        let values = [
            function(),
            Value::tuple([1.into(), "two".into(), 3.into()]),
            Value::record([("a", 1.into()), ("b", function())]),
        ];
        for value in values {
            for index in 0..3 {
                let expected = value.with_entry(index, "new".into());
                let mut shared = value.clone();
                assert_eq!(shared.set_entry(index, "new".into()), expected.is_some());
                let mut alone = expected.clone().unwrap_or_else(|| value.clone());
                drop(expected);
                let twice = alone.with_entry(index, function());
                assert_eq!(shared.hash64(), alone.hash64());
                assert_eq!(shared, alone);
                assert_eq!(alone.set_entry(index, function()), twice.is_some());
                let twice = twice.unwrap_or_else(|| value.clone());
                assert_eq!((alone.hash64(), &alone), (twice.hash64(), &twice));
            }
        }
        let mut plain = Value::int(3);
        assert!(!plain.set_entry(0, 1.into()));
        assert_eq!(plain, Value::int(3));
    }

    #[test]
    fn a_sequence_made_of_two_parts_is_the_tuple_of_both() {
        let (first, second) = (ints(&[1, 2]), ints(&[3]));
        let joined = Value::sequence_of(elements(&first), elements(&second));
        let expected = Value::tuple([1.into(), 2.into(), 3.into()]);
        assert_eq!(joined, expected);
        assert_eq!(joined.hash64(), expected.hash64());
        assert_eq!(Value::sequence_of(&[], &[]), Value::tuple([]));
    }

    #[test]
    fn sorted_entries_take_the_canonical_form() {
        let sequence = Value::function_of_sorted([(1.into(), "a".into()), (2.into(), "b".into())]);
        assert_eq!(sequence, Value::tuple(["a".into(), "b".into()]));
        let from_zero = Value::function_of_sorted([(0.into(), "a".into()), (1.into(), "b".into())]);
        assert_eq!(from_zero.kind(), crate::ValueKind::Function);
    }
}
