//! Functions as lists of entries, keys sorted; tuples and records are functions too.

use omnilink_value::Value;

use super::Arguments;
use crate::datum::{Datum, Lazy};
use crate::equality::keys;
use crate::error::Outcome;
use crate::evaluator::Evaluator;

/// The entries of a finite function.
pub(super) type Entries<'p> = Vec<(Value, Datum<'p>)>;

impl<'p> Arguments<'_, 'p> {
    /// A function argument, as its entries.
    pub(super) fn entries(&self, evaluator: &mut Evaluator<'p>, index: usize) -> Outcome<Entries<'p>> {
        let datum = self.datum(evaluator, index)?;
        match entries_of(evaluator, &datum)? {
            Some(entries) => Ok(entries),
            None => Err(self.wrong(evaluator, index, "a function", &datum)),
        }
    }
}

/// The entries of a function; `None` for other values.
pub(super) fn entries_of<'p>(
    evaluator: &mut Evaluator<'p>,
    datum: &Datum<'p>,
) -> Outcome<Option<Entries<'p>>> {
    let value = match datum {
        Datum::Value(value) => value.clone(),
        Datum::Lazy(lazy) => match &**lazy {
            Lazy::Tuple(parts) => {
                return Ok(Some((1..).map(Value::int).zip(parts.iter().cloned()).collect()));
            }
            Lazy::Mapping(entries) => return Ok(Some(entries.clone())),
            Lazy::Function(_) => evaluator.canonical(datum.clone())?,
            _ => return Ok(None),
        },
    };
    if let Some(parts) = value.as_tuple() {
        let parts = parts.iter().cloned().map(Datum::Value);
        return Ok(Some((1..).map(Value::int).zip(parts).collect()));
    }
    Ok(value.as_entries().map(|entries| {
        entries
            .iter()
            .map(|(key, value)| (key.clone(), Datum::Value(value.clone())))
            .collect()
    }))
}

/// The function of these entries, whose keys are sorted, distinct and comparable.
pub(super) fn function_of<'p>(entries: Entries<'p>) -> Datum<'p> {
    if entries.iter().any(|(_, datum)| datum.as_value().is_none()) {
        let is_sequence = (1..)
            .zip(&entries)
            .all(|(index, (key, _))| key.as_int() == Some(index));
        return Datum::lazy(if is_sequence {
            Lazy::Tuple(entries.into_iter().map(|(_, datum)| datum).collect())
        } else {
            Lazy::Mapping(entries)
        });
    }
    Datum::Value(Value::function_of_sorted(entries.into_iter().filter_map(
        |(key, datum)| match datum {
            Datum::Value(value) => Some((key, value)),
            Datum::Lazy(_) => None,
        },
    )))
}

/// The values of a function, in the order of its keys; `None` for other values.
pub(super) fn values_of<'v>(
    function: &'v Value,
) -> Option<Box<dyn ExactSizeIterator<Item = &'v Value> + 'v>> {
    if let Some(parts) = function.as_tuple() {
        return Some(Box::new(parts.iter()));
    }
    let entries = function.as_entries()?;
    Some(Box::new(entries.iter().map(|(_, value)| value)))
}

/// The keys and values of a function, keys sorted; `None` for other values.
pub(super) fn pairs_of(function: &Value) -> Option<Vec<(Value, Value)>> {
    let values = values_of(function)?;
    Some(keys(function).into_iter().zip(values.cloned()).collect())
}
