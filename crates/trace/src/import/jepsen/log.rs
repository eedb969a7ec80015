//! Jepsen text logs: `INFO  jepsen.util - 0 :invoke :read nil`, among other lines.

use std::sync::Arc;

use omnilink_value::Value;

use super::edn::EdnReader;
use super::events::{Event, Kind, Pairing};
use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::records::Records;
use crate::{Name, Note, Operation, Place, Problem, Time, TraceError};

/// The operations of a log, as they complete. The clock is the number of the event.
pub(crate) struct JepsenLogRecords {
    window: Window,
    source: Arc<Source>,
    notes: Notes,
    pairing: Pairing,
    line: u64,
    index: Time,
    skipped: u64,
    leftovers: Option<std::vec::IntoIter<Operation>>,
}

impl JepsenLogRecords {
    pub(crate) fn new(window: Window, name: &str, notes: Notes) -> Self {
        let source = Source::lines(name);
        let pairing = Pairing::new(Arc::clone(&source));
        Self {
            window,
            source,
            notes,
            pairing,
            line: 0,
            index: 0,
            skipped: 0,
            leftovers: None,
        }
    }

    /// The next event; `None` at the end.
    fn next_event(&mut self) -> Result<Option<Event>, TraceError> {
        loop {
            self.line += 1;
            let length = self.window.line().map_err(|error| self.error_here(error))?;
            if length == 0 {
                self.note_the_end();
                return Ok(None);
            }
            let line = &self.window.unread()[..length];
            let is_cut = !line.ends_with(b"\n");
            let is_blank = line.trim_ascii().is_empty();
            let event = EventLine::find(line).map(|found| found.event(self.line));
            self.window.consume(length);
            match event {
                None if is_blank => {}
                None => self.skipped += 1,
                // An event without value in a line without end: more was to come.
                Some(Ok(event)) if event.value.is_none() && is_cut => {
                    self.note_cut("the last line is incomplete")
                }
                Some(Err(_)) if is_cut => self.note_cut("the last line is incomplete"),
                Some(event) => return event.map(Some).map_err(|problem| self.error_here(problem)),
            }
        }
    }

    fn note_the_end(&self) {
        if self.window.is_truncated() {
            self.note_cut("the compressed data end early");
        }
        if self.skipped > 0 {
            let file = self.source.name.clone();
            self.notes.push(Note::Skipped {
                file,
                count: self.skipped,
                what: "lines that are no client events",
            });
        }
    }

    fn note_cut(&self, reason: &'static str) {
        self.notes.push(Note::Cut {
            place: Place::at(&self.source, self.line),
            reason,
        });
    }

    #[cold]
    fn error_here(&self, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(Place::at(&self.source, self.line), problem)
    }
}

impl Records for JepsenLogRecords {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        if let Some(leftovers) = &mut self.leftovers {
            return Ok(leftovers.next().map(Arc::new));
        }
        while let Some(event) = self.next_event()? {
            let time = self.index;
            self.index += 1;
            if let Some(operation) = self.pairing.take(event, time)? {
                return Ok(Some(Arc::new(operation)));
            }
        }
        let leftovers = self.leftovers.insert(self.pairing.leftovers().into_iter());
        Ok(leftovers.next().map(Arc::new))
    }
}

/// A line that tells of a client's event: somewhere in it a process number, a type and the name of an operation.
struct EventLine<'a> {
    process: i64,
    kind: Kind,
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
            let kind = word.strip_prefix(':').and_then(Kind::parse);
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

    fn event(&self, line: u64) -> Result<Event, Problem> {
        let mut reader = EdnReader::new(self.rest.as_bytes(), true);
        let mut forms: Vec<Value> = Vec::new();
        while reader.peek()?.is_some() {
            forms.push(reader.form()?);
        }
        let mut forms = forms.into_iter();
        let value = forms.next();
        // What follows the value says what went wrong.
        let extra = forms
            .next()
            .map(|error| ("error".to_owned(), error))
            .into_iter()
            .collect();
        Ok(Event {
            process: Some(Value::int(self.process)),
            kind: self.kind,
            f: Name::new(self.f),
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

/// Whether a line tells of a client's event.
pub(crate) fn is_event_line(line: &[u8]) -> bool {
    EventLine::find(line).is_some()
}
