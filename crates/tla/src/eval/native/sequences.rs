//! `Sequences` and `FiniteSets`.

use omnilink_value::Value;

use super::Arguments;
use super::arguments::sequence_of;
use crate::eval::datum::{Datum, Lazy};
use crate::eval::error::{Outcome, domain_error, type_error};
use crate::eval::evaluator::Evaluator;

pub(super) fn cardinality<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.datum(evaluator, 0)?;
    evaluator.cardinality(&set).map(Datum::int)
}

pub(super) fn is_finite_set<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.datum(evaluator, 0)?;
    if !set.is_set() {
        return Err(arguments.wrong(evaluator, 0, "a set", &set));
    }
    Ok(Datum::bool(evaluator.is_enumerable(&set)))
}

pub(super) fn len<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let datum = arguments.datum(evaluator, 0)?;
    if let Datum::Value(value) = &datum {
        if let Some(parts) = value.as_tuple() {
            return Ok(Datum::int(parts.len() as i64));
        }
        if let Some(text) = value.as_str() {
            return Ok(Datum::int(text.chars().count() as i64));
        }
    }
    Ok(Datum::int(arguments.sequence(evaluator, 0)?.len() as i64))
}

pub(super) fn head<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let parts = text_or_sequence(evaluator, arguments, 0)?;
    match parts {
        Parts::Text(_) => Err(type_error("Head of a string is not defined")),
        Parts::Sequence(parts) => parts
            .into_iter()
            .next()
            .ok_or_else(|| domain_error("Head of the empty sequence is not defined")),
    }
}

pub(super) fn tail<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let empty = || domain_error("Tail of the empty sequence is not defined");
    match text_or_sequence(evaluator, arguments, 0)? {
        Parts::Text(text) => {
            let first = text.chars().next().ok_or_else(empty)?;
            Ok(Datum::str(&text[first.len_utf8()..]))
        }
        Parts::Sequence(parts) => {
            if parts.is_empty() {
                return Err(empty());
            }
            Ok(sequence_of(parts.into_iter().skip(1).collect()))
        }
    }
}

enum Parts<'p> {
    Text(String),
    Sequence(Vec<Datum<'p>>),
}

fn text_or_sequence<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
    index: usize,
) -> Outcome<Parts<'p>> {
    let datum = arguments.datum(evaluator, index)?;
    match datum.as_value().and_then(Value::as_str) {
        Some(text) => Ok(Parts::Text(text.to_owned())),
        None => match evaluator.sequence_parts(&datum)? {
            Some(parts) => Ok(Parts::Sequence(parts)),
            None => Err(arguments.wrong(evaluator, index, "a sequence", &datum)),
        },
    }
}

pub(super) fn append<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let mut parts = arguments.sequence(evaluator, 0)?;
    let last = arguments.datum(evaluator, 1)?;
    parts.push(evaluator.finite(last)?);
    Ok(sequence_of(parts))
}

pub(super) fn concat<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let left = text_or_sequence(evaluator, arguments, 0)?;
    let right = text_or_sequence(evaluator, arguments, 1)?;
    match (left, right) {
        (Parts::Text(left), Parts::Text(right)) => Ok(Datum::str(&(left + &right))),
        (Parts::Sequence(mut left), Parts::Sequence(right)) => {
            left.extend(right);
            Ok(sequence_of(left))
        }
        _ => Err(type_error("\\o needs two sequences or two strings")),
    }
}

pub(super) fn sub_seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let whole = text_or_sequence(evaluator, arguments, 0)?;
    let (from, to) = (arguments.int(evaluator, 1)?, arguments.int(evaluator, 2)?);
    let len = match &whole {
        Parts::Text(text) => text.chars().count(),
        Parts::Sequence(parts) => parts.len(),
    } as i64;
    if from > to {
        return Ok(match whole {
            Parts::Text(_) => Datum::str(""),
            Parts::Sequence(_) => sequence_of(Vec::new()),
        });
    }
    for (bound, which) in [(from, "second"), (to, "third")] {
        if bound < 1 || bound > len {
            return Err(domain_error(format!(
                "the {which} argument of SubSeq is {bound}, which is no index of a sequence of {len}"
            )));
        }
    }
    let (skip, take) = (from as usize - 1, (to - from) as usize + 1);
    Ok(match whole {
        Parts::Text(text) => Datum::str(&text.chars().skip(skip).take(take).collect::<String>()),
        Parts::Sequence(parts) => sequence_of(parts.into_iter().skip(skip).take(take).collect()),
    })
}

pub(super) fn select_seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let parts = arguments.sequence(evaluator, 0)?;
    let test = arguments.operator(1)?;
    let mut kept = Vec::new();
    for part in parts {
        let result = evaluator.apply_closure(&test, std::slice::from_ref(&part))?;
        if evaluator.expect_bool(&result, "the test of SelectSeq")? {
            kept.push(part);
        }
    }
    Ok(sequence_of(kept))
}

pub(super) fn seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.datum(evaluator, 0)?;
    if !set.is_set() {
        return Err(arguments.wrong(evaluator, 0, "a set", &set));
    }
    Ok(Datum::lazy(Lazy::Sequences(set)))
}
