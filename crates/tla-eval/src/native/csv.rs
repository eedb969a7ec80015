//! `CSV`: files of delimited lines.

use std::path::Path;

use omnilink_value::Value;

use super::Arguments;
use super::files::{append, file_error, read_text};
use super::registry::Entry;
use super::template::filled;
use crate::datum::Datum;
use crate::error::Outcome;
use crate::evaluator::Evaluator;

pub(super) const TABLE: &[Entry] = &[
    Entry::new("CSVWrite", write),
    Entry::new("CSVWriteRecord", write_record),
    Entry::new("CSVRead", read),
    Entry::new("CSVRecords", records),
];

fn write<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let template = arguments.text(evaluator, 0)?;
    let parts = arguments.sequence(evaluator, 1)?;
    let file = arguments.text(evaluator, 2)?;
    let parameters = parts
        .iter()
        .map(|part| evaluator.text(part))
        .collect::<Outcome<Vec<_>>>()?;
    append(&file, &(filled(&template, &parameters)? + "\n"))?;
    Ok(Datum::bool(true))
}

fn write_record<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let record = arguments.value(evaluator, 0)?;
    let delimiter = arguments.text(evaluator, 1)?;
    let with_names = arguments.bool(evaluator, 2)?;
    let file = arguments.text(evaluator, 3)?;
    let Some(fields) = record.as_record() else {
        return Err(arguments.wrong(evaluator, 0, "a record", &Datum::Value(record)));
    };
    let line = |parts: Vec<String>| parts.join(&delimiter) + "\n";
    let mut text = String::new();
    if with_names {
        text += &line(fields.iter().map(|(name, _)| name.to_owned()).collect());
    }
    text += &line(fields.iter().map(|(_, value)| value.to_string()).collect());
    append(&file, &text)?;
    Ok(Datum::bool(true))
}

/// A file that does not exist has no lines.
fn read<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let columns = arguments.sequence(evaluator, 0)?;
    let delimiter = arguments.text(evaluator, 1)?;
    let file = arguments.text(evaluator, 2)?;
    let mut names = Vec::with_capacity(columns.len());
    for column in &columns {
        match column.as_value().and_then(Value::as_str) {
            Some(name) => names.push(name),
            None => return Err(arguments.wrong(evaluator, 0, "a sequence of strings", column)),
        }
    }
    if delimiter.is_empty() {
        return Err(file_error(&file, "the delimiter must not be empty"));
    }
    if !Path::new(&file).exists() {
        return Ok(Datum::Value(Value::tuple([])));
    }
    let text = read_text(&file, false)?;
    let mut records = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let fields: Vec<&str> = line.split(&*delimiter).collect();
        if fields.len() != names.len() {
            return Err(file_error(
                &file,
                format!(
                    "line {number} has {} fields, but there are {} columns",
                    fields.len(),
                    names.len()
                ),
            ));
        }
        let fields = fields.into_iter().map(Value::str);
        records.push(Value::record(names.iter().copied().zip(fields)));
    }
    Ok(Datum::Value(Value::tuple(records)))
}

fn records<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let file = arguments.text(evaluator, 0)?;
    if !Path::new(&file).exists() {
        return Ok(Datum::int(0));
    }
    Ok(Datum::int(read_text(&file, false)?.lines().count() as i64))
}
