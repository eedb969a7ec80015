//! Format 1 as JSON, one record a line.

use std::str::Utf8Error;
use std::sync::Arc;

use omnilink_value::Value;
use omnilink_value::json::{JsonCursor, JsonError, JsonProblem};

use super::{CallCache, Field, RawRecord, RecordDefaults, nearest};
use crate::input::{InputBuffer, Next, Reader, TextInput};
use crate::name::NameCache;
use crate::note::Notes;
use crate::{Header, Operation, Problem, Time, TraceError};

/// The records of an NDJSON file in the order of the file.
pub(crate) struct NdjsonReader {
    text: TextInput,
    defaults: RecordDefaults,
    caches: Caches,
}

/// Names and calls that were read before.
pub(super) struct Caches {
    names: NameCache,
    calls: CallCache,
}

impl Caches {
    pub(super) fn new() -> Self {
        Self {
            names: NameCache::new(),
            calls: CallCache::default(),
        }
    }
}

/// The outcome of reading a line.
enum Line {
    Blank,
    Read,
    /// The input is cut off in this record, which says enough for an operation that did not return.
    Begun,
    /// The input is cut off here.
    Cut(&'static str),
}

impl NdjsonReader {
    pub(crate) fn new(buffer: InputBuffer, name: &str, thread: Option<Value>, notes: Notes) -> Self {
        let text = TextInput::new(buffer, name, notes);
        Self {
            defaults: RecordDefaults::new(text.source().clone(), thread),
            text,
            caches: Caches::new(),
        }
    }

    /// Reads the header, if the first line is one.
    pub(crate) fn header(&mut self) -> Result<Option<Header>, TraceError> {
        // Errors are left to the reading of the first line as a record.
        let Ok(length) = self.text.line_length() else {
            return Ok(None);
        };
        let Ok(line) = std::str::from_utf8(&self.text.unread()[..length]) else {
            return Ok(None);
        };
        if !is_header(line) {
            return Ok(None);
        }
        let read = || Header::from_record(Value::from_json(line.as_bytes())?);
        let header = read().map_err(|problem| self.text.error(problem))?;
        self.text.consume_line(length);
        self.defaults.apply(&header);
        Ok(Some(header))
    }

    /// Reads the next line that is not blank with `read` and returns its number. If the input is cut off in that line,
    /// `read_begun` reads what there is of it, or says that it is too little.
    #[inline]
    fn next_line(
        &mut self,
        mut read: impl FnMut(&str, &mut Caches) -> Result<(), Problem>,
        mut read_begun: impl FnMut(&str) -> bool,
    ) -> Result<Next<u64>, TraceError> {
        loop {
            let length = self.text.line_length()?;
            if length == 0 {
                return self.text.end().map(Next::End);
            }
            let bytes = &self.text.unread()[..length];
            let outcome = match std::str::from_utf8(bytes) {
                Ok(text) if is_blank(text) => Ok(Line::Blank),
                Ok(text) => match read(text, &mut self.caches) {
                    Ok(()) => Ok(Line::Read),
                    Err(problem) => cut_or_error(bytes, problem),
                },
                Err(error) => cut_or_error(bytes, not_utf8(bytes, error)),
            };
            let outcome = match outcome {
                Ok(Line::Cut(_)) if read_begun(whole_characters(bytes)) => Ok(Line::Begun),
                outcome => outcome,
            };
            match outcome.map_err(|problem| self.text.error(problem))? {
                Line::Begun => {
                    // The next call finds the end of the input.
                    self.text.note_cut(BEGUN);
                    self.text.consume_line(length);
                    return Ok(Next::One(self.text.line() - 1));
                }
                Line::Read => {
                    self.text.consume_line(length);
                    return Ok(Next::One(self.text.line() - 1));
                }
                Line::Blank => self.text.consume_line(length),
                Line::Cut(reason) => return Ok(Next::End(self.text.cut(reason))),
            }
        }
    }
}

impl Reader for NdjsonReader {
    #[inline]
    fn next(&mut self) -> Result<Next<Arc<Operation>>, TraceError> {
        let mut fields = RawRecord::default();
        let mut begun = None;
        let line = self.next_line(
            |text, caches| decode(text, caches, &mut fields),
            |text| {
                begun = begun_record(text);
                begun.is_some()
            },
        )?;
        if let Some(begun) = begun {
            fields = begun;
        }
        Ok(match line {
            Next::One(line) => Next::One(self.defaults.operation(fields, line)?),
            Next::End(end) => Next::End(end),
        })
    }

    fn next_start(&mut self) -> Result<Next<Time>, TraceError> {
        let (mut start, mut begun) = (None, None);
        let line = self.next_line(
            |text, _| decode_start(text, &mut start),
            |text| {
                begun = begun_record(text).and_then(|fields| fields.start);
                begun.is_some()
            },
        )?;
        Ok(line.map(|_| self.defaults.start(begun.or(start))))
    }
}

#[inline]
fn is_blank(text: &str) -> bool {
    !text.starts_with('{') && text.bytes().all(|byte| byte.is_ascii_whitespace())
}

pub(super) fn is_header(text: &str) -> bool {
    let mut cursor = JsonCursor::new(text);
    cursor.object().is_ok()
        && cursor
            .key(true)
            .is_ok_and(|key| key.as_deref() == Some(Header::KEY))
}

fn not_utf8(line: &[u8], error: Utf8Error) -> Problem {
    // A character that the end of the input cuts in two makes the line incomplete, not wrong.
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

/// The last line of a file whose writer died lacks its newline and its end; a file that was preallocated or whose disk lost
/// power ends in zeros. Everything else is an error.
#[cold]
fn cut_or_error(line: &[u8], problem: Problem) -> Result<Line, Problem> {
    if line.iter().all(|&byte| byte == 0) {
        return Ok(Line::Cut("nothing but zero bytes follow"));
    }
    let text = line
        .iter()
        .position(|&byte| byte == 0)
        .map_or(line, |at| &line[..at]);
    let is_incomplete = if text.len() == line.len() {
        matches!(
            &problem,
            Problem::Json(JsonError {
                problem: JsonProblem::Incomplete { .. },
                ..
            })
        )
    } else {
        // The zeros were read as part of the line: the bytes before them are an incomplete record.
        line[text.len()..].iter().all(|&byte| byte == 0)
    };
    if is_incomplete && !line.ends_with(b"\n") {
        Ok(Line::Cut("the last line is incomplete"))
    } else {
        Err(problem)
    }
}

const BEGUN: &str = "the last line is incomplete; its operation counts as one that did not return";

/// The characters of a line up to the byte that is none.
#[cold]
fn whole_characters(line: &[u8]) -> &str {
    let line = memchr::memchr(0, line).map_or(line, |at| &line[..at]);
    match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&line[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// How many fields of an incomplete record are given up, counted from its end. A comma inside of a value counts, too.
const FIELDS_GIVEN_UP: usize = 64;

/// What an incomplete record says about an operation that began: its effect may have been seen, so that it must not be lost.
///
/// The fields up to a comma are whole. Operation, arguments and start have to be among them, and nothing that is only in logs. What is said about
/// the end is dropped, because the rest may be missing: "aborted", for example.
#[cold]
fn begun_record(text: &str) -> Option<RawRecord> {
    let commas = memchr::memrchr_iter(b',', text.as_bytes()).take(FIELDS_GIVEN_UP);
    // Within an object or a list in the record, the brace that is added closes that one, and the record stays incomplete.
    let whole = |comma: usize| {
        let mut fields = RawRecord::default();
        decode(&format!("{}}}", &text[..comma]), &mut Caches::new(), &mut fields).ok()?;
        Some(fields)
    };
    let mut fields = commas.filter_map(whole).next()?;
    if !fields.is_begun() {
        return None;
    }
    (fields.end, fields.ret, fields.aborted) = (None, None, false);
    if let Some(call) = &mut fields.call {
        Arc::make_mut(call).ret = None;
    }
    Some(fields)
}

/// The usual order of the fields, which is also that of our writers: each literal is the text before the field's value.
/// Comparing literals is many times cheaper than reading keys; any other order takes the general path.
const THREAD: &str = "{\"thread\":";
const OP: &str = ",\"op\":";
const ARGS: &str = ",\"args\":";
const START: &str = ",\"start\":";
const END: &str = ",\"end\":";

#[inline]
pub(super) fn decode(text: &str, caches: &mut Caches, fields: &mut RawRecord) -> Result<(), Problem> {
    let mut cursor = JsonCursor::new(text);
    // Only the first literal has the opening brace, so the others count only behind it.
    let is_usual = cursor.literal(THREAD);
    if is_usual {
        decode_field(&mut cursor, Field::Thread, caches, fields)?;
        decode_call(&mut cursor, caches, fields)?;
        for (literal, field) in [(START, Field::Start), (END, Field::End)] {
            if cursor.literal(literal) {
                decode_field(&mut cursor, field, caches, fields)?;
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
        decode_field(&mut cursor, field, caches, fields)?;
    }
    cursor.end()?;
    if fields.ret.is_some()
        && !fields.has_extras()
        && let Some(open) = fields.call.take()
        && let Some(ret) = fields.ret.take()
    {
        fields.call = Some(caches.calls.returning(open, ret));
    }
    Ok(())
}

/// Reads the name and the arguments, if they come next and in this order.
#[inline]
fn decode_call(
    cursor: &mut JsonCursor<'_>,
    caches: &mut Caches,
    fields: &mut RawRecord,
) -> Result<(), Problem> {
    let miss = match caches.calls.find(cursor) {
        Ok(call) => {
            fields.mark(Field::Op)?;
            fields.mark(Field::Args)?;
            fields.call = Some(call);
            return Ok(());
        }
        Err(miss) => miss,
    };
    if !cursor.literal(OP) {
        return Ok(());
    }
    decode_field(cursor, Field::Op, caches, fields)?;
    if !cursor.literal(ARGS) {
        return Ok(());
    }
    decode_field(cursor, Field::Args, caches, fields)?;
    if let Some(miss) = miss
        && let (Some(name), Some(args)) = (fields.name.take(), fields.args.take())
    {
        fields.call = Some(caches.calls.insert(miss, cursor, name, args));
    }
    Ok(())
}

#[inline]
fn decode_field(
    cursor: &mut JsonCursor<'_>,
    field: Field,
    caches: &mut Caches,
    fields: &mut RawRecord,
) -> Result<(), Problem> {
    fields.mark(field)?;
    match field {
        Field::Thread if is_number(cursor) => fields.thread = Some(cursor.value()?),
        Field::Op if cursor.peek() == Some(b'"') => fields.name = Some(caches.names.get(&cursor.string()?)),
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
fn is_number(cursor: &mut JsonCursor<'_>) -> bool {
    matches!(cursor.peek(), Some(b'-' | b'0'..=b'9'))
}

#[cold]
pub(super) fn unknown_field(key: &str) -> Problem {
    if key == Header::KEY {
        return Problem::SecondHeader;
    }
    Problem::UnknownField {
        field: key.to_owned(),
        suggestion: Field::meant(key).or_else(|| nearest(key, Field::names())),
        known: "arguments go under \"args\", the result is \"ret\", and anything of your own goes under \"meta\"",
    }
}

/// Reads only the start of a record, or its clock if it has none.
fn decode_start(text: &str, start: &mut Option<Time>) -> Result<(), Problem> {
    let mut cursor = JsonCursor::new(text);
    let mut is_first = true;
    for literal in [THREAD, OP, ARGS] {
        // Only the first literal has the opening brace, so the others count only behind it.
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
                // Any other number is no time: the position of the line is.
                *start = cursor.clone().integer().ok();
                cursor.skip()?;
            }
            _ => cursor.skip()?,
        }
    }
    Ok(())
}
