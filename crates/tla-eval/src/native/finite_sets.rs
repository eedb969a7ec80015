//! `FiniteSets` and `FiniteSetsExt`.

use omnilink_value::Value;

use super::Arguments;
use super::registry::Entry;
use crate::datum::Datum;
use crate::error::{ErrorClass, Failure, Outcome, type_error};
use crate::evaluator::Evaluator;
use crate::flow::Flow;

pub(super) const FINITE_SETS: &[Entry] = &[
    Entry::direct("Cardinality", cardinality_direct, cardinality),
    Entry::new("IsFiniteSet", is_finite_set),
];

pub(super) const FINITE_SETS_EXT: &[Entry] = &[
    Entry::new("FoldSet", fold_set),
    Entry::new("Quantify", quantify),
    Entry::new("kSubset", k_subset),
    Entry::direct(
        "Max",
        |operands| extreme(operands, |elements| elements.last()),
        max,
    ),
    Entry::direct(
        "Min",
        |operands| extreme(operands, |elements| elements.first()),
        min,
    ),
];

fn cardinality_direct(operands: &[&Value]) -> Option<Value> {
    let size = operands.first()?.as_set()?.len();
    Some(Value::int(size as i64))
}

fn cardinality<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.datum(evaluator, 0)?;
    evaluator.cardinality(&set).map(Datum::int)
}

fn is_finite_set<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.datum(evaluator, 0)?;
    if !set.is_set() {
        return Err(arguments.wrong(evaluator, 0, "a set", &set));
    }
    Ok(Datum::bool(evaluator.is_enumerable(&set)))
}

/// `op(xn, … op(x2, op(x1, base)))`: the least element first.
fn fold_set<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let op = arguments.operator(0)?;
    let mut folded = arguments.datum(evaluator, 1)?;
    let set = arguments.datum(evaluator, 2)?;
    evaluator.for_each_element(&set, &mut |this, element| {
        let before = std::mem::replace(&mut folded, Datum::bool(false));
        folded = this.apply_closure(&op, &[Datum::Value(element), before])?;
        Ok(Flow::Go)
    })?;
    Ok(folded)
}

fn quantify<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.datum(evaluator, 0)?;
    let test = arguments.operator(1)?;
    let mut count = 0;
    evaluator.for_each_element(&set, &mut |this, element| {
        count += i64::from(this.test(&test, &Datum::Value(element), "the test of Quantify")?);
        Ok(Flow::Go)
    })?;
    Ok(Datum::int(count))
}

fn k_subset<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let size = arguments.int(evaluator, 0)?;
    let set = arguments.set(evaluator, 1)?;
    let mut subsets = Vec::new();
    if let Ok(size) = usize::try_from(size) {
        let elements = set.as_set().unwrap_or_default();
        evaluator.each_subset_of_size(elements, size, &mut |_, subset| {
            subsets.push(subset);
            Ok(Flow::Go)
        })?;
    }
    // Subsets of one size are enumerated in the order of their elements, which is the order of sets.
    Ok(Datum::Value(Value::set_of_sorted(subsets)))
}

/// The first or last element of a set of integers. Elements are sorted by kind, so the two ends decide whether all are integers.
fn extreme(operands: &[&Value], end: fn(&[Value]) -> Option<&Value>) -> Option<Value> {
    let elements = operands.first()?.as_set()?;
    elements.first()?.as_int()?;
    elements.last()?.as_int()?;
    end(elements).cloned()
}

fn max<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.set(evaluator, 0)?;
    extreme(&[&set], |elements| elements.last())
        .map(Datum::Value)
        .ok_or_else(|| no_extreme("largest", &set))
}

fn min<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.set(evaluator, 0)?;
    extreme(&[&set], |elements| elements.first())
        .map(Datum::Value)
        .ok_or_else(|| no_extreme("smallest", &set))
}

fn no_extreme(which: &str, set: &Value) -> Box<Failure> {
    if set.is_empty() {
        return Failure::new(
            ErrorClass::Choose,
            format!("the empty set has no {which} element"),
        );
    }
    type_error(format!(
        "{set} is no set of integers, so it has no {which} element"
    ))
}
