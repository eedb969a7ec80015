//! `Bitwise`: natural numbers bit by bit. Negative numbers are the bit patterns of 32-bit integers, as in TLC.

use omnilink_value::Value;

use super::Arguments;
use super::registry::Entry;
use crate::datum::Datum;
use crate::error::{Outcome, domain_error};
use crate::evaluator::Evaluator;

pub(super) const TABLE: &[Entry] = &[
    Entry::direct("&", |operands| ints(operands, |x, y| x & y), and),
    Entry::direct("|", |operands| ints(operands, |x, y| x | y), or),
    Entry::direct("^^", |operands| ints(operands, |x, y| x ^ y), xor),
    Entry::new("Not", not),
    Entry::new("shiftR", shift_right),
];

/// Two's complement of 32 bits, sign extended, is two's complement of 64 bits: one computation serves both.
fn ints(operands: &[&Value], combine: fn(i64, i64) -> i64) -> Option<Value> {
    match operands {
        [x, y] => Some(Value::int(combine(x.as_int()?, y.as_int()?))),
        _ => None,
    }
}

fn and<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    Ok(Datum::int(
        arguments.int(evaluator, 0)? & arguments.int(evaluator, 1)?,
    ))
}

fn or<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    Ok(Datum::int(
        arguments.int(evaluator, 0)? | arguments.int(evaluator, 1)?,
    ))
}

fn xor<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    Ok(Datum::int(
        arguments.int(evaluator, 0)? ^ arguments.int(evaluator, 1)?,
    ))
}

/// The complement of the bits up to the highest one.
fn not<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let number = arguments.int(evaluator, 0)?;
    if number < 0 {
        return Err(domain_error(format!(
            "Not({number}): a negative number has no highest bit"
        )));
    }
    let width = 64 - number.leading_zeros();
    Ok(Datum::int(!number & (((1i64 << width.min(62)) - 1) | number)))
}

fn shift_right<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let (number, by) = (arguments.int(evaluator, 0)?, arguments.int(evaluator, 1)?);
    let Ok(by) = u32::try_from(by) else {
        return Err(domain_error(format!(
            "shiftR({number}, {by}): the second argument must be a natural number"
        )));
    };
    if number >= 0 {
        return Ok(Datum::int(number.checked_shr(by).unwrap_or(0)));
    }
    match i32::try_from(number) {
        Ok(pattern) => Ok(Datum::int(i64::from(
            (pattern as u32).checked_shr(by).unwrap_or(0),
        ))),
        Err(_) => Err(domain_error(format!(
            "shiftR({number}, {by}): a negative number must fit into 32 bits"
        ))),
    }
}
