//! Equality with TLC's semantics: comparing values of different kinds is an error.
//!
//! Equal canonical values have equal representations, so equality is decided fast. Only unequal values are compared part by part,
//! to distinguish "different" from "incomparable". Sizes come first: `{1, 2} = {"a"}` is FALSE. Tuples are compared from the left.
//! TLC compares records in the order in which it first saw the names of their fields; here records are different if any field is.

use omnilink_tla_ir::Infinite;
use omnilink_value::{Value, ValueKind};

use super::datum::{Datum, Lazy};
use super::error::{Outcome, type_error};
use super::evaluator::Evaluator;

/// Whether two values are equal.
///
/// # Errors
/// When they cannot be compared.
#[inline]
pub fn equal_values(left: &Value, right: &Value) -> Outcome<bool> {
    if left == right {
        return Ok(true);
    }
    match (left.kind(), right.kind()) {
        (ValueKind::Int, ValueKind::Int)
        | (ValueKind::Bool, ValueKind::Bool)
        | (ValueKind::Str, ValueKind::Str) => Ok(false),
        _ => differ(left, right).map(|()| false),
    }
}

/// Whether two unequal values are different rather than incomparable.
fn differ(left: &Value, right: &Value) -> Outcome<()> {
    match (left.kind(), right.kind()) {
        (ValueKind::Int, ValueKind::Int)
        | (ValueKind::Bool, ValueKind::Bool)
        | (ValueKind::Str, ValueKind::Str) => Ok(()),
        (ValueKind::Model, _) => model_differs(left, right),
        (_, ValueKind::Model) => model_differs(right, left),
        (ValueKind::Set, ValueKind::Set) => {
            let (left, right) = (
                left.as_set().unwrap_or_default(),
                right.as_set().unwrap_or_default(),
            );
            if left.len() != right.len() {
                return Ok(());
            }
            first_difference(left.iter().zip(right))
        }
        (ValueKind::Tuple, ValueKind::Tuple) => {
            let (left, right) = (
                left.as_tuple().unwrap_or_default(),
                right.as_tuple().unwrap_or_default(),
            );
            if left.len() != right.len() {
                return Ok(());
            }
            first_difference(left.iter().zip(right))
        }
        (
            ValueKind::Tuple | ValueKind::Record | ValueKind::Function,
            ValueKind::Tuple | ValueKind::Record | ValueKind::Function,
        ) => functions_differ(left, right),
        _ => Err(type_error(format!(
            "cannot compare {} with {}: {left} and {right}",
            kind_words(left),
            kind_words(right)
        ))),
    }
}

fn first_difference<'a>(mut pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Outcome<()> {
    match pairs.find(|(left, right)| left != right) {
        Some((left, right)) => differ(left, right),
        None => Ok(()),
    }
}

fn functions_differ(left: &Value, right: &Value) -> Outcome<()> {
    if left.len() != right.len() {
        return Ok(());
    }
    let (Some(left), Some(right)) = (left.as_entries(), right.as_entries()) else {
        // One of them is a sequence, with first key 1. The other is not, so its first key differs.
        let (left, right) = (keys(left), keys(right));
        return first_difference(left.iter().zip(&right));
    };
    if let Some((l, r)) = left.iter().zip(right).find(|(l, r)| l.0 != r.0) {
        return differ(&l.0, &r.0);
    }
    let is_record = left.first().is_some_and(|(key, _)| key.kind() == ValueKind::Str);
    let mut incomparable = None;
    for ((_, l), (_, r)) in left.iter().zip(right).filter(|(l, r)| l.1 != r.1) {
        match differ(l, r) {
            Ok(()) => return Ok(()),
            Err(failure) if is_record => incomparable = Some(failure),
            Err(failure) => return Err(failure),
        }
    }
    incomparable.map_or(Ok(()), Err)
}

/// The domain of a function, sorted.
pub(crate) fn keys(function: &Value) -> Vec<Value> {
    match (function.as_tuple(), function.as_entries()) {
        (Some(elements), _) => (1..=elements.len() as i64).map(Value::int).collect(),
        (_, Some(entries)) => entries.iter().map(|(key, _)| key.clone()).collect(),
        _ => Vec::new(),
    }
}

/// A model value is equal only to itself. If its name starts with a letter and an underscore, the letter is its type: it may only
/// be compared with untyped model values and those of its type.
fn model_differs(model: &Value, other: &Value) -> Outcome<()> {
    let type_of = |value: &Value| match value.as_model()?.as_bytes() {
        [letter, b'_', ..] if letter.is_ascii_alphabetic() => Some(*letter),
        _ => None,
    };
    match (type_of(model), other.as_model()) {
        (None, _) => Ok(()),
        (Some(_), None) => Err(type_error(format!(
            "cannot compare the typed model value {model} with {other}"
        ))),
        (Some(own), Some(_)) => match type_of(other) {
            Some(theirs) if theirs != own => Err(type_error(format!(
                "cannot compare the model values {model} and {other}, which are of different types"
            ))),
            _ => Ok(()),
        },
    }
}

/// The kind of a value, for messages.
pub(crate) fn kind_words(value: &Value) -> &'static str {
    match value.kind() {
        ValueKind::Model => "a model value",
        ValueKind::Bool => "a Boolean",
        ValueKind::Int => "an integer",
        ValueKind::Str => "a string",
        ValueKind::Set => "a set",
        ValueKind::Tuple => "a tuple",
        ValueKind::Record => "a record",
        ValueKind::Function => "a function",
    }
}

/// Whether sorted elements may form a set: neighbours must be comparable.
pub(crate) fn check_neighbours(elements: &[Value]) -> Outcome<()> {
    if is_plain(elements) {
        return Ok(());
    }
    elements
        .windows(2)
        .try_for_each(|pair| equal_values(&pair[0], &pair[1]).map(|_| ()))
}

/// Whether all elements are of one kind that is always comparable. Elements are sorted by kind, so the first and the last decide.
fn is_plain(elements: &[Value]) -> bool {
    match (elements.first(), elements.last()) {
        (Some(first), Some(last)) => {
            first.kind() == last.kind()
                && matches!(first.kind(), ValueKind::Int | ValueKind::Str | ValueKind::Bool)
        }
        _ => true,
    }
}

impl<'p> Evaluator<'p> {
    /// Whether two values are equal.
    #[inline]
    pub(crate) fn equal(&mut self, left: &Datum<'p>, right: &Datum<'p>) -> Outcome<bool> {
        match (left, right) {
            (Datum::Value(left), Datum::Value(right)) => equal_values(left, right),
            _ => self.equal_lazy(left, right),
        }
    }

    fn equal_lazy(&mut self, left: &Datum<'p>, right: &Datum<'p>) -> Outcome<bool> {
        if let (Datum::Lazy(left), Datum::Lazy(right)) = (left, right) {
            if std::rc::Rc::ptr_eq(left, right) {
                return Ok(true);
            }
            match (&**left, &**right) {
                (Lazy::Interval(a, b), Lazy::Interval(c, d)) => {
                    return Ok((a, b) == (c, d) || (a > b && c > d));
                }
                (Lazy::Infinite(left), Lazy::Infinite(right)) if *left != Infinite::Any => {
                    return Ok(left == right);
                }
                (Lazy::FunctionSet(a, b), Lazy::FunctionSet(c, d)) => {
                    return Ok(self.equal(a, c)? && self.equal(b, d)?);
                }
                (Lazy::Sequences(left), Lazy::Sequences(right))
                | (Lazy::Powerset(left), Lazy::Powerset(right)) => return self.equal(left, right),
                (Lazy::RecordSet(left), Lazy::RecordSet(right))
                    if left
                        .iter()
                        .map(|(name, _)| name)
                        .eq(right.iter().map(|(name, _)| name)) =>
                {
                    let mut same = true;
                    for ((_, left), (_, right)) in left.iter().zip(right) {
                        same &= self.equal(left, right)?;
                    }
                    if same {
                        return Ok(true);
                    }
                }
                (Lazy::Tuple(left), Lazy::Tuple(right)) if left.len() == right.len() => {
                    return self.equal_parts(left, right);
                }
                // Elements in another order may be the same set: that is decided below.
                (Lazy::Set(left), Lazy::Set(right))
                    if left.len() == right.len() && self.equal_parts(left, right)? =>
                {
                    return Ok(true);
                }
                _ => {}
            }
        }
        if let (Some(Lazy::Interval(low, high)), Some(elements)) = match (left, right) {
            (Datum::Lazy(_), Datum::Value(value)) => (left.as_lazy(), value.as_set()),
            (Datum::Value(value), Datum::Lazy(_)) => (right.as_lazy(), value.as_set()),
            _ => (None, None),
        } {
            // The integers are sorted and distinct, so their number decides whether they are an interval.
            let count = high.saturating_sub(*low).saturating_add(1).max(0);
            if elements.len() as i64 != count {
                return Ok(false);
            }
            if let (Some(first), Some(last)) = (elements.first(), elements.last())
                && let (Some(first), Some(last)) = (first.as_int(), last.as_int())
            {
                return Ok(first == *low && last == *high);
            }
        }
        for (one, other) in [(left, right), (right, left)] {
            if let Some(lazy) = one.as_lazy() {
                let of_set = one.is_set();
                if of_set != other.is_set()
                    || matches!(other, Datum::Value(v) if !of_set && v.len().is_none())
                {
                    return match other {
                        Datum::Value(value) if value.kind() == ValueKind::Model => {
                            model_differs(value, &Value::int(0)).map(|()| false)
                        }
                        _ => Err(type_error(format!(
                            "cannot compare {} with {}",
                            self.short(left),
                            self.short(right)
                        ))),
                    };
                }
                // Infinite sets are not compared by enumeration.
                if matches!(lazy, Lazy::Infinite(_) | Lazy::Sequences(_)) {
                    return Err(super::error::Failure::new(
                        super::error::ErrorClass::Infinite,
                        format!(
                            "cannot compare the infinite set {} with {}",
                            self.short(one),
                            self.short(other)
                        ),
                    ));
                }
            }
        }
        let left = self.canonical(left.clone())?;
        let right = self.canonical(right.clone())?;
        equal_values(&left, &right)
    }

    fn equal_parts(&mut self, left: &[Datum<'p>], right: &[Datum<'p>]) -> Outcome<bool> {
        for (left, right) in left.iter().zip(right) {
            if !self.equal(left, right)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
