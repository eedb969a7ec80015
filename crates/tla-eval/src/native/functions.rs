//! `Functions`.

use omnilink_value::Value;

use super::Arguments;
use super::entries::{pairs_of, values_of};
use super::registry::Entry;
use crate::datum::Datum;
use crate::error::Outcome;
use crate::evaluator::Evaluator;
use crate::flow::Flow;

pub(super) const TABLE: &[Entry] = &[
    Entry::new("Range", range),
    Entry::new("IsInjective", is_injective),
    Entry::new("AntiFunction", anti_function),
    Entry::new("FoldFunction", fold_function),
    Entry::new("FoldFunctionOnSet", fold_function_on_set),
];

/// A function argument in canonical form.
fn function<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>, index: usize) -> Outcome<Value> {
    let datum = arguments.datum(evaluator, index)?;
    if !evaluator.is_function(&datum) {
        return Err(arguments.wrong(evaluator, index, "a function", &datum));
    }
    evaluator.canonical(datum)
}

fn range<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let entries = arguments.entries(evaluator, 0)?;
    let values = entries
        .into_iter()
        .map(|(_, datum)| evaluator.canonical(datum))
        .collect::<Outcome<Vec<_>>>()?;
    evaluator.set_of(values).map(Datum::Value)
}

fn is_injective<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let function = function(evaluator, arguments, 0)?;
    let values: Vec<Value> = values_of(&function).into_iter().flatten().cloned().collect();
    let count = values.len();
    let distinct = evaluator.set_of(values)?;
    Ok(Datum::bool(distinct.len() == Some(count)))
}

/// The inverse: maps each value to the least key that has it.
fn anti_function<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let function = function(evaluator, arguments, 0)?;
    let mut back: Vec<(Value, Value)> = pairs_of(&function)
        .unwrap_or_default()
        .into_iter()
        .map(|(key, value)| (value, key))
        .collect();
    back.sort();
    back.dedup_by(|later, earlier| later.0 == earlier.0);
    evaluator.set_of(back.iter().map(|(value, _)| value.clone()).collect())?;
    Ok(Datum::Value(Value::function_of_sorted(back)))
}

/// `op(f[kn], … op(f[k1], base))`: the least key first.
pub(super) fn fold_function<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
) -> Outcome<Datum<'p>> {
    let op = arguments.operator(0)?;
    let mut folded = arguments.datum(evaluator, 1)?;
    for (_, value) in arguments.entries(evaluator, 2)? {
        folded = evaluator.apply_closure(&op, &[value, folded])?;
    }
    Ok(folded)
}

fn fold_function_on_set<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
) -> Outcome<Datum<'p>> {
    let op = arguments.operator(0)?;
    let mut folded = arguments.datum(evaluator, 1)?;
    let function = arguments.datum(evaluator, 2)?;
    let keys = arguments.datum(evaluator, 3)?;
    evaluator.for_each_element(&keys, &mut |this, key| {
        let value = this.apply(&function, &Datum::Value(key))?;
        let before = std::mem::replace(&mut folded, Datum::bool(false));
        folded = this.apply_closure(&op, &[value, before])?;
        Ok(Flow::Go)
    })?;
    Ok(folded)
}
