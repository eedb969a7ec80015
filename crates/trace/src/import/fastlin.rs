//! The text of the fastlin test cases: `# stack`, then lines of `method value start end`.
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

const LINE: &str = "a line `method value start end` with three integers";

/// The operations of a fastlin file. The format has no threads: each operation is a thread of its own.
pub(crate) struct FastlinRecords {
    window: Window,
    source: Arc<Source>,
    notes: Notes,
    line: u64,
    ordinal: i64,
}

impl FastlinRecords {
    pub(crate) fn new(window: Window, name: &str, notes: Notes) -> Self {
        Self {
            window,
            source: Source::lines(name),
            notes,
            line: 1,
            ordinal: 0,
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
        let [method, value, start, end] = words[..] else {
            return if words.is_empty() { Ok(None) } else { Err(bad()) };
        };
        let number = |word: &str| word.parse::<i64>().map_err(|_| bad());
        let (value, start, end): (i64, Time, Time) = (number(value)?, number(start)?, number(end)?);
        if end < start {
            return Err(Problem::EndBeforeStart {
                op: method.into(),
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
        let returns = RETURNING.contains(&method);
        let args = if returns {
            Args::none()
        } else {
            Args::named([("value", Value::int(value))])
        };
        let call = Call {
            ret: returns.then(|| Value::int(value)),
            ..Call::new(Name::new(method), args)
        };
        Ok(Some(Operation {
            thread: self.ordinal.into(),
            call: Arc::new(call),
            timebox: Timebox::new(start, end),
            place: Place::at(&self.source, self.line),
        }))
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
