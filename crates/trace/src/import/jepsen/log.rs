//! Jepsen text logs: `INFO  jepsen.util - 0 :invoke :read nil`, among other lines.

use std::borrow::Cow;

use omnilink_value::Value;

use super::event::{EventType, JepsenEvent};
use super::pairing::Pairing;
use crate::import::edn::EdnCursor;
use crate::import::event_history::Events;
use crate::input::{End, InputBuffer, Next, TextInput};
use crate::note::Notes;
use crate::{Operation, OperationName, Problem, Time, TraceError};

const LINE: &str = "the line of an event in UTF-8";

/// The events of a log. The clock is the number of the event.
pub(crate) struct JepsenLog {
    text: TextInput,
    pairing: Pairing,
    index: Time,
    skipped: u64,
}

impl JepsenLog {
    pub(crate) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        let text = TextInput::new(buffer, name, notes);
        Self {
            pairing: Pairing::new(text.source().clone()),
            text,
            index: 0,
            skipped: 0,
        }
    }

    /// The next event.
    fn next_event(&mut self) -> Result<Next<JepsenEvent>, TraceError> {
        loop {
            let length = match self.text.next_line()? {
                Next::One(length) => length,
                Next::End(end) => return Ok(Next::End(self.end(end))),
            };
            let line = &self.text.unread()[..length];
            let is_last = !line.ends_with(b"\n");
            let is_blank = line.trim_ascii().is_empty();
            let event = match EventLine::find(line) {
                // Output of other programs may be anything, but not in the line of an event.
                None if EventLine::is_damaged(line) => {
                    return Err(self
                        .text
                        .error(Problem::bad_line(LINE, &String::from_utf8_lossy(line))));
                }
                found => found.map(|found| found.event(self.text.line())),
            };
            match event {
                None if is_blank => {}
                None => self.skipped += 1,
                // Every event has a value: without one, the last line is incomplete.
                Some(Ok(event)) if event.value.is_some() || !is_last => {
                    self.text.consume_line(length);
                    return Ok(Next::One(event));
                }
                Some(Err(problem)) if !is_last => return Err(self.text.error(problem)),
                Some(_) => {
                    let end = self.text.cut("the last line is incomplete");
                    return Ok(Next::End(self.end(end)));
                }
            }
            self.text.consume_line(length);
        }
    }

    fn end(&self, end: End) -> End {
        self.text
            .note_skipped(self.skipped, "lines that are no client events");
        end
    }
}

impl Events for JepsenLog {
    fn next_completed(&mut self) -> Result<Next<Operation>, TraceError> {
        loop {
            let event = match self.next_event()? {
                Next::One(event) => event,
                Next::End(end) => return Ok(Next::End(end)),
            };
            let time = self.index;
            self.index += 1;
            let operation = self.pairing.add(event, time)?;
            if let Some(operation) = operation {
                return Ok(Next::One(operation));
            }
        }
    }

    fn take_open(&mut self) -> Vec<Operation> {
        self.pairing.take_open()
    }
}

/// A line with an event of a client: somewhere in it a process number, a type and the name of an operation.
struct EventLine<'a> {
    process: i64,
    kind: EventType,
    f: &'a str,
    rest: &'a str,
}

impl<'a> EventLine<'a> {
    fn find(line: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?;
        let mut rest = text;
        let mut process = None;
        while let Some((word, after)) = next_word(rest) {
            rest = after;
            let kind = word.strip_prefix(':').and_then(EventType::parse);
            if let (Some(process), Some(kind)) = (process, kind) {
                let (f, rest) = next_word(rest)?;
                return Some(Self {
                    process,
                    kind,
                    f: f.strip_prefix(':')?,
                    rest,
                });
            }
            process = word.parse().ok();
        }
        None
    }

    /// Whether a line holds an event, but for bytes that are no text.
    fn is_damaged(line: &[u8]) -> bool {
        let text = String::from_utf8_lossy(line);
        matches!(text, Cow::Owned(_)) && EventLine::find(text.as_bytes()).is_some()
    }

    fn event(&self, line: u64) -> Result<JepsenEvent, Problem> {
        let mut cursor = EdnCursor::new(self.rest.as_bytes(), true);
        let mut forms: Vec<Value> = Vec::new();
        while cursor.peek()?.is_some() {
            forms.push(cursor.form()?);
        }
        let mut forms = forms.into_iter();
        let value = forms.next();
        // The form behind the value is an error.
        let extra = forms
            .next()
            .map(|error| ("error".to_owned(), error))
            .into_iter()
            .collect();
        Ok(JepsenEvent {
            process: Some(Value::int(self.process)),
            kind: self.kind,
            f: OperationName::new(self.f),
            value,
            extra,
            line,
        })
    }
}

fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let end = text
        .find(|character: char| character.is_ascii_whitespace())
        .unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Whether a line holds an event of a client.
pub(crate) fn is_event_line(line: &[u8]) -> bool {
    EventLine::find(line).is_some()
}
