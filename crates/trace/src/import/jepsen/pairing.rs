//! Pairing of Jepsen's invocations with their completions.

use std::sync::Arc;

use omnilink_sorting::sort_by_key;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::event::{EventType, JepsenEvent};
use crate::location::Source;
use crate::{Args, Call, Location, Operation, Problem, Time, Timebox, TraceError};

/// Pairs the events of each process.
///
/// A process has one open call at a time. `:info` leaves the call open for ever and retires the process: if the history
/// uses its number again, later calls belong to a new thread, which gets a prime (`3`, then `3'`, `3''`).
///
/// An event without a process completes the one open call of the same operation whose value it fits. Such a call is a
/// thread of its own, because the earlier calls of its process are unknown.
#[derive(Debug)]
pub(super) struct Pairing {
    source: Arc<Source>,
    open: FxHashMap<Value, Invocation>,
    /// Open calls without a process.
    anonymous: Vec<Invocation>,
    /// How often each process was retired.
    retired: FxHashMap<Value, usize>,
    /// The end of each process's last operation, in histories without invocations.
    ended: FxHashMap<Value, Time>,
}

#[derive(Debug)]
struct Invocation {
    event: JepsenEvent,
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

    /// Adds the next event, which happened at `time`; returns the operation that it completes, if any.
    pub(super) fn add(&mut self, event: JepsenEvent, time: Time) -> Result<Option<Operation>, TraceError> {
        let location = Location::at(&self.source, event.line);
        self.pair(event, time)
            .map_err(|problem| TraceError::new(location, problem))
    }

    fn pair(&mut self, event: JepsenEvent, time: Time) -> Result<Option<Operation>, Problem> {
        if event.kind == EventType::Invoke {
            self.invoke(event, time)?;
            return Ok(None);
        }
        let invocation = match &event.process {
            Some(process) => self.open.remove(process),
            None => self.anonymous_invocation(&event)?,
        };
        let Some(invocation) = invocation else {
            // A worker that crashes outside of a call writes an :info of its own.
            return match (event.kind, event.process) {
                (EventType::Info, _) => Ok(None),
                (_, Some(process)) => Err(Problem::ReturnWithoutCall { process, op: event.f }),
                (_, None) => Err(Problem::AmbiguousReturn {
                    op: event.f,
                    candidates: 0,
                }),
            };
        };
        if invocation.event.f != event.f {
            return Err(Problem::MismatchedReturn {
                process: event.process.unwrap_or_else(Value::null),
                called: invocation.event.f,
                returned: event.f,
            });
        }
        if event.kind != EventType::Info && time < invocation.start {
            let (op, start) = (event.f, invocation.start);
            return Err(Problem::EndBeforeStart { op, start, end: time });
        }
        Ok(Some(self.complete(invocation, event, time)))
    }

    fn invoke(&mut self, event: JepsenEvent, start: Time) -> Result<(), Problem> {
        let Some(process) = event.process.clone() else {
            self.anonymous.push(Invocation { event, start });
            return Ok(());
        };
        if let Some(earlier) = self.open.get(&process) {
            return Err(Problem::CallWhileOpen {
                process,
                op: event.f,
                earlier: Location::at(&self.source, earlier.event.line),
            });
        }
        self.open.insert(process, Invocation { event, start });
        Ok(())
    }

    /// The open call without a process that `event` completes.
    fn anonymous_invocation(&mut self, event: &JepsenEvent) -> Result<Option<Invocation>, Problem> {
        let is_match = |open: &Invocation| {
            open.event.f == event.f && fits(open.event.value.as_ref(), event.value.as_ref())
        };
        let mut matching = (0..self.anonymous.len()).filter(|at| is_match(&self.anonymous[*at]));
        match (matching.next(), matching.count()) {
            (None, _) => Ok(None),
            (Some(at), 0) => Ok(Some(self.anonymous.remove(at))),
            (Some(_), others) => Err(Problem::AmbiguousReturn {
                op: event.f.clone(),
                candidates: others + 1,
            }),
        }
    }

    /// The operation of a completion in a history without invocations: it began after the last one of its process ended.
    pub(super) fn add_completion(&mut self, event: JepsenEvent, index: Time) -> Operation {
        let end = index.saturating_mul(2).saturating_add(1);
        let last = match &event.process {
            Some(process) => self.ended.insert(process.clone(), end),
            None => None,
        };
        let invocation = Invocation {
            event: JepsenEvent {
                extra: Vec::new(),
                ..event.clone()
            },
            start: last.map_or(0, |last| last + 1),
        };
        self.complete(invocation, event, end)
    }

    fn complete(&mut self, invocation: Invocation, event: JepsenEvent, time: Time) -> Operation {
        let operation = self.operation(invocation, Some((&event, time)));
        if let (EventType::Info, Some(process)) = (event.kind, event.process) {
            *self.retired.entry(process).or_default() += 1;
        }
        operation
    }

    /// The calls that never returned, in the order of the input.
    pub(super) fn take_open(&mut self) -> Vec<Operation> {
        let mut open: Vec<Invocation> = self.open.drain().map(|(_, open)| open).collect();
        open.append(&mut self.anonymous);
        sort_by_key(&mut open, |open| open.event.line);
        open.into_iter().map(|open| self.operation(open, None)).collect()
    }

    fn operation(&self, invocation: Invocation, end: Option<(&JepsenEvent, Time)>) -> Operation {
        let Invocation { event: invoke, start } = invocation;
        let returned = end.filter(|(event, _)| event.kind != EventType::Info);
        let meta = end.map(|(event, _)| meta(&invoke, event)).unwrap_or_default();
        let value = invoke.value.into_iter().map(|value| ("value".to_owned(), value));
        let args = Args::named(invoke.extra.into_iter().chain(value));
        let call = Call {
            ret: returned.and_then(|(event, _)| event.value.clone()),
            aborted: returned.is_some_and(|(event, _)| event.kind == EventType::Fail),
            meta: (!meta.is_empty()).then(|| Value::record(meta)),
            ..Call::new(invoke.f, args)
        };
        Operation {
            thread: self.thread(invoke.process.as_ref(), invoke.line),
            call: Arc::new(call),
            timebox: Timebox {
                start,
                end: returned.map(|(_, time)| time),
            },
            location: Location::at(&self.source, invoke.line),
        }
    }

    fn thread(&self, process: Option<&Value>, line: u64) -> Value {
        let Some(process) = process else {
            let place = Location::at(&self.source, line);
            let line = place.position().unwrap_or_default();
            return Value::str(&match place.column() {
                Some(column) => format!("line {line}, column {column}"),
                None => format!("line {line}"),
            });
        };
        let Some(&times) = self.retired.get(process) else {
            return process.clone();
        };
        let name = process
            .as_str()
            .map_or_else(|| process.to_string(), str::to_owned);
        Value::str(&(name + &"'".repeat(times)))
    }
}

/// Whether a call with the value `called` may have returned `returned`: the same value, possibly with nulls filled in.
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

/// What the completion adds to the invocation, such as an error. The value of an `:info` is an error, too.
fn meta(invoke: &JepsenEvent, completion: &JepsenEvent) -> Vec<(String, Value)> {
    let mut meta = completion.extra.clone();
    meta.retain(|field| !invoke.extra.contains(field));
    if completion.kind == EventType::Info
        && let Some(value) = completion.value.clone()
        && completion.value != invoke.value
        && !meta.iter().any(|(name, _)| name == "error")
    {
        meta.push(("error".to_owned(), value));
    }
    meta
}
