//! OpenTelemetry's protocol as JSON: objects `{"resourceSpans":[…]}`, one a line as the collector's file exporter writes them.
//!
//! Names of fields are in camel case, or in snake case as some exporters write them. Identifiers are hexadecimal, or base64 as in
//! protobuf's general JSON form. Integers of 64 bits are strings or numbers, enumerations are numbers or names.

use std::sync::Arc;

use omnilink_value::Value;
use omnilink_value::json::JsonCursor;

use super::batches::{Batch, Batches, ReadBatch};
use super::field::{elements, key, parent, text};
use super::span::{Attributes, INTERNAL, Span};
use crate::input::InputBuffer;
use crate::note::Notes;
use crate::{Location, OperationName, Problem, Time, TraceError};

/// The spans of a file.
pub(super) fn spans(buffer: InputBuffer, name: &str, notes: Notes) -> Batches {
    Batches::of_elements(buffer, name, notes, message)
}

/// The spans of one message.
pub(super) fn message(batch: &Batch<'_>) -> Result<ReadBatch, TraceError> {
    let mut cursor = JsonCursor::new(batch.text);
    let mut spans = Vec::new();
    match of_message(&mut cursor, batch, Wrapping::Maybe, &mut spans)? {
        Some(true) => Ok(ReadBatch::Spans(spans)),
        Some(false) => Ok(ReadBatch::Other),
        None => {
            let expected = "the spans of a resource; all of a file is in one format";
            Err(batch.error(0, Problem::missing(None, "resourceSpans", expected)))
        }
    }
}

/// Whether a message may be inside of another object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrapping {
    Maybe,
    Removed,
}

/// Adds the spans of a message. Whether it may have some: metrics and logs have none, and nothing is known of other objects.
fn of_message<'a>(
    cursor: &mut JsonCursor<'a>,
    batch: &Batch<'a>,
    wrapping: Wrapping,
    spans: &mut Vec<Span>,
) -> Result<Option<bool>, TraceError> {
    let mut holds = None;
    batch.object(cursor, &mut |key, cursor| {
        match key {
            "resourceSpans" | "resource_spans" => {
                holds = Some(true);
                return batch.array(cursor, &mut |cursor| of_resource(cursor, batch, spans));
            }
            // What Jaeger's API wraps messages in, from version 3 on.
            "result" if wrapping == Wrapping::Maybe => {
                holds = of_message(cursor, batch, Wrapping::Removed, spans)?.or(holds);
                return Ok(());
            }
            "resourceMetrics" | "resource_metrics" | "resourceLogs" | "resource_logs" => {
                holds.get_or_insert(false);
            }
            _ => {}
        }
        batch.skip(cursor)
    })?;
    Ok(holds)
}

/// Adds the spans of one resource. The resource may stand behind them.
fn of_resource<'a>(
    cursor: &mut JsonCursor<'a>,
    batch: &Batch<'a>,
    spans: &mut Vec<Span>,
) -> Result<(), TraceError> {
    let first = spans.len();
    let mut resource = Arc::default();
    batch.object(cursor, &mut |key, cursor| match key {
        "resource" => {
            let (value, offset) = batch.value(cursor)?;
            let found = attributes(value.field("attributes"));
            resource = Arc::new(found.map_err(|problem| batch.error(offset, problem))?);
            Ok(())
        }
        "scopeSpans" | "scope_spans" | "instrumentationLibrarySpans" | "instrumentation_library_spans" => {
            batch.array(cursor, &mut |cursor| {
                batch.object(cursor, &mut |key, cursor| match key {
                    "spans" => batch.array(cursor, &mut |cursor| {
                        let (value, offset) = batch.value(cursor)?;
                        let span = span(&value, batch.location(offset));
                        spans.push(span.map_err(|problem| batch.error(offset, problem))?);
                        Ok(())
                    }),
                    _ => batch.skip(cursor),
                })
            })
        }
        _ => batch.skip(cursor),
    })?;
    for span in &mut spans[first..] {
        span.resource = Arc::clone(&resource);
    }
    Ok(())
}

fn span(value: &Value, location: Location) -> Result<Span, Problem> {
    let get = |camel: &str, snake: &str| value.field(camel).or_else(|| value.field(snake));
    let name = text(value.field("name"), "name")?;
    let op = OperationName::new(name);
    let start = get("startTimeUnixNano", "start_time_unix_nano");
    let start = time(start, &op, "startTimeUnixNano")?
        .ok_or_else(|| Problem::missing(Some(&op), "startTimeUnixNano", "the time when it began"))?;
    let end = get("endTimeUnixNano", "end_time_unix_nano");
    let end = time(end, &op, "endTimeUnixNano")?;
    if let Some(end) = end.filter(|end| *end < start) {
        return Err(Problem::EndBeforeStart { op, start, end });
    }
    let trace = (get("traceId", "trace_id"), "traceId");
    let key_of_span = key(trace, (get("spanId", "span_id"), "spanId"))?;
    let mut links = Vec::new();
    for link in elements(value.field("links"), "links")? {
        let get = |camel: &str, snake: &str| link.field(camel).or_else(|| link.field(snake));
        let trace = (get("traceId", "trace_id"), "traceId");
        links.extend(key(trace, (get("spanId", "span_id"), "spanId"))?);
    }
    let status = value.field("status");
    let error = match status.and_then(|status| status.field("code")) {
        Some(code) if code.as_int() == Some(2) || code.as_str() == Some("STATUS_CODE_ERROR") => {
            Some(text(status.and_then(|status| status.field("message")), "message")?.to_owned())
        }
        _ => None,
    };
    let dropped = get("droppedAttributesCount", "dropped_attributes_count").and_then(Value::as_int);
    Ok(Span {
        key: key_of_span,
        parent: parent(key_of_span, get("parentSpanId", "parent_span_id"), "parentSpanId")?,
        links,
        kind: kind(value.field("kind"))?,
        end,
        attributes: attributes(value.field("attributes"))?,
        error,
        dropped: dropped.and_then(|count| u64::try_from(count).ok()).unwrap_or(0),
        ..Span::new(name, start, location)
    })
}

/// A time in nanoseconds, a string or a number; zero means none.
fn time(value: Option<&Value>, op: &OperationName, field: &'static str) -> Result<Option<Time>, Problem> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let time = value
        .as_int()
        .or_else(|| value.as_str().and_then(|text| text.parse().ok()));
    match time {
        Some(time) => Ok((time != 0).then_some(time)),
        None => {
            let expected = "nanoseconds since 1970 in decimal, of 63 bits";
            Err(Problem::wrong(Some(op), field, expected, value))
        }
    }
}

/// The name of a kind, by its number in the protocol.
pub(super) fn kind_name(number: i64) -> &'static str {
    match number {
        2 => "server",
        3 => "client",
        4 => "producer",
        5 => "consumer",
        _ => INTERNAL,
    }
}

fn kind(value: Option<&Value>) -> Result<String, Problem> {
    let Some(value) = value else {
        return Ok(INTERNAL.to_owned());
    };
    if let Some(number) = value.as_int() {
        return Ok(kind_name(number).to_owned());
    }
    let name = text(Some(value), "kind")?.trim_start_matches("SPAN_KIND_");
    match name {
        "UNSPECIFIED" => Ok(INTERNAL.to_owned()),
        name => Ok(name.to_ascii_lowercase()),
    }
}

fn attributes(value: Option<&Value>) -> Result<Attributes, Problem> {
    let mut attributes = Attributes::new();
    for pair in elements(value, "attributes")? {
        let name = text(pair.field("key"), "key")?.to_owned();
        let value = pair.field("value").map_or_else(|| Ok(Value::null()), any)?;
        attributes.push((name, value));
    }
    Ok(attributes)
}

/// A value with its type, such as `{"intValue":"5"}`; null if it is empty.
fn any(value: &Value) -> Result<Value, Problem> {
    let Some((kind, inner)) = value.as_record().and_then(|fields| fields.iter().next()) else {
        return Ok(Value::null());
    };
    let values = || inner.field("values");
    match kind {
        "intValue" | "int_value" => match inner.as_str() {
            Some(digits) => Value::number(digits).ok_or_else(|| {
                Problem::wrong(None, "intValue", "an integer, as a number or in quotes", inner)
            }),
            None => Ok(inner.clone()),
        },
        "stringValue" | "string_value" | "boolValue" | "bool_value" | "doubleValue" | "double_value"
        | "bytesValue" | "bytes_value" => Ok(inner.clone()),
        "arrayValue" | "array_value" => {
            let items = elements(values(), "values")?.iter().map(any);
            Ok(Value::tuple(items.collect::<Result<Vec<_>, _>>()?))
        }
        "kvlistValue" | "kvlist_value" => Ok(Value::record(attributes(values())?)),
        _ => {
            let expected = "a value with its type: stringValue, intValue, boolValue, doubleValue, arrayValue, kvlistValue or bytesValue";
            Err(Problem::wrong(None, "value", expected, value))
        }
    }
}
