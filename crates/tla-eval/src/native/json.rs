//! `Json`: values to and from JSON texts and files. A file whose name ends in `.gz` is compressed.

use omnilink_value::Value;

use super::Arguments;
use super::files::{file_error, is_gzip_name, read_text, write};
use super::json_text::{array_text, object_text, parse, text};
use super::registry::Entry;
use crate::datum::Datum;
use crate::error::{Failure, Outcome};
use crate::evaluator::Evaluator;

pub(super) const TABLE: &[Entry] = &[
    Entry::new("ToJson", to_json),
    Entry::new("ToJsonArray", to_json_array),
    Entry::new("ToJsonObject", to_json_object),
    Entry::new("JsonSerialize", serialize),
    Entry::new("JsonDeserialize", deserialize),
    Entry::new("ndJsonSerialize", serialize_lines),
    Entry::new("ndJsonDeserialize", deserialize_lines),
];

fn to_json<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let value = arguments.value(evaluator, 0)?;
    Ok(Datum::str(&text(&value)))
}

fn to_json_array<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let value = arguments.value(evaluator, 0)?;
    match array_text(&value) {
        Some(text) => Ok(Datum::str(&text)),
        None => Err(arguments.wrong(evaluator, 0, "a sequence or a set", &Datum::Value(value))),
    }
}

fn to_json_object<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let value = arguments.value(evaluator, 0)?;
    match object_text(&value) {
        Some(text) => Ok(Datum::str(&text)),
        None => Err(arguments.wrong(evaluator, 0, "a function", &Datum::Value(value))),
    }
}

fn serialize<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let path = arguments.text(evaluator, 0)?;
    let value = arguments.value(evaluator, 1)?;
    write(&path, text(&value).as_bytes(), is_gzip_name(&path))?;
    Ok(Datum::bool(true))
}

/// One line per element of a sequence.
pub(super) fn lines(value: &Value) -> Option<String> {
    let mut lines = String::new();
    for part in value.as_tuple()? {
        lines += &text(part);
        lines.push('\n');
    }
    Some(lines)
}

fn serialize_lines<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let path = arguments.text(evaluator, 0)?;
    let value = arguments.value(evaluator, 1)?;
    let Some(lines) = lines(&value) else {
        return Err(arguments.wrong(evaluator, 1, "a sequence", &Datum::Value(value)));
    };
    write(&path, lines.as_bytes(), is_gzip_name(&path))?;
    Ok(Datum::bool(true))
}

fn deserialize<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let path = arguments.text(evaluator, 0)?;
    let text = read_text(&path, is_gzip_name(&path))?;
    parse(&text, evaluator.session.is_32_bit())
        .map(Datum::Value)
        .map_err(|(class, message)| Failure::new(class, format!("{path}: {message}")))
}

fn deserialize_lines<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let path = arguments.text(evaluator, 0)?;
    let text = read_text(&path, is_gzip_name(&path))?;
    let is_32_bit = evaluator.session.is_32_bit();
    let mut values = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let value = parse(line, is_32_bit).map_err(|(class, message)| {
            let mut failure = file_error(&path, format!("line {number}: {message}"));
            failure.class = class;
            failure
        })?;
        values.push(value);
    }
    Ok(Datum::Value(Value::tuple(values)))
}
