//! Sets of keys that a condition on one element selects, such as those of `x # 3` or `2 <= x /\ x <= 5`.

use omnilink_tla_ir::Comparison;
use omnilink_value::Value;

/// A set of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KeySet {
    /// These.
    In(Vec<Value>),
    /// All but these.
    NotIn(Vec<Value>),
    /// The integers between these bounds, which belong to it.
    Between(Option<i64>, Option<i64>),
    /// Some that are not known.
    Some,
    /// All but some that are not known.
    NotSome,
}

/// Intervals of more keys are not listed.
const LISTED_MAX: i64 = 1 << 10;

impl KeySet {
    /// The integers that compare so with a bound.
    pub(super) fn compared(comparison: Comparison, bound: i64) -> Self {
        match comparison {
            Comparison::Less => Self::Between(None, bound.checked_sub(1)),
            Comparison::LessEqual => Self::Between(None, Some(bound)),
            Comparison::Greater => Self::Between(bound.checked_add(1), None),
            Comparison::GreaterEqual => Self::Between(Some(bound), None),
        }
    }

    /// All keys that are not in this set.
    pub(super) fn complement(self) -> Option<Self> {
        Some(match self {
            Self::In(keys) => Self::NotIn(keys),
            Self::NotIn(keys) => Self::In(keys),
            // The keys may be no integers.
            Self::Between(..) => return None,
            Self::Some => Self::NotSome,
            Self::NotSome => Self::Some,
        })
    }

    /// The keys in both sets.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        Some(match (self, other) {
            (Self::In(mut keys), other) | (other, Self::In(mut keys)) => {
                let is_some_unknown = matches!(other, Self::Some | Self::NotSome);
                keys.retain(|key| is_some_unknown || other.has(key));
                match is_some_unknown {
                    true => Self::Some,
                    false => Self::In(keys),
                }
            }
            (Self::NotIn(mut keys), Self::NotIn(others)) => {
                keys.extend(others);
                Self::NotIn(keys)
            }
            (Self::Between(from, to), Self::Between(other_from, other_to)) => {
                let from = from.max(other_from);
                let to = [to, other_to].into_iter().flatten().min();
                Self::Between(from, to)
            }
            (Self::Some, _) | (_, Self::Some) => Self::Some,
            (Self::NotSome, Self::NotIn(_))
            | (Self::NotIn(_), Self::NotSome)
            | (Self::NotSome, Self::NotSome) => Self::NotSome,
            (between @ Self::Between(..), Self::NotIn(keys))
            | (Self::NotIn(keys), between @ Self::Between(..)) => {
                let mut listed = between.listed()?;
                listed.retain(|key| !keys.contains(key));
                Self::In(listed)
            }
            (Self::Between(..), Self::NotSome) | (Self::NotSome, Self::Between(..)) => Self::Some,
        })
    }

    /// The keys in one set or both.
    pub(super) fn or(self, other: Self) -> Option<Self> {
        self.complement()?.and(other.complement()?)?.complement()
    }

    /// Whether it has a key; also `true` if that is not known.
    fn has(&self, key: &Value) -> bool {
        match self {
            Self::In(keys) => keys.contains(key),
            Self::NotIn(keys) => !keys.contains(key),
            Self::Between(from, to) => key
                .as_int()
                .is_some_and(|int| from.is_none_or(|from| from <= int) && to.is_none_or(|to| int <= to)),
            Self::Some | Self::NotSome => true,
        }
    }

    /// All of its keys, if they are few and known.
    pub(super) fn listed(&self) -> Option<Vec<Value>> {
        match self {
            Self::In(keys) => Some(keys.clone()),
            Self::Between(Some(from), Some(to))
                if to.checked_sub(*from).is_some_and(|width| width < LISTED_MAX) =>
            {
                Some((*from..=*to).map(Value::int).collect())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(ints: &[i64]) -> Vec<Value> {
        ints.iter().copied().map(Value::int).collect()
    }

    #[test]
    fn a_set_and_its_operations_have_the_same_members() {
        let sets = [
            KeySet::In(ints(&[1, 2, 5])),
            KeySet::NotIn(ints(&[2, 4])),
            KeySet::compared(Comparison::LessEqual, 4),
            KeySet::compared(Comparison::Greater, 1),
            KeySet::Between(Some(2), Some(5)),
        ];
        for (left, right) in sets
            .iter()
            .flat_map(|left| sets.iter().map(move |right| (left, right)))
        {
            for key in ints(&[0, 1, 2, 3, 4, 5, 6]) {
                if let Some(both) = left.clone().and(right.clone()) {
                    assert_eq!(
                        both.has(&key),
                        left.has(&key) && right.has(&key),
                        "{left:?} {right:?} {key}"
                    );
                }
                if let Some(either) = left.clone().or(right.clone()) {
                    assert_eq!(
                        either.has(&key),
                        left.has(&key) || right.has(&key),
                        "{left:?} {right:?} {key}"
                    );
                }
                if let Some(others) = left.clone().complement() {
                    assert_eq!(others.has(&key), !left.has(&key));
                }
            }
        }
    }
}
