//! Format 1 as JSON, one record a line.

use std::str::Utf8Error;
use std::sync::Arc;

use omnilink_value::Value;
use omnilink_value::json::{Cursor, JsonError, JsonProblem};

use super::{CallCache, Defaults, Field, Fields, nearest};
use crate::input::Window;
use crate::name::NameCache;
use crate::note::Notes;
use crate::records::Records;
use crate::{Header, Note, Operation, Place, Problem, Time, TraceError};

/// The records of an NDJSON file in the order of the file.
pub(crate) struct NdjsonRecords {
    window: Window,
    defaults: Defaults,
    notes: Notes,
    known: Known,
    /// The line that is read next, counted from 1.
    line: u64,
    /// Records read so far.
    ordinal: u64,
}

/// What was met before and may come again.
pub(super) struct Known {
    names: NameCache,
    calls: CallCache,
}

impl Known {
    pub(super) fn new() -> Self {
        Self {
            names: NameCache::new(),
            calls: CallCache::default(),
        }
    }
}

/// What became of a line.
enum Line {
    Blank,
    Read,
    /// Nothing readable from here on.
    Cut(&'static str),
}

const CUT_LINE: &str = "the last line is incomplete";
const CUT_STREAM: &str = "the compressed data end early";

impl NdjsonRecords {
    pub(crate) fn new(window: Window, defaults: Defaults, notes: Notes) -> Self {
        Self {
            window,
            defaults,
            notes,
            known: Known::new(),
            line: 1,
            ordinal: 0,
        }
    }

    /// Reads the header, if the first line is one.
    pub(crate) fn header(&mut self) -> Result<Option<Header>, TraceError> {
        let mut header = None;
        // Whatever is wrong with the first line will be said when it is read as a record.
        if let Ok(length) = self.window.line()
            && let Some(text) = line_text(&self.window.unread()[..length])
            && is_header(text)
        {
            let read = || Header::from_record(Value::from_json(text.as_bytes())?);
            header = Some(read().map_err(|problem| self.error_here(problem))?);
            self.window.consume(length);
            self.line += 1;
        }
        if let Some(thread) = header.as_ref().and_then(|header: &Header| header.get("thread")) {
            self.defaults.thread = Some(thread.clone());
        }
        Ok(header)
    }

    /// Hands the next line that is not blank to `read` and gives its number; `None` at the end.
    #[inline]
    fn next_line(
        &mut self,
        mut read: impl FnMut(&str, &mut Known) -> Result<(), Problem>,
    ) -> Result<Option<u64>, TraceError> {
        loop {
            let length = self.window.line().map_err(|error| self.error_here(error))?;
            if length == 0 {
                if self.window.is_truncated() {
                    self.note_cut(CUT_STREAM);
                }
                return Ok(None);
            }
            let bytes = &self.window.unread()[..length];
            let outcome = match std::str::from_utf8(bytes) {
                Ok(text) if is_blank(text) => Ok(Line::Blank),
                Ok(text) => match read(text, &mut self.known) {
                    Ok(()) => Ok(Line::Read),
                    Err(problem) => cut_or_error(bytes, problem),
                },
                Err(error) => cut_or_error(bytes, not_utf8(bytes, error)),
            };
            let outcome = outcome.map_err(|problem| self.error_here(problem))?;
            if let Line::Cut(reason) = outcome {
                self.note_cut(if self.window.is_truncated() {
                    CUT_STREAM
                } else {
                    reason
                });
            }
            self.window.consume(length);
            self.line += 1;
            match outcome {
                Line::Read => return Ok(Some(self.line - 1)),
                Line::Cut(_) => return Ok(None),
                Line::Blank => {}
            }
        }
    }

    fn note_cut(&self, reason: &'static str) {
        self.notes.push(Note::Cut {
            place: Place::at(&self.defaults.source, self.line),
            reason,
        });
    }

    #[cold]
    fn error_here(&self, problem: impl Into<Problem>) -> TraceError {
        TraceError::new(Place::at(&self.defaults.source, self.line), problem)
    }
}

impl Records for NdjsonRecords {
    #[inline]
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let mut fields = Fields::default();
        let Some(line) = self.next_line(|text, known| decode(text, known, &mut fields))? else {
            return Ok(None);
        };
        let ordinal = self.ordinal;
        self.ordinal += 1;
        self.defaults.operation(fields, line, ordinal).map(Some)
    }

    fn next_start(&mut self) -> Result<Option<Time>, TraceError> {
        let mut start = None;
        if self
            .next_line(|text, _| decode_start(text, &mut start))?
            .is_none()
        {
            return Ok(None);
        }
        let ordinal = self.ordinal;
        self.ordinal += 1;
        Ok(Some(start.unwrap_or(i64::try_from(ordinal).unwrap_or(i64::MAX))))
    }
}

#[inline]
fn is_blank(text: &str) -> bool {
    !text.starts_with('{') && text.bytes().all(|byte| byte.is_ascii_whitespace())
}

fn line_text(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(line).ok()
}

pub(super) fn is_header(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    cursor.object().is_ok()
        && cursor
            .key(true)
            .is_ok_and(|key| key.as_deref() == Some(Header::KEY))
}

fn not_utf8(line: &[u8], error: Utf8Error) -> Problem {
    // A character that the end of the line cuts in two is an incomplete line, not a wrong one.
    let problem = match error.error_len() {
        None if !line.ends_with(b"\n") => JsonProblem::Incomplete {
            expected: "the rest of a character",
        },
        _ => JsonProblem::NotUtf8,
    };
    JsonError {
        offset: error.valid_up_to(),
        problem,
    }
    .into()
}

/// The last line of a file whose writer died lacks its newline and its end; a file that was preallocated or whose disk
/// lost power ends in zeros. Anything else is an error.
#[cold]
fn cut_or_error(line: &[u8], problem: Problem) -> Result<Line, Problem> {
    if line.iter().all(|&byte| byte == 0) {
        return Ok(Line::Cut("nothing but zero bytes follow"));
    }
    let text = line
        .iter()
        .position(|&byte| byte == 0)
        .map_or(line, |at| &line[..at]);
    let is_incomplete = match text.len() == line.len() {
        true => matches!(
            &problem,
            Problem::Json(JsonError {
                problem: JsonProblem::Incomplete { .. },
                ..
            })
        ),
        // The zeros were read as part of the line: what stands before them decides.
        false => line[text.len()..].iter().all(|&byte| byte == 0),
    };
    match is_incomplete && !line.ends_with(b"\n") {
        true => Ok(Line::Cut(CUT_LINE)),
        false => Err(problem),
    }
}

/// The fields in the order in which they are usually written, ours included, each with what stands before its value.
/// Comparing these is many times cheaper than reading a key; anything else takes the general way.
const THREAD: &str = "{\"thread\":";
const OP: &str = ",\"op\":";
const ARGS: &str = ",\"args\":";
const START: &str = ",\"start\":";
const END: &str = ",\"end\":";

#[inline]
pub(super) fn decode(text: &str, known: &mut Known, fields: &mut Fields) -> Result<(), Problem> {
    let mut cursor = Cursor::new(text);
    // Only the first literal has the opening brace: without it, nothing that follows counts.
    let is_usual = cursor.literal(THREAD);
    if is_usual {
        decode_field(&mut cursor, Field::Thread, known, fields)?;
        decode_call(&mut cursor, known, fields)?;
        for (literal, field) in [(START, Field::Start), (END, Field::End)] {
            if cursor.literal(literal) {
                decode_field(&mut cursor, field, known, fields)?;
            }
        }
    } else {
        cursor.object()?;
    }
    let mut is_first = !is_usual;
    while let Some(key) = cursor.key(is_first)? {
        is_first = false;
        let Some(field) = Field::parse(&key) else {
            return Err(unknown_field(&key));
        };
        decode_field(&mut cursor, field, known, fields)?;
    }
    cursor.end()?;
    if fields.ret.is_some()
        && !fields.has_more()
        && let Some(open) = fields.call.take()
        && let Some(ret) = fields.ret.take()
    {
        fields.call = Some(known.calls.returning(open, ret));
    }
    Ok(())
}

/// Reads the name and the arguments where they come next, the one after the other.
#[inline]
fn decode_call(cursor: &mut Cursor<'_>, known: &mut Known, fields: &mut Fields) -> Result<(), Problem> {
    let vacancy = match known.calls.find(cursor) {
        Ok(call) => {
            fields.see(Field::Op)?;
            fields.see(Field::Args)?;
            fields.call = Some(call);
            return Ok(());
        }
        Err(vacancy) => vacancy,
    };
    if !cursor.literal(OP) {
        return Ok(());
    }
    decode_field(cursor, Field::Op, known, fields)?;
    if !cursor.literal(ARGS) {
        return Ok(());
    }
    decode_field(cursor, Field::Args, known, fields)?;
    if let Some(vacancy) = vacancy
        && let (Some(name), Some(args)) = (fields.name.take(), fields.args.take())
    {
        fields.call = Some(known.calls.remember(vacancy, cursor, name, args));
    }
    Ok(())
}

#[inline]
fn decode_field(
    cursor: &mut Cursor<'_>,
    field: Field,
    known: &mut Known,
    fields: &mut Fields,
) -> Result<(), Problem> {
    fields.see(field)?;
    match field {
        Field::Thread if is_number(cursor) => fields.thread = Some(cursor.value()?),
        Field::Op if cursor.peek() == Some(b'"') => fields.name = Some(known.names.get(&cursor.string()?)),
        Field::Start if is_number(cursor) => fields.start = Some(cursor.integer()?),
        Field::End if is_number(cursor) => fields.end = Some(cursor.integer()?),
        _ => {
            let is_map = cursor.peek() == Some(b'{');
            let value = cursor.value()?;
            fields.set(field, value, is_map)?;
        }
    }
    Ok(())
}

#[inline]
fn is_number(cursor: &mut Cursor<'_>) -> bool {
    matches!(cursor.peek(), Some(b'-' | b'0'..=b'9'))
}

#[cold]
pub(super) fn unknown_field(key: &str) -> Problem {
    if key == Header::KEY {
        return Problem::SecondHeader;
    }
    Problem::UnknownField {
        field: key.to_owned(),
        suggestion: nearest(key, Field::names()),
    }
}

/// Only the start of a record, or its clock where it has none: for looking ahead whether a file is sorted.
fn decode_start(text: &str, start: &mut Option<Time>) -> Result<(), Problem> {
    let mut cursor = Cursor::new(text);
    let mut is_first = true;
    for literal in [THREAD, OP, ARGS] {
        // Only the first literal has the opening brace: without it, nothing that follows counts.
        if (literal == THREAD || !is_first) && cursor.literal(literal) {
            is_first = false;
            cursor.skip()?;
        }
    }
    let mut ahead = cursor.clone();
    if !is_first && ahead.literal(START) && is_number(&mut ahead) {
        *start = Some(ahead.integer()?);
        return Ok(());
    }
    if is_first {
        cursor.object()?;
    }
    while let Some(key) = cursor.key(is_first)? {
        is_first = false;
        match key.as_ref() {
            "start" if is_number(&mut cursor) => {
                *start = Some(cursor.integer()?);
                return Ok(());
            }
            "clock" if is_number(&mut cursor) => {
                // Any other number is no time, and its line comes in its turn.
                *start = cursor.clone().integer().ok();
                cursor.skip()?;
            }
            _ => cursor.skip()?,
        }
    }
    Ok(())
}
