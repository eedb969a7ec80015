//! `IOUtils`: the environment, files of values, and commands, which run only if the session permits them.

use std::process::Command;

use omnilink_value::Value;

use super::Arguments;
use super::files::{append, file_error, read, read_text, write};
use super::json::lines;
use super::registry::Entry;
use super::template::filled;
use super::value_stream;
use crate::datum::Datum;
use crate::error::{ErrorClass, Failure, Outcome, domain_error};
use crate::evaluator::Evaluator;

pub(super) const TABLE: &[Entry] = &[
    Entry::new("IOSerialize", io_serialize),
    Entry::new("IODeserialize", io_deserialize),
    Entry::new("Serialize", serialize),
    Entry::new("Deserialize", deserialize),
    Entry::new("IOExec", exec),
    Entry::new("IOEnvExec", env_exec),
    Entry::new("IOExecTemplate", exec_template),
    Entry::new("IOEnvExecTemplate", env_exec_template),
    Entry::new("IOEnv", io_env),
    Entry::new("atoi", atoi),
];

fn io_serialize<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let value = arguments.value(evaluator, 0)?;
    let path = arguments.text(evaluator, 1)?;
    let is_gzip = arguments.bool(evaluator, 2)?;
    let bytes = value_stream::write(&value)
        .map_err(|(class, message)| Failure::new(class, format!("{path}: {message}")))?;
    write(&path, &bytes, is_gzip)?;
    Ok(Datum::bool(true))
}

fn io_deserialize<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let path = arguments.text(evaluator, 0)?;
    let is_gzip = arguments.bool(evaluator, 1)?;
    let bytes = read(&path, is_gzip)?;
    value_stream::read(&bytes)
        .map(Datum::Value)
        .map_err(|(class, message)| Failure::new(class, format!("{path}: {message}")))
}

/// The result record of commands and `Serialize`.
fn report<'p>(exit_value: i64, stdout: &str, stderr: &str) -> Datum<'p> {
    Datum::Value(Value::record([
        ("exitValue", Value::int(exit_value)),
        ("stdout", Value::str(stdout)),
        ("stderr", Value::str(stderr)),
    ]))
}

/// The format in a record of options.
fn format<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
    index: usize,
) -> Outcome<(Value, String)> {
    let options = arguments.value(evaluator, index)?;
    let named = options.field("format").and_then(Value::as_str).map(str::to_owned);
    match named {
        Some(format) => Ok((options, format)),
        None => Err(arguments.wrong(
            evaluator,
            index,
            "a record with a field `format`, a string",
            &Datum::Value(options),
        )),
    }
}

fn unknown_format(format: &str) -> Box<Failure> {
    Failure::new(
        ErrorClass::Unsupported,
        format!("the format \"{format}\" is not known; \"TXT\" and \"NDJSON\" are"),
    )
}

fn serialize<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let value = arguments.value(evaluator, 0)?;
    let path = arguments.text(evaluator, 1)?;
    let (options, format) = format(evaluator, arguments, 2)?;
    let text = match &*format {
        "TXT" => value.as_str().map(str::to_owned),
        "NDJSON" => lines(&value),
        _ => return Err(unknown_format(&format)),
    };
    let Some(text) = text else {
        let wanted = if format == "TXT" { "a string" } else { "a sequence" };
        return Err(arguments.wrong(evaluator, 0, wanted, &Datum::Value(value)));
    };
    let adds = options
        .field("openOptions")
        .and_then(Value::as_tuple)
        .is_some_and(|options| options.iter().any(|option| option.as_str() == Some("APPEND")));
    if adds {
        append(&path, &text)?;
    } else {
        write(&path, text.as_bytes(), false)?;
    }
    Ok(if format == "TXT" {
        report(0, "", "")
    } else {
        Datum::bool(true)
    })
}

fn deserialize<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let path = arguments.text(evaluator, 0)?;
    let (_, format) = format(evaluator, arguments, 1)?;
    match &*format {
        "TXT" => Ok(report(0, &read_text(&path, false)?, "")),
        _ => Err(unknown_format(&format)),
    }
}

/// A value as a word of a command: strings without quotes.
fn word<'p>(evaluator: &mut Evaluator<'p>, part: &Datum<'p>) -> Outcome<String> {
    match part.as_value().and_then(Value::as_str) {
        Some(text) => Ok(text.to_owned()),
        None => evaluator.text(part),
    }
}

fn words<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
    index: usize,
) -> Outcome<Vec<String>> {
    let parts = arguments.sequence(evaluator, index)?;
    parts.iter().map(|part| word(evaluator, part)).collect()
}

fn environment<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
    index: usize,
) -> Outcome<Vec<(String, String)>> {
    let record = arguments.value(evaluator, index)?;
    let Some(fields) = record.as_record() else {
        return Err(arguments.wrong(evaluator, index, "a record", &Datum::Value(record)));
    };
    fields
        .iter()
        .map(|(name, value)| Ok((name.to_owned(), word(evaluator, &Datum::Value(value.clone()))?)))
        .collect()
}

fn run<'p>(
    evaluator: &Evaluator<'p>,
    variables: &[(String, String)],
    words: &[String],
) -> Outcome<Datum<'p>> {
    let Some((program, rest)) = words.split_first() else {
        return Err(domain_error("a command has at least one word"));
    };
    if !evaluator.session.may_execute() {
        return Err(Failure::new(
            ErrorClass::Io,
            format!(
                "the spec wants to run `{}`; if you trust it, say --allow-exec",
                words.join(" ")
            ),
        ));
    }
    let output = Command::new(program)
        .args(rest)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .output()
        .map_err(|error| file_error(program, format!("cannot be run: {error}")))?;
    Ok(report(
        i64::from(output.status.code().unwrap_or(-1)),
        &String::from_utf8_lossy(&output.stdout),
        &String::from_utf8_lossy(&output.stderr),
    ))
}

fn exec<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let words = words(evaluator, arguments, 0)?;
    run(evaluator, &[], &words)
}

fn env_exec<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let variables = environment(evaluator, arguments, 0)?;
    let words = words(evaluator, arguments, 1)?;
    run(evaluator, &variables, &words)
}

fn filled_words<'p>(
    evaluator: &mut Evaluator<'p>,
    arguments: Arguments<'_, 'p>,
    template: usize,
) -> Outcome<Vec<String>> {
    let templates = words(evaluator, arguments, template)?;
    let parameters = words(evaluator, arguments, template + 1)?;
    templates
        .iter()
        .map(|template| filled(template, &parameters))
        .collect()
}

fn exec_template<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let words = filled_words(evaluator, arguments, 0)?;
    run(evaluator, &[], &words)
}

fn env_exec_template<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let variables = environment(evaluator, arguments, 0)?;
    let words = filled_words(evaluator, arguments, 1)?;
    run(evaluator, &variables, &words)
}

/// Variables whose name or value is not UTF-8 cannot be written in TLA+ and are left out.
fn io_env<'p>(_: &mut Evaluator<'p>, _: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let value = Value::str(value.to_str()?);
        Some((name.to_str()?.to_owned(), value))
    });
    Ok(Datum::Value(Value::record(variables)))
}

fn atoi<'p>(evaluator: &mut Evaluator<'p>, arguments: Arguments<'_, 'p>) -> Outcome<Datum<'p>> {
    let text = arguments.text(evaluator, 0)?;
    let number = text.parse::<i64>().ok();
    match number.filter(|number| !evaluator.session.is_32_bit() || i32::try_from(*number).is_ok()) {
        Some(number) => Ok(Datum::int(number)),
        None => Err(domain_error(format!(
            "atoi(\"{text}\"): the string is no integer"
        ))),
    }
}
