//! The text of the fastlin, PolyLin and fptlin test cases: a title such as `# stack`, then one operation a line.
//!
//! fastlin writes `method value start end`, where each operation is a thread of its own; PolyLin puts the result of an
//! operation on a set behind its value. fptlin writes `process start end METHOD values`, once also
//! `process METHOD values start end`.
//!
//! There, what returns at an instant precedes what is called at it, while our timeboxes overlap where they touch. So
//! each instant becomes two: returns happen at twice the time, calls just after.

use std::sync::Arc;

use omnilink_value::Value;

use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::records::Records;
use crate::{Args, Call, Header, Name, Note, Operation, Place, Problem, Time, Timebox, TraceError};

/// The methods whose value is what came back; the value of any other method is what was passed in.
const RETURNING: [&str; 7] = ["deq", "pop", "poll", "peek", "read", "front", "top"];

const LINE: &str = "a line `method value start end` or `process start end method values`, with integers";

/// The operations of a file.
pub(crate) struct FastlinRecords {
    window: Window,
    source: Arc<Source>,
    notes: Notes,
    line: u64,
    ordinal: i64,
    /// What the title says the object is.
    object: String,
}

impl FastlinRecords {
    pub(crate) fn new(window: Window, name: &str, notes: Notes) -> Self {
        Self {
            window,
            source: Source::lines(name),
            notes,
            line: 1,
            ordinal: 0,
            object: String::new(),
        }
    }

    /// The title as a header that names the `type` of the object.
    pub(crate) fn title(&mut self) -> Result<Option<Header>, TraceError> {
        let length = self.line_length()?;
        let line = &self.window.unread()[..length];
        let title = match is_title(line) {
            true => String::from_utf8_lossy(line.trim_ascii())
                .trim_start_matches('#')
                .trim()
                .to_owned(),
            false => return Err(self.bad_line("a title such as `# stack`", length)),
        };
        self.window.consume(length);
        self.line += 1;
        self.object = title.to_ascii_lowercase();
        if let Some(how) = beginning(&self.object) {
            let place = Place::whole(&self.source.name);
            self.notes.push(Note::Reading { place, how });
        }
        Ok(Some(Header::new([("type", title.into())])))
    }

    fn line_length(&mut self) -> Result<usize, TraceError> {
        self.window
            .line()
            .map_err(|error| TraceError::new(Place::at(&self.source, self.line), error))
    }

    #[cold]
    fn bad_line(&self, expected: &'static str, length: usize) -> TraceError {
        let found = String::from_utf8_lossy(&self.window.unread()[..length])
            .trim()
            .chars()
            .take(60)
            .collect();
        TraceError::new(
            Place::at(&self.source, self.line),
            Problem::BadLine { expected, found },
        )
    }

    fn parse(&self, line: &str) -> Result<Option<Operation>, Problem> {
        let bad = || Problem::BadLine {
            expected: LINE,
            found: line.trim().chars().take(60).collect(),
        };
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if words.is_empty() {
            return Ok(None);
        }
        let number = |word: &str| word.parse::<i64>().ok();
        let numbers = |words: &[&str]| {
            words
                .iter()
                .map(|word| number(word))
                .collect::<Option<Vec<i64>>>()
        };
        let at = words
            .iter()
            .position(|word| number(word).is_none())
            .ok_or_else(bad)?;
        let method = words[at].to_ascii_lowercase();
        let before = numbers(&words[..at]).ok_or_else(bad)?;
        let behind = numbers(&words[at + 1..]).ok_or_else(bad)?;
        let (thread, values, start, end): (_, &[i64], Time, Time) = match (&before[..], &behind[..]) {
            ([], [values @ .., start, end]) => (self.ordinal, values, *start, *end),
            ([process], [values @ .., start, end]) => (*process, values, *start, *end),
            ([process, start, end], values) => (*process, values, *start, *end),
            _ => return Err(bad()),
        };
        let call = self.call(&method, values).ok_or_else(bad)?;
        if end < start {
            return Err(Problem::EndBeforeStart {
                op: call.name,
                start,
                end,
            });
        }
        let doubled = |time: Time| {
            let small = || Problem::BadLine {
                expected: "times of at most 62 bits",
                found: time.to_string(),
            };
            time.checked_mul(2)
                .filter(|time| *time < Time::MAX)
                .ok_or_else(small)
        };
        let start = doubled(start)? + 1;
        let end = doubled(end)?.max(start);
        Ok(Some(Operation {
            thread: thread.into(),
            call: Arc::new(call),
            timebox: Timebox::new(start, end),
            place: Place::at(&self.source, self.line),
        }))
    }

    /// What a method with these values stands for; `None` if it has too many or too few.
    ///
    /// An operation on a set tells by its name or by a second value whether it found the element; one that does neither succeeded,
    /// because that is what the tools take it for. The numbers of a semaphore say whether a permit was to be had.
    fn call(&self, method: &str, values: &[i64]) -> Option<Call> {
        let call = |name: &str, args: Args, ret: Option<Value>| Call {
            ret,
            ..Call::new(Name::new(name), args)
        };
        let passed = |value: i64| Args::named([("value", Value::int(value))]);
        let yes = |flag: i64| Some(Value::bool(flag != 0));
        Some(match (self.object.as_str(), method, values) {
            ("set", "contains_true", [value]) => call("contains", passed(*value), yes(1)),
            ("set", "contains_false", [value]) => call("contains", passed(*value), yes(0)),
            ("set", "insert" | "add" | "remove" | "delete", [value]) => call(method, passed(*value), yes(1)),
            ("set", "contains", [_]) => return None,
            ("set", _, [value, flag @ (0 | 1)]) => call(method, passed(*value), yes(*flag)),
            ("rmw", "read_modify_write", [from, to]) => {
                let pair = Value::tuple([Value::int(*from), Value::int(*to)]);
                call("cas", Args::named([("value", pair)]), yes(1))
            }
            ("semaphore", "incr", [1]) => call("release", Args::none(), None),
            ("semaphore", "decr", [flag @ (0 | 1)]) => call("try-acquire", Args::none(), yes(*flag)),
            (_, _, [value]) if RETURNING.contains(&method) => {
                call(method, Args::none(), Some(Value::int(*value)))
            }
            (_, _, [value]) => call(method, passed(*value), None),
            _ => return None,
        })
    }
}

/// What the tools take an object to hold at first, where our models begin otherwise.
fn beginning(object: &str) -> Option<&'static str> {
    match object {
        "rmw" => Some("the register of such a file holds 0 at first: --model cas-register:initial=0"),
        "semaphore" => {
            Some("the semaphore of such a file has no permits at first: --model semaphore:permits=0")
        }
        _ => None,
    }
}

impl Records for FastlinRecords {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        loop {
            let length = self.line_length()?;
            if length == 0 {
                if self.window.is_truncated() {
                    let place = Place::at(&self.source, self.line);
                    self.notes.push(Note::Cut {
                        place,
                        reason: "the compressed data end early",
                    });
                }
                return Ok(None);
            }
            let line = std::str::from_utf8(&self.window.unread()[..length])
                .map_err(|_| self.bad_line(LINE, length))?;
            let parsed = self
                .parse(line)
                .map_err(|problem| TraceError::new(Place::at(&self.source, self.line), problem))?;
            self.window.consume(length);
            self.line += 1;
            if let Some(operation) = parsed {
                self.ordinal += 1;
                return Ok(Some(Arc::new(operation)));
            }
        }
    }
}

/// Whether a line is a title: a hash, a space and a word.
pub(crate) fn is_title(line: &[u8]) -> bool {
    let word = |rest: &[u8]| {
        !rest.is_empty()
            && rest
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    line.trim_ascii()
        .strip_prefix(b"# ")
        .is_some_and(|rest| word(rest.trim_ascii()))
}

/// Whether a line says which process did it: it begins with a number.
pub(crate) fn has_processes(line: &[u8]) -> bool {
    line.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
}
