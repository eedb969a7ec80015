//! Transactions as CSV: a line of names, then one read or write a line.
//!
//! | column | |
//! |---|---|
//! | `session` | who does it |
//! | `txn` | its transaction; the lines of one stand together, as far as the session goes |
//! | `op` | `r`, `w`, `append`, `add`, `delete`; `commit` and `abort` end a transaction |
//! | `key`, `value` | a number, a quoted JSON value, or a text; an empty value is none |
//! | `status` | `ok`, `fail` or `info` of the transaction; `ok` if there is no such column |
//! | `start`, `end` | when the transaction ran, in whole numbers; without them only sessions are ordered |

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::session_assembly::{Ending, SessionAssembly};
use crate::{Location, Problem, Time};

pub(super) const CSV_LINE: &str =
    "a line of CSV with the columns of the first line, such as `session,txn,op,key,value`";

/// The columns by name.
pub(super) struct CsvColumns {
    names: Vec<Column>,
    /// The numbers of sessions and of transactions, by what the file calls them.
    sessions: FxHashMap<String, i64>,
    numbers: FxHashMap<String, i64>,
    /// How the open transaction of each session ended.
    endings: FxHashMap<i64, Ending>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Session,
    Txn,
    Op,
    Key,
    Value,
    Status,
    Start,
    End,
}

impl CsvColumns {
    /// The columns that a first line names; `None` if it does not.
    pub(super) fn named(line: &str) -> Option<Self> {
        let column = |name: &str| {
            Some(match name.trim().to_ascii_lowercase().as_str() {
                "session" | "process" | "client" | "thread" => Column::Session,
                "txn" | "transaction" | "tid" => Column::Txn,
                "op" | "operation" | "type" => Column::Op,
                "key" => Column::Key,
                "value" => Column::Value,
                "status" => Column::Status,
                "start" => Column::Start,
                "end" => Column::End,
                _ => return None,
            })
        };
        let names: Vec<Column> = fields(line)?
            .iter()
            .map(|name| column(name))
            .collect::<Option<_>>()?;
        let has = |column: Column| names.iter().filter(|name| **name == column).count();
        let is_whole = [
            Column::Session,
            Column::Txn,
            Column::Op,
            Column::Key,
            Column::Value,
        ]
        .into_iter()
        .all(|column| has(column) == 1);
        let is_unique = [Column::Status, Column::Start, Column::End]
            .into_iter()
            .all(|column| has(column) <= 1);
        (is_whole && is_unique).then(|| Self {
            names,
            sessions: FxHashMap::default(),
            numbers: FxHashMap::default(),
            endings: FxHashMap::default(),
        })
    }

    /// Takes one line.
    pub(super) fn row(
        &mut self,
        line: &str,
        location: Location,
        sessions: &mut SessionAssembly,
    ) -> Result<(), Problem> {
        let bad = || Problem::bad_line(CSV_LINE, line);
        let fields = fields(line)
            .filter(|fields| fields.len() == self.names.len())
            .ok_or_else(bad)?;
        let field = |column: Column| {
            let at = self.names.iter().position(|name| *name == column);
            at.map_or("", |at| fields[at].trim())
        };
        let time = |column: Column| match field(column) {
            "" => Ok(None),
            text => text.parse::<Time>().map(Some).map_err(|_| bad()),
        };
        let (start, end) = (time(Column::Start)?, time(Column::End)?);
        let (key, value) = (read(field(Column::Key)), read(field(Column::Value)));
        let (op, status) = (field(Column::Op).to_ascii_lowercase(), field(Column::Status));
        let (session, number) = (field(Column::Session).to_owned(), field(Column::Txn).to_owned());
        let next = self.sessions.len() as i64;
        let session = *self.sessions.entry(session).or_insert_with_key(|name| {
            sessions.names.insert(next, Value::from(name.as_str()));
            next
        });
        let next = self.numbers.len() as i64;
        let number = *self.numbers.entry(number).or_insert(next);
        if sessions
            .open
            .get(&session)
            .is_some_and(|open| open.number != number)
        {
            self.finish(session, sessions);
        }
        let open = sessions.begin(session, number, || location);
        if let Some(start) = start {
            open.times = Some((start, end));
        }
        match op.as_str() {
            "r" | "read" | "get" => open.access("r", key, value),
            "w" | "write" | "put" | "set" | "insert" => open.access("w", key, value),
            "append" => open.access("append", key, value),
            "add" => open.access("add", key, value),
            "d" | "delete" | "remove" => open.access("w", key, Value::null()),
            "commit" | "abort" | "rollback" => {}
            _ => return Err(bad()),
        }
        let ending = match (op.as_str(), status.to_ascii_lowercase().as_str()) {
            ("abort" | "rollback", _) | (_, "fail" | "aborted") => Ending::Aborted,
            (_, "info" | "unknown") => Ending::Unknown,
            (_, "" | "ok" | "committed") => Ending::Committed,
            _ => return Err(bad()),
        };
        self.endings.insert(session, ending);
        if matches!(op.as_str(), "commit" | "abort" | "rollback") {
            self.finish(session, sessions);
        }
        Ok(())
    }

    fn finish(&mut self, session: i64, sessions: &mut SessionAssembly) {
        let ending = self.endings.remove(&session).unwrap_or(Ending::Committed);
        sessions.finish(session, ending);
    }

    /// The end of the file ends what is open.
    pub(super) fn finish_all(&mut self, sessions: &mut SessionAssembly) {
        let mut open: Vec<i64> = sessions.open.keys().copied().collect();
        open.sort_unstable();
        for session in open {
            self.finish(session, sessions);
        }
    }
}

/// A number, a JSON value, or a text.
fn read(field: &str) -> Value {
    match field {
        "" => Value::null(),
        field => Value::from_json(field.as_bytes()).unwrap_or_else(|_| Value::from(field)),
    }
}

/// The fields of a line. A field in double quotes may have commas in it, and two double quotes for one.
fn fields(line: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = line;
    loop {
        let Some(quoted) = rest.strip_prefix('"') else {
            let end = rest.find(',').unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
            match rest.get(end + 1..) {
                Some(after) => rest = after,
                None => return Some(found),
            }
            continue;
        };
        let mut field = String::new();
        let mut quoted = quoted;
        loop {
            let (before, after) = quoted.split_once('"')?;
            field.push_str(before);
            match after.strip_prefix('"') {
                Some(after) => {
                    field.push('"');
                    quoted = after;
                }
                None => {
                    quoted = after;
                    break;
                }
            }
        }
        found.push(field);
        match (quoted.strip_prefix(','), quoted.is_empty()) {
            (Some(after), _) => rest = after,
            (None, true) => return Some(found),
            (None, false) => return None,
        }
    }
}
