//! Porcupine operations and events in JSON.
//!
//! Go marshals `porcupine.Operation` and `porcupine.Event` with these fields; lower-case and snake-case spellings are
//! read as well. In Porcupine the model interprets the input, so the name of the operation follows a convention here: see
//! [`call`].

use std::sync::Arc;

use omnilink_sorting::sort_by_key;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::event_history::Events;
use crate::format1::nearest;
use crate::input::{InputBuffer, JsonElements, Next};
use crate::note::Notes;
use crate::{Args, Call, Location, Operation, OperationName, Problem, Time, Timebox, TraceError};

/// The operations or events of a file.
pub(crate) struct PorcupineHistory {
    elements: JsonElements,
    /// The number of events so far: the clock of events, which carry no times.
    events: Time,
    /// Calls without a return so far, by their number.
    open: FxHashMap<Value, OpenCall>,
    /// Where calls returned: distinguishes a second return from one without a call. Cleared at [`RETURNED_MAX`], so that
    /// memory does not grow with the trace.
    returned: FxHashMap<Value, Location>,
}

const RETURNED_MAX: usize = 1 << 16;

struct OpenCall {
    operation: Operation,
    line: u64,
}

/// The fields of an operation or an event.
#[derive(Default)]
struct Element {
    client: Option<Value>,
    input: Option<Value>,
    output: Option<Value>,
    call: Option<Value>,
    end: Option<Value>,
    kind: Option<Value>,
    value: Option<Value>,
    id: Option<Value>,
    metadata: Option<Value>,
}

const KEYS: [&str; 9] = [
    "ClientId", "Input", "Call", "Output", "Return", "Metadata", "Kind", "Value", "Id",
];

impl PorcupineHistory {
    pub(crate) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self {
            elements: JsonElements::new(buffer, name, notes),
            events: 0,
            open: FxHashMap::default(),
            returned: FxHashMap::default(),
        }
    }

    fn location(&self, line: u64) -> Location {
        Location::at(self.elements.text().source(), line)
    }

    /// The operation that an element is or completes.
    fn add(&mut self, element: Element, line: u64) -> Result<Option<Operation>, Problem> {
        match element.kind.clone() {
            Some(kind) => self.add_event(&kind, element, line),
            None => operation(element, self.location(line)).map(Some),
        }
    }

    fn add_event(&mut self, kind: &Value, element: Element, line: u64) -> Result<Option<Operation>, Problem> {
        let location = self.location(line);
        let time = self.events;
        self.events += 1;
        let id = required(element.id, "Id", "the number of the call")?;
        let is_call = match (kind.as_int(), kind.as_str()) {
            (Some(0), _) | (_, Some("call")) => true,
            (Some(1), _) | (_, Some("return")) => false,
            _ => {
                let expected = "\"call\" or 0, \"return\" or 1";
                return Err(Problem::wrong(None, "Kind", expected, kind));
            }
        };
        if is_call {
            let client = element.client.unwrap_or_else(|| Value::int(0));
            let (name, args) = call(element.value.unwrap_or_else(Value::null));
            let call = Call {
                meta: element.metadata.filter(|meta| !meta.is_null()),
                ..Call::new(name, args)
            };
            let operation = Operation {
                thread: client,
                call: Arc::new(call),
                timebox: Timebox::pending(time),
                location,
            };
            if let Some(earlier) = self.open.get(&id) {
                let earlier = earlier.operation.location.clone();
                return Err(Problem::CallWhileOpen {
                    process: id,
                    op: operation.name.clone(),
                    earlier,
                });
            }
            self.open.insert(id, OpenCall { operation, line });
            return Ok(None);
        }
        let Some(OpenCall { mut operation, .. }) = self.open.remove(&id) else {
            return Err(match self.returned.remove(&id) {
                Some(earlier) => Problem::DuplicateReturn { call: id, earlier },
                None => Problem::ReturnWithoutCall {
                    process: id,
                    op: OperationName::new("a call"),
                },
            });
        };
        if self.returned.len() >= RETURNED_MAX {
            self.returned.clear();
        }
        self.returned.insert(id, location);
        operation.timebox.end = Some(time);
        operation.ret = element.value;
        if operation.meta.is_none() {
            operation.meta = element.metadata.filter(|meta| !meta.is_null());
        }
        Ok(Some(operation))
    }
}

impl Events for PorcupineHistory {
    fn next_completed(&mut self) -> Result<Next<Operation>, TraceError> {
        loop {
            let (element, line) = match self.elements.next(|text, _| element(text))? {
                Next::One(found) => found,
                Next::End(end) => return Ok(Next::End(end)),
            };
            let operation = self.add(element, line);
            let operation = operation.map_err(|problem| TraceError::new(self.location(line), problem))?;
            if let Some(operation) = operation {
                return Ok(Next::One(operation));
            }
        }
    }

    fn take_open(&mut self) -> Vec<Operation> {
        let mut calls: Vec<OpenCall> = self.open.drain().map(|(_, call)| call).collect();
        sort_by_key(&mut calls, |call| call.line);
        calls.into_iter().map(|call| call.operation).collect()
    }
}

/// An operation with its times. Porcupine has no pending operations; its users give them the largest time as return.
fn operation(element: Element, location: Location) -> Result<Operation, Problem> {
    let time = |time: &Value, field| {
        let wrong = || Problem::wrong(None, field, "an integer", time);
        time.as_int().ok_or_else(wrong)
    };
    let client = element.client.unwrap_or_else(|| Value::int(0));
    let (name, args) = call(required(element.input, "Input", "what was passed in")?);
    let start = time(&required(element.call, "Call", "an integer")?, "Call")?;
    let end = element.end.filter(|end| !end.is_null());
    let end = end.map(|end| time(&end, "Return")).transpose()?;
    let end = end.filter(|&end| end != Time::MAX);
    if let Some(end) = end.filter(|&end| end < start) {
        return Err(Problem::EndBeforeStart { op: name, start, end });
    }
    let call = Call {
        ret: end.and(element.output),
        meta: element.metadata.filter(|meta| !meta.is_null()),
        ..Call::new(name, args)
    };
    Ok(Operation {
        thread: client,
        call: Arc::new(call),
        timebox: Timebox { start, end },
        location,
    })
}

/// The fields of an input that may name the operation, in order of preference, in any case.
const NAMES: [&str; 7] = ["op", "operation_name", "f", "method", "name", "kind", "type"];
/// The name of an operation whose input names none.
const UNNAMED: &str = "call";

/// The name and arguments of an input: one field of an object is the name and the others are the arguments; anything else is
/// the argument `value` of an operation called `call`.
fn call(input: Value) -> (OperationName, Args) {
    let Some(record) = input.as_record().filter(|record| !record.is_empty()) else {
        return (OperationName::new(UNNAMED), Args::named([("value", input)]));
    };
    // Go's enumerations are numbers, and a boolean often distinguishes two operations. Both are names here; `--ops` maps
    // them to better ones.
    let is_name =
        |value: &Value| value.as_str().is_some() || value.as_int().is_some() || value.as_bool().is_some();
    let name = NAMES.iter().find_map(|known| {
        record
            .iter()
            .find(|(name, value)| name.eq_ignore_ascii_case(known) && is_name(value))
    });
    let others = record
        .iter()
        .filter(|(field, _)| name.is_none_or(|(name, _)| name != *field));
    let args = Args::named(others.map(|(field, value)| (field, value.clone())));
    let name = match name {
        Some((_, value)) => match value.as_str() {
            Some(name) => OperationName::new(name),
            None => OperationName::new(&value.to_json()),
        },
        None => OperationName::new(UNNAMED),
    };
    (name, args)
}

fn element(text: &str) -> Result<Element, Problem> {
    let value = Value::from_json(text.as_bytes())?;
    let Some(record) = value.as_record().filter(|record| !record.is_empty()) else {
        let expected =
            "an object with ClientId, Input, Call, Output, Return or with ClientId, Kind, Value, Id";
        return Err(Problem::bad_line(expected, text));
    };
    let mut element = Element::default();
    for (key, value) in record.iter() {
        let field = match known(key) {
            Some("ClientId") => &mut element.client,
            Some("Input") => &mut element.input,
            Some("Output") => &mut element.output,
            Some("Call") => &mut element.call,
            Some("Return") => &mut element.end,
            Some("Kind") => &mut element.kind,
            Some("Value") => &mut element.value,
            Some("Id") => &mut element.id,
            Some("Metadata") => &mut element.metadata,
            _ => {
                return Err(Problem::UnknownField {
                    field: key.to_owned(),
                    suggestion: nearest(key, KEYS.into_iter()),
                    known: "an operation of Porcupine has ClientId, Input, Call, Output and Return, an event ClientId, Kind, Value and Id; \
                            anything of your own goes under Metadata",
                });
            }
        };
        *field = Some(value.clone());
    }
    Ok(element)
}

/// The field of a key, which may be spelled `ClientId`, `clientId` or `client_id`.
fn known(key: &str) -> Option<&'static str> {
    let is_same = |known: &&str| {
        let letters = key
            .chars()
            .filter(|&character| character != '_')
            .map(|letter| letter.to_ascii_lowercase());
        letters.eq(known.chars().map(|letter| letter.to_ascii_lowercase()))
    };
    KEYS.into_iter().find(is_same)
}

/// Whether a key belongs to this format.
pub(crate) fn is_key(key: &str) -> bool {
    known(key).is_some()
}

fn required(value: Option<Value>, field: &'static str, expected: &'static str) -> Result<Value, Problem> {
    value.ok_or_else(|| Problem::missing(None, field, expected))
}
