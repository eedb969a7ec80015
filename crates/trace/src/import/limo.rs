//! The text of Violin and LiMo: `# @object atomic-queue`, then `[1] call enq(1)` and `[1] return` in their order in time. The
//! number in brackets identifies the operation.

use std::sync::Arc;

use omnilink_sorting::sort_by_key;
use omnilink_value::Value;
use rustc_hash::FxHashMap;

use super::event_history::Events;
use crate::input::{InputBuffer, Next, TextInput};
use crate::note::Notes;
use crate::{Args, Call, Header, Operation, OperationName, Problem, Time, Timebox, TraceError};

const LINE: &str = "a line such as `[1] call enq(5)`, `[1] return` or `[2] return empty`";
const TITLE: &[u8] = b"# @object";

/// The events of a file. The clock is the number of the line.
pub(crate) struct LimoHistory {
    text: TextInput,
    open: FxHashMap<i64, Operation>,
}

/// The event of a line.
enum LimoEvent<'a> {
    Call(&'a str, Args),
    Return(Option<Value>),
}

impl LimoHistory {
    pub(crate) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self {
            text: TextInput::new(buffer, name, notes),
            open: FxHashMap::default(),
        }
    }

    /// The title, which comments may precede, as a header that names the `type` of the object.
    pub(crate) fn title(&mut self) -> Result<Option<Header>, TraceError> {
        self.text.line_length()?;
        let mut lines = self.text.unread().split(|&byte| byte == b'\n');
        let object = lines.find_map(|line| line.trim_ascii().strip_prefix(TITLE));
        let object = object.map(|object| String::from_utf8_lossy(object.trim_ascii()).into_owned());
        Ok(object.map(|object| Header::new([("type", object.into())])))
    }

    fn add(&mut self, id: i64, event: LimoEvent<'_>) -> Result<Option<Operation>, Problem> {
        let time = Time::try_from(self.text.line()).unwrap_or(Time::MAX);
        match event {
            LimoEvent::Call(name, args) => {
                if let Some(earlier) = self.open.get(&id) {
                    return Err(Problem::CallWhileOpen {
                        process: id.into(),
                        op: OperationName::new(name),
                        earlier: earlier.location.clone(),
                    });
                }
                let operation = Operation {
                    thread: id.into(),
                    call: Arc::new(Call::new(OperationName::new(name), args)),
                    timebox: Timebox::pending(time),
                    location: self.text.location(),
                };
                self.open.insert(id, operation);
                Ok(None)
            }
            LimoEvent::Return(ret) => {
                let Some(mut operation) = self.open.remove(&id) else {
                    return Err(Problem::ReturnWithoutCall {
                        process: id.into(),
                        op: OperationName::new("a call"),
                    });
                };
                operation.timebox.end = Some(time);
                operation.ret = ret;
                Ok(Some(operation))
            }
        }
    }
}

/// The event of a line and the number of its operation, `Some(None)` for an empty line or a comment, `None` if it is neither.
fn parse(line: &str) -> Option<Option<(i64, LimoEvent<'_>)>> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Some(None);
    }
    let (id, rest) = line.strip_prefix('[')?.split_once(']')?;
    let id = id.trim().parse().ok()?;
    let (kind, rest) = rest
        .trim()
        .split_once(char::is_whitespace)
        .unwrap_or((rest.trim(), ""));
    let rest = rest.trim();
    let event = match kind {
        "call" => {
            // `push(1)`, `push 1` or `pop`; a value may have commas of its own: `?<1,0>`.
            let (name, values) = match rest.split_once(['(', ' ']) {
                Some((name, values)) => (name.trim(), values.trim()),
                None => (rest, ""),
            };
            let is_open = rest[name.len()..].starts_with('(');
            let values = match values.strip_suffix(')') {
                Some(values) => values,
                // What is not closed may have been cut off.
                None if is_open => return None,
                None => values,
            };
            if name.is_empty() {
                return None;
            }
            let comma: &[char] = if values.contains('<') { &[] } else { &[',', ' '] };
            let values = values.split(comma).filter(|value| !value.is_empty());
            LimoEvent::Call(name, Args::positional(values.map(value)))
        }
        "return" | "ret" => LimoEvent::Return((!rest.is_empty()).then(|| value(rest))),
        _ => return None,
    };
    Some(Some((id, event)))
}

fn value(word: &str) -> Value {
    match word {
        "empty" | "nil" | "null" => Value::null(),
        "true" => Value::bool(true),
        "false" => Value::bool(false),
        _ => Value::number(word).unwrap_or_else(|| Value::str(word)),
    }
}

impl Events for LimoHistory {
    fn next_completed(&mut self) -> Result<Next<Operation>, TraceError> {
        loop {
            let length = match self.text.next_line()? {
                Next::One(length) => length,
                Next::End(end) => return Ok(Next::End(end)),
            };
            let line = self.text.line_text(length, LINE)?.to_owned();
            let operation = match parse(&line) {
                Some(Some((id, event))) => self.add(id, event).map_err(|problem| self.text.error(problem))?,
                Some(None) => None,
                None => return Err(self.text.error(Problem::bad_line(LINE, &line))),
            };
            self.text.consume_line(length);
            if let Some(operation) = operation {
                return Ok(Next::One(operation));
            }
        }
    }

    fn take_open(&mut self) -> Vec<Operation> {
        let mut calls: Vec<Operation> = self.open.drain().map(|(_, call)| call).collect();
        sort_by_key(&mut calls, |call| call.timebox.start);
        calls
    }
}

/// Whether a line is an event: `[1] call enq(5)`.
pub(crate) fn is_event_line(line: &[u8]) -> bool {
    let after = line
        .iter()
        .position(|&byte| byte == b']')
        .map(|at| line[at + 1..].trim_ascii());
    after.is_some_and(|after| after.starts_with(b"call") || after.starts_with(b"return"))
}

/// Whether a line is a title: `# @object` and its type.
pub(crate) fn is_title(line: &[u8]) -> bool {
    line.trim_ascii().starts_with(TITLE)
}
