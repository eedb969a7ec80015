//! `Randomization`: random elements and subsets.

use std::collections::BTreeSet;

use omnilink_value::Value;

use super::Arguments;
use super::registry::Entry;
use crate::datum::{Datum, Lazy};
use crate::error::{ErrorClass, Failure, Outcome, domain_error};
use crate::evaluator::Evaluator;

pub(super) const TABLE: &[Entry] = &[
    Entry::new("RandomSubset", random_subset),
    Entry::new("RandomSetOfSubsets", random_set_of_subsets),
];

impl<'p> Evaluator<'p> {
    /// A number below `bound`, which is not 0.
    pub(super) fn random_below(&mut self, bound: u64) -> u64 {
        // The bias is below one in 2^32 for every set that fits into memory.
        ((u128::from(self.random()) * u128::from(bound)) >> 64) as u64
    }

    /// A random element of a set, without materialising it if possible.
    pub(super) fn random_element(&mut self, set: &Datum<'p>) -> Outcome<Value> {
        let nothing = || Failure::new(ErrorClass::Choose, "the empty set has no element to take");
        if let Some(lazy) = set.as_lazy() {
            match lazy {
                Lazy::Interval(low, high) if low <= high => {
                    let span = (*high as i128 - *low as i128 + 1).min(i128::from(u64::MAX)) as u64;
                    return Ok(Value::int(low.wrapping_add(self.random_below(span) as i64)));
                }
                Lazy::Powerset(base) => {
                    let base = self.materialized_set(base)?;
                    let elements = base.as_set().unwrap_or_default();
                    let kept = elements.iter().filter(|_| self.random() & 1 == 1).cloned();
                    return Ok(Value::set_of_sorted(kept.collect::<Vec<_>>()));
                }
                Lazy::FunctionSet(domain, range) => {
                    let domain = self.materialized_set(domain)?;
                    let mut entries = Vec::new();
                    for key in domain.as_set().unwrap_or_default() {
                        entries.push((key.clone(), self.random_element(range)?));
                    }
                    return Ok(Value::function_of_sorted(entries));
                }
                Lazy::RecordSet(fields) => {
                    let mut entries = Vec::new();
                    for (name, values) in fields {
                        entries.push((name.clone(), self.random_element(values)?));
                    }
                    return Ok(Value::function_of_sorted(entries));
                }
                Lazy::Product(factors) => {
                    let parts: Outcome<Vec<Value>> =
                        factors.iter().map(|factor| self.random_element(factor)).collect();
                    return Ok(Value::tuple(parts?));
                }
                _ => {}
            }
        }
        let listed = self.materialized_set(set)?;
        let elements = listed.as_set().unwrap_or_default();
        if elements.is_empty() {
            return Err(nothing());
        }
        let at = self.random_below(elements.len() as u64) as usize;
        elements.get(at).cloned().ok_or_else(nothing)
    }
}

/// The set argument, and a number between 0 and its cardinality.
fn set_and_count<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
    set: usize,
    count: usize,
) -> Outcome<(Value, usize)> {
    let number = arguments.int(evaluator, count)?;
    let set = arguments.set(evaluator, set)?;
    let size = set.len().unwrap_or(0);
    match usize::try_from(number) {
        Ok(number) if number <= size => Ok((set, number)),
        _ => Err(domain_error(format!(
            "argument {} of {} must be between 0 and the size of the set, which is {size}, but is {number}",
            count + 1,
            arguments.name()
        ))),
    }
}

/// From this cardinality on, integers, functions, records and tuples are drawn one by one, and the set is not materialised.
const LISTED_MAX: i64 = 1 << 16;

/// The wanted number of elements, or all if there are fewer.
fn random_subset<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let number = arguments.int(evaluator, 0)?;
    let Ok(wanted) = usize::try_from(number) else {
        return Err(domain_error(format!(
            "argument 1 of {} must not be negative, but is {number}",
            arguments.name()
        )));
    };
    let set = arguments.datum(evaluator, 1)?;
    let can_be_drawn = matches!(
        set.as_lazy(),
        Some(Lazy::Interval(..) | Lazy::FunctionSet(..) | Lazy::RecordSet(_) | Lazy::Product(_))
    );
    // A set whose cardinality overflows is large enough.
    if can_be_drawn && evaluator.is_enumerable(&set) {
        let size = evaluator.cardinality(&set).unwrap_or(i64::MAX);
        // With at most half of the elements wanted, a draw finds a new one half of the time.
        if size > LISTED_MAX && number <= size / 2 {
            return drawn(evaluator, &set, wanted).map(Datum::Value);
        }
    }
    let set = arguments.set(evaluator, 1)?;
    let elements = set.as_set().unwrap_or_default();
    let wanted = wanted.min(elements.len());
    // Selection sampling: all subsets of that size are equally likely, and the order is kept.
    let mut missing = wanted;
    let mut kept = Vec::with_capacity(wanted);
    for (at, element) in elements.iter().enumerate() {
        let left = (elements.len() - at) as u64;
        if missing > 0 && evaluator.random_below(left) < missing as u64 {
            kept.push(element.clone());
            missing -= 1;
        }
    }
    Ok(Datum::Value(Value::set_of_sorted(kept)))
}

/// Distinct elements drawn one by one.
fn drawn<'p>(evaluator: &mut Evaluator<'p>, set: &Datum<'p>, wanted: usize) -> Outcome<Value> {
    let mut kept = BTreeSet::new();
    while kept.len() < wanted {
        evaluator.tick()?;
        kept.insert(evaluator.random_element(set)?);
    }
    Ok(Value::set_of_sorted(kept.into_iter().collect::<Vec<_>>()))
}

fn random_set_of_subsets<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
) -> Outcome<Datum<'p>> {
    let tries = arguments.int(evaluator, 0)?;
    let (set, mean) = set_and_count(evaluator, arguments, 2, 1)?;
    let elements = set.as_set().unwrap_or_default();
    let mut subsets = Vec::new();
    for _ in 0..tries.max(0) {
        evaluator.tick()?;
        let kept: Vec<Value> = elements
            .iter()
            .filter(|_| evaluator.random_below(elements.len() as u64) < mean as u64)
            .cloned()
            .collect();
        subsets.push(Value::set_of_sorted(kept));
    }
    Ok(Datum::Value(Value::set(subsets)))
}
