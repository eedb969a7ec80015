//! Bags: functions to numbers of copies, as the evaluator's `Bags` computes them.

use super::store::ValueStore;
use super::word::ValueWord;
use crate::trap::Trap;

impl ValueStore {
    /// One copy of each element of a set.
    pub(crate) fn bag_of_set(&mut self, set: ValueWord) -> Result<ValueWord, Trap> {
        let one = ValueWord::int(1).ok_or(Trap::Size)?;
        let count = self.as_set(set).ok_or(Trap::Type)?.len();
        Ok(self.function_of(set, &vec![one; count]))
    }

    /// `left (+) right`.
    pub(crate) fn bag_sum(&mut self, left: ValueWord, right: ValueWord) -> Result<ValueWord, Trap> {
        let (left_domain, right_domain) = (self.domain(left)?, self.domain(right)?);
        let domain = self.union(left_domain, right_domain)?;
        let counts = self.counted(domain, (left, left_domain), (right, right_domain))?;
        let mut sums = Vec::with_capacity(counts.len());
        for (_, left, right) in counts {
            let sum = left.checked_add(right).and_then(|sum| i32::try_from(sum).ok());
            // Beyond that, the evaluator knows the limits of integers.
            sums.push(ValueWord::int(sum.ok_or(Trap::Size)?.into()).ok_or(Trap::Size)?);
        }
        Ok(self.function_of(domain, &sums))
    }

    /// `left (-) right`: elements of which no copy remains are left out.
    pub(crate) fn bag_difference(&mut self, left: ValueWord, right: ValueWord) -> Result<ValueWord, Trap> {
        let (left_domain, right_domain) = (self.domain(left)?, self.domain(right)?);
        let counts = self.counted(left_domain, (left, left_domain), (right, right_domain))?;
        let (mut keys, mut rests) = (Vec::new(), Vec::new());
        for (key, left, right) in counts {
            let rest = left.checked_sub(right).ok_or(Trap::Size)?;
            if rest > 0 {
                keys.push(key);
                rests.push(ValueWord::int(rest).ok_or(Trap::Size)?);
            }
        }
        let domain = self.set_of_sorted(&keys);
        Ok(self.function_of(domain, &rests))
    }

    /// The numbers of copies of some elements in two functions, 0 outside of the domain. All values of both must be integers.
    fn counted(
        &self,
        keys: ValueWord,
        (left, left_domain): (ValueWord, ValueWord),
        (right, right_domain): (ValueWord, ValueWord),
    ) -> Result<Vec<(ValueWord, i64, i64)>, Trap> {
        for bag in [left, right] {
            let mut values = self.range_of(bag).ok_or(Trap::Type)?.iter();
            if values.any(|value| value.as_int().is_none()) {
                return Err(Trap::Type);
            }
        }
        let count = |bag: ValueWord, domain: ValueWord, key: ValueWord| {
            let known = self.as_set(domain).unwrap_or_default();
            let at = self.find(known, key).ok();
            let value = at.and_then(|at| self.range_of(bag)?.get(at)?.as_int());
            value.unwrap_or(0)
        };
        let keys = self.as_set(keys).ok_or(Trap::Type)?.iter();
        let counted = keys.map(|key| {
            (
                *key,
                count(left, left_domain, *key),
                count(right, right_domain, *key),
            )
        });
        Ok(counted.collect())
    }
}
