//! Record shapes: the field names that all records made by one expression share.

use smallvec::SmallVec;

use crate::hash::mix;
use crate::value::{Entries, Repr, Value};

/// The sorted names of a record's fields, with their hashes.
#[derive(Clone, Debug)]
pub struct Shape {
    names: Box<[Value]>,
    hashes: Box<[u64]>,
}

impl Shape {
    /// The shape of records with these names, which are sorted and distinct strings.
    pub fn of_sorted(names: impl IntoIterator<Item = Value>) -> Self {
        let names: Box<[Value]> = names.into_iter().collect();
        debug_assert!(names.is_sorted_by(|left, right| left < right));
        let hashes = names.iter().map(Value::hash64).collect();
        Self { names, hashes }
    }

    /// The names, sorted.
    pub fn names(&self) -> &[Value] {
        &self.names
    }

    /// The record of these values, which are in the order of the names. Empties `values`.
    pub fn record(&self, values: &mut SmallVec<[Value; 8]>) -> Value {
        debug_assert_eq!(values.len(), self.names.len());
        if self.names.is_empty() {
            return Value::tuple([]);
        }
        let sum = values
            .iter()
            .zip(&self.hashes)
            .fold(self.names.len() as u64, |sum, (value, hash)| {
                sum.wrapping_add(mix(*hash, value.hash64()))
            });
        let entries = self.names.iter().cloned().zip(values.drain(..));
        Value(Repr::Record(Entries::from_header_and_iter(
            sum,
            Exact(entries, self.names.len()),
        )))
    }
}

/// An iterator with a known length, which zipping with a drain loses.
pub(crate) struct Exact<I>(pub(crate) I, pub(crate) usize);

impl<I: Iterator> Iterator for Exact<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        let item = self.0.next();
        self.1 -= usize::from(item.is_some());
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.1, Some(self.1))
    }
}

impl<I: Iterator> ExactSizeIterator for Exact<I> {}
