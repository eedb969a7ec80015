//! The events of a Jepsen history in EDN: one vector or list of maps, or one map after the other.

use std::sync::Arc;

use omnilink_value::Value;

use super::edn::{EdnError, EdnProblem, EdnReader};
use super::events::Event;
use super::jepsen_event::event;
use crate::input::Window;
use crate::note::Notes;
use crate::place::Source;
use crate::{Note, Place, Problem, Time, TraceError};

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
                    self.note_cut(match self.window.is_truncated() {
                        true => "the compressed data end early",
                        false => "the last event is incomplete",
                    });
                    // One cut is enough to say.
                    self.has_ended = true;
                    return Ok(None);
                }
                Err(error) => return Err(self.error_inside(error)),
            }
            is_all = !self.window.grow().map_err(|error| self.error_here(error))?;
        }
    }

    /// An error inside of what is unread, which may begin with line ends: its line and the byte in that line.
    #[cold]
    fn error_inside(&self, error: EdnError) -> TraceError {
        let offset = error.offset.min(self.window.unread().len());
        let before = &self.window.unread()[..offset];
        let line = self.line + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let begin = before
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let error = EdnError {
            offset: offset - begin,
            ..error
        };
        TraceError::new(Place::at(&self.source, line), error)
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
