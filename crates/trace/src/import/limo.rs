//! The text of Violin and LiMo: `# @object atomic-queue`, then `[1] call enq(1)` and `[1] return` in the order in which they
//! happened. The number in brackets is that of the operation.

use std::sync::Arc;

use omnilink_value::Value;
use rustc_hash::FxHashMap;

use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::records::Records;
use crate::{Args, Call, Header, Name, Note, Operation, Place, Problem, Time, Timebox, TraceError};

const LINE: &str = "a line such as `[1] call enq(5)`, `[1] return` or `[2] return empty`";
const TITLE: &[u8] = b"# @object";

/// The operations of a file, as they complete. The clock is the number of the line.
pub(crate) struct LimoRecords {
    window: Window,
    source: Arc<Source>,
    notes: Notes,
    line: u64,
    open: FxHashMap<i64, Operation>,
    leftovers: Option<std::vec::IntoIter<Operation>>,
}

/// What a line says about an operation.
enum Event<'a> {
    Call(&'a str, Args),
    Return(Option<Value>),
}

impl LimoRecords {
    pub(crate) fn new(window: Window, name: &str, notes: Notes) -> Self {
        Self {
            window,
            source: Source::lines(name),
            notes,
            line: 0,
            open: FxHashMap::default(),
            leftovers: None,
        }
    }

    /// The title, which comments may precede, as a header that names the `type` of the object.
    pub(crate) fn title(&mut self) -> Result<Option<Header>, TraceError> {
        self.line_length()?;
        let mut lines = self.window.unread().split(|&byte| byte == b'\n');
        let object = lines.find_map(|line| line.trim_ascii().strip_prefix(TITLE));
        let object = object.map(|object| String::from_utf8_lossy(object.trim_ascii()).into_owned());
        Ok(object.map(|object| Header::new([("type", object.into())])))
    }

    fn line_length(&mut self) -> Result<usize, TraceError> {
        self.window
            .line()
            .map_err(|error| TraceError::new(Place::at(&self.source, self.line), error))
    }

    fn take(&mut self, id: i64, event: Event<'_>) -> Result<Option<Operation>, Problem> {
        let time = Time::try_from(self.line).unwrap_or(Time::MAX);
        match event {
            Event::Call(name, args) => {
                if let Some(earlier) = self.open.get(&id) {
                    return Err(Problem::CallWhileOpen {
                        process: id.into(),
                        op: Name::new(name),
                        earlier: earlier.place.clone(),
                    });
                }
                let operation = Operation {
                    thread: id.into(),
                    call: Arc::new(Call::new(Name::new(name), args)),
                    timebox: Timebox::pending(time),
                    place: Place::at(&self.source, self.line),
                };
                self.open.insert(id, operation);
                Ok(None)
            }
            Event::Return(ret) => {
                let Some(mut operation) = self.open.remove(&id) else {
                    return Err(Problem::ReturnWithoutCall {
                        process: id.into(),
                        op: Name::new("a call"),
                    });
                };
                operation.timebox.end = Some(time);
                operation.ret = ret;
                Ok(Some(operation))
            }
        }
    }
}

/// What a line says; `None` for one that is empty or a comment.
fn parse(line: &str) -> Option<Option<(i64, Event<'_>)>> {
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
            let values = values.strip_suffix(')').unwrap_or(values);
            if name.is_empty() {
                return None;
            }
            let comma: &[char] = if values.contains('<') { &[] } else { &[',', ' '] };
            let values = values.split(comma).filter(|value| !value.is_empty());
            Event::Call(name, Args::positional(values.map(value)))
        }
        "return" | "ret" => Event::Return((!rest.is_empty()).then(|| value(rest))),
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

impl Records for LimoRecords {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        if let Some(leftovers) = &mut self.leftovers {
            return Ok(leftovers.next().map(Arc::new));
        }
        loop {
            self.line += 1;
            let length = self.line_length()?;
            if length == 0 {
                break;
            }
            let bytes = self.window.unread()[..length].to_vec();
            self.window.consume(length);
            let text = String::from_utf8_lossy(&bytes);
            let place = Place::at(&self.source, self.line);
            let Some(parsed) = parse(&text) else {
                if self.window.is_truncated() && !bytes.ends_with(b"\n") {
                    break;
                }
                let found = text.trim().chars().take(60).collect();
                return Err(TraceError::new(
                    place,
                    Problem::BadLine {
                        expected: LINE,
                        found,
                    },
                ));
            };
            if let Some((id, event)) = parsed
                && let Some(operation) = self
                    .take(id, event)
                    .map_err(|problem| TraceError::new(place, problem))?
            {
                return Ok(Some(Arc::new(operation)));
            }
        }
        if self.window.is_truncated() {
            self.notes.push(Note::Cut {
                place: Place::at(&self.source, self.line),
                reason: "the compressed data end early",
            });
        }
        let mut calls: Vec<Operation> = self.open.drain().map(|(_, call)| call).collect();
        calls.sort_unstable_by_key(|call| call.timebox.start);
        Ok(self.leftovers.insert(calls.into_iter()).next().map(Arc::new))
    }
}

/// Whether a line is a title: `# @object` and what it is.
pub(crate) fn is_title(line: &[u8]) -> bool {
    line.trim_ascii().starts_with(TITLE)
}
