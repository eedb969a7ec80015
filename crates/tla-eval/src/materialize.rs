//! Materialisation of lazy values.

use omnilink_value::Value;

use super::datum::{Datum, Lazy};
use super::equality::check_neighbours;
use super::error::{ErrorClass, Failure, Outcome};
use super::evaluator::Evaluator;
use super::flow::Flow;

/// Larger sets are not materialised. TLC's default limit is a million elements; values are smaller in memory here.
pub(crate) const ELEMENTS_MAX: u64 = 30_000_000;

impl<'p> Evaluator<'p> {
    /// The canonical form.
    #[inline]
    pub fn canonical(&mut self, datum: Datum<'p>) -> Outcome<Value> {
        match datum {
            Datum::Value(value) => Ok(value),
            Datum::Lazy(_) => self.materialize(&datum),
        }
    }

    fn materialize(&mut self, datum: &Datum<'p>) -> Outcome<Value> {
        match datum.as_lazy() {
            None => self.canonical(datum.clone()),
            Some(Lazy::Interval(low, high)) => {
                if high.saturating_sub(*low) as u64 > ELEMENTS_MAX && low <= high {
                    return Err(too_large(&self.short(datum)));
                }
                self.check_room(high.saturating_sub(*low).max(0) as usize)?;
                Ok(Value::set_of_sorted((*low..=*high).map(Value::int)))
            }
            Some(Lazy::Function(_)) => self.materialize_function(datum),
            Some(Lazy::Tuple(parts)) => {
                let parts = parts
                    .iter()
                    .map(|part| self.canonical(part.clone()))
                    .collect::<Outcome<Vec<_>>>()?;
                Ok(Value::tuple(parts))
            }
            Some(Lazy::Mapping(entries)) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), self.canonical(value.clone())?)))
                    .collect::<Outcome<Vec<_>>>()?;
                Ok(Value::function_of_sorted(entries))
            }
            Some(Lazy::Set(elements)) => {
                let elements = elements
                    .iter()
                    .map(|element| self.canonical(element.clone()))
                    .collect::<Outcome<Vec<_>>>()?;
                self.set_of(elements)
            }
            Some(_) => {
                self.check_size(datum)?;
                let mut elements = Vec::new();
                self.for_each_element(datum, &mut |_, element| {
                    elements.push(element);
                    Ok(Flow::Go)
                })?;
                self.set_of(elements)
            }
        }
    }

    /// The set of some values, which must be comparable.
    pub(crate) fn set_of(&mut self, mut elements: Vec<Value>) -> Outcome<Value> {
        self.check_room(elements.len())?;
        elements.sort_unstable();
        elements.dedup();
        check_neighbours(&elements)?;
        Ok(Value::set_of_sorted(elements))
    }
}

pub(crate) fn too_large(what: &str) -> Box<Failure> {
    Failure::new(
        ErrorClass::Resource,
        format!("{what} has too many elements to be listed"),
    )
}
