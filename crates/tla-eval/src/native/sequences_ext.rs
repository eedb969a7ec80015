//! `SequencesExt`: the operators that TLC overrides, and other common ones.

use omnilink_value::Value;

use super::Arguments;
use super::arguments::sequence_of;
use super::functions::fold_function;
use super::registry::Entry;
use super::sequences::{Parts, range_within, text_or_sequence};
use super::tlc::orders;
use crate::datum::Datum;
use crate::error::{Outcome, domain_error};
use crate::evaluator::Evaluator;

pub(super) const TABLE: &[Entry] = &[
    Entry::new("SetToSeq", set_to_seq),
    Entry::new("SetToSeqs", set_to_seqs),
    Entry::direct("ToSet", to_set_direct, to_set),
    Entry::new("Contains", contains),
    Entry::direct("Last", last_direct, last),
    Entry::new("SelectInSeq", select_in_seq),
    Entry::new("SelectLastInSeq", select_last_in_seq),
    Entry::new("SelectInSubSeq", select_in_sub_seq),
    Entry::new("SelectLastInSubSeq", select_last_in_sub_seq),
    Entry::new("RemoveFirst", remove_first),
    Entry::new("RemoveFirstMatch", remove_first_match),
    Entry::direct("IsPrefix", is_prefix_direct, is_prefix),
    Entry::new("FoldSeq", fold_function),
    Entry::new("FoldLeft", fold_left),
    Entry::new("FoldRight", fold_right),
    Entry::new("FoldLeftDomain", fold_left_domain),
    Entry::new("FoldRightDomain", fold_right_domain),
];

fn set_to_seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.set(evaluator, 0)?;
    Ok(Datum::Value(Value::tuple(
        set.as_set().unwrap_or_default().iter().cloned(),
    )))
}

fn set_to_seqs<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.set(evaluator, 0)?;
    let orders = orders(evaluator, set.as_set().unwrap_or_default())?;
    Ok(Datum::Value(Value::set_of_sorted(
        orders.into_iter().map(Value::tuple),
    )))
}

fn to_set_direct(operands: &[&Value]) -> Option<Value> {
    let parts = operands.first()?.as_tuple()?;
    let kind = parts.first()?.kind();
    // Scalars of one kind are comparable; other elements need a check that can fail.
    let is_plain = matches!(
        kind,
        omnilink_value::ValueKind::Int | omnilink_value::ValueKind::Str
    );
    (is_plain && parts.iter().all(|part| part.kind() == kind)).then(|| Value::set(parts.iter().cloned()))
}

fn to_set<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let entries = arguments.entries(evaluator, 0)?;
    let values = entries
        .into_iter()
        .map(|(_, datum)| evaluator.canonical(datum))
        .collect::<Outcome<Vec<_>>>()?;
    evaluator.set_of(values).map(Datum::Value)
}

fn contains<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let parts = arguments.sequence(evaluator, 0)?;
    let wanted = arguments.datum(evaluator, 1)?;
    for part in &parts {
        if evaluator.equal(part, &wanted)? {
            return Ok(Datum::bool(true));
        }
    }
    Ok(Datum::bool(false))
}

fn last_direct(operands: &[&Value]) -> Option<Value> {
    operands.first()?.as_tuple()?.last().cloned()
}

fn last<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let parts = arguments.sequence(evaluator, 0)?;
    parts
        .into_iter()
        .next_back()
        .ok_or_else(|| domain_error("Last of the empty sequence is not defined"))
}

/// The end from which a search starts.
#[derive(Clone, Copy)]
enum From {
    Front,
    Back,
}

/// The index, counted from 1, of the first element in the given range that satisfies the predicate; 0 if none does.
fn select<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
    from: From,
    places: Option<(i64, i64)>,
    test: usize,
) -> Outcome<Datum<'p>> {
    let parts = arguments.sequence(evaluator, 0)?;
    let test = arguments.operator(test)?;
    let mut places = match places {
        None => 0..parts.len(),
        Some((first, last)) => range_within(parts.len(), first, last)?.unwrap_or(0..0),
    };
    let mut next = || match from {
        From::Front => places.next(),
        From::Back => places.next_back(),
    };
    while let Some(at) = next() {
        if let Some(part) = parts.get(at)
            && evaluator.test(&test, part, "the test of a search in a sequence")?
        {
            return Ok(Datum::int(at as i64 + 1));
        }
    }
    Ok(Datum::int(0))
}

fn select_in_seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    select(evaluator, arguments, From::Front, None, 1)
}

fn select_last_in_seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    select(evaluator, arguments, From::Back, None, 1)
}

fn select_in_sub_seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let places = (arguments.int(evaluator, 1)?, arguments.int(evaluator, 2)?);
    select(evaluator, arguments, From::Front, Some(places), 3)
}

fn select_last_in_sub_seq<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
) -> Outcome<Datum<'p>> {
    let places = (arguments.int(evaluator, 1)?, arguments.int(evaluator, 2)?);
    select(evaluator, arguments, From::Back, Some(places), 3)
}

fn remove_first<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let mut parts = arguments.sequence(evaluator, 0)?;
    let unwanted = arguments.datum(evaluator, 1)?;
    for at in 0..parts.len() {
        if evaluator.equal(&parts[at], &unwanted)? {
            parts.remove(at);
            break;
        }
    }
    Ok(sequence_of(parts))
}

fn remove_first_match<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let mut parts = arguments.sequence(evaluator, 0)?;
    let test = arguments.operator(1)?;
    for at in 0..parts.len() {
        let part = parts[at].clone();
        if evaluator.test(&test, &part, "the test of RemoveFirstMatch")? {
            parts.remove(at);
            break;
        }
    }
    Ok(sequence_of(parts))
}

/// Only TRUE: elements that differ may be incomparable.
fn is_prefix_direct(operands: &[&Value]) -> Option<Value> {
    let [shorter, longer] = operands else {
        return None;
    };
    let (shorter, longer) = (shorter.as_tuple()?, longer.as_tuple()?);
    (longer.get(..shorter.len())? == shorter).then(|| Value::bool(true))
}

fn is_prefix<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let shorter = text_or_sequence(evaluator, arguments, 0)?;
    let longer = text_or_sequence(evaluator, arguments, 1)?;
    match (shorter, longer) {
        (Parts::Text(shorter), Parts::Text(longer)) => Ok(Datum::bool(longer.starts_with(&shorter))),
        (Parts::Sequence(shorter), Parts::Sequence(longer)) => {
            if shorter.len() > longer.len() {
                return Ok(Datum::bool(false));
            }
            for (left, right) in shorter.iter().zip(&longer) {
                if !evaluator.equal(left, right)? {
                    return Ok(Datum::bool(false));
                }
            }
            Ok(Datum::bool(true))
        }
        (Parts::Text(_), Parts::Sequence(_)) | (Parts::Sequence(_), Parts::Text(_)) => Err(
            crate::error::type_error("IsPrefix needs two sequences or two strings"),
        ),
    }
}

/// `op(… op(op(base, s[1]), s[2]) …, s[n])`.
fn fold_left<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let op = arguments.operator(0)?;
    let mut folded = arguments.datum(evaluator, 1)?;
    for part in arguments.sequence(evaluator, 2)? {
        folded = evaluator.apply_closure(&op, &[folded, part])?;
    }
    Ok(folded)
}

/// `op(s[1], op(s[2], … op(s[n], base)))`.
fn fold_right<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let op = arguments.operator(0)?;
    let parts = arguments.sequence(evaluator, 1)?;
    let mut folded = arguments.datum(evaluator, 2)?;
    for part in parts.into_iter().rev() {
        folded = evaluator.apply_closure(&op, &[part, folded])?;
    }
    Ok(folded)
}

fn fold_left_domain<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let op = arguments.operator(0)?;
    let mut folded = arguments.datum(evaluator, 1)?;
    let length = text_or_sequence(evaluator, arguments, 2)?.len() as i64;
    for place in 1..=length {
        folded = evaluator.apply_closure(&op, &[folded, Datum::int(place)])?;
    }
    Ok(folded)
}

fn fold_right_domain<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let op = arguments.operator(0)?;
    let length = text_or_sequence(evaluator, arguments, 1)?.len() as i64;
    let mut folded = arguments.datum(evaluator, 2)?;
    for place in (1..=length).rev() {
        folded = evaluator.apply_closure(&op, &[Datum::int(place), folded])?;
    }
    Ok(folded)
}
