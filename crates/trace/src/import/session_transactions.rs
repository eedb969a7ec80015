//! The texts of checkers of transactions: sessions of transactions, each with its reads and writes, and no times.
//!
//! | format | text |
//! |---|---|
//! | PolySI, Plume, IsoVista | `w(1,5,0,0)`: key, value, session, transaction; -1 is a transaction that aborted; every key holds 0 at first |
//! | dbcop | `[x:=1 y:=2] [x==1]!`: `!` did not commit, `x==?` reads the initial value; dashes between sessions |
//! | AWDIT's `test` | `w 0 1`, dashes between transactions, `=` between sessions |
//! | CSV | a line of names, among them `session`, `op` and `key`, then one access a line |

use std::sync::Arc;

use omnilink_value::Value;

use super::session_assembly::{Ending, OpenTransaction, SessionAssembly};
use super::session_csv::{CSV_LINE, CsvColumns};
use crate::input::{End, InputBuffer, Next, Reader, TextInput};
use crate::note::Notes;
use crate::{Format, Operation, Problem, TraceError};

const PLUME_LINE: &str = "a line such as `r(1,5,0,3)` or `w(1,5,0,3)`: key, value, session, transaction";
const DBCOP_LINE: &str =
    "transactions such as `[x:=1 y==2 z==?]`, with `!` behind one that did not commit, or a line of dashes";
const AWDIT_LINE: &str = "a line such as `r 0 1` or `w 0 1`, or one of dashes or of `=`";

/// The transactions of a file.
pub(crate) struct SessionTransactions {
    text: TextInput,
    /// The current line.
    current: String,
    format: Format,
    /// The current session, where sections of the file are sessions.
    session: i64,
    sessions: SessionAssembly,
    /// The session and the number of the first transaction of a file of Plume's.
    first: Option<(i64, i64)>,
    /// The columns of a CSV file, once its first line is read.
    columns: Option<CsvColumns>,
    end: Option<End>,
}

impl SessionTransactions {
    pub(crate) fn new(format: Format, buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        let text = TextInput::new(buffer, name, notes);
        if format == Format::Plume {
            text.note_interpretation("every key of such a file holds 0 at first, which is read as nil");
        }
        Self {
            text,
            current: String::new(),
            format,
            session: 0,
            sessions: SessionAssembly::default(),
            first: None,
            columns: None,
            end: None,
        }
    }

    fn line(&mut self, line: &str) -> Result<(), Problem> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        match self.format {
            Format::Plume => self.plume(line),
            Format::Dbcop => self.dbcop(line),
            Format::Csv => self.csv(line),
            _ => self.awdit(line),
        }
    }

    fn plume(&mut self, line: &str) -> Result<(), Problem> {
        let (name, key, value, session, number) =
            plume_access(line).ok_or_else(|| Problem::bad_line(PLUME_LINE, line))?;
        self.first.get_or_insert((session, number));
        let open = self.sessions.open.get(&session);
        if open.is_some_and(|open| open.number != number) {
            self.finish(session, false);
        }
        let held = if value == 0 {
            Value::null()
        } else {
            Value::int(value)
        };
        self.access(session, number, name, Value::int(key), held);
        Ok(())
    }

    fn awdit(&mut self, line: &str) -> Result<(), Problem> {
        if line.bytes().all(|byte| byte == b'-' || byte == b'=') {
            self.finish(self.session, false);
            self.session += i64::from(line.starts_with('='));
            return Ok(());
        }
        let (name, key, value) = awdit_access(line).ok_or_else(|| Problem::bad_line(AWDIT_LINE, line))?;
        self.access(self.session, 0, name, Value::int(key), Value::int(value));
        Ok(())
    }

    fn dbcop(&mut self, line: &str) -> Result<(), Problem> {
        let bad = || Problem::bad_line(DBCOP_LINE, line);
        let mut rest = line.split("//").next().unwrap_or_default().trim();
        if !rest.is_empty() && rest.bytes().all(|byte| byte == b'-') {
            self.session += 1;
            return Ok(());
        }
        while !rest.is_empty() {
            let (inside, after) = rest
                .strip_prefix('[')
                .and_then(|rest| rest.split_once(']'))
                .ok_or_else(bad)?;
            self.sessions.begin(self.session, 0, || self.text.location());
            for word in inside.split_ascii_whitespace() {
                let (name, key, value) = dbcop_access(word).ok_or_else(bad)?;
                self.access(self.session, 0, name, key, value);
            }
            let is_aborted = after.trim_start().starts_with('!');
            rest = after.trim_start().trim_start_matches('!').trim_start();
            self.finish(self.session, is_aborted);
        }
        Ok(())
    }

    fn csv(&mut self, line: &str) -> Result<(), Problem> {
        match &mut self.columns {
            Some(columns) => columns.row(line, self.text.location(), &mut self.sessions),
            None => {
                self.columns =
                    Some(CsvColumns::named(line).ok_or_else(|| Problem::bad_line(CSV_LINE, line))?);
                Ok(())
            }
        }
    }

    fn access(&mut self, session: i64, number: i64, name: &str, key: Value, value: Value) {
        self.sessions
            .begin(session, number, || self.text.location())
            .access(name, key, value);
    }

    /// The open transaction of a session is over.
    fn finish(&mut self, session: i64, is_aborted: bool) {
        // Some tools write down the initial state as a transaction. It comes before all others, of whatever session.
        let is_initial =
            |open: &OpenTransaction| self.first == Some((session, open.number)) && open.is_initial();
        if self.sessions.open.get(&session).is_some_and(is_initial) {
            self.sessions.open.remove(&session);
            self.text
                .note_interpretation("the first transaction writes nothing but 0: it is the initial state");
            return;
        }
        let is_marked = |number: i64| self.format == Format::Plume && number < 0;
        let open = self.sessions.open.get(&session);
        let ending = if is_aborted || open.is_some_and(|open| is_marked(open.number)) {
            Ending::Aborted
        } else {
            Ending::Committed
        };
        self.sessions.finish(session, ending);
    }

    /// The end of the file ends what is open.
    fn finish_all(&mut self) {
        if let Some(columns) = &mut self.columns {
            return columns.finish_all(&mut self.sessions);
        }
        let mut sessions: Vec<i64> = self.sessions.open.keys().copied().collect();
        sessions.sort_unstable();
        for session in sessions {
            self.finish(session, false);
        }
    }
}

impl Reader for SessionTransactions {
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError> {
        loop {
            if let Some(operation) = self.sessions.pop() {
                return Ok(Next::One(operation));
            }
            if let Some(end) = self.end.take() {
                return Ok(Next::End(end));
            }
            let length = match self.text.next_line()? {
                Next::One(length) => length,
                Next::End(end) => {
                    self.finish_all();
                    self.end = Some(end);
                    continue;
                }
            };
            let expected = match self.format {
                Format::Plume => PLUME_LINE,
                Format::Dbcop => DBCOP_LINE,
                Format::Csv => CSV_LINE,
                _ => AWDIT_LINE,
            };
            let mut current = std::mem::take(&mut self.current);
            current.clear();
            current.push_str(self.text.line_text(length, expected)?);
            self.line(&current).map_err(|problem| self.text.error(problem))?;
            self.current = current;
            self.text.consume_line(length);
        }
    }
}

fn read_or_write(name: &str) -> Option<&'static str> {
    match name {
        "r" | "R" => Some("r"),
        "w" | "W" => Some("w"),
        _ => None,
    }
}

/// Name, key, value, session and transaction of `w(1,5,0,3)`.
fn plume_access(line: &str) -> Option<(&'static str, i64, i64, i64, i64)> {
    let (name, rest) = line.strip_suffix(')')?.split_once('(')?;
    let mut numbers = rest
        .split(',')
        .map(|number| number.trim_ascii().parse::<i64>().ok());
    let mut next = || numbers.next().flatten();
    let (key, value, session, number) = (next()?, next()?, next()?, next()?);
    let is_over = numbers.next().is_none();
    let name = read_or_write(name).filter(|_| is_over)?;
    Some((name, key, value, session, number))
}

/// Name, key and value of `w 0 1`.
fn awdit_access(line: &str) -> Option<(&'static str, i64, i64)> {
    let mut words = line.split_ascii_whitespace();
    let (name, key, value) = (words.next()?, words.next()?, words.next()?);
    let name = read_or_write(name).filter(|_| words.next().is_none())?;
    Some((name, key.parse().ok()?, value.parse().ok()?))
}

/// Name, key and value of `x:=1`, `x==1` or `x==?`.
fn dbcop_access(word: &str) -> Option<(&'static str, Value, Value)> {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || one == '_');
    let (name, key, value) = match (word.split_once(":="), word.split_once("==")) {
        (Some((key, value)), _) => ("w", key, value),
        (None, Some((key, value))) => ("r", key, value),
        (None, None) => return None,
    };
    let held = match (name, value) {
        ("r", "?") => Value::null(),
        _ => Value::int(value.parse::<i64>().ok()?),
    };
    is_name(key).then(|| (name, Value::from(key), held))
}

/// The format of a text of transactions, by its first line that is no comment; `None` if it is another one.
pub(crate) fn transactions_format(line: &str) -> Option<Format> {
    let line = line.trim();
    let first = line
        .strip_prefix('[')
        .and_then(|rest| rest.split([' ', ']']).next());
    if plume_access(line).is_some() {
        Some(Format::Plume)
    } else if awdit_access(line).is_some() {
        Some(Format::Awdit)
    } else if first.and_then(dbcop_access).is_some() {
        Some(Format::Dbcop)
    } else if CsvColumns::named(line).is_some() {
        Some(Format::Csv)
    } else {
        None
    }
}
