//! `Sequences`. Strings are sequences for `Len`, `\o`, `Tail` and `SubSeq`.
//!
//! The common operations on queues and logs work on canonical sequences in place.

use omnilink_memory::guard;
use omnilink_value::Value;

use super::Arguments;
use super::arguments::sequence_of;
use super::registry::Entry;
use crate::datum::{Datum, Lazy};
use crate::error::{Outcome, domain_error, type_error};
use crate::evaluator::Evaluator;

pub(super) const TABLE: &[Entry] = &[
    Entry::direct("Len", len_direct, len),
    Entry::direct("Head", head_direct, head),
    Entry::direct("Tail", tail_direct, tail),
    Entry::direct("Append", append_direct, append),
    Entry::direct("\\o", concat_direct, concat),
    Entry::direct("SubSeq", sub_seq_direct, sub_seq),
    Entry::new("SelectSeq", select_seq),
    Entry::new("Seq", seq),
];

/// A sequence of characters or of parts.
pub(super) enum Parts<'p> {
    Text(String),
    Sequence(Vec<Datum<'p>>),
}

impl<'p> Parts<'p> {
    pub(super) fn len(&self) -> usize {
        match self {
            Parts::Text(text) => text.chars().count(),
            Parts::Sequence(parts) => parts.len(),
        }
    }
}

/// A sequence or string argument.
pub(super) fn text_or_sequence<'p>(
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

fn len_direct(operands: &[&Value]) -> Option<Value> {
    let length = operands.first()?.as_tuple()?.len();
    Some(Value::int(length as i64))
}

fn len<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let parts = text_or_sequence(evaluator, arguments, 0)?;
    Ok(Datum::int(parts.len() as i64))
}

fn head_direct(operands: &[&Value]) -> Option<Value> {
    operands.first()?.as_tuple()?.first().cloned()
}

fn head<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    match text_or_sequence(evaluator, arguments, 0)? {
        Parts::Text(_) => Err(type_error("Head of a string is not defined")),
        Parts::Sequence(parts) => parts
            .into_iter()
            .next()
            .ok_or_else(|| domain_error("Head of the empty sequence is not defined")),
    }
}

fn tail_direct(operands: &[&Value]) -> Option<Value> {
    let (_, rest) = operands.first()?.as_tuple()?.split_first()?;
    Some(Value::sequence_of(rest, &[]))
}

fn tail<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let empty = || domain_error("Tail of the empty sequence is not defined");
    match text_or_sequence(evaluator, arguments, 0)? {
        Parts::Text(text) => {
            let mut characters = text.chars();
            characters.next().ok_or_else(empty)?;
            Ok(Datum::str(characters.as_str()))
        }
        Parts::Sequence(parts) if parts.is_empty() => Err(empty()),
        Parts::Sequence(parts) => Ok(sequence_of(parts.into_iter().skip(1).collect())),
    }
}

fn append_direct(operands: &[&Value]) -> Option<Value> {
    let [sequence, last] = operands else { return None };
    let parts = sequence.as_tuple()?;
    Some(Value::sequence_of(parts, std::slice::from_ref(*last)))
}

fn append<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let mut parts = arguments.sequence(evaluator, 0)?;
    let last = arguments.datum(evaluator, 1)?;
    parts.push(evaluator.finite(last)?);
    Ok(sequence_of(parts))
}

fn concat_direct(operands: &[&Value]) -> Option<Value> {
    let [left, right] = operands else { return None };
    let (first, second) = (left.as_tuple()?, right.as_tuple()?);
    Some(match (first.is_empty(), second.is_empty()) {
        (_, true) => (*left).clone(),
        (true, _) => (*right).clone(),
        // What is too long for the memory is refused by the other way.
        _ if !guard::has_room((first.len() + second.len()) * size_of::<Value>()) => return None,
        _ => Value::sequence_of(first, second),
    })
}

fn concat<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let left = text_or_sequence(evaluator, arguments, 0)?;
    let right = text_or_sequence(evaluator, arguments, 1)?;
    match (left, right) {
        (Parts::Text(left), Parts::Text(right)) => Ok(Datum::str(&(left + &right))),
        (Parts::Sequence(mut left), Parts::Sequence(right)) => {
            evaluator.check_room(left.len() + right.len())?;
            left.extend(right);
            Ok(sequence_of(left))
        }
        _ => Err(type_error("\\o needs two sequences or two strings")),
    }
}

fn sub_seq_direct(operands: &[&Value]) -> Option<Value> {
    let [sequence, from, to] = operands else {
        return None;
    };
    let parts = sequence.as_tuple()?;
    let (from, to) = (from.as_int()?, to.as_int()?);
    if from > to {
        return Some(Value::tuple([]));
    }
    let start = usize::try_from(from).ok()?.checked_sub(1)?;
    let part = parts.get(start..usize::try_from(to).ok()?)?;
    Some(Value::sequence_of(part, &[]))
}

fn sub_seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let whole = text_or_sequence(evaluator, arguments, 0)?;
    let (from, to) = (arguments.int(evaluator, 1)?, arguments.int(evaluator, 2)?);
    let (start, count) = match range_within(whole.len(), from, to)? {
        Some(range) => (range.start, range.len()),
        None => (0, 0),
    };
    Ok(match whole {
        Parts::Text(text) => Datum::str(&text.chars().skip(start).take(count).collect::<String>()),
        Parts::Sequence(parts) => sequence_of(parts.into_iter().skip(start).take(count).collect()),
    })
}

/// The elements `from..to` of a sequence, counted from 0; `None` if the range is invalid.
pub(super) fn range_within(length: usize, from: i64, to: i64) -> Outcome<Option<std::ops::Range<usize>>> {
    if from > to {
        return Ok(None);
    }
    for (bound, which) in [(from, "first"), (to, "last")] {
        if bound < 1 || bound > length as i64 {
            return Err(domain_error(format!(
                "the {which} place {bound} is not in the domain of the sequence, which has {length} parts"
            )));
        }
    }
    Ok(Some(from as usize - 1..to as usize))
}

fn select_seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let parts = arguments.sequence(evaluator, 0)?;
    let test = arguments.operator(1)?;
    let mut kept = Vec::new();
    for part in parts {
        if evaluator.test(&test, &part, "the test of SelectSeq")? {
            kept.push(part);
        }
    }
    Ok(sequence_of(kept))
}

/// The set is evaluated at the first membership test, so any value is accepted.
fn seq<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let set = arguments.datum(evaluator, 0)?;
    Ok(Datum::lazy(Lazy::Sequences(set)))
}
