//! The events of a Jepsen history in EDN: one vector or list of maps, or one map after the other.

use std::sync::Arc;

use omnilink_value::{Kind as ValueKind, Value};

use super::edn::{EdnError, EdnProblem, EdnReader};
use super::events::{Event, Kind};
use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::{Name, Note, Place, Problem, Time, TraceError};

/// Reads event after event.
pub(super) struct EdnEvents {
    window: Window,
    source: Arc<Source>,
    notes: Notes,
    /// The line that is read next, counted from 1.
    line: u64,
    /// The bracket that will close the history, once it has been opened.
    close: Option<u8>,
    has_begun: bool,
    has_ended: bool,
    /// Events of no client, such as those of the nemesis.
    skipped: u64,
}

/// What stands next in the input.
enum Next {
    End,
    Open(u8),
    Close(u8),
    Form(Value),
}

impl EdnEvents {
    pub(super) fn new(window: Window, source: Arc<Source>, notes: Notes) -> Self {
        Self {
            window,
            source,
            notes,
            line: 1,
            close: None,
            has_begun: false,
            has_ended: false,
            skipped: 0,
        }
    }

    /// The next event of a client and its `:time`, if it has one; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Event, Option<Time>)>, TraceError> {
        loop {
            let Some((next, line)) = self.step()? else {
                return self.end();
            };
            let place = Place::at(&self.source, line);
            let unexpected = |found: String| {
                let expected = "a history: one vector or list of event maps, or event maps";
                TraceError::new(place.clone(), Problem::BadLine { expected, found })
            };
            match next {
                Next::End => return self.end(),
                Next::Open(_) if self.has_begun => return Err(unexpected("a second list".to_owned())),
                Next::Open(bracket) => self.close = Some(if bracket == b'[' { b']' } else { b')' }),
                Next::Close(bracket) if self.close == Some(bracket) && !self.has_ended => {
                    self.has_ended = true
                }
                Next::Close(bracket) => return Err(unexpected(char::from(bracket).to_string())),
                Next::Form(form) if self.has_ended => return Err(unexpected(form.to_string())),
                Next::Form(form) => {
                    match event(&form, line).map_err(|problem| TraceError::new(place, problem))? {
                        Some((event, time)) => {
                            self.has_begun = true;
                            return Ok(Some((event, time)));
                        }
                        None => self.skipped += 1,
                    }
                }
            }
            self.has_begun = true;
        }
    }

    fn end(&mut self) -> Result<Option<(Event, Option<Time>)>, TraceError> {
        if self.window.is_truncated() {
            self.note_cut("the compressed data end early");
        } else if self.close.is_some() && !self.has_ended {
            self.note_cut("the history is not closed");
        }
        if self.skipped > 0 {
            let file = self.source.name.clone();
            self.notes.push(Note::Skipped {
                file,
                count: self.skipped,
                what: "events of no client, such as the nemesis",
            });
        }
        Ok(None)
    }

    fn note_cut(&self, reason: &'static str) {
        self.notes.push(Note::Cut {
            place: Place::at(&self.source, self.line),
            reason,
        });
    }

    /// Reads what stands next, and its line; `None` at a cut.
    fn step(&mut self) -> Result<Option<(Next, u64)>, TraceError> {
        let mut is_all = false;
        loop {
            let mut reader = EdnReader::new(self.window.unread(), is_all);
            match next(&mut reader) {
                Ok((Next::End, _)) if !is_all => {}
                Ok((next, begin)) => {
                    let length = reader.offset();
                    let newlines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
                    let line = self.line + newlines(&self.window.unread()[..begin]);
                    self.line += newlines(&self.window.unread()[..length]);
                    self.window.consume(length);
                    return Ok(Some((next, line)));
                }
                Err(EdnError {
                    problem: EdnProblem::Incomplete,
                    ..
                }) if !is_all => {}
                Err(EdnError {
                    problem: EdnProblem::Incomplete,
                    ..
                }) => {
                    self.note_cut("the last event is incomplete");
                    // One cut is enough to say.
                    self.has_ended = true;
                    return Ok(None);
                }
                Err(error) => return Err(self.error_here(error)),
            }
            is_all = !self.window.grow().map_err(|error| self.error_here(error))?;
        }
    }

    #[cold]
    fn error_here(&self, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(Place::at(&self.source, self.line), problem)
    }
}

/// What stands next, and where it begins.
fn next(reader: &mut EdnReader<'_>) -> Result<(Next, usize), EdnError> {
    let Some(byte) = reader.peek()? else {
        return Ok((Next::End, reader.offset()));
    };
    let begin = reader.offset();
    let next = match byte {
        b'[' | b'(' => {
            reader.advance();
            Next::Open(byte)
        }
        b']' | b')' => {
            reader.advance();
            Next::Close(byte)
        }
        _ => Next::Form(reader.form()?),
    };
    Ok((next, begin))
}

/// The keys of an event that are not arguments.
const RESERVED: [&str; 6] = ["process", "type", "f", "value", "time", "index"];

/// The event that a map describes; `None` for one of no client, whose process is no number.
fn event(form: &Value, line: u64) -> Result<Option<(Event, Option<Time>)>, Problem> {
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
    let process = record
        .get("process")
        .ok_or_else(|| missing("process", "the number of a process"))?;
    if process.kind() != ValueKind::Int {
        return Ok(None);
    }
    let kind = record.get("type").ok_or_else(|| missing("type", TYPES))?;
    let kind = kind
        .as_str()
        .and_then(Kind::parse)
        .ok_or_else(|| wrong("type", TYPES, kind))?;
    let f = record
        .get("f")
        .ok_or_else(|| missing("f", "the name of the operation"))?;
    let f = f
        .as_str()
        .ok_or_else(|| wrong("f", "the name of the operation", f))?;
    let time = match record.get("time") {
        Some(time) if !time.is_null() => {
            Some(time.as_int().ok_or_else(|| wrong("time", "an integer", time))?)
        }
        _ => None,
    };
    let extra = record
        .iter()
        .filter(|(name, value)| !RESERVED.contains(name) && !value.is_null());
    let event = Event {
        process: process.clone(),
        kind,
        f: Name::new(f),
        value: record.get("value").cloned(),
        extra: extra
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect(),
        line,
    };
    Ok(Some((event, time)))
}

const TYPES: &str = ":invoke, :ok, :fail or :info";
