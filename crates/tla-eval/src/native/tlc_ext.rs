//! `TLCExt`: the trace so far, and checks of evaluation itself.

use omnilink_value::Value;

use super::Arguments;
use super::registry::Entry;
use super::tlc::register_key;
use crate::datum::Datum;
use crate::error::{ErrorClass, Failure, Outcome, type_error};
use crate::evaluator::Evaluator;

pub(super) const TABLE: &[Entry] = &[
    Entry::new("AssertError", assert_error),
    Entry::new("TLCGetOrDefault", get_or_default),
    Entry::new("Trace", trace),
    Entry::new("CounterExample", counter_example),
    Entry::new("ToTrace", to_trace),
    Entry::new("TLCModelValue", model_value),
    Entry::new("TLCNoOp", no_op),
    Entry::new("TLCCache", cache),
    Entry::new("TLCFP", fingerprint),
];

/// Whether an expression fails with a message. Messages differ between tools, so a message written for TLC is rejected rather than
/// compared.
fn assert_error<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let wanted = arguments.text(evaluator, 0)?;
    let outcome = arguments
        .datum(evaluator, 1)
        .and_then(|datum| evaluator.text(&datum));
    match outcome {
        Ok(_) => Ok(Datum::bool(false)),
        Err(failure) if failure.message == wanted => Ok(Datum::bool(true)),
        Err(failure) => Err(Failure::new(
            ErrorClass::Unsupported,
            format!(
                "the expression fails as AssertError expects, but whether with the same message cannot be told: here it \
                 is `{}`",
                failure.message
            ),
        )),
    }
}

fn get_or_default<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let key = register_key(evaluator, arguments)?;
    match evaluator.register(&key) {
        Some(value) => Ok(Datum::Value(value)),
        None => arguments.datum(evaluator, 1),
    }
}

fn trace<'p>(evaluator: &mut Evaluator<'p>, _: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    match evaluator.session.trace() {
        Some(states) => Ok(Datum::Value(Value::tuple(states))),
        None => Err(Failure::new(
            ErrorClass::Unsupported,
            "Trace is not known during a search, which keeps no path to the state that it looks at",
        )),
    }
}

/// `TLCCache(e, key)`: e is evaluated once for each key. What e reads besides is for the spec to put into the key. The value is
/// kept in a register that no TLCGet can name.
fn cache<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let key = arguments.value(evaluator, 1)?;
    let (from, to) = arguments.place(0).unwrap_or_default();
    let register = Value::tuple([
        Value::str("TLCCache"),
        Value::int(i64::from(from)),
        Value::int(i64::from(to)),
        key,
    ]);
    if let Some(known) = evaluator.session.register(&register) {
        return Ok(Datum::Value(known));
    }
    let value = arguments.value(evaluator, 0)?;
    evaluator.session.set_register(&register, value.clone());
    Ok(Datum::Value(value))
}

fn counter_example<'p>(evaluator: &mut Evaluator<'p>, _: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    Ok(Datum::Value(evaluator.session.counter_example()))
}

/// The states of a counterexample in their order: its field `state` is a set of pairs of a number and a state.
fn to_trace<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let example = arguments.value(evaluator, 0)?;
    let numbered = example.field("state").and_then(Value::as_set).map(|pairs| {
        pairs
            .iter()
            .map(|pair| match pair.as_tuple() {
                Some([number, state]) => Some((number.as_int()?, state.clone())),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
    });
    let Some(Some(mut states)) = numbered else {
        return Err(type_error(format!(
            "ToTrace needs a record with a field `state`, a set of pairs of a number and a state, but has {example}"
        )));
    };
    states.sort_by_key(|(number, _)| *number);
    Ok(Datum::Value(Value::tuple(
        states.into_iter().map(|(_, state)| state),
    )))
}

fn model_value<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let name = arguments.text(evaluator, 0)?;
    Ok(Datum::Value(Value::model(&name)))
}

fn no_op<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    arguments.datum(evaluator, 0)
}

/// A hash of 32 bits, as in TLC.
fn fingerprint<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let value = arguments.value(evaluator, 0)?;
    Ok(Datum::int(i64::from(value.hash64() as i32)))
}
