//! Zipkin's JSON, version 2: an array of spans, or of arrays of spans, one for each trace, as its API answers.

use std::sync::Arc;

use omnilink_value::Value;
use omnilink_value::json::JsonCursor;

use super::batches::{Batch, Batches, ReadBatch};
use super::field::{end_of, key, nanoseconds, parent, text};
use super::jaeger::tag_error;
use super::span::{Attributes, INTERNAL, Span};
use crate::input::InputBuffer;
use crate::note::Notes;
use crate::{Location, OperationName, Problem, TraceError};

/// The spans of a file.
pub(super) fn spans(buffer: InputBuffer, name: &str, notes: Notes) -> Batches {
    Batches::of_elements(buffer, name, notes, element)
}

/// A span, or the spans of a trace.
fn element<'a>(batch: &Batch<'a>) -> Result<ReadBatch, TraceError> {
    let mut cursor = JsonCursor::new(batch.text);
    let mut spans = Vec::new();
    let mut read = |cursor: &mut JsonCursor<'a>| {
        let (value, offset) = batch.value(cursor)?;
        let span = span(&value, batch.location(offset));
        spans.push(span.map_err(|problem| batch.error(offset, problem))?);
        Ok(())
    };
    if batch.text.starts_with('[') {
        batch.array(&mut cursor, &mut read)?
    } else {
        read(&mut cursor)?
    }
    Ok(ReadBatch::Spans(spans))
}

fn span(value: &Value, location: Location) -> Result<Span, Problem> {
    if value.field("traceId").is_none() {
        let expected = "the number of the trace; all of a file is in one format";
        return Err(Problem::missing(None, "traceId", expected));
    }
    let name = text(value.field("name"), "name")?;
    let op = OperationName::new(name);
    let time = |field: &'static str| {
        let Some(value) = value.field(field).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let wrong = || Problem::wrong(Some(&op), field, "microseconds", value);
        nanoseconds(value).map(Some).ok_or_else(wrong)
    };
    let start = time("timestamp")?;
    let start = start.ok_or_else(|| Problem::missing(Some(&op), "timestamp", "microseconds since 1970"))?;
    let own = key((value.field("traceId"), "traceId"), (value.field("id"), "id"))?;
    let kind = text(value.field("kind"), "kind")?.to_ascii_lowercase();
    let tags = value.field("tags").and_then(Value::as_record);
    let tags = tags.iter().flat_map(|record| record.iter());
    let attributes: Attributes = tags
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect();
    // The server's part of a call may have the number of the client's, in which it was started.
    let is_shared = value.field("shared").and_then(Value::as_bool) == Some(true);
    Ok(Span {
        key: own,
        parent: if is_shared {
            own
        } else {
            parent(own, value.field("parentId"), "parentId")?
        },
        kind: if kind.is_empty() {
            INTERNAL.to_owned()
        } else {
            kind
        },
        end: end_of(name, start, time("duration")?)?,
        error: tag_error(&attributes),
        attributes,
        resource: Arc::new(endpoint(value.field("localEndpoint"))?),
        ..Span::new(name, start, location)
    })
}

/// What an endpoint says about the process that recorded a span.
fn endpoint(value: Option<&Value>) -> Result<Attributes, Problem> {
    let mut resource = Attributes::new();
    let Some(endpoint) = value else {
        return Ok(resource);
    };
    let service = text(endpoint.field("serviceName"), "serviceName")?;
    if !service.is_empty() {
        resource.push(("service.name".to_owned(), Value::str(service)));
    }
    let address = ["ipv4", "ipv6"];
    let address = address.iter().find_map(|field| endpoint.field(field)?.as_str());
    if let Some(address) = address {
        let port = endpoint.field("port").and_then(Value::as_int);
        let host = port.map_or_else(|| address.to_owned(), |port| format!("{address}:{port}"));
        resource.push(("host.name".to_owned(), Value::str(&host)));
    }
    Ok(resource)
}
