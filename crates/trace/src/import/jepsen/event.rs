//! One event of a Jepsen history, whatever notation it was written in.

use omnilink_value::{Kind as ValueKind, Value};

use super::events::{Event, Kind};
use crate::{Name, Problem, Time};

/// The keys of an event that are not arguments.
const RESERVED: [&str; 6] = ["process", "type", "f", "value", "time", "index"];

const TYPES: &str = "invoke, ok, fail or info";

/// What an operation is called that names none: Elle's histories leave `:f` out, since all they have is transactions.
const TRANSACTION: &str = "txn";

/// The event that a map describes, and its time; `None` for one of the nemesis.
pub(super) fn event(form: &Value, line: u64) -> Result<Option<(Event, Option<Time>)>, Problem> {
    let Some(record) = form.as_record().filter(|record| !record.is_empty()) else {
        let expected = "an event map such as {:process 0, :type :invoke, :f :read, :value nil}";
        return Err(Problem::BadLine {
            expected,
            found: form.to_string().chars().take(60).collect(),
        });
    };
    let op = record.get("f").and_then(Value::as_str).map(Name::new);
    let missing = |field, expected| Problem::MissingField {
        op: op.clone(),
        field,
        expected,
    };
    let wrong = |field, expected, found: &Value| Problem::WrongField {
        op: op.clone(),
        field,
        expected,
        found: found.clone(),
    };
    let process = record.get("process").filter(|process| !process.is_null());
    if process.is_some_and(is_nemesis) {
        return Ok(None);
    }
    let kind = record.get("type").ok_or_else(|| missing("type", TYPES))?;
    let kind = kind
        .as_str()
        .and_then(Kind::parse)
        .ok_or_else(|| wrong("type", TYPES, kind))?;
    let process = match process {
        Some(process) if matches!(process.kind(), ValueKind::Int | ValueKind::Str) => Some(process.clone()),
        Some(process) => return Err(wrong("process", "the number of a process", process)),
        None => None,
    };
    let value = record.get("value").cloned();
    let f = match record.get("f") {
        Some(f) => match (f.as_str(), f.as_int()) {
            (Some(name), _) => Name::new(name),
            (None, Some(number)) => Name::new(&number.to_string()),
            (None, None) => return Err(wrong("f", "the name of the operation", f)),
        },
        None if value.as_ref().is_some_and(is_transaction) => Name::new(TRANSACTION),
        // Whatever else happens to the nodes is an :info without a process.
        None if process.is_none() && kind == Kind::Info => return Ok(None),
        None => return Err(missing("f", "the name of the operation")),
    };
    let extra = record
        .iter()
        .filter(|(name, value)| !RESERVED.contains(name) && !value.is_null());
    let event = Event {
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

/// Whether a process is the one that does harm. Clients are numbered.
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
