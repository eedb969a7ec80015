//! Operations on sets, sequences and functions.

use omnilink_memory::guard;
use omnilink_value::ValueKind;

use super::store::ValueStore;
use super::word::ValueWord;
use crate::code::ValueOperation;
use crate::trap::Trap;

/// Larger sets are left to the evaluator, which need not list them.
const LISTED_MAX: usize = 1 << 16;

/// Fails where there is no room for a value with this many parts: as a word, and as the value that it becomes. The evaluator tells then.
fn has_room(parts: usize) -> Result<(), Trap> {
    const BYTES: usize = size_of::<ValueWord>() + size_of::<omnilink_value::Value>();
    if guard::has_room(parts.saturating_mul(2 * BYTES)) {
        Ok(())
    } else {
        Err(Trap::Size)
    }
}

impl ValueStore {
    /// The result of an operation on two words, computed unless it is known.
    #[inline]
    fn known_or(
        &mut self,
        operation: ValueOperation,
        (left, right): (ValueWord, ValueWord),
        compute: impl FnOnce(&mut Self) -> Result<ValueWord, Trap>,
    ) -> Result<ValueWord, Trap> {
        if let Some(known) = self.operations.get(operation as u64, left, right) {
            return Ok(known);
        }
        let result = compute(self)?;
        self.operations.insert(operation as u64, left, right, result);
        Ok(result)
    }

    /// Applies an operation. Operands that it does not take are ignored.
    pub(crate) fn operate(
        &mut self,
        operation: ValueOperation,
        operands: [ValueWord; 3],
    ) -> Result<ValueWord, Trap> {
        let [first, second, third] = operands;
        let both = (first, second);
        match operation {
            ValueOperation::Union => self.known_or(operation, both, |this| this.union(first, second)),
            ValueOperation::Insert => self.known_or(operation, both, |this| this.inserted(first, second)),
            ValueOperation::Intersection => {
                self.known_or(operation, both, |this| this.kept(first, second, true))
            }
            ValueOperation::Difference => {
                self.known_or(operation, both, |this| this.kept(first, second, false))
            }
            ValueOperation::BigUnion => {
                self.known_or(operation, (first, ValueWord::FALSE), |this| this.big_union(first))
            }
            ValueOperation::Powerset => {
                self.known_or(operation, (first, ValueWord::FALSE), |this| this.powerset(first))
            }
            ValueOperation::FunctionSet => {
                self.known_or(operation, both, |this| this.functions(first, second))
            }
            ValueOperation::Interval => self.interval(first, second),
            ValueOperation::Apply => self.apply(first, second),
            ValueOperation::Domain => self.domain(first),
            ValueOperation::Len => {
                let len = self.as_tuple(first).ok_or(Trap::Type)?.len();
                ValueWord::int(len as i64).ok_or(Trap::Size)
            }
            ValueOperation::Head => {
                let parts = self.as_tuple(first).ok_or(Trap::Type)?;
                parts.first().copied().ok_or(Trap::Domain)
            }
            ValueOperation::Tail => {
                let len = self.as_tuple(first).ok_or(Trap::Type)?.len();
                match len {
                    0 => Err(Trap::Domain),
                    _ => Ok(self.tuple_of_ranges(&[(first, 1..len)])),
                }
            }
            ValueOperation::Append => self.appended(first, second).ok_or(Trap::Type),
            ValueOperation::Concat => {
                let left = self.as_tuple(first).ok_or(Trap::Type)?.len();
                let right = self.as_tuple(second).ok_or(Trap::Type)?.len();
                has_room(left + right)?;
                Ok(match (left, right) {
                    (0, _) => second,
                    (_, 0) => first,
                    _ => self.tuple_of_ranges(&[(first, 0..left), (second, 0..right)]),
                })
            }
            ValueOperation::SubSeq => {
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
            ValueOperation::Cardinality => {
                let size = self.as_set(first).ok_or(Trap::Type)?.len();
                ValueWord::int(size as i64).ok_or(Trap::Size)
            }
            ValueOperation::IsFiniteSet => {
                self.as_set(first).ok_or(Trap::Type)?;
                Ok(ValueWord::TRUE)
            }
            ValueOperation::Max | ValueOperation::Min => {
                let elements = self.as_set(first).ok_or(Trap::Type)?;
                let (Some(least), Some(greatest)) = (elements.first(), elements.last()) else {
                    return Err(Trap::Domain);
                };
                // Elements are sorted by kind, so the two ends decide whether all are integers.
                if least.as_int().is_none() || greatest.as_int().is_none() {
                    return Err(Trap::Type);
                }
                Ok(if operation == ValueOperation::Max {
                    *greatest
                } else {
                    *least
                })
            }
            ValueOperation::MapsTo => {
                let domain = self.set_of_sorted(&[first]);
                Ok(self.function_of(domain, &[second]))
            }
            ValueOperation::Override => self.overridden(first, second),
            ValueOperation::BagOfSet => self.bag_of_set(first),
            ValueOperation::BagSum => self.known_or(operation, both, |this| this.bag_sum(first, second)),
            ValueOperation::BagDifference => {
                self.known_or(operation, both, |this| this.bag_difference(first, second))
            }
        }
    }

    /// The set of these elements, in any order.
    pub(crate) fn set_of(&mut self, elements: &mut Vec<ValueWord>) -> Result<ValueWord, Trap> {
        has_room(elements.len())?;
        elements.sort_unstable_by(|left, right| self.compare(*left, *right));
        elements.dedup();
        self.check_neighbours(elements)?;
        Ok(self.set_of_sorted(elements))
    }

    pub(super) fn union(&mut self, left: ValueWord, right: ValueWord) -> Result<ValueWord, Trap> {
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
        has_room(l.len() + r.len())?;
        let (base, more, other) = if l.len() >= r.len() {
            (l, r, left)
        } else {
            (r, l, right)
        };
        let mut merged: Option<Vec<ValueWord>> = None;
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
    pub(crate) fn inserted(&mut self, set: ValueWord, element: ValueWord) -> Result<ValueWord, Trap> {
        let elements = self.as_set(set).ok_or(Trap::Type)?;
        match self.place_for(elements, element)? {
            Some(at) => self.with_element(set, at, element).ok_or(Trap::Type),
            None => Ok(set),
        }
    }

    /// Where a new element belongs among sorted ones, which it must be comparable with; `None` if it is there.
    fn place_for(&self, elements: &[ValueWord], element: ValueWord) -> Result<Option<usize>, Trap> {
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
    fn check_merged(&self, left: ValueWord, right: ValueWord) -> Result<(), Trap> {
        let (l, r) = (
            self.as_set(left).unwrap_or_default(),
            self.as_set(right).unwrap_or_default(),
        );
        let (fewer, more) = if l.len() <= r.len() { (l, right) } else { (r, left) };
        if fewer.len() == 1 {
            return Ok(());
        }
        fewer
            .iter()
            .try_for_each(|element| self.contains(more, *element).map(|_| ()))
    }

    fn kept(&mut self, left: ValueWord, right: ValueWord, inside: bool) -> Result<ValueWord, Trap> {
        let l = self.as_set(left).ok_or(Trap::Type)?;
        self.as_set(right).ok_or(Trap::Type)?;
        let mut kept = Vec::with_capacity(l.len());
        for element in l {
            if self.contains(right, *element)? == inside {
                kept.push(*element);
            }
        }
        Ok(self.set_of_sorted(&kept))
    }

    pub(crate) fn is_subset(&self, left: ValueWord, right: ValueWord) -> Result<bool, Trap> {
        let l = self.as_set(left).ok_or(Trap::Type)?;
        self.as_set(right).ok_or(Trap::Type)?;
        for element in l {
            if !self.contains(right, *element)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn big_union(&mut self, sets: ValueWord) -> Result<ValueWord, Trap> {
        let mut elements = Vec::new();
        for set in self.as_set(sets).ok_or(Trap::Type)? {
            elements.extend_from_slice(self.as_set(*set).ok_or(Trap::Type)?);
        }
        self.set_of(&mut elements)
    }

    fn powerset(&mut self, base: ValueWord) -> Result<ValueWord, Trap> {
        const BASE_MAX: usize = 12;
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

    /// The set of functions from one set to another.
    fn functions(&mut self, domain: ValueWord, range: ValueWord) -> Result<ValueWord, Trap> {
        const FUNCTIONS_MAX: usize = 1 << 12;
        let keys = self.as_set(domain).ok_or(Trap::Type)?.len();
        let values = self.as_set(range).ok_or(Trap::Type)?.to_vec();
        let count = u32::try_from(keys)
            .ok()
            .and_then(|keys| values.len().checked_pow(keys));
        let count = count.filter(|count| *count <= FUNCTIONS_MAX).ok_or(Trap::Size)?;
        let mut functions = Vec::with_capacity(count);
        let mut chosen = vec![ValueWord::FALSE; keys];
        for number in 0..count {
            let mut rest = number;
            for place in &mut chosen {
                *place = values[rest % values.len()];
                rest /= values.len();
            }
            functions.push(self.function_of(domain, &chosen));
        }
        self.set_of(&mut functions)
    }

    pub(crate) fn interval(&mut self, low: ValueWord, high: ValueWord) -> Result<ValueWord, Trap> {
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
    pub(crate) fn index_of(&self, function: ValueWord, key: ValueWord) -> Result<usize, Trap> {
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
    pub(crate) fn apply(&self, function: ValueWord, key: ValueWord) -> Result<ValueWord, Trap> {
        let index = self.index_of(function, key)?;
        let values = self.range_of(function).ok_or(Trap::Type)?;
        values.get(index).copied().ok_or(Trap::Domain)
    }

    pub(crate) fn domain(&mut self, function: ValueWord) -> Result<ValueWord, Trap> {
        if let Some((domain, _)) = self.as_function(function) {
            return Ok(domain);
        }
        let len = self.as_tuple(function).ok_or(Trap::Type)?.len();
        Ok(self.interval_of(1, len as i64))
    }

    /// `f @@ g`.
    fn overridden(&mut self, left: ValueWord, right: ValueWord) -> Result<ValueWord, Trap> {
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
    pub(crate) fn is_function_on(&mut self, word: ValueWord, domain: ValueWord) -> Result<bool, Trap> {
        if self.kind(word) == ValueKind::Model {
            return Ok(false);
        }
        let own = self.domain(word)?;
        self.equal(own, domain)
    }

    /// Whether a value is a sequence; a model value is none.
    pub(crate) fn is_sequence(&self, word: ValueWord) -> Result<bool, Trap> {
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

    fn ints(store: &mut ValueStore, elements: &[i64]) -> ValueWord {
        store.word(&Value::set(elements.iter().copied().map(Value::int)))
    }

    #[test]
    fn set_algebra_is_that_of_values() {
        let mut store = ValueStore::default();
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
        let mut store = ValueStore::default();
        let (number, text) = (ints(&mut store, &[1]), store.word(&Value::set(["a".into()])));
        assert_eq!(store.union(number, text), Err(Trap::Type));
        let one = store.word(&1.into());
        assert_eq!(store.kept(text, number, true), Err(Trap::Type));
        assert_eq!(store.set_of(&mut vec![one, ValueWord::TRUE]), Err(Trap::Type));
    }

    #[test]
    fn the_left_function_overrides_the_right_one() {
        let mut store = ValueStore::default();
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
        let mut store = ValueStore::default();
        let base = ints(&mut store, &[1, 2, 3]);
        let subsets = store.powerset(base).expect("a small set");
        let subsets = store.value(subsets);
        let subsets = subsets.as_set().unwrap_or_default();
        assert_eq!(subsets.len(), 8);
        assert!(subsets.is_sorted());
    }
}
