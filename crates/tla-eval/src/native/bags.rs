//! `Bags` and `BagsExt`: functions to the positive numbers, as lists of entries sorted by key.

use omnilink_tla_ir::Arithmetic;
use omnilink_value::Value;

use super::Arguments;
use super::entries::pairs_of;
use super::registry::Entry;
use crate::datum::Datum;
use crate::error::{Outcome, domain_error, type_error};
use crate::evaluator::Evaluator;

pub(super) const BAGS: &[Entry] = &[
    Entry::new("IsABag", is_a_bag),
    Entry::new("SetToBag", set_to_bag),
    Entry::new("CopiesIn", copies_in),
    Entry::new("(+)", add),
    Entry::new("(-)", subtract),
    Entry::new("\\sqsubseteq", is_sub_bag),
    Entry::new("BagUnion", bag_union),
    Entry::new("BagOfAll", bag_of_all),
    Entry::new("BagCardinality", bag_cardinality),
];

pub(super) const BAGS_EXT: &[Entry] = &[Entry::new("FoldBag", fold_bag)];

/// The elements of a bag, sorted, with their multiplicities.
type Copies = Vec<(Value, i64)>;

fn copies(bag: &Value) -> Outcome<Copies> {
    let Some(pairs) = pairs_of(bag) else {
        return Err(type_error(format!("{bag} is no bag: it is no function")));
    };
    pairs
        .into_iter()
        .map(|(element, count)| match count.as_int() {
            Some(count) => Ok((element, count)),
            None => Err(type_error(format!(
                "{bag} is no bag: {count} is no number of copies"
            ))),
        })
        .collect()
}

fn bag<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>, index: usize) -> Outcome<Copies> {
    let datum = arguments.datum(evaluator, index)?;
    if !evaluator.is_function(&datum) {
        return Err(arguments.wrong(evaluator, index, "a bag", &datum));
    }
    copies(&evaluator.canonical(datum)?)
}

fn bag_of<'p>(evaluator: &mut Evaluator<'p>, copies: Copies) -> Outcome<Datum<'p>> {
    // The keys of a function must be comparable.
    evaluator.set_of(copies.iter().map(|(element, _)| element.clone()).collect())?;
    let entries = copies
        .into_iter()
        .map(|(element, count)| (element, Value::int(count)));
    Ok(Datum::Value(Value::function_of_sorted(entries)))
}

/// Sorts, and adds up the copies of equal elements.
fn gathered(evaluator: &Evaluator<'_>, mut copies: Copies) -> Outcome<Copies> {
    copies.sort();
    let mut gathered: Copies = Vec::with_capacity(copies.len());
    for (element, count) in copies {
        match gathered.last_mut() {
            Some((last, sum)) if *last == element => {
                *sum = evaluator.calculate(Arithmetic::Plus, *sum, count)?
            }
            _ => gathered.push((element, count)),
        }
    }
    Ok(gathered)
}

fn is_a_bag<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let datum = arguments.datum(evaluator, 0)?;
    if !evaluator.is_function(&datum) {
        return Ok(Datum::bool(false));
    }
    let value = evaluator.canonical(datum)?;
    let is_positive = |count: &Value| count.as_int().is_some_and(|count| count > 0);
    let is_bag = pairs_of(&value)
        .unwrap_or_default()
        .iter()
        .all(|(_, count)| is_positive(count));
    Ok(Datum::bool(is_bag))
}

fn set_to_bag<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.set(evaluator, 0)?;
    let entries = set
        .as_set()
        .unwrap_or_default()
        .iter()
        .map(|e| (e.clone(), Value::int(1)));
    Ok(Datum::Value(Value::function_of_sorted(entries)))
}

fn copies_in<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let element = arguments.value(evaluator, 0)?;
    let bag = bag(evaluator, arguments, 1)?;
    Ok(Datum::int(count_of(&bag, &element)))
}

fn count_of(bag: &Copies, element: &Value) -> i64 {
    bag.binary_search_by(|(own, _)| own.cmp(element))
        .ok()
        .and_then(|at| bag.get(at))
        .map_or(0, |(_, count)| *count)
}

fn add<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let mut all = bag(evaluator, arguments, 0)?;
    all.extend(bag(evaluator, arguments, 1)?);
    let sum = gathered(evaluator, all)?;
    bag_of(evaluator, sum)
}

/// Removing more copies than there are leaves none.
fn subtract<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let from = bag(evaluator, arguments, 0)?;
    let what = bag(evaluator, arguments, 1)?;
    let left = from
        .into_iter()
        .map(|(element, count)| {
            let less = count_of(&what, &element);
            (element, count.saturating_sub(less))
        })
        .filter(|(_, count)| *count > 0)
        .collect();
    bag_of(evaluator, left)
}

fn is_sub_bag<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let part = bag(evaluator, arguments, 0)?;
    let whole = bag(evaluator, arguments, 1)?;
    let is_within = part
        .iter()
        .all(|(element, count)| *count <= count_of(&whole, element));
    Ok(Datum::bool(is_within))
}

fn bag_union<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let bags = arguments.set(evaluator, 0)?;
    let mut all = Vec::new();
    for bag in bags.as_set().unwrap_or_default() {
        all.extend(copies(bag)?);
    }
    let sum = gathered(evaluator, all)?;
    bag_of(evaluator, sum)
}

fn bag_of_all<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let op = arguments.operator(0)?;
    let mut images = Vec::new();
    for (element, count) in bag(evaluator, arguments, 1)? {
        let image = evaluator.apply_closure(&op, &[Datum::Value(element)])?;
        images.push((evaluator.canonical(image)?, count));
    }
    let images = gathered(evaluator, images)?;
    bag_of(evaluator, images)
}

fn bag_cardinality<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let mut sum = 0;
    for (_, count) in bag(evaluator, arguments, 0)? {
        sum = evaluator.calculate(Arithmetic::Plus, sum, count)?;
    }
    Ok(Datum::int(sum))
}

/// `op(… op(op(base, x1), x1) …, xn)`: every copy in turn, the least element first.
fn fold_bag<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let op = arguments.operator(0)?;
    let mut folded = arguments.datum(evaluator, 1)?;
    for (element, count) in bag(evaluator, arguments, 2)? {
        if count < 1 {
            return Err(domain_error(format!(
                "a bag cannot hold {count} copies of {element}"
            )));
        }
        for _ in 0..count {
            folded = evaluator.apply_closure(&op, &[folded, Datum::Value(element.clone())])?;
        }
    }
    Ok(folded)
}
