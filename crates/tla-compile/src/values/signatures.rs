//! Signatures: which values can be compared without looking at them.
//!
//! TLC refuses to compare a number with a string, also inside tuples, records and sets. Most values in a spec are of few types, so that
//! is decided once for each type: two values with one signature can be compared. By induction: integers, Booleans and strings each have
//! one. Two tuples or functions with one signature have the same keys and, for each, values of one signature, so that their first
//! difference can be compared. Two sets with one signature have elements of the same signatures, any two of which can be compared.
//!
//! Values of two signatures may be comparable, too: tuples of different lengths, or an empty set and another one. So `<<>>` may be among pairs. That is
//! decided once for each pair of signatures, of the first few hundred.

use omnilink_value::ValueKind;
use rustc_hash::FxHashMap;

use super::store::ValueStore;
use super::word::ValueWord;

/// The signatures so far.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    known: FxHashMap<Shape, u32>,
    /// The shapes of the first signatures, and for each the others with which it is comparable, one bit each.
    shapes: Vec<Shape>,
    comparable: Vec<[u64; ROW]>,
    /// For each domain of records, what the signatures of its fields have in common.
    records: FxHashMap<ValueWord, Box<[u32]>>,
    has_irregular_records: bool,
    /// The same for tuples by length.
    tuples: FxHashMap<usize, Box<[u32]>>,
    has_irregular_tuples: bool,
    pub(crate) buffer: Vec<u32>,
}

/// The kind, the domain and the signatures of the parts.
type Shape = (ValueKind, ValueWord, Box<[u32]>);

/// The words of bits for the signatures with which one is comparable.
const ROW: usize = 8;
/// More signatures among the elements of one set are not kept.
const OF_ELEMENTS_MAX: usize = 8;

/// The signature of model values without a type, which can be compared with anything.
pub(crate) const MODEL: u32 = 1;
/// Signatures below belong to values without parts.
const FIRST: u32 = 16;

impl Signatures {
    /// Whether any two records can be compared. Those with different domains always can, because names can be.
    pub(crate) fn records_are_regular(&self) -> bool {
        !self.has_irregular_records
    }

    /// Whether any two tuples can be compared. Those of different lengths always can.
    pub(crate) fn tuples_are_regular(&self) -> bool {
        !self.has_irregular_tuples
    }

    /// The signature of a collection, given those of its parts.
    pub(crate) fn of(&mut self, kind: ValueKind, domain: ValueWord, parts: &mut Vec<u32>) -> u32 {
        match kind {
            ValueKind::Set => {
                parts.sort_unstable();
                parts.dedup();
                let are_comparable = |(at, left): (usize, &u32)| {
                    let others = &parts[at + 1..];
                    others.iter().all(|right| self.are_comparable(*left, *right))
                };
                // A set of values that may not be comparable is compared element by element.
                if parts.len() > OF_ELEMENTS_MAX || !parts.iter().enumerate().all(are_comparable) {
                    return 0;
                }
            }
            ValueKind::Record => {
                let common = self.records.entry(domain).or_insert_with(|| parts[..].into());
                self.has_irregular_records |= !merge(common, parts);
            }
            ValueKind::Tuple => {
                let common = self.tuples.entry(parts.len()).or_insert_with(|| parts[..].into());
                self.has_irregular_tuples |= !merge(common, parts);
            }
            _ => {}
        }
        if parts.contains(&0) {
            return 0;
        }
        let shape = (kind, domain, parts[..].into());
        if let Some(known) = self.known.get(&shape) {
            return *known;
        }
        let signature = FIRST + self.known.len() as u32;
        self.known.insert(shape.clone(), signature);
        self.add_row(shape);
        signature
    }

    /// Whether any value of one signature can be compared with any of another one.
    #[inline]
    pub(crate) fn are_comparable(&self, left: u32, right: u32) -> bool {
        if left == 0 || right == 0 {
            return false;
        }
        if left == right || left == MODEL || right == MODEL {
            return true;
        }
        let (Some(left), Some(right)) = (left.checked_sub(FIRST), right.checked_sub(FIRST)) else {
            return false;
        };
        let row = self.comparable.get(left as usize);
        let bits = row.and_then(|row| row.get(right as usize / 64));
        bits.is_some_and(|bits| bits >> (right % 64) & 1 == 1)
    }

    /// Whether a value of a signature can be compared with all elements of any set of another one.
    #[inline]
    pub(crate) fn is_comparable_with_elements(&self, set: u32, value: u32) -> bool {
        let shape = set
            .checked_sub(FIRST)
            .and_then(|set| self.shapes.get(set as usize));
        shape.is_some_and(|(_, _, elements)| {
            elements
                .iter()
                .all(|element| self.are_comparable(*element, value))
        })
    }

    /// Keeps the shape of the next signature, and which others are comparable with it.
    fn add_row(&mut self, shape: Shape) {
        let new = self.shapes.len();
        if new == ROW * 64 {
            return;
        }
        let mut row = [0; ROW];
        for (at, other) in self.shapes.iter().enumerate() {
            if self.shapes_are_comparable(&shape, other) {
                row[at / 64] |= 1 << (at % 64);
                self.comparable[at][new / 64] |= 1 << (new % 64);
            }
        }
        self.shapes.push(shape);
        self.comparable.push(row);
    }

    /// Whether any two unequal values of two shapes are different, as [`differ`](super::ValueStore) decides it.
    fn shapes_are_comparable(&self, left: &Shape, right: &Shape) -> bool {
        let in_order = || {
            let mut parts = left.2.iter().zip(&right.2);
            parts.all(|(left, right)| self.are_comparable(*left, *right))
        };
        match (left.0, right.0) {
            // The first elements that differ may be any two.
            (ValueKind::Set, ValueKind::Set) => {
                let mut elements = left.2.iter();
                elements.all(|left| right.2.iter().all(|right| self.are_comparable(*left, *right)))
            }
            (ValueKind::Tuple, ValueKind::Tuple) => left.2.len() != right.2.len() || in_order(),
            // Names can be compared.
            (ValueKind::Record, ValueKind::Record) => left.1 != right.1 || in_order(),
            (ValueKind::Function, ValueKind::Function) => left.1 == right.1 && in_order(),
            _ => false,
        }
    }
}

impl ValueStore {
    /// Whether two values are of types whose values can be compared.
    #[inline]
    pub(crate) fn have_comparable_types(&self, left: ValueWord, right: ValueWord) -> bool {
        self.signatures
            .are_comparable(self.signature(left), self.signature(right))
    }

    /// Whether a value is of a type whose values can be compared with those of all elements of a set.
    #[inline]
    pub(crate) fn is_comparable_with_elements(&self, set: ValueWord, value: ValueWord) -> bool {
        self.signatures
            .is_comparable_with_elements(self.signature(set), self.signature(value))
    }

    /// Whether all values of this kind can be compared with each other.
    #[inline]
    pub(crate) fn are_comparable(&self, kind: ValueKind) -> bool {
        match kind {
            ValueKind::Int | ValueKind::Bool | ValueKind::Str => true,
            ValueKind::Tuple => self.signatures.tuples_are_regular(),
            ValueKind::Record => self.signatures.records_are_regular(),
            ValueKind::Model | ValueKind::Set | ValueKind::Function => false,
        }
    }
}

/// Whether values with some parts can be compared with all values before, given what those have in common, which is updated: for each part,
/// one signature besides that of model values.
fn merge(common: &mut [u32], parts: &[u32]) -> bool {
    common.iter_mut().zip(parts).all(|(common, part)| {
        if *common == MODEL {
            *common = *part;
        }
        *part != 0 && *common != 0 && (*part == MODEL || part == common)
    })
}

#[cfg(test)]
mod tests {
    use omnilink_tla_eval::equal_values;
    use omnilink_value::Value;

    use super::*;

    /// Values of many types, each in tuples, records, functions and sets, two levels deep.
    fn values() -> Vec<Value> {
        let mut values: Vec<Value> = vec![
            1.into(),
            2.into(),
            "a".into(),
            "b".into(),
            true.into(),
            Value::model("m"),
            Value::model("t_1"),
            Value::model("u_1"),
            Value::set([]),
            Value::tuple([]),
        ];
        for _ in 0..2 {
            let parts: Vec<Value> = values.iter().rev().take(24).rev().cloned().collect();
            for (at, part) in parts.iter().enumerate() {
                let other = &parts[(at * 7 + 3) % parts.len()];
                values.push(Value::tuple([part.clone()]));
                values.push(Value::tuple([part.clone(), other.clone()]));
                values.push(Value::set([part.clone()]));
                values.push(Value::record([("a", part.clone())]));
                values.push(Value::record([("b", part.clone())]));
                values.push(Value::function_of_sorted([(0.into(), part.clone())]));
                values.push(Value::function_of_sorted([(
                    "a b".into(),
                    Value::tuple([other.clone()]),
                )]));
                if equal_values(part, other).is_ok() {
                    values.push(Value::set([part.clone(), other.clone()]));
                }
            }
        }
        values
    }

    #[test]
    fn values_of_comparable_types_can_be_compared() {
        let mut store = ValueStore::default();
        let values = values();
        let words: Vec<ValueWord> = values.iter().map(|value| store.word(value)).collect();
        let mut comparable = 0;
        for (left, l) in values.iter().zip(&words) {
            for (right, r) in values.iter().zip(&words) {
                if store.have_comparable_types(*l, *r) {
                    assert!(equal_values(left, right).is_ok(), "{left} and {right}");
                    comparable += 1;
                }
                if store.is_comparable_with_elements(*l, *r) {
                    let mut elements = left.as_set().unwrap_or_default().iter();
                    let all = elements.all(|element| equal_values(element, right).is_ok());
                    assert!(all, "{right} and the elements of {left}");
                }
            }
        }
        assert!(comparable > 10 * values.len(), "{comparable} of {}", values.len());
    }

    #[test]
    fn tuples_of_several_lengths_and_sets_of_several_sizes_are_comparable() {
        let mut store = ValueStore::default();
        let pair = |value: Value| Value::tuple([value, 1.into()]);
        let mut word = |value: &Value| store.word(value);
        let (empty, short) = (word(&Value::tuple([])), word(&pair("x".into())));
        let (flat, deep) = (word(&pair(Value::tuple([]))), word(&pair(pair("x".into()))));
        let (none, some) = (word(&Value::set([])), word(&Value::set(["x".into()])));
        let mixed = word(&Value::set([Value::tuple([]), pair("x".into())]));
        assert!(store.have_comparable_types(empty, short));
        assert!(store.have_comparable_types(flat, deep));
        assert!(store.have_comparable_types(none, some));
        assert!(store.is_comparable_with_elements(mixed, short));
        // Pairs of a text and of a tuple differ in their first parts, which cannot be compared.
        assert!(!store.have_comparable_types(flat, short));
        assert!(!store.is_comparable_with_elements(mixed, flat));
    }
}
