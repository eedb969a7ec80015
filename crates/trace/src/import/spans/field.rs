//! Fields of JSON objects, as the readers of spans need them.

use omnilink_value::Value;

use super::span_key::{SpanKey, span_number, trace_number};
use crate::{Problem, Time};

/// The elements of an array; none if the field is missing.
pub(super) fn elements<'v>(value: Option<&'v Value>, field: &'static str) -> Result<&'v [Value], Problem> {
    match value {
        None => Ok(&[]),
        Some(value) if value.is_null() => Ok(&[]),
        Some(value) => value
            .as_tuple()
            .ok_or_else(|| Problem::wrong(None, field, "an array", value)),
    }
}

/// A text; empty if the field is missing.
pub(super) fn text<'v>(value: Option<&'v Value>, field: &'static str) -> Result<&'v str, Problem> {
    match value {
        None => Ok(""),
        Some(value) if value.is_null() => Ok(""),
        Some(value) => value
            .as_str()
            .ok_or_else(|| Problem::wrong(None, field, "a string", value)),
    }
}

/// The identity of a span by its fields for the trace and for the span.
pub(super) fn key(
    trace: (Option<&Value>, &'static str),
    span: (Option<&Value>, &'static str),
) -> Result<Option<SpanKey>, Problem> {
    let trace_text = text(trace.0, trace.1)?;
    let wrong = |(value, field): (Option<&Value>, &'static str), expected| {
        let found = value.cloned().unwrap_or_else(|| Value::str(""));
        Problem::wrong(None, field, expected, &found)
    };
    let span_text = text(span.0, span.1)?;
    let number = span_number(span_text).ok_or_else(|| wrong(span, "at most 16 hexadecimal digits"))?;
    if number == 0 && trace_text.is_empty() {
        return Ok(None);
    }
    let trace = trace_number(trace_text).ok_or_else(|| wrong(trace, "at most 32 hexadecimal digits"))?;
    Ok(SpanKey::new(trace, number))
}

/// The span of this number in the same trace as `key`.
pub(super) fn parent(
    key: Option<SpanKey>,
    value: Option<&Value>,
    field: &'static str,
) -> Result<Option<SpanKey>, Problem> {
    let number = span_number(text(value, field)?);
    let number = number.ok_or_else(|| {
        let found = value.cloned().unwrap_or_else(Value::null);
        Problem::wrong(None, field, "at most 16 hexadecimal digits", &found)
    })?;
    Ok(key.and_then(|key| key.in_same_trace(number)))
}

/// A time in microseconds, possibly with a fraction, in nanoseconds; `None` if it is no such number.
pub(super) fn nanoseconds(microseconds: &Value) -> Option<Time> {
    if let Some(whole) = microseconds.as_int() {
        return whole.checked_mul(1000);
    }
    // A number with a fraction is a model value that is named after it.
    let (whole, fraction) = microseconds.as_model()?.split_once('.')?;
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(3);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(fraction) || !is_number(whole.trim_start_matches('-')) {
        return None;
    }
    let fraction = digits.fold(0, |sum, digit| sum * 10 + Time::from(digit - b'0'));
    let magnitude = whole.parse::<Time>().ok()?.checked_mul(1000)?;
    if whole.starts_with('-') {
        magnitude.checked_sub(fraction)
    } else {
        magnitude.checked_add(fraction)
    }
}

/// The end of something that began at `start` and took `duration`, both in nanoseconds.
pub(super) fn end_of(name: &str, start: Time, duration: Option<Time>) -> Result<Option<Time>, Problem> {
    let Some(duration) = duration else { return Ok(None) };
    let end = start.saturating_add(duration);
    if end < start {
        Err(Problem::EndBeforeStart {
            op: name.into(),
            start,
            end,
        })
    } else {
        Ok(Some(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_may_have_a_fraction() {
        for (text, nanos) in [
            ("12", Some(12_000)),
            ("12.5", Some(12_500)),
            ("12.3456", Some(12_345)),
            ("-0.001", Some(-1)),
            ("1e300", None),
            ("9223372036854775807", None),
            ("\"12\"", None),
        ] {
            let value = Value::from_json(text.as_bytes()).expect("JSON");
            assert_eq!(nanoseconds(&value), nanos, "{text}");
        }
    }
}
