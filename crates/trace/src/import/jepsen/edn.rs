//! Jepsen events in EDN: one vector or list of maps, or a sequence of maps.

use omnilink_value::Value;

use super::event::{TimedEvent, event};
use crate::import::edn::{EdnCursor, EdnError, EdnProblem};
use crate::input::{End, InputBuffer, Next, TextInput, newlines};
use crate::note::Notes;
use crate::{Location, Problem, TraceError};

/// What is skipped in a history.
pub(super) const NO_CLIENT: &str = "events of no client, such as the nemesis";

/// Reads one event after the other.
pub(super) struct EdnEvents {
    text: TextInput,
    /// The bracket that closes the history, once it is open.
    close: Option<u8>,
    has_begun: bool,
    has_ended: bool,
    /// Events of no client, such as those of the nemesis.
    pub(super) skipped: u64,
}

/// A part of the input.
enum Token {
    End,
    /// The input ends in the middle of an event.
    Cut,
    Open(u8),
    Close(u8),
    Form(Value),
}

impl EdnEvents {
    pub(super) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self {
            text: TextInput::new(buffer, name, notes),
            close: None,
            has_begun: false,
            has_ended: false,
            skipped: 0,
        }
    }

    pub(super) fn text(&self) -> &TextInput {
        &self.text
    }

    /// The next event of a client.
    pub(super) fn next(&mut self) -> Result<Next<TimedEvent>, TraceError> {
        loop {
            let (token, line) = self.token()?;
            let error = |problem| TraceError::new(Location::at(self.text.source(), line), problem);
            let unexpected = |found: &str| {
                let expected = "a history: one vector or list of event maps, or event maps";
                error(Problem::bad_line(expected, found))
            };
            match token {
                Token::End => return self.end().map(Next::End),
                Token::Cut => {
                    self.note_skipped();
                    return Ok(Next::End(self.text.cut("the last event is incomplete")));
                }
                Token::Open(_) if self.has_begun => return Err(unexpected("a second list")),
                Token::Open(bracket) => self.close = Some(if bracket == b'[' { b']' } else { b')' }),
                Token::Close(bracket) if self.close == Some(bracket) && !self.has_ended => {
                    self.has_ended = true
                }
                Token::Close(bracket) => {
                    return Err(unexpected(char::from(bracket).encode_utf8(&mut [0; 4])));
                }
                Token::Form(form) if self.has_ended => return Err(unexpected(&form.to_string())),
                Token::Form(form) => match event(&form, line).map_err(error)? {
                    Some(event) => {
                        self.has_begun = true;
                        return Ok(Next::One(event));
                    }
                    None => self.skipped += 1,
                },
            }
            self.has_begun = true;
        }
    }

    fn end(&mut self) -> Result<End, TraceError> {
        self.note_skipped();
        if self.close.is_some() && !self.has_ended {
            Ok(self.text.cut("the history is not closed"))
        } else {
            self.text.end()
        }
    }

    fn note_skipped(&self) {
        self.text.note_skipped(self.skipped, NO_CLIENT);
    }

    /// The next token and its line.
    fn token(&mut self) -> Result<(Token, u64), TraceError> {
        let mut is_all = false;
        loop {
            let mut cursor = EdnCursor::new(self.text.unread(), is_all);
            match token(&mut cursor) {
                Ok((Token::End, _)) if !is_all => {}
                Ok((token, begin)) => {
                    let length = cursor.offset();
                    let line = self.text.line() + newlines(&self.text.unread()[..begin]);
                    self.text.consume(length);
                    return Ok((token, line));
                }
                Err(EdnError {
                    problem: EdnProblem::Incomplete,
                    ..
                }) if !is_all => {}
                Err(EdnError {
                    problem: EdnProblem::Incomplete,
                    ..
                }) => return Ok((Token::Cut, self.text.line())),
                Err(error) => return Err(self.error_inside(error)),
            }
            is_all = !self.text.read_much()?;
        }
    }

    /// The error with its line and its byte in that line.
    #[cold]
    fn error_inside(&self, error: EdnError) -> TraceError {
        let offset = error.offset.min(self.text.unread().len());
        let before = &self.text.unread()[..offset];
        let line = self.text.line() + newlines(before);
        let begin = before
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let error = EdnError {
            offset: offset - begin,
            ..error
        };
        TraceError::new(Location::at(self.text.source(), line), error)
    }
}

/// The next token and the offset at which it begins.
fn token(cursor: &mut EdnCursor<'_>) -> Result<(Token, usize), EdnError> {
    let Some(byte) = cursor.peek()? else {
        return Ok((Token::End, cursor.offset()));
    };
    let begin = cursor.offset();
    let token = match byte {
        b'[' | b'(' => {
            cursor.advance();
            Token::Open(byte)
        }
        b']' | b')' => {
            cursor.advance();
            Token::Close(byte)
        }
        _ => Token::Form(cursor.form()?),
    };
    Ok((token, begin))
}
