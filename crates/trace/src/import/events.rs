//! From calls and returns to operations.

use std::sync::Arc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::place::Source;
use crate::{Args, Call, Name, Operation, Place, Problem, Time, Timebox, TraceError};

/// What a Jepsen event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Invoke,
    Ok,
    Fail,
    Info,
}

impl Kind {
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "invoke" => Self::Invoke,
            "ok" => Self::Ok,
            "fail" => Self::Fail,
            "info" => Self::Info,
            _ => return None,
        })
    }
}

/// A Jepsen event.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) process: Value,
    pub(super) kind: Kind,
    pub(super) f: Name,
    pub(super) value: Option<Value>,
    /// What else the event carries.
    pub(super) extra: Vec<(String, Value)>,
    pub(super) line: u64,
}

/// Pairs the events of each process.
///
/// A process has one call at a time. `:info` leaves the call open for ever, and the process is not reused: should the
/// history go on using its number, later calls belong to a new thread, which gets a prime (`3` then `3'`, `3''`).
#[derive(Debug)]
pub(super) struct Pairing {
    source: Arc<Source>,
    open: FxHashMap<Value, Invoked>,
    /// How often a process has been retired.
    retired: FxHashMap<Value, usize>,
}

#[derive(Debug)]
struct Invoked {
    event: Event,
    start: Time,
}

impl Pairing {
    pub(super) fn new(source: Arc<Source>) -> Self {
        Self {
            source,
            open: FxHashMap::default(),
            retired: FxHashMap::default(),
        }
    }

    /// Takes the next event, which happened at `time`; gives the operation it completes, if it does.
    pub(super) fn take(&mut self, event: Event, time: Time) -> Result<Option<Operation>, TraceError> {
        let place = Place::at(&self.source, event.line);
        if event.kind == Kind::Invoke {
            if let Some(earlier) = self.open.get(&event.process) {
                let earlier = Place::at(&self.source, earlier.event.line);
                let problem = Problem::CallWhileOpen {
                    process: event.process,
                    op: event.f,
                    earlier,
                };
                return Err(TraceError::new(place, problem));
            }
            self.open
                .insert(event.process.clone(), Invoked { event, start: time });
            return Ok(None);
        }
        let Some(call) = self.open.remove(&event.process) else {
            // A worker that crashes outside of a call says so with an :info of its own.
            return match event.kind {
                Kind::Info => Ok(None),
                _ => Err(TraceError::new(
                    place,
                    Problem::ReturnWithoutCall {
                        process: event.process,
                        op: event.f,
                    },
                )),
            };
        };
        if call.event.f != event.f {
            let (process, called, returned) = (event.process, call.event.f, event.f);
            return Err(TraceError::new(
                place,
                Problem::MismatchedReturn {
                    process,
                    called,
                    returned,
                },
            ));
        }
        if event.kind != Kind::Info && time < call.start {
            let (op, start) = (event.f, call.start);
            return Err(TraceError::new(
                place,
                Problem::EndBeforeStart { op, start, end: time },
            ));
        }
        let operation = self.complete(call, Some((&event, time)));
        if event.kind == Kind::Info {
            *self.retired.entry(event.process).or_default() += 1;
        }
        Ok(Some(operation))
    }

    /// The calls that never returned, in the order of the input.
    pub(super) fn leftovers(&mut self) -> Vec<Operation> {
        let mut calls: Vec<Invoked> = self.open.drain().map(|(_, call)| call).collect();
        calls.sort_unstable_by_key(|call| call.event.line);
        calls.into_iter().map(|call| self.complete(call, None)).collect()
    }

    fn complete(&self, call: Invoked, end: Option<(&Event, Time)>) -> Operation {
        let Invoked { event: invoke, start } = call;
        let returned = end.filter(|(event, _)| event.kind != Kind::Info);
        let meta = end.map(|(event, _)| meta(&invoke, event)).unwrap_or_default();
        let timebox = Timebox {
            start,
            end: returned.map(|(_, time)| time),
        };
        let value = invoke.value.into_iter().map(|value| ("value".to_owned(), value));
        let args = Args::named(invoke.extra.into_iter().chain(value));
        let call = Call {
            ret: returned.and_then(|(event, _)| event.value.clone()),
            aborted: returned.is_some_and(|(event, _)| event.kind == Kind::Fail),
            meta: (!meta.is_empty()).then(|| Value::record(meta)),
            ..Call::new(invoke.f, args)
        };
        Operation {
            thread: self.thread(&invoke.process),
            call: Arc::new(call),
            timebox,
            place: Place::at(&self.source, invoke.line),
        }
    }

    fn thread(&self, process: &Value) -> Value {
        match (self.retired.get(process), process.as_str()) {
            (None, _) => process.clone(),
            (Some(&times), Some(name)) => Value::str(&format!("{name}{}", "'".repeat(times))),
            (Some(&times), None) => Value::str(&format!("{process}{}", "'".repeat(times))),
        }
    }
}

/// What the completion says beyond the call: an error, for instance. The value of an `:info` is one, too.
fn meta(invoke: &Event, completion: &Event) -> Vec<(String, Value)> {
    let mut meta = completion.extra.clone();
    meta.retain(|field| !invoke.extra.contains(field));
    if completion.kind == Kind::Info
        && let Some(value) = completion.value.clone()
        && completion.value != invoke.value
        && !meta.iter().any(|(name, _)| name == "error")
    {
        meta.push(("error".to_owned(), value));
    }
    meta
}
