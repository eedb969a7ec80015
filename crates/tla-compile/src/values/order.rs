//! The order of values and their equality, on words: as [`Value`](omnilink_value::Value) is ordered, and as TLC compares.

use std::cmp::Ordering;

use omnilink_tla_eval::equal_values;
use omnilink_value::ValueKind;

use super::store::ValueStore;
use super::word::ValueWord;
use crate::trap::Trap;

impl ValueStore {
    /// The order of values.
    pub(crate) fn compare(&self, left: ValueWord, right: ValueWord) -> Ordering {
        if left == right {
            return Ordering::Equal;
        }
        if let (Some(left), Some(right)) = (left.as_int(), right.as_int()) {
            return left.cmp(&right);
        }
        let kind = self.kind(left);
        match kind.cmp(&self.kind(right)) {
            Ordering::Equal => {}
            other => return other,
        }
        match kind {
            ValueKind::Bool => left.0.cmp(&right.0),
            ValueKind::Str | ValueKind::Model if self.compare_ranks(left, right).is_ne() => {
                self.compare_ranks(left, right)
            }
            ValueKind::Int | ValueKind::Str | ValueKind::Model => {
                match (self.as_atom(left), self.as_atom(right)) {
                    (Some(left), Some(right)) => left.cmp(right),
                    // A large integer and a small one: the sign of the large one decides.
                    (Some(large), None) => large.cmp(&0.into()),
                    (None, Some(large)) => large.cmp(&0.into()).reverse(),
                    (None, None) => Ordering::Equal,
                }
            }
            ValueKind::Set => self.compare_parts(
                self.as_set(left).unwrap_or_default(),
                self.as_set(right).unwrap_or_default(),
            ),
            ValueKind::Tuple => self.compare_parts(
                self.as_tuple(left).unwrap_or_default(),
                self.as_tuple(right).unwrap_or_default(),
            ),
            ValueKind::Record | ValueKind::Function => {
                match (self.as_function(left), self.as_function(right)) {
                    (Some((left_keys, left)), Some((right_keys, right))) => self
                        .compare(left_keys, right_keys)
                        .then_with(|| self.compare_parts(left, right)),
                    _ => Ordering::Equal,
                }
            }
        }
    }

    /// By length, then part by part.
    fn compare_parts(&self, left: &[ValueWord], right: &[ValueWord]) -> Ordering {
        left.len().cmp(&right.len()).then_with(|| {
            left.iter()
                .zip(right)
                .map(|(left, right)| self.compare(*left, *right))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        })
    }

    /// Whether two values are equal. Traps if they cannot be compared.
    #[inline]
    pub(crate) fn equal(&self, left: ValueWord, right: ValueWord) -> Result<bool, Trap> {
        if left == right {
            return Ok(true);
        }
        if let (Some(_), Some(_)) = (left.as_int(), right.as_int()) {
            return Ok(false);
        }
        if self.have_comparable_types(left, right) {
            return Ok(false);
        }
        self.differ(left, right).map(|()| false)
    }

    /// Traps unless two unequal values are different rather than incomparable: the rules of the evaluator's `equality.rs`.
    pub(crate) fn differ(&self, left: ValueWord, right: ValueWord) -> Result<(), Trap> {
        match (self.kind(left), self.kind(right)) {
            (ValueKind::Int, ValueKind::Int)
            | (ValueKind::Bool, ValueKind::Bool)
            | (ValueKind::Str, ValueKind::Str) => Ok(()),
            (ValueKind::Model, _) => self.model_differs(left, right),
            (_, ValueKind::Model) => self.model_differs(right, left),
            (ValueKind::Set, ValueKind::Set) => self.first_difference(
                self.as_set(left).unwrap_or_default(),
                self.as_set(right).unwrap_or_default(),
            ),
            (ValueKind::Tuple, ValueKind::Tuple) => self.first_difference(
                self.as_tuple(left).unwrap_or_default(),
                self.as_tuple(right).unwrap_or_default(),
            ),
            (ValueKind::Record | ValueKind::Function, ValueKind::Record | ValueKind::Function) => {
                self.functions_differ(left, right)
            }
            (ValueKind::Tuple, ValueKind::Record | ValueKind::Function) => self.tuple_differs(left, right),
            (ValueKind::Record | ValueKind::Function, ValueKind::Tuple) => self.tuple_differs(right, left),
            _ => Err(Trap::Type),
        }
    }

    /// A tuple and another function: their sizes differ, such as those of the empty function and of any other, or a key.
    fn tuple_differs(&self, tuple: ValueWord, function: ValueWord) -> Result<(), Trap> {
        let (Some(parts), Some((domain, _))) = (self.as_tuple(tuple), self.as_function(function)) else {
            return Err(Trap::Type);
        };
        let keys = self.as_set(domain).unwrap_or_default();
        if parts.len() != keys.len() {
            return Ok(());
        }
        let mut other = keys.iter().zip(1..).map(|(key, place)| (key.as_int(), place));
        match other.find(|(key, place)| *key != Some(*place)) {
            Some((Some(_), _)) => Ok(()),
            _ => Err(Trap::Type),
        }
    }

    fn first_difference(&self, left: &[ValueWord], right: &[ValueWord]) -> Result<(), Trap> {
        if left.len() != right.len() {
            return Ok(());
        }
        match left.iter().zip(right).find(|(left, right)| left != right) {
            Some((left, right)) => self.differ(*left, *right),
            None => Ok(()),
        }
    }

    fn functions_differ(&self, left_word: ValueWord, right_word: ValueWord) -> Result<(), Trap> {
        let (Some((left_keys, left)), Some((right_keys, right))) =
            (self.as_function(left_word), self.as_function(right_word))
        else {
            return Err(Trap::Type);
        };
        if left.len() != right.len() {
            return Ok(());
        }
        if left_keys != right_keys {
            return self.first_difference(
                self.as_set(left_keys).unwrap_or_default(),
                self.as_set(right_keys).unwrap_or_default(),
            );
        }
        if self.kind(left_word) != ValueKind::Record {
            return self.first_difference(left, right);
        }
        // Any difference decides for a record.
        let mut differing = left.iter().zip(right).filter(|(left, right)| left != right);
        let Some((first, other)) = differing.next() else {
            return Ok(());
        };
        self.differ(*first, *other).or_else(|trap| {
            match differing.any(|(left, right)| self.differ(*left, *right).is_ok()) {
                true => Ok(()),
                false => Err(trap),
            }
        })
    }

    fn model_differs(&self, model: ValueWord, other: ValueWord) -> Result<(), Trap> {
        let is_typed = |word: ValueWord| {
            let name = self.as_atom(word).and_then(|atom| atom.as_model());
            name.is_some_and(super::store::is_typed)
        };
        if !is_typed(model) {
            return Ok(());
        }
        match (self.as_atom(model), self.as_atom(other)) {
            (Some(model), Some(other)) => match equal_values(model, other) {
                Ok(_) => Ok(()),
                Err(_) => Err(Trap::Type),
            },
            _ => Err(Trap::Type),
        }
    }

    /// Where a value is among sorted elements, or where it belongs.
    pub(crate) fn find(&self, elements: &[ValueWord], wanted: ValueWord) -> Result<usize, usize> {
        const FEW: usize = 16;
        if elements.len() <= FEW
            && let Some(at) = elements.iter().position(|element| *element == wanted)
        {
            return Ok(at);
        }
        if let (Some(int), Some(first), Some(last)) = (
            wanted.as_int(),
            elements.first().and_then(|first| first.as_int()),
            elements.last().and_then(|last| last.as_int()),
        ) {
            // Intervals are frequent, and found without a search.
            if last - first + 1 == elements.len() as i64 && (first..=last).contains(&int) {
                return Ok((int - first) as usize);
            }
        }
        elements.binary_search_by(|element| self.compare(*element, wanted))
    }

    /// Whether a set contains a value, which must be comparable with its neighbours if it does not.
    pub(crate) fn contains(&self, set: ValueWord, wanted: ValueWord) -> Result<bool, Trap> {
        const FEW: usize = 64;
        let elements = self.as_set(set).ok_or(Trap::Type)?;
        let (Some(first), Some(last)) = (elements.first(), elements.last()) else {
            return Ok(false);
        };
        if elements.len() <= FEW {
            if elements.contains(&wanted) {
                return Ok(true);
            }
            // Elements are sorted by kind, so the two ends decide.
            let kind = wanted.kind();
            let is_of_kind = first.kind() == kind && last.kind() == kind;
            if is_of_kind && self.are_comparable(kind) || self.is_comparable_with_elements(set, wanted) {
                return Ok(false);
            }
        }
        match self.find(elements, wanted) {
            Ok(_) => Ok(true),
            Err(at) => {
                for neighbour in [at.checked_sub(1), Some(at)].into_iter().flatten() {
                    if let Some(neighbour) = elements.get(neighbour) {
                        self.equal(*neighbour, wanted)?;
                    }
                }
                Ok(false)
            }
        }
    }

    /// Traps unless sorted elements may form a set: neighbours must be comparable.
    pub(crate) fn check_neighbours(&self, elements: &[ValueWord]) -> Result<(), Trap> {
        if let (Some(first), Some(last)) = (elements.first(), elements.last()) {
            let kind = self.kind(*first);
            if kind == self.kind(*last) && matches!(kind, ValueKind::Int | ValueKind::Str | ValueKind::Bool) {
                return Ok(());
            }
        }
        elements
            .windows(2)
            .try_for_each(|pair| self.equal(pair[0], pair[1]).map(|_| ()))
    }
}

#[cfg(test)]
mod tests {
    use omnilink_value::Value;

    use super::*;

    fn values() -> Vec<Value> {
        let record = |a: i64, b: Value| Value::record([("a", Value::int(a)), ("b", b)]);
        vec![
            Value::int(i64::MIN),
            (-1).into(),
            2.into(),
            Value::int(i64::MAX),
            false.into(),
            true.into(),
            "a".into(),
            "b".into(),
            Value::model("m"),
            Value::model("t_1"),
            Value::model("u_1"),
            Value::set([]),
            Value::set([1.into(), 2.into()]),
            Value::set(["x".into(), "y".into()]),
            Value::tuple([]),
            Value::tuple([1.into(), "x".into()]),
            Value::tuple(["x".into(), 1.into()]),
            record(1, 2.into()),
            record(1, "x".into()),
            record(2, "x".into()),
            Value::record([("a", 1.into())]),
            Value::function_of_sorted([(0.into(), 1.into())]),
            Value::function_of_sorted([(0.into(), 2.into())]),
        ]
    }

    #[test]
    fn words_are_ordered_as_their_values() {
        let mut store = ValueStore::default();
        let values = values();
        let words: Vec<ValueWord> = values.iter().map(|value| store.word(value)).collect();
        for (left, l) in values.iter().zip(&words) {
            for (right, r) in values.iter().zip(&words) {
                assert_eq!(store.compare(*l, *r), left.cmp(right), "{left} and {right}");
            }
        }
    }

    #[test]
    fn equality_traps_wherever_the_evaluator_fails_and_never_differs_from_it() {
        let mut store = ValueStore::default();
        let values = values();
        let words: Vec<ValueWord> = values.iter().map(|value| store.word(value)).collect();
        for (left, l) in values.iter().zip(&words) {
            for (right, r) in values.iter().zip(&words) {
                if let Ok(equal) = store.equal(*l, *r) {
                    assert_eq!(equal_values(left, right).ok(), Some(equal), "{left} and {right}");
                }
            }
        }
    }
}
