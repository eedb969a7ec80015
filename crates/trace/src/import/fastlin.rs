//! The text of the fastlin, PolyLin and fptlin test cases: a title such as `# stack`, then one operation a line.
//!
//! fastlin writes `method value start end`, where each operation is a thread of its own; PolyLin puts the result of an
//! operation on a set behind its value. fptlin writes `process start end METHOD values`, once also
//! `process METHOD values start end`.
//!
//! These tools order a return before a call at the same instant, while our timeboxes overlap if they touch. So each instant
//! becomes two: returns happen at twice the time, calls one later.

use std::sync::Arc;

use omnilink_value::Value;

use crate::input::{InputBuffer, Next, Reader, TextInput};
use crate::note::Notes;
use crate::{Args, Call, Header, Operation, OperationName, Problem, Time, Timebox, TraceError};

/// The methods whose value is the result; the value of any other method is the argument.
const RETURNING: [&str; 7] = ["deq", "pop", "poll", "peek", "read", "front", "top"];

const LINE: &str = "a line `method value start end` or `process start end method values`, with integers";

/// The operations of a file.
pub(crate) struct FastlinReader {
    text: TextInput,
    ordinal: i64,
    /// The type of the object, from the title.
    object: String,
}

impl FastlinReader {
    pub(crate) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self {
            text: TextInput::new(buffer, name, notes),
            ordinal: 0,
            object: String::new(),
        }
    }

    /// The title as a header that names the `type` of the object.
    pub(crate) fn title(&mut self) -> Result<Option<Header>, TraceError> {
        let length = self.text.next_line()?.one().unwrap_or(0);
        let line = &self.text.unread()[..length];
        let title = String::from_utf8_lossy(line);
        if !is_title(line) {
            let problem = Problem::bad_line("a title such as `# stack`", &title);
            return Err(self.text.error(problem));
        }
        let title = title.trim().trim_start_matches('#').trim().to_owned();
        self.text.consume_line(length);
        self.object = title.to_ascii_lowercase();
        if let Some(how) = initial_state(&self.object) {
            self.text.note_interpretation(how);
        }
        Ok(Some(Header::new([("type", title.into())])))
    }

    fn parse(&self, line: &str) -> Result<Option<Operation>, Problem> {
        let bad = || Problem::bad_line(LINE, line);
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
        let after = numbers(&words[at + 1..]).ok_or_else(bad)?;
        let (thread, values, start, end): (_, &[i64], Time, Time) = match (&before[..], &after[..]) {
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
            time.checked_mul(2)
                .filter(|time| *time < Time::MAX)
                .ok_or_else(|| Problem::bad_line("times of at most 62 bits", &time.to_string()))
        };
        let start = doubled(start)? + 1;
        let end = doubled(end)?.max(start);
        Ok(Some(Operation {
            thread: thread.into(),
            call: Arc::new(call),
            timebox: Timebox::new(start, end),
            location: self.text.location(),
        }))
    }

    /// The call of a method with these values; `None` if there are too many or too few.
    ///
    /// The name or a second value of an operation on a set is its result; without either it succeeded, as these tools
    /// interpret it. The value of a semaphore's operation is whether a permit was available.
    fn call(&self, method: &str, values: &[i64]) -> Option<Call> {
        let call = |name: &str, args: Args, ret: Option<Value>| Call {
            ret,
            ..Call::new(OperationName::new(name), args)
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

/// The initial state that these tools assume, where it differs from that of our models.
fn initial_state(object: &str) -> Option<&'static str> {
    match object {
        "rmw" => Some("the register of such a file holds 0 at first: --model cas-register:initial=0"),
        "semaphore" => {
            Some("the semaphore of such a file has no permits at first: --model semaphore:permits=0")
        }
        _ => None,
    }
}

impl Reader for FastlinReader {
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError> {
        loop {
            let length = match self.text.next_line()? {
                Next::One(length) => length,
                Next::End(end) => return Ok(Next::End(end)),
            };
            let line = self.text.line_text(length, LINE)?;
            let parsed = self.parse(line).map_err(|problem| self.text.error(problem))?;
            self.text.consume_line(length);
            if let Some(operation) = parsed {
                self.ordinal += 1;
                return Ok(Next::One(Arc::new(operation)));
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

/// Whether a line is one of fptlin's: it begins with the number of a process.
pub(crate) fn is_fptlin_line(line: &[u8]) -> bool {
    line.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
}
