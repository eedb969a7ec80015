//! Operations on sets, sequences and functions.

use omnilink_value::ValueKind;

use super::store::Store;
use super::word::Word;
use crate::code::Operation;
use crate::trap::Trap;

/// Larger sets are left to the evaluator, which need not list them.
const LISTED_MAX: usize = 1 << 16;

impl Store {
    /// The result of an operation on two words, computed unless it is known.
    #[inline]
    fn known_or(
        &mut self,
        operation: Operation,
        (left, right): (Word, Word),
        compute: impl FnOnce(&mut Self) -> Result<Word, Trap>,
    ) -> Result<Word, Trap> {
        if let Some(known) = self.operations.get(operation as u64, left, right) {
            return Ok(known);
        }
        let result = compute(self)?;
        self.operations.insert(operation as u64, left, right, result);
        Ok(result)
    }

    /// Applies an operation. Operands that it does not take are ignored.
    pub(crate) fn operate(&mut self, operation: Operation, operands: [Word; 3]) -> Result<Word, Trap> {
        let [first, second, third] = operands;
        let both = (first, second);
        match operation {
            Operation::Union => self.known_or(operation, both, |this| this.union(first, second)),
            Operation::Insert => self.known_or(operation, both, |this| this.inserted(first, second)),
            Operation::Intersection => self.known_or(operation, both, |this| this.kept(first, second, true)),
            Operation::Difference => self.known_or(operation, both, |this| this.kept(first, second, false)),
            Operation::BigUnion => self.big_union(first),
            Operation::Powerset => self.powerset(first),
            Operation::Interval => self.interval(first, second),
            Operation::Apply => self.apply(first, second),
            Operation::Domain => self.domain(first),
            Operation::Len => {
                let len = self.as_tuple(first).ok_or(Trap::Type)?.len();
                Word::int(len as i64).ok_or(Trap::Size)
            }
            Operation::Head => {
                let parts = self.as_tuple(first).ok_or(Trap::Type)?;
                parts.first().copied().ok_or(Trap::Domain)
            }
            Operation::Tail => {
                let len = self.as_tuple(first).ok_or(Trap::Type)?.len();
                match len {
                    0 => Err(Trap::Domain),
                    _ => Ok(self.tuple_of_ranges(&[(first, 1..len)])),
                }
            }
            Operation::Append => self.appended(first, second).ok_or(Trap::Type),
            Operation::Concat => {
                let left = self.as_tuple(first).ok_or(Trap::Type)?.len();
                let right = self.as_tuple(second).ok_or(Trap::Type)?.len();
                Ok(match (left, right) {
                    (0, _) => second,
                    (_, 0) => first,
                    _ => self.tuple_of_ranges(&[(first, 0..left), (second, 0..right)]),
                })
            }
            Operation::SubSeq => {
                let parts = self.as_tuple(first).ok_or(Trap::Type)?;
                let (from, to) = (
                    second.as_int().ok_or(Trap::Type)?,
                    third.as_int().ok_or(Trap::Type)?,
                );
                if from > to {
                    return Ok(self.empty_tuple());
                }
                let start = usize::try_from(from - 1).map_err(|_| Trap::Domain)?;
                let end = usize::try_from(to).map_err(|_| Trap::Domain)?;
                if parts.get(start..end).is_none() {
                    return Err(Trap::Domain);
                }
                Ok(self.tuple_of_ranges(&[(first, start..end)]))
            }
            Operation::Cardinality => {
                let size = self.as_set(first).ok_or(Trap::Type)?.len();
                Word::int(size as i64).ok_or(Trap::Size)
            }
            Operation::IsFiniteSet => {
                self.as_set(first).ok_or(Trap::Type)?;
                Ok(Word::TRUE)
            }
            Operation::Max | Operation::Min => {
                let elements = self.as_set(first).ok_or(Trap::Type)?;
                let (Some(least), Some(greatest)) = (elements.first(), elements.last()) else {
                    return Err(Trap::Domain);
                };
                // Elements are sorted by kind, so the two ends decide whether all are integers.
                if least.as_int().is_none() || greatest.as_int().is_none() {
                    return Err(Trap::Type);
                }
                Ok(if operation == Operation::Max {
                    *greatest
                } else {
                    *least
                })
            }
            Operation::MapsTo => {
                let domain = self.set_of_sorted(&[first]);
                Ok(self.function_of(domain, &[second]))
            }
            Operation::Override => self.overridden(first, second),
            Operation::Negative => {
                let int = first.as_int().ok_or(Trap::Type)?;
                Word::int(-int).ok_or(Trap::Size)
            }
        }
    }

    /// The set of these elements, in any order.
    pub(crate) fn set_of(&mut self, elements: &mut Vec<Word>) -> Result<Word, Trap> {
        elements.sort_unstable_by(|left, right| self.compare(*left, *right));
        elements.dedup();
        self.check_neighbours(elements)?;
        Ok(self.set_of_sorted(elements))
    }

    fn union(&mut self, left: Word, right: Word) -> Result<Word, Trap> {
        let (l, r) = (
            self.as_set(left).ok_or(Trap::Type)?,
            self.as_set(right).ok_or(Trap::Type)?,
        );
        if l.is_empty() || left == right {
            return Ok(right);
        }
        if r.is_empty() {
            return Ok(left);
        }
        if let [element] = r {
            return self.inserted(left, *element);
        }
        let (base, more, other) = if l.len() >= r.len() {
            (l, r, left)
        } else {
            (r, l, right)
        };
        let mut merged: Option<Vec<Word>> = None;
        for element in more {
            let elements = merged.as_deref().unwrap_or(base);
            if let Some(at) = self.place_for(elements, *element)? {
                merged.get_or_insert_with(|| base.to_vec()).insert(at, *element);
            }
        }
        match merged {
            None => Ok(other),
            Some(merged) => {
                self.check_merged(left, right)?;
                Ok(self.set_of_sorted(&merged))
            }
        }
    }

    /// The set with one more element.
    pub(crate) fn inserted(&mut self, set: Word, element: Word) -> Result<Word, Trap> {
        let elements = self.as_set(set).ok_or(Trap::Type)?;
        match self.place_for(elements, element)? {
            Some(at) => self.with_element(set, at, element).ok_or(Trap::Type),
            None => Ok(set),
        }
    }

    /// Where a new element belongs among sorted ones, which it must be comparable with; `None` if it is there.
    fn place_for(&self, elements: &[Word], element: Word) -> Result<Option<usize>, Trap> {
        let Err(at) = self.find(elements, element) else {
            return Ok(None);
        };
        for neighbour in [at.checked_sub(1), Some(at)].into_iter().flatten() {
            if let Some(neighbour) = elements.get(neighbour) {
                self.equal(*neighbour, element)?;
            }
        }
        Ok(Some(at))
    }

    /// The comparisons that the evaluator makes for a union: each element of the smaller set with its neighbours in the larger one.
    fn check_merged(&self, left: Word, right: Word) -> Result<(), Trap> {
        let (l, r) = (
            self.as_set(left).unwrap_or_default(),
            self.as_set(right).unwrap_or_default(),
        );
        let (fewer, more) = if l.len() <= r.len() { (l, r) } else { (r, l) };
        if fewer.len() == 1 {
            return Ok(());
        }
        fewer
            .iter()
            .try_for_each(|element| self.contains(more, *element).map(|_| ()))
    }

    fn kept(&mut self, left: Word, right: Word, inside: bool) -> Result<Word, Trap> {
        let (l, r) = (
            self.as_set(left).ok_or(Trap::Type)?,
            self.as_set(right).ok_or(Trap::Type)?,
        );
        let mut kept = Vec::with_capacity(l.len());
        for element in l {
            if self.contains(r, *element)? == inside {
                kept.push(*element);
            }
        }
        Ok(self.set_of_sorted(&kept))
    }

    pub(crate) fn is_subset(&self, left: Word, right: Word) -> Result<bool, Trap> {
        let (l, r) = (
            self.as_set(left).ok_or(Trap::Type)?,
            self.as_set(right).ok_or(Trap::Type)?,
        );
        for element in l {
            if !self.contains(r, *element)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn big_union(&mut self, sets: Word) -> Result<Word, Trap> {
        let mut elements = Vec::new();
        for set in self.as_set(sets).ok_or(Trap::Type)? {
            elements.extend_from_slice(self.as_set(*set).ok_or(Trap::Type)?);
        }
        self.set_of(&mut elements)
    }

    fn powerset(&mut self, base: Word) -> Result<Word, Trap> {
        const BASE_MAX: usize = 10;
        let elements = self.as_set(base).ok_or(Trap::Type)?.to_vec();
        if elements.len() > BASE_MAX {
            return Err(Trap::Size);
        }
        let mut subsets = Vec::with_capacity(1 << elements.len());
        let mut subset = Vec::new();
        for members in 0..1_u32 << elements.len() {
            subset.clear();
            subset.extend(
                (0..elements.len())
                    .filter(|at| members >> at & 1 == 1)
                    .map(|at| elements[at]),
            );
            subsets.push(self.set_of_sorted(&subset));
        }
        subsets.sort_unstable_by(|left, right| self.compare(*left, *right));
        Ok(self.set_of_sorted(&subsets))
    }

    pub(crate) fn interval(&mut self, low: Word, high: Word) -> Result<Word, Trap> {
        let (low, high) = (low.as_int().ok_or(Trap::Type)?, high.as_int().ok_or(Trap::Type)?);
        if low > high {
            return Ok(self.empty_set());
        }
        if (high - low) as usize >= LISTED_MAX {
            return Err(Trap::Size);
        }
        Ok(self.interval_of(low, high))
    }

    /// The index of a key among those of a function.
    #[inline]
    pub(crate) fn index_of(&self, function: Word, key: Word) -> Result<usize, Trap> {
        if let Some(parts) = self.as_tuple(function) {
            let index = key.as_int().ok_or(Trap::Type)?;
            return match usize::try_from(index - 1) {
                Ok(at) if at < parts.len() => Ok(at),
                _ => Err(Trap::Domain),
            };
        }
        let (domain, _) = self.as_function(function).ok_or(Trap::Type)?;
        let keys = self.as_set(domain).unwrap_or_default();
        self.find(keys, key).map_err(|_| Trap::Domain)
    }

    #[inline]
    pub(crate) fn apply(&self, function: Word, key: Word) -> Result<Word, Trap> {
        let index = self.index_of(function, key)?;
        let values = self.range_of(function).ok_or(Trap::Type)?;
        values.get(index).copied().ok_or(Trap::Domain)
    }

    pub(crate) fn domain(&mut self, function: Word) -> Result<Word, Trap> {
        if let Some((domain, _)) = self.as_function(function) {
            return Ok(domain);
        }
        let len = self.as_tuple(function).ok_or(Trap::Type)?.len();
        Ok(self.interval_of(1, len as i64))
    }

    /// `f @@ g`.
    fn overridden(&mut self, left: Word, right: Word) -> Result<Word, Trap> {
        let (left_domain, right_domain) = (self.domain(left)?, self.domain(right)?);
        let domain = self.union(left_domain, right_domain)?;
        let keys = self.as_set(domain).unwrap_or_default().to_vec();
        let mut values = Vec::with_capacity(keys.len());
        for key in keys {
            let is_left = self
                .as_set(left_domain)
                .is_some_and(|known| self.find(known, key).is_ok());
            values.push(self.apply(if is_left { left } else { right }, key)?);
        }
        Ok(self.function_of(domain, &values))
    }

    /// Whether a value is a function with this domain; a model value is none.
    pub(crate) fn is_function_on(&mut self, word: Word, domain: Word) -> Result<bool, Trap> {
        if self.kind(word) == ValueKind::Model {
            return Ok(false);
        }
        let own = self.domain(word)?;
        self.equal(own, domain)
    }

    /// Whether a value is a sequence; a model value is none.
    pub(crate) fn is_sequence(&self, word: Word) -> Result<bool, Trap> {
        match self.kind(word) {
            ValueKind::Model => Ok(false),
            ValueKind::Tuple => Ok(true),
            _ => Err(Trap::Type),
        }
    }
}

#[cfg(test)]
mod tests {
    use omnilink_value::Value;

    use super::*;

    fn ints(store: &mut Store, elements: &[i64]) -> Word {
        store.word(&Value::set(elements.iter().copied().map(Value::int)))
    }

    #[test]
    fn set_algebra_is_that_of_values() {
        let mut store = Store::default();
        let sets: [&[i64]; 5] = [
            &[],
            &[1],
            &[1, 2, 3],
            &[2, 4, 6, 8],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        ];
        for left in sets {
            for right in sets {
                let (l, r) = (ints(&mut store, left), ints(&mut store, right));
                let expect = |keep: &dyn Fn(&i64) -> bool| -> Vec<i64> {
                    let mut all: Vec<i64> = left.iter().chain(right).copied().collect();
                    all.sort_unstable();
                    all.dedup();
                    all.into_iter().filter(keep).collect()
                };
                let union = ints(&mut store, &expect(&|_| true));
                let both = ints(
                    &mut store,
                    &expect(&|int| left.contains(int) && right.contains(int)),
                );
                let less = ints(
                    &mut store,
                    &expect(&|int| left.contains(int) && !right.contains(int)),
                );
                assert_eq!(store.union(l, r), Ok(union));
                assert_eq!(store.kept(l, r, true), Ok(both));
                assert_eq!(store.kept(l, r, false), Ok(less));
                assert_eq!(
                    store.is_subset(l, r),
                    Ok(left.iter().all(|int| right.contains(int)))
                );
            }
        }
    }

    #[test]
    fn sets_of_incomparable_elements_trap() {
        let mut store = Store::default();
        let (number, text) = (ints(&mut store, &[1]), store.word(&Value::set(["a".into()])));
        assert_eq!(store.union(number, text), Err(Trap::Type));
        let one = store.word(&1.into());
        assert_eq!(store.kept(text, number, true), Err(Trap::Type));
        assert_eq!(store.set_of(&mut vec![one, Word::TRUE]), Err(Trap::Type));
    }

    #[test]
    fn the_left_function_overrides_the_right_one() {
        let mut store = Store::default();
        let function = |keys: &[(i64, i64)]| {
            Value::function_of_sorted(
                keys.iter()
                    .map(|(key, value)| (Value::int(*key), Value::int(*value))),
            )
        };
        let (left, right) = (
            store.word(&function(&[(2, 20)])),
            store.word(&function(&[(1, 1), (2, 2)])),
        );
        let expected = store.word(&Value::tuple([1.into(), 20.into()]));
        assert_eq!(store.overridden(left, right), Ok(expected));
    }

    #[test]
    fn subsets_are_in_the_order_of_sets() {
        let mut store = Store::default();
        let base = ints(&mut store, &[1, 2, 3]);
        let subsets = store.powerset(base).expect("a small set");
        let subsets = store.value(subsets);
        let subsets = subsets.as_set().unwrap_or_default();
        assert_eq!(subsets.len(), 8);
        assert!(subsets.is_sorted());
    }
}
