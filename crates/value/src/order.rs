//! Equality and the total order.
//!
//! Values are ordered by [`ValueKind`](crate::ValueKind) first. Within a kind:
//!
//! - `FALSE` before `TRUE`; integers by size; strings and model values by their text (bytes of UTF-8);
//! - sets by cardinality, then element by element in their own order; tuples by length, then element by element;
//! - records and functions by size, then by domain (key by key), then by values (in the order of the keys).
//!
//! This is the order TLC normalises sets to, except that TLC orders strings by when it first met them.

use std::cmp::Ordering;

use crate::value::{Entries, Repr, Value};

impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Int(left), Repr::Int(right)) => left == right,
            (Repr::ShortStr(left), Repr::ShortStr(right))
            | (Repr::ShortModel(left), Repr::ShortModel(right)) => left == right,
            _ => self.equals_other(other),
        }
    }
}

impl Value {
    #[inline(never)]
    fn equals_other(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Bool(left), Repr::Bool(right)) => left == right,
            (Repr::Int(left), Repr::Int(right)) => left == right,
            (Repr::ShortStr(left), Repr::ShortStr(right))
            | (Repr::ShortModel(left), Repr::ShortModel(right)) => left == right,
            (Repr::LongStr(left), Repr::LongStr(right)) | (Repr::LongModel(left), Repr::LongModel(right)) => {
                left.as_ptr() == right.as_ptr()
                    || (left.header.header == right.header.header && left.slice == right.slice)
            }
            (Repr::Set(left), Repr::Set(right)) | (Repr::Tuple(left), Repr::Tuple(right)) => {
                left.as_ptr() == right.as_ptr()
                    || (left.header.header == right.header.header && left.slice == right.slice)
            }
            (Repr::Record(left), Repr::Record(right)) | (Repr::Function(left), Repr::Function(right)) => {
                left.as_ptr() == right.as_ptr()
                    || (left.header.header == right.header.header && left.slice == right.slice)
            }
            _ => false,
        }
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Int(left), Repr::Int(right)) => left.cmp(right),
            _ => self.compare_other(other),
        }
    }
}

impl Value {
    #[inline(never)]
    fn compare_other(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Bool(left), Repr::Bool(right)) => left.cmp(right),
            (Repr::Int(left), Repr::Int(right)) => left.cmp(right),
            (Repr::ShortStr(left), Repr::ShortStr(right))
            | (Repr::ShortModel(left), Repr::ShortModel(right)) => left.rank().cmp(&right.rank()),
            (Repr::Set(left), Repr::Set(right)) | (Repr::Tuple(left), Repr::Tuple(right)) => {
                if left.as_ptr() == right.as_ptr() {
                    return Ordering::Equal;
                }
                left.slice
                    .len()
                    .cmp(&right.slice.len())
                    .then_with(|| left.slice.cmp(&right.slice))
            }
            (Repr::Record(left), Repr::Record(right)) | (Repr::Function(left), Repr::Function(right)) => {
                compare_entries(left, right)
            }
            _ => self
                .kind()
                .cmp(&other.kind())
                .then_with(|| self.text().cmp(other.text())),
        }
    }
}

impl Value {
    /// The text of a string or model value. Two values of one kind that the cases above do not cover are texts of which at
    /// least one is long.
    fn text(&self) -> &str {
        self.as_str().or_else(|| self.as_model()).unwrap_or_default()
    }
}

fn compare_entries(left: &Entries, right: &Entries) -> Ordering {
    if left.as_ptr() == right.as_ptr() {
        return Ordering::Equal;
    }
    let (left, right) = (&left.slice, &right.slice);
    let by_size = left.len().cmp(&right.len());
    if by_size.is_ne() {
        return by_size;
    }
    // Most pairs have the same domain and differ in an early value, so keys and values are compared in one pass. The first
    // difference between values counts only if the keys are equal.
    let mut by_value = Ordering::Equal;
    for ((left_key, left_value), (right_key, right_value)) in left.iter().zip(right) {
        if left_key != right_key {
            return left_key.cmp(right_key);
        }
        if by_value.is_eq() {
            by_value = left_value.cmp(right_value);
        }
    }
    by_value
}
