//! The store: all strings, sets and functions that compiled code has met, each once.
//!
//! A store belongs to one worker and only grows, until its owner replaces it. The hash of an entry is that of the value
//! ([`Value::hash64`]), so fingerprints of compiled and of interpreted states are the same.

use omnilink_value::{Value, ValueKind, hash};
use rustc_hash::FxHashMap;

use super::operation_memo::OperationMemo;
use super::signatures::{MODEL, Signatures};
use super::word::{ValueWord, WordContent};

/// One value.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    /// The sum over its parts from which the hash is made. For a string or a model value, its first characters, which decide most
    /// comparisons.
    sum: u64,
    /// Where its parts start: elements of a set or tuple, or the values of a function in the order of its keys. For a string, a model
    /// value or a large integer, its index among the atoms.
    start: u32,
    len: u32,
    /// The set of keys of a record or function.
    domain: ValueWord,
    /// Two values with one signature can be compared, and some others (`signatures.rs`); zero for none.
    signature: u32,
    kind: ValueKind,
}

/// Hash-consed values.
#[derive(Debug)]
pub struct ValueStore {
    entries: Vec<Entry>,
    parts: Vec<ValueWord>,
    atoms: Vec<Value>,
    /// The values of entries that were asked for.
    pub(super) values: Vec<Option<Value>>,
    /// Open addressing by hash: the number of an entry plus one, or zero.
    table: Vec<u32>,
    empty_set: ValueWord,
    empty_tuple: ValueWord,
    pub(super) signatures: Signatures,
    intervals: FxHashMap<(i64, i64), ValueWord>,
    pub(crate) operations: OperationMemo,
}

impl Default for ValueStore {
    fn default() -> Self {
        let mut store = Self {
            entries: Vec::new(),
            parts: Vec::new(),
            atoms: Vec::new(),
            values: Vec::new(),
            table: vec![0; 1 << 10],
            empty_set: ValueWord::FALSE,
            empty_tuple: ValueWord::FALSE,
            signatures: Signatures::default(),
            intervals: FxHashMap::default(),
            operations: OperationMemo::default(),
        };
        store.empty_set = store.collection(ValueKind::Set, ValueWord::FALSE, &[]);
        store.empty_tuple = store.collection(ValueKind::Tuple, ValueWord::FALSE, &[]);
        store
    }
}

impl ValueStore {
    /// Its approximate size in memory.
    pub fn bytes(&self) -> usize {
        self.entries.len() * size_of::<Entry>()
            + self.parts.len() * size_of::<ValueWord>()
            + self.table.len() * size_of::<u32>()
            + self.values.len() * size_of::<Option<Value>>()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no entries, which it always has.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn empty_set(&self) -> ValueWord {
        self.empty_set
    }

    pub(crate) fn empty_tuple(&self) -> ValueWord {
        self.empty_tuple
    }

    #[inline]
    fn entry(&self, number: u32) -> &Entry {
        &self.entries[number as usize]
    }

    #[inline]
    fn parts_of(&self, entry: &Entry) -> &[ValueWord] {
        &self.parts[entry.start as usize..][..entry.len as usize]
    }

    /// The signature of a value: two values with one signature other than zero can be compared.
    #[inline]
    pub(crate) fn signature(&self, word: ValueWord) -> u32 {
        match word.kind() {
            ValueKind::Int | ValueKind::Bool | ValueKind::Str => word.kind() as u32 + 1,
            _ => word.as_entry().map_or(0, |number| self.entry(number).signature),
        }
    }

    /// The signature of a collection whose parts are at the end of `parts`.
    fn signature_of(&mut self, kind: ValueKind, domain: ValueWord, start: usize) -> u32 {
        let mut parts = std::mem::take(&mut self.signatures.buffer);
        parts.clear();
        parts.extend(self.parts[start..].iter().map(|part| self.signature(*part)));
        let signature = self.signatures.of(kind, domain, &mut parts);
        self.signatures.buffer = parts;
        signature
    }

    /// The hash of the value.
    #[inline]
    pub fn hash(&self, word: ValueWord) -> u64 {
        match word.content() {
            WordContent::Int(int) => hash::of_int(int),
            WordContent::Bool(truth) => hash::of_bool(truth),
            WordContent::Entry(number) => self.entry(number).hash,
        }
    }

    /// The kind of the value.
    #[inline]
    pub fn kind(&self, word: ValueWord) -> ValueKind {
        word.kind()
    }

    /// The elements of a set, in order.
    #[inline]
    pub fn as_set(&self, word: ValueWord) -> Option<&[ValueWord]> {
        let entry = self.entry(word.as_entry_of(ValueKind::Set)?);
        Some(self.parts_of(entry))
    }

    /// The elements of a tuple.
    #[inline]
    pub fn as_tuple(&self, word: ValueWord) -> Option<&[ValueWord]> {
        let entry = self.entry(word.as_entry_of(ValueKind::Tuple)?);
        Some(self.parts_of(entry))
    }

    /// The set of keys and the values of a record or of a function that is no tuple.
    #[inline]
    pub fn as_function(&self, word: ValueWord) -> Option<(ValueWord, &[ValueWord])> {
        if !matches!(word.kind(), ValueKind::Record | ValueKind::Function) {
            return None;
        }
        let entry = self.entry(word.as_entry()?);
        Some((entry.domain, self.parts_of(entry)))
    }

    /// The values of a function, tuples and records included, in the order of its keys.
    #[inline]
    pub fn range_of(&self, word: ValueWord) -> Option<&[ValueWord]> {
        if !matches!(
            word.kind(),
            ValueKind::Tuple | ValueKind::Record | ValueKind::Function
        ) {
            return None;
        }
        let entry = self.entry(word.as_entry()?);
        Some(self.parts_of(entry))
    }

    /// The parts of a set or function, in order.
    #[inline]
    pub(crate) fn parts(&self, word: ValueWord) -> &[ValueWord] {
        match word.as_entry() {
            Some(number) if self.entry(number).len > 0 => self.parts_of(self.entry(number)),
            _ => &[],
        }
    }

    /// The string, model value or large integer of an entry without parts.
    pub fn as_atom(&self, word: ValueWord) -> Option<&Value> {
        let entry = self.entry(word.as_entry()?);
        match entry.kind {
            ValueKind::Model | ValueKind::Str | ValueKind::Int => Some(&self.atoms[entry.start as usize]),
            _ => None,
        }
    }

    /// The interval between two integers, which is not too long. Intervals from small integers are found by their ends: they are the
    /// domains of sequences.
    pub(crate) fn interval_of(&mut self, low: i64, high: i64) -> ValueWord {
        if low > high {
            return self.empty_set;
        }
        if let Some(known) = self.intervals.get(&(low, high)) {
            return *known;
        }
        let start = self.parts.len();
        self.parts.extend((low..=high).filter_map(ValueWord::int));
        let interval = self.built(ValueKind::Set, ValueWord::FALSE, start);
        self.intervals.insert((low, high), interval);
        interval
    }

    /// The set with one more element, at this index.
    pub(crate) fn with_element(
        &mut self,
        set: ValueWord,
        at: usize,
        element: ValueWord,
    ) -> Option<ValueWord> {
        let entry = *self.entry(set.as_entry_of(ValueKind::Set)?);
        let start = self.parts.len();
        let (first, end) = (entry.start as usize, (entry.start + entry.len) as usize);
        self.parts.extend_from_within(first..first + at);
        self.parts.push(element);
        self.parts.extend_from_within(first + at..end);
        let sum = entry
            .sum
            .wrapping_add(1)
            .wrapping_add(hash::of_element(self.hash(element)));
        Some(self.intern(ValueKind::Set, ValueWord::FALSE, start, sum))
    }

    /// The order of two strings or two model values, if their first characters decide it.
    pub(crate) fn compare_ranks(&self, left: ValueWord, right: ValueWord) -> std::cmp::Ordering {
        match (left.as_entry(), right.as_entry()) {
            (Some(left), Some(right)) => self.entry(left).sum.cmp(&self.entry(right).sum),
            _ => std::cmp::Ordering::Equal,
        }
    }

    /// The set of these elements, which must be sorted and distinct.
    pub(crate) fn set_of_sorted(&mut self, elements: &[ValueWord]) -> ValueWord {
        self.collection(ValueKind::Set, ValueWord::FALSE, elements)
    }

    /// The tuple of these elements.
    pub(crate) fn tuple_of(&mut self, elements: &[ValueWord]) -> ValueWord {
        self.collection(ValueKind::Tuple, ValueWord::FALSE, elements)
    }

    /// The function with this set of keys and these values, in the order of the keys.
    pub(crate) fn function_of(&mut self, domain: ValueWord, values: &[ValueWord]) -> ValueWord {
        let keys = self.as_set(domain).unwrap_or_default();
        debug_assert_eq!(keys.len(), values.len());
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
            return self.empty_tuple;
        };
        // Keys are sorted by kind first, so the two ends decide.
        let is_string = |key: &ValueWord| self.kind(*key) == ValueKind::Str;
        if is_string(first) && is_string(last) {
            return self.collection(ValueKind::Record, domain, values);
        }
        if first.as_int() == Some(1) && last.as_int() == Some(keys.len() as i64) {
            return self.tuple_of(values);
        }
        self.collection(ValueKind::Function, domain, values)
    }

    /// The function with another value at an index, in the order of the keys.
    pub(crate) fn with_entry(
        &mut self,
        function: ValueWord,
        index: usize,
        value: ValueWord,
    ) -> Option<ValueWord> {
        let entry = *self.entry(function.as_entry()?);
        let old = *self.parts_of(&entry).get(index)?;
        if old == value {
            return Some(function);
        }
        let key = self.key_hash(&entry, index);
        let sum = entry
            .sum
            .wrapping_sub(hash::of_entry(key, self.hash(old)))
            .wrapping_add(hash::of_entry(key, self.hash(value)));
        let start = self.parts.len();
        self.parts
            .extend_from_within(entry.start as usize..(entry.start + entry.len) as usize);
        self.parts[start + index] = value;
        Some(self.intern(entry.kind, entry.domain, start, sum))
    }

    /// The hash of the key at an index of a function.
    #[inline]
    fn key_hash(&self, entry: &Entry, index: usize) -> u64 {
        match entry.kind {
            ValueKind::Tuple => index as u64 + 1,
            _ => self.hash(self.as_set(entry.domain).unwrap_or_default()[index]),
        }
    }

    pub(super) fn collection(
        &mut self,
        kind: ValueKind,
        domain: ValueWord,
        parts: &[ValueWord],
    ) -> ValueWord {
        let start = self.parts.len();
        self.parts.extend_from_slice(parts);
        self.built(kind, domain, start)
    }

    /// The tuple of some parts of tuples, one after the other.
    pub(crate) fn tuple_of_ranges(&mut self, ranges: &[(ValueWord, std::ops::Range<usize>)]) -> ValueWord {
        let start = self.parts.len();
        for (tuple, range) in ranges {
            if let Some(number) = tuple.as_entry() {
                let first = self.entry(number).start as usize;
                self.parts
                    .extend_from_within(first + range.start..first + range.end);
            }
        }
        self.built(ValueKind::Tuple, ValueWord::FALSE, start)
    }

    /// The tuple with one more element.
    pub(crate) fn appended(&mut self, tuple: ValueWord, last: ValueWord) -> Option<ValueWord> {
        let entry = *self.entry(tuple.as_entry_of(ValueKind::Tuple)?);
        let start = self.parts.len();
        self.parts
            .extend_from_within(entry.start as usize..(entry.start + entry.len) as usize);
        self.parts.push(last);
        let share = hash::of_entry(u64::from(entry.len) + 1, self.hash(last));
        let sum = entry.sum.wrapping_add(1).wrapping_add(share);
        Some(self.intern(ValueKind::Tuple, ValueWord::FALSE, start, sum))
    }

    /// The collection whose parts are at the end of `parts`, from `start` on.
    fn built(&mut self, kind: ValueKind, domain: ValueWord, start: usize) -> ValueWord {
        let parts = &self.parts[start..];
        let mut sum = parts.len() as u64;
        match kind {
            ValueKind::Set => {
                for part in parts {
                    sum = sum.wrapping_add(hash::of_element(self.hash(*part)));
                }
            }
            ValueKind::Tuple => {
                for (index, part) in (1..).zip(parts) {
                    sum = sum.wrapping_add(hash::of_entry(index, self.hash(*part)));
                }
            }
            _ => {
                let keys = self.as_set(domain).unwrap_or_default();
                for (key, part) in keys.iter().zip(parts) {
                    sum = sum.wrapping_add(hash::of_entry(self.hash(*key), self.hash(*part)));
                }
            }
        }
        self.intern(kind, domain, start, sum)
    }

    /// The entry whose parts are at the end of `parts`, from `start` on. They are removed if there is such an entry already.
    fn intern(&mut self, kind: ValueKind, domain: ValueWord, start: usize, sum: u64) -> ValueWord {
        let wanted = hash::of_sum(kind, sum);
        let len = self.parts.len() - start;
        let mask = self.table.len() - 1;
        let mut slot = wanted as usize & mask;
        while let Some(number) = self.table[slot].checked_sub(1) {
            let entry = &self.entries[number as usize];
            if entry.hash == wanted
                && entry.kind == kind
                && entry.len as usize == len
                && entry.domain == domain
                && self.parts_of(entry) == &self.parts[start..]
            {
                self.parts.truncate(start);
                return ValueWord::of_entry(number, kind);
            }
            slot = (slot + 1) & mask;
        }
        let signature = self.signature_of(kind, domain, start);
        self.add(
            Entry {
                hash: wanted,
                sum,
                start: start as u32,
                len: len as u32,
                domain,
                signature,
                kind,
            },
            slot,
        )
    }

    /// The word of a set or function that was converted before. Its hash is at hand, and equal values mostly share their parts, so this takes
    /// the same time whatever its size.
    pub(super) fn known(&self, value: &Value) -> Option<ValueWord> {
        let (wanted, kind) = (value.hash64(), value.kind());
        let mask = self.table.len() - 1;
        let mut slot = wanted as usize & mask;
        while let Some(number) = self.table[slot].checked_sub(1) {
            let entry = &self.entries[number as usize];
            let is_known = entry.hash == wanted && entry.kind == kind;
            if is_known && self.values[number as usize].as_ref() == Some(value) {
                return Some(ValueWord::of_entry(number, kind));
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    pub(super) fn atom(&mut self, value: &Value) -> ValueWord {
        let wanted = value.hash64();
        let kind = value.kind();
        let mask = self.table.len() - 1;
        let mut slot = wanted as usize & mask;
        while let Some(number) = self.table[slot].checked_sub(1) {
            let entry = &self.entries[number as usize];
            if entry.hash == wanted && entry.kind == kind && self.atoms[entry.start as usize] == *value {
                return ValueWord::of_entry(number, kind);
            }
            slot = (slot + 1) & mask;
        }
        self.atoms.push(value.clone());
        let is_untyped = value.as_model().is_some_and(|name| !is_typed(name));
        self.add(
            Entry {
                hash: wanted,
                sum: rank(value),
                start: self.atoms.len() as u32 - 1,
                len: 0,
                domain: ValueWord::FALSE,
                signature: if is_untyped { MODEL } else { 0 },
                kind,
            },
            slot,
        )
    }

    fn add(&mut self, entry: Entry, slot: usize) -> ValueWord {
        let kind = entry.kind;
        let number = self.entries.len() as u32;
        self.entries.push(entry);
        self.values.push(None);
        self.table[slot] = number + 1;
        if self.entries.len() * 2 > self.table.len() {
            self.grow();
        }
        ValueWord::of_entry(number, kind)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        self.table.clear();
        self.table.resize(size, 0);
        for (number, entry) in (1..).zip(&self.entries) {
            let mut slot = entry.hash as usize & (size - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = number;
        }
    }
}

/// Whether a model value of this name has a type: it may not be compared with everything.
pub(crate) fn is_typed(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b'_', ..] if letter.is_ascii_alphabetic())
}

/// The first eight bytes of a text, in an order that agrees with that of texts.
fn rank(atom: &Value) -> u64 {
    let text = atom
        .as_str()
        .or_else(|| atom.as_model())
        .unwrap_or_default()
        .as_bytes();
    let mut first = [0; 8];
    let len = text.len().min(8);
    first[..len].copy_from_slice(&text[..len]);
    u64::from_be_bytes(first)
}
