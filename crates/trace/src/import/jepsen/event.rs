//! One event of a Jepsen history, independent of its notation.

use omnilink_value::{Value, ValueKind};

use crate::{OperationName, Problem, Time};

/// The `:type` of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventType {
    Invoke,
    Ok,
    Fail,
    Info,
}

impl EventType {
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

/// An event of a client.
#[derive(Clone, Debug)]
pub(super) struct JepsenEvent {
    /// `None` if the history does not name it.
    pub(super) process: Option<Value>,
    pub(super) kind: EventType,
    pub(super) f: OperationName,
    pub(super) value: Option<Value>,
    /// All other keys.
    pub(super) extra: Vec<(String, Value)>,
    pub(super) line: u64,
}

/// An event and its `:time`, if it has one.
pub(super) type TimedEvent = (JepsenEvent, Option<Time>);

/// The keys of an event that are not arguments.
const RESERVED: [&str; 6] = ["process", "type", "f", "value", "time", "index"];

const TYPES: &str = "invoke, ok, fail or info";

/// The operation of a transaction without `:f`: Elle's histories omit it, because they hold nothing else.
const TRANSACTION: &str = "txn";

/// The event that a map describes; `None` for one of the nemesis.
pub(super) fn event(form: &Value, line: u64) -> Result<Option<TimedEvent>, Problem> {
    let Some(record) = form.as_record().filter(|record| !record.is_empty()) else {
        let expected = "an event map such as {:process 0, :type :invoke, :f :read, :value nil}";
        return Err(Problem::bad_line(expected, &form.to_string()));
    };
    let op = record.get("f").and_then(Value::as_str).map(OperationName::new);
    let op = op.as_ref();
    let process = record.get("process").filter(|process| !process.is_null());
    if process.is_some_and(is_nemesis) {
        return Ok(None);
    }
    let kind = record
        .get("type")
        .ok_or_else(|| Problem::missing(op, "type", TYPES))?;
    let kind = kind
        .as_str()
        .and_then(EventType::parse)
        .ok_or_else(|| Problem::wrong(op, "type", TYPES, kind))?;
    let process = match process {
        Some(process) if matches!(process.kind(), ValueKind::Int | ValueKind::Str) => Some(process.clone()),
        Some(process) => return Err(Problem::wrong(op, "process", "the number of a process", process)),
        None => None,
    };
    let value = record.get("value").cloned();
    let f = match record.get("f") {
        Some(f) => match (f.as_str(), f.as_int()) {
            (Some(name), _) => OperationName::new(name),
            (None, Some(number)) => OperationName::new(&number.to_string()),
            (None, None) => return Err(Problem::wrong(op, "f", "the name of the operation", f)),
        },
        None if value.as_ref().is_some_and(is_transaction) => OperationName::new(TRANSACTION),
        // Other events of the nodes are :info events without a process.
        None if process.is_none() && kind == EventType::Info => return Ok(None),
        None => return Err(Problem::missing(op, "f", "the name of the operation")),
    };
    let extra = record
        .iter()
        .filter(|(name, value)| !RESERVED.contains(name) && !value.is_null());
    let event = JepsenEvent {
        process,
        kind,
        f,
        value,
        extra: extra
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect(),
        line,
    };
    Ok(Some((event, record.get("time").and_then(Value::as_int))))
}

/// Whether a process is the nemesis. Clients are numbered.
fn is_nemesis(process: &Value) -> bool {
    process.as_str().is_some_and(|name| name.starts_with("nemesis"))
}

/// Whether a value is a list of accesses such as `[:r 5 nil]` and `[:append 5 1]`.
pub(super) fn is_transaction(value: &Value) -> bool {
    let is_access = |access: &Value| match access.as_tuple() {
        Some([name, _key, ..]) => name.as_str().is_some(),
        _ => false,
    };
    value
        .as_tuple()
        .is_some_and(|accesses| accesses.iter().all(is_access))
}
