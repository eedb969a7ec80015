//! From the fields of a record to an operation.

use std::sync::Arc;

use omnilink_value::{Kind, Value};

use super::Field;
use crate::place::Source;
use crate::{Args, Call, Name, Operation, Place, Problem, Time, Timebox, TraceError};

/// The fields of a record as they were found.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) thread: Option<Value>,
    /// Name and arguments, and perhaps a result, where these were read before.
    pub(crate) call: Option<Arc<Call>>,
    pub(crate) name: Option<Name>,
    pub(crate) args: Option<Args>,
    pub(crate) start: Option<Time>,
    pub(crate) end: Option<Time>,
    pub(crate) ret: Option<Value>,
    pub(crate) aborted: bool,
    pub(crate) meta: Option<Value>,
    pub(crate) vars: Option<Value>,
    pub(crate) clock: Option<Value>,
    seen: u16,
}

impl Fields {
    /// Notes that `field` occurs; a second time is an error.
    #[inline]
    pub(crate) fn see(&mut self, field: Field) -> Result<(), Problem> {
        let bit = 1 << field as u16;
        if self.seen & bit != 0 {
            return Err(Problem::RepeatedField(field.name()));
        }
        self.seen |= bit;
        Ok(())
    }

    /// Sets a field. `is_map` says whether the value was written as an object or map: that gives arguments by name,
    /// whatever the value, since `{}` and `[]` are the same value. Where `null` is no possible content, it is the same
    /// as leaving the field out.
    pub(crate) fn set(&mut self, field: Field, value: Value, is_map: bool) -> Result<(), Problem> {
        match field {
            Field::Ret => self.ret = Some(value),
            _ if value.is_null() && !matches!(field, Field::Op | Field::Start) => {}
            Field::Thread => match is_scalar(&value) {
                true => self.thread = Some(value),
                false => return Err(self.wrong(field, "a number, a string or another scalar", value)),
            },
            Field::Op => match value.as_str() {
                Some(name) => self.name = Some(Name::new(name)),
                None => return Err(self.wrong(field, "the name of the operation, a string", value)),
            },
            Field::Args => match is_map {
                true if value.as_record().is_some() => self.args = Some(Args::Named(value)),
                false if value.as_tuple().is_some() => self.args = Some(Args::Positional(value)),
                _ => {
                    return Err(self.wrong(
                        field,
                        "an object (arguments by name) or an array (by position)",
                        value,
                    ));
                }
            },
            Field::Start => match value.as_int() {
                Some(start) => self.start = Some(start),
                None => return Err(self.wrong(field, "an integer", value)),
            },
            Field::End => match value.as_int() {
                Some(end) => self.end = Some(end),
                None => return Err(self.wrong(field, "an integer, or null if it never returned", value)),
            },
            Field::Aborted => match value.as_bool() {
                Some(aborted) => self.aborted = aborted,
                None => return Err(self.wrong(field, "true or false", value)),
            },
            Field::Meta => self.meta = Some(value),
            Field::Vars => self.vars = Some(value),
            Field::Clock => self.clock = Some(value),
        }
        Ok(())
    }

    /// The name of the operation, as far as it was read.
    fn name(&self) -> Option<&Name> {
        let known = self.call.as_ref().map(|call| &call.name);
        known.or(self.name.as_ref())
    }

    /// Whether anything was said about the call beside its name, its arguments and its result.
    #[inline]
    pub(crate) fn has_more(&self) -> bool {
        self.aborted || self.meta.is_some() || self.vars.is_some() || self.clock.is_some()
    }

    /// What was called; `None` if no name was read and it may not be missing.
    #[inline]
    fn into_call(self, is_log_line: bool) -> Option<Arc<Call>> {
        if self.call.is_some() && self.ret.is_none() && !self.has_more() {
            return self.call;
        }
        let (name, args) = match self.call {
            Some(call) => (call.name.clone(), call.args.clone()),
            None => {
                let name = self.name.or_else(|| is_log_line.then(|| Name::new("")))?;
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
    fn wrong(&self, field: Field, expected: &'static str, found: Value) -> Problem {
        Problem::WrongField {
            op: self.name().cloned(),
            field: field.name(),
            expected,
            found,
        }
    }
}

/// What a file says about records that do not say it themselves.
#[derive(Clone, Debug)]
pub(crate) struct Defaults {
    pub(crate) source: Arc<Source>,
    /// The thread of records that name none.
    pub(crate) thread: Option<Value>,
}

impl Defaults {
    /// The operation that a record at `position` describes; `ordinal` counts the records before it.
    #[inline]
    pub(crate) fn operation(
        &self,
        fields: Fields,
        position: u64,
        ordinal: u64,
    ) -> Result<Arc<Operation>, TraceError> {
        self.assemble(fields, position, ordinal)
            .map(Arc::new)
            .map_err(|problem| TraceError::new(Place::at(&self.source, position), problem))
    }

    #[inline]
    fn assemble(&self, mut fields: Fields, position: u64, ordinal: u64) -> Result<Operation, Problem> {
        let is_log_line = fields.start.is_none() && (fields.vars.is_some() || fields.clock.is_some());
        let timebox = timebox(&fields, ordinal)?;
        let missing = |field: Field, expected, op: Option<&Name>| Problem::MissingField {
            op: op.cloned(),
            field: field.name(),
            expected,
        };
        let thread = fields.thread.take().or_else(|| self.thread.clone());
        let Some(call) = fields.into_call(is_log_line) else {
            return Err(missing(Field::Op, "the name of the operation", None));
        };
        let thread = match thread {
            Some(thread) => thread,
            None if is_log_line => Value::null(),
            None => return Err(missing(Field::Thread, "a number or a string", Some(&call.name))),
        };
        Ok(Operation {
            thread,
            call,
            timebox,
            place: Place::at(&self.source, position),
        })
    }
}

/// A log line has no timebox: it happened at its clock where that is a number, otherwise in its turn.
#[inline]
fn timebox(fields: &Fields, ordinal: u64) -> Result<Timebox, Problem> {
    let op = || fields.name().cloned();
    match (fields.start, fields.end) {
        (Some(start), Some(end)) if end < start => Err(Problem::EndBeforeStart {
            op: op().unwrap_or_else(|| Name::new("?")),
            start,
            end,
        }),
        (Some(start), end) => Ok(Timebox { start, end }),
        (None, None) if fields.clock.is_some() || fields.vars.is_some() => {
            let turn = i64::try_from(ordinal).unwrap_or(i64::MAX);
            let at = fields.clock.as_ref().and_then(Value::as_int).unwrap_or(turn);
            Ok(Timebox::new(at, at))
        }
        (None, _) => Err(Problem::MissingField {
            op: op(),
            field: Field::Start.name(),
            expected: "an integer, or \"clock\" or \"vars\" on a log line",
        }),
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(value.kind(), Kind::Int | Kind::Str | Kind::Bool | Kind::Model)
}
