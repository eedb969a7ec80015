//! OpenTelemetry's protocol as protobuf: messages `TracesData`, each behind its length in four bytes, the highest first, as the
//! collector's file exporter writes them.
//!
//! If that exporter is told to compress, it compresses each message by itself, in this framing; its messages may then be JSON.

use std::collections::VecDeque;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use omnilink_memory::guard;
use omnilink_value::Value;

use super::SpanSource;
use super::batches::{Batch, ReadBatch, note_others};
use super::otlp_json;
use super::protobuf::{Field, Message, WireError};
use super::span::{Attributes, Span};
use super::span_key::SpanKey;
use crate::input::{BinaryInput, End, InputBuffer, Next};
use crate::location::Source;
use crate::note::Notes;
use crate::{Location, OperationName, Problem, Time, TraceError};

/// The bytes of a length.
const LENGTH_BYTES: usize = 4;
/// The first bytes of data that are compressed with Zstandard.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// The first byte of a message with spans: its field 1, of bytes.
const FIRST_BYTE: u8 = 0x0a;
/// How deep values may nest.
const DEPTH_MAX: usize = 100;

/// Whether an input begins with a message behind its length.
pub(crate) fn is_message(bytes: &[u8]) -> bool {
    let Some((length, message)) = bytes.split_first_chunk::<LENGTH_BYTES>() else {
        return false;
    };
    let length = u64::from(u32::from_be_bytes(*length));
    // A text does not begin with a control character other than white space.
    let is_binary = bytes[0] < b'\t';
    let begins = match message {
        [FIRST_BYTE, ..] => {
            // The first field is not longer than the message.
            let whole = u64::try_from(message.len()).is_ok_and(|read| read >= length);
            let message = &message[..message.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
            match Message::new(message, 0).next() {
                Ok(Some(_)) => true,
                Err(WireError::Incomplete) => !whole,
                _ => false,
            }
        }
        [b'{', b'"', ..] => true,
        message => message.starts_with(ZSTD),
    };
    is_binary && length > 1 && begins
}

/// The spans of a file of messages.
pub(super) struct Messages {
    input: BinaryInput,
    spans: VecDeque<Span>,
    /// How many messages are about other things.
    others: u64,
}

impl Messages {
    pub(super) fn new(buffer: InputBuffer, name: &str, notes: Notes) -> Self {
        Self {
            input: BinaryInput::new(buffer, name, notes),
            spans: VecDeque::new(),
            others: 0,
        }
    }

    /// Reads the next message; the end if there is none.
    fn read_message(&mut self) -> Result<Option<End>, TraceError> {
        let offset = self.input.offset();
        if self.input.is_at_end()? {
            return self.input.end().map(Some);
        }
        self.input.fill_to(LENGTH_BYTES)?;
        let Some((length, _)) = self.input.unread().split_first_chunk::<LENGTH_BYTES>() else {
            return Ok(Some(self.input.cut("the length of a message is incomplete")));
        };
        let length = u32::from_be_bytes(*length) as usize;
        self.input.fill_to(LENGTH_BYTES + length)?;
        let Some(message) = self.input.unread().get(LENGTH_BYTES..LENGTH_BYTES + length) else {
            return Ok(Some(self.input.cut("the last message is incomplete")));
        };
        let read = if message.starts_with(ZSTD) {
            let message = decompressed(message).map_err(|error| self.input.error(error))?;
            self.spans_of(&message, offset)?
        } else {
            self.spans_of(message, offset + LENGTH_BYTES as u64)?
        };
        match read {
            ReadBatch::Spans(spans) => self.spans.extend(spans),
            ReadBatch::Other => self.others += 1,
        }
        self.input.consume(LENGTH_BYTES + length);
        Ok(None)
    }

    fn spans_of(&self, message: &[u8], offset: u64) -> Result<ReadBatch, TraceError> {
        let location = Location::at(self.input.source(), offset);
        if message.starts_with(b"{") {
            let text = std::str::from_utf8(message).map_err(|_| {
                let found = String::from_utf8_lossy(message);
                let expected = "JSON, which is UTF-8";
                TraceError::new(location.clone(), Problem::bad_line(expected, &found))
            })?;
            let batch = Batch::of_message(text, self.input.source(), offset);
            return otlp_json::message(&batch);
        }
        let mut reader = ProtoReader {
            source: self.input.source(),
            at: offset,
            spans: Vec::new(),
        };
        match reader.traces(Message::new(message, offset)) {
            Ok(()) => Ok(ReadBatch::Spans(reader.spans)),
            Err(problem) => Err(TraceError::new(
                Location::at(self.input.source(), reader.at),
                problem,
            )),
        }
    }
}

impl SpanSource for Messages {
    fn next_span(&mut self) -> Result<Next<Span>, TraceError> {
        loop {
            if let Some(span) = self.spans.pop_front() {
                return Ok(Next::One(span));
            }
            if let Some(end) = self.read_message()? {
                note_others(self.input.notes(), &self.input.source().name, self.others);
                return Ok(Next::End(end));
            }
        }
    }
}

/// A message that was compressed by itself. A few bytes can stand for many, so its size is limited as that of any record.
#[cfg(feature = "compression")]
fn decompressed(message: &[u8]) -> std::io::Result<Vec<u8>> {
    use std::io::Read;

    use crate::input::RECORD_BYTES_MAX;

    let mut whole = Vec::new();
    let limit = RECORD_BYTES_MAX as u64;
    zstd::Decoder::new(message)?
        .take(limit + 1)
        .read_to_end(&mut whole)?;
    if whole.len() > RECORD_BYTES_MAX {
        Err(std::io::Error::other(format!(
            "a single message of more than {limit} bytes"
        )))
    } else {
        Ok(whole)
    }
}

#[cfg(not(feature = "compression"))]
fn decompressed(_: &[u8]) -> std::io::Result<Vec<u8>> {
    Err(crate::Compression::Zstd.not_built_in())
}

/// Reads the messages of the protocol; the numbers of fields are those of its definition.
struct ProtoReader<'a> {
    source: &'a Arc<Source>,
    /// The offset in the input of the field that is read.
    at: u64,
    spans: Vec<Span>,
}

impl ProtoReader<'_> {
    /// Calls `each` with the fields of a message.
    fn fields<'m>(
        &mut self,
        mut message: Message<'m>,
        mut each: impl FnMut(&mut Self, u64, Field<'m>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        loop {
            self.at = message.offset();
            let Some((number, field)) = message.next().map_err(wire)? else {
                return Ok(());
            };
            each(self, number, field)?;
        }
    }

    fn traces(&mut self, message: Message<'_>) -> Result<(), Problem> {
        self.fields(message, |reader, number, field| match number {
            1 => reader.of_resource(field.message().map_err(wire)?),
            _ => Ok(()),
        })
    }

    fn of_resource(&mut self, message: Message<'_>) -> Result<(), Problem> {
        let first = self.spans.len();
        let mut resource = Attributes::new();
        self.fields(message, |reader, number, field| match number {
            1 => reader.fields(field.message().map_err(wire)?, |_, number, field| {
                if number == 1 {
                    resource.push(pair(field.message().map_err(wire)?, DEPTH_MAX).map_err(wire)?);
                }
                Ok(())
            }),
            2 => reader.fields(field.message().map_err(wire)?, |reader, number, field| {
                if number == 2 {
                    let message = field.message().map_err(wire)?;
                    let location = Location::at(reader.source, reader.at);
                    let span = reader.span(message, location)?;
                    reader.spans.push(span);
                    if !guard::may_grow(reader.spans.len(), size_of::<Span>()) {
                        return Err(Problem::Cancelled);
                    }
                }
                Ok(())
            }),
            _ => Ok(()),
        })?;
        let resource = Arc::new(resource);
        for span in &mut self.spans[first..] {
            span.resource = Arc::clone(&resource);
        }
        Ok(())
    }

    fn span(&mut self, message: Message<'_>, location: Location) -> Result<Span, Problem> {
        let begin = self.at;
        let mut span = Span::new("", 0, location);
        let (mut trace, mut own, mut parent) = (0, 0, 0);
        let (mut start, mut end) = (0, 0);
        self.fields(message, |reader, number, field| {
            match number {
                1 => trace = trace_number(field)?,
                2 => own = span_number(field, "spanId")?,
                4 => parent = span_number(field, "parentSpanId")?,
                5 => field.text().map_err(wire)?.clone_into(&mut span.name),
                6 => {
                    let number = field.varint().map_err(wire)?;
                    let number = i64::try_from(number).unwrap_or(0);
                    otlp_json::kind_name(number).clone_into(&mut span.kind);
                }
                7 => start = field.fixed64().map_err(wire)?,
                8 => end = field.fixed64().map_err(wire)?,
                9 => {
                    let attribute = pair(field.message().map_err(wire)?, DEPTH_MAX);
                    span.attributes.push(attribute.map_err(wire)?);
                }
                10 => span.dropped = field.varint().map_err(wire)?,
                13 => {
                    let (mut trace, mut linked) = (0, 0);
                    reader.fields(field.message().map_err(wire)?, |_, number, field| {
                        match number {
                            1 => trace = trace_number(field)?,
                            2 => linked = span_number(field, "spanId")?,
                            _ => {}
                        }
                        Ok(())
                    })?;
                    span.links.extend(SpanKey::new(trace, linked));
                }
                15 => span.error = status(field.message().map_err(wire)?).map_err(wire)?,
                _ => {}
            }
            Ok(())
        })?;
        self.at = begin;
        span.key = SpanKey::new(trace, own);
        span.parent = span.key.and_then(|key| key.in_same_trace(parent));
        let op = OperationName::new(&span.name);
        let time = |nanoseconds: u64, field| {
            let expected = "nanoseconds since 1970 of 63 bits";
            Time::try_from(nanoseconds).map_err(|_| {
                let found = Value::number(&nanoseconds.to_string()).unwrap_or_else(Value::null);
                Problem::wrong(Some(&op), field, expected, &found)
            })
        };
        span.start = time(start, "startTimeUnixNano")?;
        if start == 0 {
            let expected = "the time when it began";
            return Err(Problem::missing(Some(&op), "startTimeUnixNano", expected));
        }
        let end = time(end, "endTimeUnixNano")?;
        span.end = (end != 0).then_some(end);
        if let Some(end) = span.end.filter(|end| *end < span.start) {
            let start = span.start;
            return Err(Problem::EndBeforeStart { op, start, end });
        }
        Ok(span)
    }
}

fn wire(error: WireError) -> Problem {
    match error {
        WireError::Stopped => Problem::Cancelled,
        error => Problem::Protobuf(error.to_string()),
    }
}

fn may_grow(elements: usize) -> Result<(), WireError> {
    if guard::may_grow(elements, 2 * size_of::<Value>()) {
        Ok(())
    } else {
        Err(WireError::Stopped)
    }
}

fn trace_number(field: Field<'_>) -> Result<u128, Problem> {
    let bytes = field.bytes().map_err(wire)?;
    match <[u8; 16]>::try_from(bytes) {
        Ok(bytes) => Ok(u128::from_be_bytes(bytes)),
        Err(_) if bytes.is_empty() => Ok(0),
        Err(_) => Err(wrong_id("traceId", "16 bytes", bytes)),
    }
}

fn span_number(field: Field<'_>, name: &'static str) -> Result<u64, Problem> {
    let bytes = field.bytes().map_err(wire)?;
    match <[u8; 8]>::try_from(bytes) {
        Ok(bytes) => Ok(u64::from_be_bytes(bytes)),
        Err(_) if bytes.is_empty() => Ok(0),
        Err(_) => Err(wrong_id(name, "8 bytes", bytes)),
    }
}

fn wrong_id(field: &'static str, expected: &'static str, bytes: &[u8]) -> Problem {
    let found = format!("{} bytes", bytes.len());
    Problem::wrong(None, field, expected, &Value::str(&found))
}

/// The message of a status, if it is that of an error.
fn status(mut message: Message<'_>) -> Result<Option<String>, WireError> {
    let (mut text, mut code) = ("", 0);
    while let Some((number, field)) = message.next()? {
        match number {
            2 => text = field.text()?,
            3 => code = field.varint()?,
            _ => {}
        }
    }
    Ok((code == 2).then(|| text.to_owned()))
}

/// A key with its value.
fn pair(mut message: Message<'_>, depth: usize) -> Result<(String, Value), WireError> {
    let (mut key, mut value) = (String::new(), Value::null());
    while let Some((number, field)) = message.next()? {
        match number {
            1 => field.text()?.clone_into(&mut key),
            2 => value = any(field.message()?, depth)?,
            _ => {}
        }
    }
    Ok((key, value))
}

/// A value of any type; null if it is empty.
fn any(mut message: Message<'_>, depth: usize) -> Result<Value, WireError> {
    let depth = depth.checked_sub(1).ok_or(WireError::TooDeep)?;
    let mut value = Value::null();
    while let Some((number, field)) = message.next()? {
        value = match number {
            1 => Value::str(field.text()?),
            2 => Value::bool(field.varint()? != 0),
            3 => Value::int(field.varint()?.cast_signed()),
            4 => Value::float(f64::from_bits(field.fixed64()?)),
            5 => {
                let (mut list, mut items) = (field.message()?, Vec::new());
                while let Some((number, field)) = list.next()? {
                    if number == 1 {
                        items.push(any(field.message()?, depth)?);
                        may_grow(items.len())?;
                    }
                }
                Value::tuple(items)
            }
            6 => {
                let (mut list, mut pairs) = (field.message()?, Vec::new());
                while let Some((number, field)) = list.next()? {
                    if number == 1 {
                        pairs.push(pair(field.message()?, depth)?);
                        may_grow(pairs.len())?;
                    }
                }
                Value::record(pairs)
            }
            7 => Value::str(&STANDARD.encode(field.bytes()?)),
            _ => value,
        };
    }
    Ok(value)
}
