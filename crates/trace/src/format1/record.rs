//! The conversion of a record's fields to an operation.

use std::sync::Arc;

use omnilink_value::{Value, ValueKind};

use super::Field;
use crate::location::Source;
use crate::{Args, Call, Header, Location, Operation, OperationName, Problem, Time, Timebox, TraceError};

/// The fields of a record as they were read.
#[derive(Debug, Default)]
pub(crate) struct RawRecord {
    pub(crate) thread: Option<Value>,
    /// Name, arguments and possibly a result, from the cache.
    pub(crate) call: Option<Arc<Call>>,
    pub(crate) name: Option<OperationName>,
    pub(crate) args: Option<Args>,
    pub(crate) start: Option<Time>,
    pub(crate) end: Option<Time>,
    pub(crate) ret: Option<Value>,
    pub(crate) aborted: bool,
    pub(crate) meta: Option<Value>,
    pub(crate) vars: Option<Value>,
    pub(crate) clock: Option<Value>,
    /// A bit for each field that occurred.
    occurred: u16,
}

impl RawRecord {
    /// Marks `field` as read; a second time is an error.
    #[inline]
    pub(crate) fn mark(&mut self, field: Field) -> Result<(), Problem> {
        let bit = 1 << field as u16;
        if self.occurred & bit != 0 {
            return Err(Problem::RepeatedField(field.name()));
        }
        self.occurred |= bit;
        Ok(())
    }

    /// Sets a field. `is_map` is whether the value was written as an object: it then holds arguments by name. The value alone
    /// does not tell, since `{}` and `[]` are the same value. Where `null` is not a valid value, it means that the field is
    /// absent.
    pub(crate) fn set(&mut self, field: Field, value: Value, is_map: bool) -> Result<(), Problem> {
        match field {
            Field::Ret => self.ret = Some(value),
            _ if value.is_null() && !matches!(field, Field::Op | Field::Start) => {}
            Field::Thread => {
                if is_scalar(&value) {
                    self.thread = Some(value)
                } else {
                    return Err(self.wrong(field, "a number, a string or another scalar", &value));
                }
            }
            Field::Op => match value.as_str() {
                Some(name) => self.name = Some(OperationName::new(name)),
                None => return Err(self.wrong(field, "the name of the operation, a string", &value)),
            },
            Field::Args => match is_map {
                true if value.as_record().is_some() => self.args = Some(Args::Named(value)),
                false if value.as_tuple().is_some() => self.args = Some(Args::Positional(value)),
                _ => {
                    return Err(self.wrong(
                        field,
                        "an object (arguments by name) or an array (by position)",
                        &value,
                    ));
                }
            },
            Field::Start => match value.as_int() {
                Some(start) => self.start = Some(start),
                None => return Err(self.wrong(field, "an integer, such as a time in microseconds", &value)),
            },
            Field::End => match value.as_int() {
                Some(end) => self.end = Some(end),
                None => return Err(self.wrong(field, "an integer, or null if it never returned", &value)),
            },
            Field::Aborted => match value.as_bool() {
                Some(aborted) => self.aborted = aborted,
                None => return Err(self.wrong(field, "true or false", &value)),
            },
            Field::Meta => self.meta = Some(value),
            Field::Vars => self.vars = Some(value),
            Field::Clock => self.clock = Some(value),
        }
        Ok(())
    }

    /// The name of the operation, if it was read.
    fn name(&self) -> Option<&OperationName> {
        let cached = self.call.as_ref().map(|call| &call.name);
        cached.or(self.name.as_ref())
    }

    /// Whether there is all that an operation needs which did not return.
    pub(crate) fn is_begun(&self) -> bool {
        let has_call = self.call.is_some() || self.name.is_some() && self.args.is_some();
        has_call && self.start.is_some() && self.vars.is_none() && self.clock.is_none()
    }

    /// Whether the call has anything besides its name, its arguments and its result.
    #[inline]
    pub(crate) fn has_extras(&self) -> bool {
        self.aborted || self.meta.is_some() || self.vars.is_some() || self.clock.is_some()
    }

    /// The call; `None` if its name is missing. A log line needs none.
    #[inline]
    fn into_call(self, is_log_line: bool) -> Option<Arc<Call>> {
        if self.call.is_some() && self.ret.is_none() && !self.has_extras() {
            return self.call;
        }
        let (name, args) = match self.call {
            Some(call) => (call.name.clone(), call.args.clone()),
            None => {
                let name = self
                    .name
                    .or_else(|| is_log_line.then(|| OperationName::new("")))?;
                (name, self.args.unwrap_or_else(Args::none))
            }
        };
        Some(Arc::new(Call {
            name,
            args,
            ret: self.ret,
            aborted: self.aborted,
            meta: self.meta,
            vars: self.vars,
            clock: self.clock,
        }))
    }

    #[cold]
    fn wrong(&self, field: Field, expected: &'static str, found: &Value) -> Problem {
        Problem::wrong(self.name(), field.name(), expected, found)
    }
}

/// The properties of a record that follow from its file.
#[derive(Clone, Debug)]
pub(crate) struct RecordDefaults {
    source: Arc<Source>,
    /// The thread of records without one.
    thread: Option<Value>,
    /// The number of records so far.
    ordinal: i64,
}

impl RecordDefaults {
    pub(crate) fn new(source: Arc<Source>, thread: Option<Value>) -> Self {
        Self {
            source,
            thread,
            ordinal: 0,
        }
    }

    /// Takes the default thread from the header, if it names one.
    pub(crate) fn apply(&mut self, header: &Header) {
        if let Some(thread) = header.get("thread") {
            self.thread = Some(thread.clone());
        }
    }

    /// The operation of the next record, which is at `position`.
    #[inline]
    pub(crate) fn operation(
        &mut self,
        fields: RawRecord,
        position: u64,
    ) -> Result<Arc<Operation>, TraceError> {
        let operation = self.assemble(fields, position);
        self.ordinal += 1;
        operation
            .map(Arc::new)
            .map_err(|problem| TraceError::new(Location::at(&self.source, position), problem))
    }

    /// The start of the next record, which is written as `start`.
    pub(crate) fn start(&mut self, start: Option<Time>) -> Time {
        self.ordinal += 1;
        start.unwrap_or(self.ordinal - 1)
    }

    #[inline]
    fn assemble(&self, mut fields: RawRecord, position: u64) -> Result<Operation, Problem> {
        let is_log_line = fields.start.is_none() && (fields.vars.is_some() || fields.clock.is_some());
        let timebox = timebox(&fields, self.ordinal)?;
        let thread = fields.thread.take().or_else(|| self.thread.clone());
        let Some(call) = fields.into_call(is_log_line) else {
            return Err(Problem::missing(
                None,
                Field::Op.name(),
                "the name of the operation",
            ));
        };
        // Who has a result has returned. Taken for pending, the operation would match every result.
        if timebox.is_pending() && !call.aborted && call.ret.as_ref().is_some_and(|ret| !ret.is_null()) {
            return Err(Problem::ResultWithoutEnd {
                op: call.name.clone(),
            });
        }
        let thread = match thread {
            Some(thread) => thread,
            None if is_log_line => Value::null(),
            None => {
                let (op, field) = (Some(&call.name), Field::Thread.name());
                return Err(Problem::missing(op, field, "a number or a string"));
            }
        };
        Ok(Operation {
            thread,
            call,
            timebox,
            location: Location::at(&self.source, position),
        })
    }
}

/// A log line has no timebox: its time is its clock if that is a number, otherwise its position in the file.
#[inline]
fn timebox(fields: &RawRecord, ordinal: i64) -> Result<Timebox, Problem> {
    match (fields.start, fields.end) {
        (Some(start), Some(end)) if end < start => Err(Problem::EndBeforeStart {
            op: fields.name().cloned().unwrap_or_else(|| OperationName::new("?")),
            start,
            end,
        }),
        (Some(start), end) => Ok(Timebox { start, end }),
        (None, None) if fields.clock.is_some() || fields.vars.is_some() => {
            let clock = fields.clock.as_ref().and_then(Value::as_int);
            let at = clock.unwrap_or(ordinal);
            Ok(Timebox::new(at, at))
        }
        (None, _) => Err(Problem::missing(
            fields.name(),
            Field::Start.name(),
            "an integer, or \"clock\" or \"vars\" on a log line",
        )),
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(
        value.kind(),
        ValueKind::Int | ValueKind::Str | ValueKind::Bool | ValueKind::Model
    )
}
