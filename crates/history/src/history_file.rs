//! Files of histories, one JSON object a line.

use std::io::BufRead;

use omnilink_trace::{Args, Location, Operation, Timebox};
use omnilink_value::Value;
use omnilink_value::json::JsonCursor;

use crate::history_error::{HistoryError, HistoryProblem};
use crate::op_names::{OpNames, counters_of};
use crate::recorded_history::{OrderSource, RecordedHistory, label_of};
use crate::vector_clocks::VectorClocks;

type Read<T> = Result<T, HistoryProblem>;

/// Reads a file of histories, one JSON object a line. Empty lines are skipped.
pub fn read_histories<R: BufRead>(
    name: &str,
    input: R,
) -> impl Iterator<Item = Result<RecordedHistory, HistoryError>> {
    let name = name.to_owned();
    // Split as bytes: of a line that is no text, the number and the column are told.
    input
        .split(b'\n')
        .enumerate()
        .filter_map(move |(number, line)| match line {
            Err(error) => Some(Err(HistoryError::Io {
                name: name.clone(),
                error,
            })),
            Ok(line) if line.trim_ascii().is_empty() => None,
            Ok(line) => {
                let place = Location::line(&name, number as u64 + 1);
                let read =
                    text_of(&line).and_then(|line| RecordedHistory::from_json(line, place.clone(), number));
                Some(read.map_err(|problem| HistoryError::Bad { place, problem }))
            }
        })
}

/// The text of a line.
fn text_of(line: &[u8]) -> Read<&str> {
    std::str::from_utf8(line).map_err(|error| {
        let text = String::from_utf8_lossy(&line[..error.valid_up_to()]);
        HistoryProblem::NotUtf8 {
            column: text.chars().count() + 1,
        }
    })
}

/// Whether a line looks like one of a file of histories: an object with `"ops"`, or what is left of one.
pub fn is_history_line(line: &str) -> bool {
    let mut cursor = JsonCursor::new(line);
    if cursor.object().is_err() {
        return false;
    }
    let mut is_first = true;
    loop {
        match cursor.key(is_first) {
            Ok(Some(key)) if key.as_ref() == "ops" => return true,
            Ok(Some(_)) if cursor.skip().is_ok() => is_first = false,
            Ok(None) => return false,
            // Damaged in front of it.
            Ok(Some(_)) | Err(_) => return line.contains("\"ops\":["),
        }
    }
}

impl RecordedHistory {
    fn from_json(line: &str, place: Location, number: usize) -> Read<Self> {
        let json =
            Value::from_json(line.as_bytes()).map_err(|error| HistoryProblem::Json(error.to_string()))?;
        let id = json.field("id").map_or_else(|| number.to_string(), label_of);
        let whole = format!("history {id}");
        let found = json.field("ops").ok_or_else(|| HistoryProblem::Missing {
            whole: whole.clone(),
            field: "ops",
            expected: "an array of operations",
        })?;
        let entries = found.as_tuple().ok_or_else(|| HistoryProblem::Wrong {
            whole: whole.clone(),
            field: "ops",
            found: found.clone(),
            expected: "an array of operations",
        })?;
        let mut names = OpNames::default();
        let mut ops = Vec::with_capacity(entries.len());
        for (position, entry) in entries.iter().enumerate() {
            names.add(entry.field("id"), position)?;
            ops.push(operation(entry, &names.labels[position], position, &place)?);
        }
        let transactions = entries.iter().map(|entry| entry.field("txn").cloned()).collect();
        let order = match json.field("hb") {
            Some(pairs) => OrderSource::Pairs(names.pairs(&whole, pairs)?),
            None => {
                let counters = entries
                    .iter()
                    .map(|entry| entry.field("call_pcs"))
                    .collect::<Option<Vec<_>>>();
                let is_timed =
                    !entries.is_empty() && entries.iter().all(|entry| entry.field("start").is_some());
                match (counters, VectorClocks::of(&ops, &names.labels)?) {
                    (Some(counters), _) if !counters.is_empty() => {
                        OrderSource::Counters(counters_of(&names.labels, counters)?)
                    }
                    (_, Some(clocks)) => OrderSource::VectorClocks(clocks),
                    _ if is_timed => OrderSource::Timeboxes,
                    _ => OrderSource::ProgramOrder,
                }
            }
        };
        Ok(Self {
            id,
            place,
            ops,
            labels: names.labels,
            transactions,
            order,
        })
    }
}

/// One operation of a file of histories.
fn operation(entry: &Value, label: &str, position: usize, place: &Location) -> Read<Operation> {
    let whole = || format!("operation {label}");
    let missing = |field, expected| HistoryProblem::Missing {
        whole: whole(),
        field,
        expected,
    };
    let wrong = |field, found: &Value, expected| HistoryProblem::Wrong {
        whole: whole(),
        field,
        found: found.clone(),
        expected,
    };
    if entry.as_record().is_none() {
        return Err(wrong("ops", entry, "an object with \"thread\" and \"method\""));
    }
    let thread = entry
        .field("thread")
        .ok_or_else(|| missing("thread", "who called"))?;
    let name = entry
        .field("method")
        .or_else(|| entry.field("op"))
        .ok_or_else(|| missing("method", "the name of what was called"))?;
    let name = name.as_str().ok_or_else(|| wrong("method", name, "a name"))?;
    let args = match entry.field("args") {
        None => Args::none(),
        Some(args) if args.as_tuple().is_some() => Args::Positional(args.clone()),
        Some(args) if args.as_record().is_some() => Args::Named(args.clone()),
        Some(args) => return Err(wrong("args", args, "an array or an object")),
    };
    let time = |field: &'static str| match entry.field(field) {
        None => Ok(None),
        Some(value) if value.is_null() => Ok(None),
        Some(value) => value
            .as_int()
            .map(Some)
            .ok_or_else(|| wrong(field, value, "an integer")),
    };
    let ret = entry.field("ret").cloned();
    let timebox = match (time("start")?, time("end")?) {
        (Some(start), Some(end)) if start <= end => Timebox::new(start, end),
        (Some(_), Some(end)) => return Err(wrong("end", &Value::int(end), "a time not before \"start\"")),
        (Some(start), None) => Timebox::pending(start),
        // Without timeboxes, an operation is pending if it says `"pending": true`.
        (None, _) => match entry.field("pending").and_then(Value::as_bool) {
            Some(true) => Timebox::pending(position as i64),
            _ => Timebox::new(position as i64, position as i64),
        },
    };
    if let Some(ret) = ret.as_ref().filter(|ret| timebox.is_pending() && !ret.is_null()) {
        return Err(wrong(
            "ret",
            ret,
            "none where there is no \"end\": who has a result has returned",
        ));
    }
    let mut operation = Operation::new(thread.clone(), name, args, timebox);
    operation.ret = ret;
    operation.aborted = entry.field("aborted").and_then(Value::as_bool).unwrap_or(false);
    operation.meta = entry.field("meta").cloned();
    operation.clock = entry.field("clock").cloned();
    operation.location = place.clone();
    Ok(operation)
}
