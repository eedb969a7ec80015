//! Chrome's trace events: an array of events, or an object with the array `traceEvents`. Times are microseconds.
//!
//! | phase | meaning |
//! |---|---|
//! | `X` | a span with its duration |
//! | `B`, `E` | its begin and its end; spans of one thread nest |
//! | `b`, `e` | the same, of one `id` instead of one thread |
//!
//! Other events (instants, counters, flows, names of threads) are no spans.

use std::sync::Arc;

use omnilink_sorting::sort_by_key;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::SpanSource;
use super::field::{end_of, nanoseconds, text};
use super::span::{Attributes, INTERNAL, Span};
use crate::input::{End, InputBuffer, JsonElements, Next};
use crate::location::{Source, line_and_column};
use crate::note::Notes;
use crate::{Location, Note, OperationName, Problem, Time, TraceError};

/// The attribute in which OmniLink writes the record of an operation.
pub(crate) const KEY: &str = "omnilink";

/// The events of a file.
pub(super) struct ChromeEvents {
    elements: JsonElements,
    source: Arc<Source>,
    /// Spans that have begun, the innermost last, by their thread or their `id`.
    open: FxHashMap<Value, Vec<Span>>,
    /// Spans that never ended, and the end of the input, once it was reached.
    pending: std::vec::IntoIter<Span>,
    end: Option<End>,
    skipped: u64,
    notes: Notes,
}

impl ChromeEvents {
    pub(super) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        let elements = JsonElements::inside("traceEvents", buffer, name, notes.clone());
        Self {
            source: Arc::clone(elements.text().source()),
            elements,
            open: FxHashMap::default(),
            pending: Vec::new().into_iter(),
            end: None,
            skipped: 0,
            notes,
        }
    }

    /// The span that an event is or ends.
    fn add(&mut self, event: &Value, location: Location) -> Result<Option<Span>, Problem> {
        let phase = text(event.field("ph"), "ph")?;
        match phase {
            "" => Err(Problem::missing(None, "ph", "the phase of an event")),
            "X" | "B" | "b" => {
                let span = begun(event, phase, location)?;
                if phase == "X" {
                    return Ok(Some(span));
                }
                let track = track(event, phase);
                self.open.entry(track).or_default().push(span);
                Ok(None)
            }
            "E" | "e" => self.end(event, phase).map(Some),
            _ => {
                self.skipped += 1;
                Ok(None)
            }
        }
    }

    fn end(&mut self, event: &Value, phase: &str) -> Result<Span, Problem> {
        let track = track(event, phase);
        let name = text(event.field("name"), "name")?;
        let Some(mut span) = self.open.get_mut(&track).and_then(Vec::pop) else {
            return Err(Problem::ReturnWithoutCall {
                process: track,
                op: OperationName::new(if name.is_empty() { "an event" } else { name }),
            });
        };
        if !name.is_empty() && name != span.name {
            return Err(Problem::MismatchedReturn {
                process: track,
                called: OperationName::new(&span.name),
                returned: OperationName::new(name),
            });
        }
        let end = required_time(event, &OperationName::new(&span.name))?;
        if end < span.start {
            return Err(Problem::EndBeforeStart {
                op: OperationName::new(&span.name),
                start: span.start,
                end,
            });
        }
        span.end = Some(end);
        // What is known at the end only, such as the result, and what is known better then.
        for (name, value) in arguments(event) {
            span.attributes.retain(|(other, _)| *other != name);
            span.attributes.push((name, value));
        }
        Ok(span)
    }
}

impl ChromeEvents {
    /// Reads events up to the next one that ends a span, and returns that.
    fn next_ended(&mut self) -> Result<Next<Span>, TraceError> {
        loop {
            let read = self.elements.next_at(|text, line, column| {
                let location = Location::at(&self.source, line_and_column(line, Some(column)));
                match Value::from_json(text.as_bytes()) {
                    Ok(value) => Ok((value, location)),
                    Err(error) => Err(TraceError::new(location, error)),
                }
            })?;
            let (event, location) = match read {
                Next::One(found) => found,
                Next::End(end) => return Ok(Next::End(end)),
            };
            let span = self.add(&event, location.clone());
            if let Some(span) = span.map_err(|problem| TraceError::new(location, problem))? {
                return Ok(Next::One(span));
            }
        }
    }

    /// The spans that never ended, in the order of their beginnings.
    fn take_open(&mut self) -> Vec<Span> {
        if self.skipped > 0 {
            self.notes.push(Note::Skipped {
                file: self.source.name.clone(),
                count: self.skipped,
                what: "events that are no spans",
            });
        }
        let mut open: Vec<Span> = self.open.drain().flat_map(|(_, spans)| spans).collect();
        // By start, and where that is the same in the order of the file.
        sort_by_key(&mut open, |span| {
            span.location.column().map_or(0, |column| column + 1)
        });
        sort_by_key(&mut open, |span| {
            span.location.position().map_or(0, |line| line + 1)
        });
        sort_by_key(&mut open, |span| span.start);
        open
    }
}

impl SpanSource for ChromeEvents {
    fn next_span(&mut self) -> Result<Next<Span>, TraceError> {
        let end = match self.end.take() {
            Some(end) => end,
            None => match self.next_ended()? {
                Next::One(span) => return Ok(Next::One(span)),
                Next::End(end) => {
                    self.pending = self.take_open().into_iter();
                    end
                }
            },
        };
        Ok(match self.pending.next() {
            Some(span) => {
                self.end = Some(end);
                Next::One(span)
            }
            None => Next::End(end),
        })
    }
}

/// The span that an event begins.
fn begun(event: &Value, phase: &str, location: Location) -> Result<Span, Problem> {
    let name = text(event.field("name"), "name")?;
    let op = OperationName::new(name);
    let start = required_time(event, &op)?;
    let duration = match event.field("dur").filter(|_| phase == "X") {
        Some(duration) => Some(
            nanoseconds(duration)
                .ok_or_else(|| Problem::wrong(Some(&op), "dur", "microseconds, a number", duration))?,
        ),
        None => None,
    };
    let kind = text(event.field("cat"), "cat")?;
    Ok(Span {
        kind: if kind.is_empty() { INTERNAL } else { kind }.to_owned(),
        end: end_of(name, start, duration)?,
        attributes: arguments(event),
        thread: Some(track(event, phase)),
        ..Span::new(name, start, location)
    })
}

fn required_time(event: &Value, op: &OperationName) -> Result<Time, Problem> {
    match event.field("ts") {
        None => Err(Problem::missing(Some(op), "ts", "microseconds, a number")),
        Some(time) => {
            nanoseconds(time).ok_or_else(|| Problem::wrong(Some(op), "ts", "microseconds, a number", time))
        }
    }
}

/// The thread of an event as `process/thread`; of an asynchronous one, its categories and its `id`.
fn track(event: &Value, phase: &str) -> Value {
    let part = |field: &str| {
        let value = event.field(field)?;
        Some(value.as_str().map_or_else(|| value.to_json(), str::to_owned))
    };
    let first = |fields: &[&str]| fields.iter().find_map(|field| part(field)).unwrap_or_default();
    Value::str(&match phase {
        "b" | "e" => format!("{}:{}", first(&["scope", "cat"]), first(&["id", "id2"])),
        _ => match (part("pid"), part("tid")) {
            (Some(process), Some(thread)) => format!("{process}/{thread}"),
            (process, thread) => process.or(thread).unwrap_or_default(),
        },
    })
}

fn arguments(event: &Value) -> Attributes {
    let fields = event.field("args").and_then(Value::as_record);
    let fields = fields.iter().flat_map(|record| record.iter());
    fields
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect()
}
