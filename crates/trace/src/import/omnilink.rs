//! OmniLink's per-thread logs: MessagePack maps `{operation_name, operation: {_op_start, _op_end, _did_abort, _meta,
//! and the arguments}}`, one file per thread.

use std::path::Path;
use std::sync::Arc;

use omnilink_value::Value;
use omnilink_value::msgpack::Cursor;

use crate::format1::nearest;
use crate::input::Window;
use crate::maps::Maps;
use crate::note::Notes;
use crate::place::Source;
use crate::records::Records;
use crate::{Args, Call, Name, Note, Operation, Place, Problem, Time, Timebox, TraceError};

const TERMINATE: &str = "__TerminateThread";
const ABORT: &str = "__AbortThread";

/// The records of one thread.
pub(crate) struct OmniLinkRecords {
    maps: Maps,
    source: Arc<Source>,
    thread: Value,
    /// Whether `__TerminateThread` and `__AbortThread` are operations.
    keeps_thread_ends: bool,
    notes: Notes,
    terminations: u64,
}

impl OmniLinkRecords {
    /// The thread of a file is what the caller says, or the file's name: the records do not know.
    pub(crate) fn new(
        window: Window,
        name: &str,
        thread: Option<Value>,
        keeps_thread_ends: bool,
        notes: Notes,
    ) -> Self {
        let source = Source::bytes(name);
        let stem = || {
            Path::new(name)
                .file_stem()
                .map_or(name.into(), |stem| stem.to_string_lossy())
        };
        Self {
            maps: Maps::new(window, Arc::clone(&source), notes.clone(), is_record),
            source,
            thread: thread.unwrap_or_else(|| Value::str(&stem())),
            keeps_thread_ends,
            notes,
            terminations: 0,
        }
    }

    fn operation(&self, record: &Value, place: Place) -> Result<Operation, Problem> {
        let unknown = record
            .as_record()
            .into_iter()
            .flat_map(|record| record.iter())
            .map(|(key, _)| key);
        if let Some(key) = unknown.into_iter().find(|key| !KEYS.contains(key)) {
            let suggestion = nearest(key, KEYS.into_iter());
            return Err(Problem::UnknownField {
                field: key.to_owned(),
                suggestion,
            });
        }
        let name = field(
            record,
            None,
            "operation_name",
            "the name of the operation, a string",
            Value::as_str,
        )?;
        let name = Name::new(name);
        let body = field(record, Some(&name), "operation", "a map", |body| {
            body.as_record().map(|_| body)
        })?;
        let start = field(body, Some(&name), "_op_start", "an integer", Value::as_int)?;
        let end = field(body, Some(&name), "_op_end", "an integer", Value::as_int)?;
        let aborted = field(body, Some(&name), "_did_abort", "true or false", Value::as_bool)?;
        let timebox = timebox(&name, start, end)?;
        let arguments = body.as_record().into_iter().flat_map(|body| body.iter());
        let arguments = arguments.filter(|(key, _)| !RESERVED.contains(key));
        let args = Args::named(arguments.map(|(key, value)| (key, value.clone())));
        let call = Call {
            aborted,
            meta: body.field("_meta").filter(|meta| !meta.is_null()).cloned(),
            ..Call::new(name, args)
        };
        Ok(Operation {
            thread: self.thread.clone(),
            call: Arc::new(call),
            timebox,
            place,
        })
    }

    /// Whether `operation` only says how the thread ended; notes it.
    fn is_thread_end(&mut self, operation: &Operation) -> bool {
        match operation.name.as_str() {
            TERMINATE => self.terminations += 1,
            ABORT => {
                let reason = operation
                    .args
                    .field("signal")
                    .cloned()
                    .unwrap_or_else(Value::null);
                let (place, thread) = (operation.place.clone(), operation.thread.clone());
                self.notes.push(Note::ThreadAborted {
                    place,
                    thread,
                    reason,
                });
            }
            _ => return false,
        }
        true
    }
}

impl Records for OmniLinkRecords {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        loop {
            let mut record = Value::null();
            let read = |cursor: &mut Cursor<'_>| {
                // A zero byte would be a whole value, but it is no record.
                cursor.clone().map_len()?;
                record = cursor.value()?;
                Ok(())
            };
            let Some(offset) = self.maps.next(read)? else {
                break;
            };
            let place = Place::at(&self.source, offset);
            let operation = self
                .operation(&record, place.clone())
                .map_err(|problem| TraceError::new(place, problem))?;
            if self.keeps_thread_ends || !self.is_thread_end(&operation) {
                return Ok(Some(Arc::new(operation)));
            }
        }
        if self.terminations > 0 {
            let file = self.source.name.clone();
            self.notes.push(Note::Skipped {
                file,
                count: self.terminations,
                what: "__TerminateThread records",
            });
        }
        Ok(None)
    }
}

const KEYS: [&str; 2] = ["operation_name", "operation"];
const RESERVED: [&str; 4] = ["_op_start", "_op_end", "_did_abort", "_meta"];

fn field<'a, T>(
    record: &'a Value,
    op: Option<&Name>,
    field: &'static str,
    expected: &'static str,
    read: impl Fn(&'a Value) -> Option<T>,
) -> Result<T, Problem> {
    let value = record.field(field).ok_or_else(|| Problem::MissingField {
        op: op.cloned(),
        field,
        expected,
    })?;
    read(value).ok_or_else(|| Problem::WrongField {
        op: op.cloned(),
        field,
        expected,
        found: value.clone(),
    })
}

/// An end of zero was never set.
fn timebox(op: &Name, start: Time, end: Time) -> Result<Timebox, Problem> {
    match end {
        0 if start > 0 => Ok(Timebox::pending(start)),
        _ if end < start => Err(Problem::EndBeforeStart {
            op: op.clone(),
            start,
            end,
        }),
        _ => Ok(Timebox::new(start, end)),
    }
}

fn is_record(bytes: &[u8]) -> bool {
    let is_key = |key: &str| KEYS.contains(&key);
    let mut cursor = Cursor::new(bytes);
    cursor.map_len().is_ok_and(|len| len == KEYS.len())
        && cursor.string().is_ok_and(is_key)
        && cursor.skip().is_ok()
        && cursor.string().is_ok_and(is_key)
        && cursor.skip().is_ok()
}
