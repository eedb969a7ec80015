//! Jaeger's JSON, as its API and its user interface give it: `{"data":[{"traceID":…,"spans":[…],"processes":{…}}]}`.

use std::sync::Arc;

use omnilink_value::Value;
use omnilink_value::json::JsonCursor;
use rustc_hash::FxHashMap;

use super::batches::{Batch, Batches, ReadBatch};
use super::field::{elements, end_of, key, nanoseconds, parent, text};
use super::span::{Attributes, INTERNAL, Span, attribute};
use crate::input::{InputBuffer, JsonElements};
use crate::note::Notes;
use crate::{Location, OperationName, Problem, TraceError};

/// The spans of a file.
pub(super) fn spans(buffer: InputBuffer, name: &str, notes: Notes) -> Batches {
    let elements = JsonElements::inside("data", buffer, name, notes.clone());
    Batches::new(elements, notes, trace)
}

/// The spans of one trace. Its processes may stand behind them.
fn trace(batch: &Batch<'_>) -> Result<ReadBatch, TraceError> {
    let mut cursor = JsonCursor::new(batch.text);
    let mut spans: Option<Vec<(Span, String)>> = None;
    let mut processes = FxHashMap::default();
    batch.object(&mut cursor, &mut |key, cursor| match key {
        "spans" => {
            let spans = spans.get_or_insert_default();
            batch.array(cursor, &mut |cursor| {
                let (value, offset) = batch.value(cursor)?;
                let error = |problem| batch.error(offset, problem);
                let process = text(value.field("processID"), "processID").map_err(error)?;
                let span = span(&value, batch.location(offset)).map_err(error)?;
                spans.push((span, process.to_owned()));
                Ok(())
            })
        }
        "processes" => {
            let (value, offset) = batch.value(cursor)?;
            let given = value.as_record();
            for (id, process) in given.iter().flat_map(|record| record.iter()) {
                let resource = resource(process).map_err(|problem| batch.error(offset, problem))?;
                processes.insert(id.to_owned(), Arc::new(resource));
            }
            Ok(())
        }
        _ => batch.skip(cursor),
    })?;
    let Some(spans) = spans else {
        let expected = "the spans of a trace; all of a file is in one format";
        return Err(batch.error(0, Problem::missing(None, "spans", expected)));
    };
    let with_resource = |(span, process): (Span, String)| Span {
        resource: processes.get(&process).cloned().unwrap_or_default(),
        ..span
    };
    Ok(ReadBatch::Spans(spans.into_iter().map(with_resource).collect()))
}

/// What is said about a process.
fn resource(process: &Value) -> Result<Attributes, Problem> {
    let mut resource = tags(process.field("tags"), "tags")?;
    let service = text(process.field("serviceName"), "serviceName")?;
    if !service.is_empty() {
        resource.push(("service.name".to_owned(), Value::str(service)));
    }
    // The name that Jaeger's own clients gave it.
    if attribute(&resource, "host.name").is_none()
        && let Some(host) = attribute(&resource, "hostname").cloned()
    {
        resource.push(("host.name".to_owned(), host));
    }
    Ok(resource)
}

fn span(value: &Value, location: Location) -> Result<Span, Problem> {
    let name = text(value.field("operationName"), "operationName")?;
    let op = OperationName::new(name);
    let time = |field: &'static str| {
        let Some(value) = value.field(field).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let wrong = || Problem::wrong(Some(&op), field, "microseconds", value);
        nanoseconds(value).map(Some).ok_or_else(wrong)
    };
    let start = time("startTime")?;
    let start = start.ok_or_else(|| Problem::missing(Some(&op), "startTime", "microseconds since 1970"))?;
    let trace = (value.field("traceID"), "traceID");
    let own = key(trace, (value.field("spanID"), "spanID"))?;
    let mut span = Span {
        key: own,
        parent: parent(own, value.field("parentSpanID"), "parentSpanID")?,
        end: end_of(name, start, time("duration")?)?,
        attributes: tags(value.field("tags"), "tags")?,
        ..Span::new(name, start, location)
    };
    for reference in elements(value.field("references"), "references")? {
        let trace = (reference.field("traceID"), "traceID");
        let referred = key(trace, (reference.field("spanID"), "spanID"))?;
        match reference.field("refType").and_then(Value::as_str) {
            Some("CHILD_OF") if span.parent.is_none() => span.parent = referred,
            _ => span
                .links
                .extend(referred.filter(|referred| span.parent != Some(*referred))),
        }
    }
    if let Some(kind) = span.attribute("span.kind").and_then(Value::as_str) {
        span.kind = kind.to_ascii_lowercase();
    } else {
        INTERNAL.clone_into(&mut span.kind);
    }
    span.error = tag_error(&span.attributes);
    Ok(span)
}

/// What tags say about a failure. OpenTracing has the tag `error`, which is true or a text; OpenTelemetry, exported to other systems,
/// `otel.status_code` and `otel.status_description`.
pub(super) fn tag_error(tags: &Attributes) -> Option<String> {
    let is_error = match attribute(tags, "error") {
        Some(error) => match (error.as_bool(), error.as_str()) {
            (Some(is_error), _) => is_error,
            (None, Some(text)) => text != "false",
            _ => true,
        },
        None => false,
    };
    let is_error = is_error || attribute(tags, "otel.status_code").and_then(Value::as_str) == Some("ERROR");
    let said = || {
        let names = ["otel.status_description", "error"];
        names.iter().find_map(|name| attribute(tags, name)?.as_str())
    };
    is_error.then(|| said().unwrap_or_default().to_owned())
}

/// Tags `{"key":…,"type":…,"value":…}`.
fn tags(value: Option<&Value>, field: &'static str) -> Result<Attributes, Problem> {
    let mut attributes = Attributes::new();
    for tag in elements(value, field)? {
        let name = text(tag.field("key"), "key")?.to_owned();
        let value = tag.field("value").cloned().unwrap_or_else(Value::null);
        attributes.push((name, value));
    }
    Ok(attributes)
}
