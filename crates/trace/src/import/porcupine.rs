//! Porcupine operations and events as JSON.
//!
//! Go marshals `porcupine.Operation` and `porcupine.Event` with these fields; lower-case and snake-case spellings are
//! read as well. What an input means is the model's business in Porcupine, so a convention is needed here for the name
//! of the operation; see [`call`].

use std::sync::Arc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::json_elements::JsonElements;
use crate::format1::nearest;
use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::records::Records;
use crate::{Args, Call, Name, Operation, Place, Problem, Time, Timebox, TraceError};

/// The operations of a file, as they complete.
pub(crate) struct PorcupineRecords {
    elements: JsonElements,
    source: Arc<Source>,
    /// Events so far: the clock of events, which carry no times.
    events: Time,
    /// Calls whose return has not come, by their number.
    open: FxHashMap<Value, OpenCall>,
    /// Where calls returned, to tell a second return from one without a call. Forgotten now and then, so that memory
    /// does not grow with the trace.
    returned: FxHashMap<Value, Place>,
    leftovers: Option<std::vec::IntoIter<Operation>>,
}

const RETURNED_MAX: usize = 1 << 16;

struct OpenCall {
    operation: Operation,
    line: u64,
}

/// An operation or an event, before it is known which.
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

impl PorcupineRecords {
    pub(crate) fn new(window: Window, name: &str, notes: Notes) -> Self {
        let source = Source::lines(name);
        Self {
            elements: JsonElements::new(window, Arc::clone(&source), notes),
            source,
            events: 0,
            open: FxHashMap::default(),
            returned: FxHashMap::default(),
            leftovers: None,
        }
    }

    /// The operation that an element is or completes.
    fn take(&mut self, element: Element, line: u64) -> Result<Option<Operation>, Problem> {
        match element.kind.clone() {
            Some(kind) => self.take_event(&kind, element, line),
            None => operation(element, Place::at(&self.source, line)).map(Some),
        }
    }

    fn take_event(
        &mut self,
        kind: &Value,
        element: Element,
        line: u64,
    ) -> Result<Option<Operation>, Problem> {
        let place = Place::at(&self.source, line);
        let time = self.events;
        self.events += 1;
        let id = required(element.id, "Id", "the number of the call")?;
        let is_call = match (kind.as_int(), kind.as_str()) {
            (Some(0), _) | (_, Some("call")) => true,
            (Some(1), _) | (_, Some("return")) => false,
            _ => return Err(wrong("Kind", "\"call\" or 0, \"return\" or 1", kind)),
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
                place,
            };
            if let Some(earlier) = self.open.get(&id) {
                let earlier = earlier.operation.place.clone();
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
                    op: Name::new("a call"),
                },
            });
        };
        if self.returned.len() >= RETURNED_MAX {
            self.returned.clear();
        }
        self.returned.insert(id, place);
        operation.timebox.end = Some(time);
        operation.ret = Some(element.value.unwrap_or_else(Value::null));
        if operation.meta.is_none() {
            operation.meta = element.metadata.filter(|meta| !meta.is_null());
        }
        Ok(Some(operation))
    }

    fn leftovers(&mut self) -> std::vec::IntoIter<Operation> {
        let mut calls: Vec<OpenCall> = self.open.drain().map(|(_, call)| call).collect();
        calls.sort_unstable_by_key(|call| call.line);
        calls
            .into_iter()
            .map(|call| call.operation)
            .collect::<Vec<_>>()
            .into_iter()
    }
}

impl Records for PorcupineRecords {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        if let Some(leftovers) = &mut self.leftovers {
            return Ok(leftovers.next().map(Arc::new));
        }
        while let Some((element, line)) = self.elements.next(|text, _| element(text))? {
            let place = Place::at(&self.source, line);
            if let Some(operation) = self
                .take(element, line)
                .map_err(|problem| TraceError::new(place, problem))?
            {
                return Ok(Some(Arc::new(operation)));
            }
        }
        let leftovers = self.leftovers();
        Ok(self.leftovers.insert(leftovers).next().map(Arc::new))
    }
}

/// An operation with its times. Porcupine has no pending operations; its users give them the largest time as return.
fn operation(element: Element, place: Place) -> Result<Operation, Problem> {
    let client = element.client.unwrap_or_else(|| Value::int(0));
    let (name, args) = call(required(element.input, "Input", "what was passed in")?);
    let start = required(element.call, "Call", "an integer")?;
    let start = start
        .as_int()
        .ok_or_else(|| wrong("Call", "an integer", &start))?;
    let end = match element.end.filter(|end| !end.is_null()) {
        None => None,
        Some(end) => Some(end.as_int().ok_or_else(|| wrong("Return", "an integer", &end))?),
    };
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
        place,
    })
}

/// The fields of an input that may name the operation, in order of preference; compared without regard to case.
const NAMES: [&str; 7] = ["op", "operation_name", "f", "method", "name", "kind", "type"];
/// The name of an operation whose input names none.
const UNNAMED: &str = "call";

/// An input's name and arguments: of an object, one field is the name and the others are the arguments; anything else is
/// the argument `value` of an operation called `call`.
fn call(input: Value) -> (Name, Args) {
    let Some(record) = input.as_record().filter(|record| !record.is_empty()) else {
        return (Name::new(UNNAMED), Args::named([("value", input)]));
    };
    // Go's enumerations are numbers, and two operations are often told apart by a truth value: names all the same, though
    // only their owner knows which.
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
        Some((_, value)) => match (value.as_str(), value.as_bool()) {
            (Some(name), _) => Name::new(name),
            (None, Some(flag)) => Name::new(if flag { "true" } else { "false" }),
            (None, None) => Name::new(&value.to_string()),
        },
        None => Name::new(UNNAMED),
    };
    (name, args)
}

fn element(text: &str) -> Result<Element, Problem> {
    let value = Value::from_json(text.as_bytes())?;
    let Some(record) = value.as_record().filter(|record| !record.is_empty()) else {
        let expected =
            "an object with ClientId, Input, Call, Output, Return or with ClientId, Kind, Value, Id";
        return Err(Problem::BadLine {
            expected,
            found: text.chars().take(60).collect(),
        });
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
                });
            }
        };
        *field = Some(value.clone());
    }
    Ok(element)
}

/// The field that a key spells, as `ClientId`, `clientId` or `client_id`.
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
    value.ok_or(Problem::MissingField {
        op: None,
        field,
        expected,
    })
}

fn wrong(field: &'static str, expected: &'static str, found: &Value) -> Problem {
    Problem::WrongField {
        op: None,
        field,
        expected,
        found: found.clone(),
    }
}
