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
    /// Who; `None` where the history does not say.
    pub(super) process: Option<Value>,
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
///
/// An event without a process completes the one open call of the same operation whose value it fits. Such a call is a thread of
/// its own, because nothing says what its process did before.
#[derive(Debug)]
pub(super) struct Pairing {
    source: Arc<Source>,
    open: FxHashMap<Value, Invoked>,
    /// Open calls of no known process.
    anonymous: Vec<Invoked>,
    /// How often a process has been retired.
    retired: FxHashMap<Value, usize>,
    /// When the last operation of each process ended, where calls are not recorded.
    ended: FxHashMap<Value, Time>,
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
            anonymous: Vec::new(),
            retired: FxHashMap::default(),
            ended: FxHashMap::default(),
        }
    }

    /// Takes the next event, which happened at `time`; gives the operation it completes, if it does.
    pub(super) fn take(&mut self, event: Event, time: Time) -> Result<Option<Operation>, TraceError> {
        let place = Place::at(&self.source, event.line);
        let error = |problem| TraceError::new(place.clone(), problem);
        if event.kind == Kind::Invoke {
            self.call(event, time).map_err(error)?;
            return Ok(None);
        }
        let call = match &event.process {
            Some(process) => self.open.remove(process),
            None => self.anonymous_call(&event).map_err(error)?,
        };
        let Some(call) = call else {
            // A worker that crashes outside of a call says so with an :info of its own.
            return match event.kind {
                Kind::Info => Ok(None),
                _ => Err(error(match event.process {
                    Some(process) => Problem::ReturnWithoutCall { process, op: event.f },
                    None => Problem::UnclearReturn {
                        op: event.f,
                        candidates: 0,
                    },
                })),
            };
        };
        if call.event.f != event.f {
            let (called, returned) = (call.event.f, event.f);
            let process = event.process.unwrap_or_else(Value::null);
            return Err(error(Problem::MismatchedReturn {
                process,
                called,
                returned,
            }));
        }
        if event.kind != Kind::Info && time < call.start {
            let (op, start) = (event.f, call.start);
            return Err(error(Problem::EndBeforeStart { op, start, end: time }));
        }
        let operation = self.complete(call, Some((&event, time)));
        if let (Kind::Info, Some(process)) = (event.kind, event.process) {
            *self.retired.entry(process).or_default() += 1;
        }
        Ok(Some(operation))
    }

    fn call(&mut self, event: Event, time: Time) -> Result<(), Problem> {
        let Some(process) = event.process.clone() else {
            self.anonymous.push(Invoked { event, start: time });
            return Ok(());
        };
        if let Some(earlier) = self.open.get(&process) {
            let earlier = Place::at(&self.source, earlier.event.line);
            return Err(Problem::CallWhileOpen {
                process,
                op: event.f,
                earlier,
            });
        }
        self.open.insert(process, Invoked { event, start: time });
        Ok(())
    }

    /// The open call of no known process that `event` completes.
    fn anonymous_call(&mut self, event: &Event) -> Result<Option<Invoked>, Problem> {
        let fits =
            |call: &Invoked| call.event.f == event.f && fits(call.event.value.as_ref(), event.value.as_ref());
        let mut found = (0..self.anonymous.len()).filter(|at| fits(&self.anonymous[*at]));
        match (found.next(), found.count()) {
            (None, _) => Ok(None),
            (Some(at), 0) => Ok(Some(self.anonymous.remove(at))),
            (Some(_), others) => Err(Problem::UnclearReturn {
                op: event.f.clone(),
                candidates: others + 1,
            }),
        }
    }

    /// Takes a completion of a history that records no calls: it began at some time after the process was last heard of.
    pub(super) fn take_completion(&mut self, event: Event, index: Time) -> Operation {
        let end = index.saturating_mul(2).saturating_add(1);
        let last = event.process.as_ref().and_then(|process| self.ended.get(process));
        let start = last.map_or(0, |last| last + 1);
        if let Some(process) = &event.process {
            self.ended.insert(process.clone(), end);
        }
        let call = Invoked {
            event: Event {
                process: event.process.clone(),
                f: event.f.clone(),
                value: event.value.clone(),
                extra: Vec::new(),
                ..event
            },
            start,
        };
        let operation = self.complete(call, Some((&event, end)));
        if let (Kind::Info, Some(process)) = (event.kind, event.process) {
            *self.retired.entry(process).or_default() += 1;
        }
        operation
    }

    /// The calls that never returned, in the order of the input.
    pub(super) fn leftovers(&mut self) -> Vec<Operation> {
        let mut calls: Vec<Invoked> = self.open.drain().map(|(_, call)| call).collect();
        calls.append(&mut self.anonymous);
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
            thread: self.thread(invoke.process.as_ref(), invoke.line),
            call: Arc::new(call),
            timebox,
            place: Place::at(&self.source, invoke.line),
        }
    }

    fn thread(&self, process: Option<&Value>, line: u64) -> Value {
        let Some(process) = process else {
            return Value::str(&format!("line {line}"));
        };
        match (self.retired.get(process), process.as_str()) {
            (None, _) => process.clone(),
            (Some(&times), Some(name)) => Value::str(&format!("{name}{}", "'".repeat(times))),
            (Some(&times), None) => Value::str(&format!("{process}{}", "'".repeat(times))),
        }
    }
}

/// Whether a call with the value `called` can have returned `returned`: nothing, or the same with what was open filled in.
fn fits(called: Option<&Value>, returned: Option<&Value>) -> bool {
    let (Some(called), Some(returned)) = (called, returned) else {
        return true;
    };
    if called == returned || called.is_null() || returned.is_null() {
        return true;
    }
    match (called.as_tuple(), returned.as_tuple()) {
        (Some(called), Some(returned)) if called.len() == returned.len() => called
            .iter()
            .zip(returned)
            .all(|(called, returned)| fits(Some(called), Some(returned))),
        _ => false,
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
