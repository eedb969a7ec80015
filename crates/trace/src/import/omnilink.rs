//! OmniLink's per-thread logs: MessagePack maps `{operation_name, operation: {_op_start, _op_end, _did_abort, _meta,
//! and the arguments}}`, one file per thread.

use std::path::Path;
use std::sync::Arc;

use omnilink_value::Value;
use omnilink_value::msgpack::MsgpackCursor;

use crate::format1::nearest;
use crate::input::{InputBuffer, MsgpackMaps, Next, Reader};
use crate::note::Notes;
use crate::{Args, Call, Location, Note, Operation, OperationName, Problem, Time, Timebox, TraceError};

const TERMINATE: &str = "__TerminateThread";
const ABORT: &str = "__AbortThread";

/// The records of one thread.
pub(crate) struct OmniLinkReader {
    maps: MsgpackMaps,
    thread: Value,
    /// Whether `__TerminateThread` and `__AbortThread` are operations.
    keeps_thread_ends: bool,
    terminations: u64,
}

impl OmniLinkReader {
    /// The records do not name their thread: it is `thread`, or the name of the file.
    pub(crate) fn new(
        buffer: InputBuffer,
        name: &str,
        thread: Option<Value>,
        keeps_thread_ends: bool,
        notes: Notes,
    ) -> Self {
        let stem = || {
            Path::new(name)
                .file_stem()
                .map_or(name.into(), |stem| stem.to_string_lossy())
        };
        Self {
            maps: MsgpackMaps::new(buffer, name, notes, is_record),
            thread: thread.unwrap_or_else(|| Value::str(&stem())),
            keeps_thread_ends,
            terminations: 0,
        }
    }

    fn operation(&self, record: &Value, location: Location) -> Result<Operation, Problem> {
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
                known: "arguments go into \"operation\", and anything of your own under \"_meta\" in it",
            });
        }
        let name = field(
            record,
            None,
            "operation_name",
            "the name of the operation, a string",
            Value::as_str,
        )?;
        let name = OperationName::new(name);
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
            location,
        })
    }

    /// Whether `operation` marks the end of the thread; notes it.
    fn is_thread_end(&mut self, operation: &Operation) -> bool {
        match operation.name.as_str() {
            TERMINATE => self.terminations += 1,
            ABORT => {
                let reason = operation
                    .args
                    .field("signal")
                    .cloned()
                    .unwrap_or_else(Value::null);
                let (location, thread) = (operation.location.clone(), operation.thread.clone());
                self.maps.notes().push(Note::ThreadAborted {
                    location,
                    thread,
                    reason,
                });
            }
            _ => return false,
        }
        true
    }
}

impl Reader for OmniLinkReader {
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError> {
        let end = loop {
            let mut record = Value::null();
            let read = |cursor: &mut MsgpackCursor<'_>| {
                // A zero byte is a whole value but no record.
                cursor.clone().map_len()?;
                record = cursor.value()?;
                Ok(())
            };
            let offset = match self.maps.next(read)? {
                Next::One(offset) => offset,
                Next::End(end) => break end,
            };
            let operation = self
                .operation(&record, Location::at(self.maps.source(), offset))
                .map_err(|problem| self.maps.error_at(offset, problem))?;
            if self.keeps_thread_ends || !self.is_thread_end(&operation) {
                return Ok(Next::One(Arc::new(operation)));
            }
        };
        if self.terminations > 0 {
            let file = self.maps.source().name.clone();
            self.maps.notes().push(Note::Skipped {
                file,
                count: self.terminations,
                what: "__TerminateThread records",
            });
        }
        Ok(Next::End(end))
    }
}

const KEYS: [&str; 2] = ["operation_name", "operation"];
const RESERVED: [&str; 4] = ["_op_start", "_op_end", "_did_abort", "_meta"];

fn field<'a, T>(
    record: &'a Value,
    op: Option<&OperationName>,
    field: &'static str,
    expected: &'static str,
    read: impl Fn(&'a Value) -> Option<T>,
) -> Result<T, Problem> {
    let value = record
        .field(field)
        .ok_or_else(|| Problem::missing(op, field, expected))?;
    read(value).ok_or_else(|| Problem::wrong(op, field, expected, value))
}

/// An end of zero is one that was never set.
fn timebox(op: &OperationName, start: Time, end: Time) -> Result<Timebox, Problem> {
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
    let mut cursor = MsgpackCursor::new(bytes);
    cursor.map_len().is_ok_and(|len| len == KEYS.len())
        && cursor.string().is_ok_and(is_key)
        && cursor.skip().is_ok()
        && cursor.string().is_ok_and(is_key)
        && cursor.skip().is_ok()
}
