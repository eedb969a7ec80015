//! Set algebra: materialised if both operands are, lazy otherwise.

use omnilink_value::Value;

use super::datum::{Datum, Lazy};
use super::equality::equal_values;
use super::error::{Outcome, type_error};
use super::evaluator::Evaluator;
use super::membership::is_listed;

/// The elements of a materialised set or of a short interval.
fn listed<'a>(set: &'a Datum<'_>, room: &'a mut Value) -> Option<&'a [Value]> {
    match set {
        Datum::Value(value) => value.as_set(),
        Datum::Lazy(lazy) => match &**lazy {
            Lazy::Interval(low, high) if high.saturating_sub(*low) < (1 << 20) => {
                *room = Value::set_of_sorted((*low..=*high).map(Value::int));
                room.as_set()
            }
            _ => None,
        },
    }
}

/// The intersection of an interval with a set of numbers, by binary search; `None` for other operands.
fn numbers_within<'a>(interval: &Datum<'_>, numbers: &'a Datum<'_>) -> Option<&'a [Value]> {
    let Some(Lazy::Interval(low, high)) = interval.as_lazy() else {
        return None;
    };
    let Datum::Value(numbers) = numbers else {
        return None;
    };
    let numbers = numbers.as_set()?;
    // Sets are sorted by kind first, so with numbers at both ends, all elements are numbers.
    let (first, last) = (numbers.first()?.as_int()?, numbers.last()?.as_int()?);
    debug_assert!(first <= last);
    let from = numbers.partition_point(|number| number.as_int() < Some(*low));
    let to = numbers.partition_point(|number| number.as_int() <= Some(*high));
    Some(numbers.get(from..to).unwrap_or_default())
}

impl<'p> Evaluator<'p> {
    fn check_sets(&self, symbol: &str, left: &Datum<'p>, right: &Datum<'p>) -> Outcome<()> {
        if left.is_set() && right.is_set() {
            return Ok(());
        }
        Err(type_error(format!(
            "{} {symbol} {} needs two sets",
            self.short(left),
            self.short(right)
        )))
    }

    /// `S \cup T`.
    pub(crate) fn union(&mut self, left: Datum<'p>, right: Datum<'p>) -> Outcome<Datum<'p>> {
        self.check_sets("\\cup", &left, &right)?;
        let mut rooms = (Value::bool(false), Value::bool(false));
        if let (Some(l), Some(r)) = (listed(&left, &mut rooms.0), listed(&right, &mut rooms.1)) {
            if l.is_empty() {
                return Ok(right.clone());
            }
            if r.is_empty() {
                return Ok(left.clone());
            }
            if let [one] = r
                && omnilink_value::position_in(l, one).is_some()
            {
                return Ok(left.clone());
            }
            check_merge(l, r)?;
            self.check_room(l.len() + r.len())?;
            return Ok(Datum::Value(Value::union_of(l, r)));
        }
        Ok(Datum::lazy(Lazy::Union(left, right)))
    }

    /// `S \cap T`.
    pub(crate) fn intersection(&mut self, left: Datum<'p>, right: Datum<'p>) -> Outcome<Datum<'p>> {
        self.check_sets("\\cap", &left, &right)?;
        if let Some(both) = numbers_within(&left, &right).or_else(|| numbers_within(&right, &left)) {
            return Ok(Datum::Value(Value::set_of_sorted(both.iter().cloned())));
        }
        let mut room = Value::bool(false);
        if let Some(l) = listed(&left, &mut room) {
            return self.keep(l, &right, true);
        }
        if let Some(r) = listed(&right, &mut room) {
            return self.keep(r, &left, true);
        }
        Ok(Datum::lazy(Lazy::Intersection(left, right)))
    }

    /// `S \ T`.
    pub(crate) fn difference(&mut self, left: Datum<'p>, right: Datum<'p>) -> Outcome<Datum<'p>> {
        self.check_sets("\\", &left, &right)?;
        let mut room = Value::bool(false);
        if let Some(l) = listed(&left, &mut room) {
            return self.keep(l, &right, false);
        }
        Ok(Datum::lazy(Lazy::Difference(left, right)))
    }

    /// The elements that are in the other set, or those that are not.
    fn keep(&mut self, elements: &[Value], other: &Datum<'p>, inside: bool) -> Outcome<Datum<'p>> {
        let mut kept = Vec::with_capacity(elements.len());
        for element in elements {
            let is_inside = match other {
                Datum::Value(other) => is_listed(element, other.as_set().unwrap_or_default())?,
                Datum::Lazy(_) => self.is_member(&Datum::Value(element.clone()), other)?,
            };
            if is_inside == inside {
                kept.push(element.clone());
            }
        }
        Ok(Datum::Value(Value::set_of_sorted(kept)))
    }

    /// `UNION S`.
    pub(crate) fn big_union(&mut self, sets: Datum<'p>) -> Outcome<Datum<'p>> {
        if !sets.is_set() {
            return Err(type_error(format!(
                "UNION {} needs a set of sets",
                self.short(&sets)
            )));
        }
        if let Some(Lazy::Powerset(base)) = sets.as_lazy() {
            return Ok(base.clone());
        }
        let Datum::Value(listed) = &sets else {
            return Ok(Datum::lazy(Lazy::BigUnion(sets)));
        };
        let mut elements = Vec::new();
        for set in listed.as_set().unwrap_or_default() {
            let Some(inner) = set.as_set() else {
                return Err(type_error(format!(
                    "UNION {listed} needs a set of sets, but {set} is none"
                )));
            };
            self.check_room(inner.len())?;
            elements.extend(inner.iter().cloned());
        }
        Ok(Datum::Value(self.set_of(elements)?))
    }
}

/// Whether the union of two sorted sets is a set: neighbours in the merged order must be comparable.
fn check_merge(left: &[Value], right: &[Value]) -> Outcome<()> {
    use omnilink_value::ValueKind;
    let plain = |elements: &[Value], kind: ValueKind| {
        elements.first().is_some_and(|first| first.kind() == kind)
            && elements.last().is_some_and(|last| last.kind() == kind)
    };
    if let Some(first) = left.first()
        && matches!(first.kind(), ValueKind::Int | ValueKind::Str | ValueKind::Bool)
        && plain(left, first.kind())
        && plain(right, first.kind())
    {
        return Ok(());
    }
    let (fewer, more) = if left.len() <= right.len() {
        (left, right)
    } else {
        (right, left)
    };
    for element in fewer {
        if let Err(at) = more.binary_search(element) {
            for neighbour in [at.checked_sub(1).and_then(|at| more.get(at)), more.get(at)]
                .into_iter()
                .flatten()
            {
                equal_values(element, neighbour)?;
            }
        }
    }
    Ok(())
}
