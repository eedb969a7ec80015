//! Detection of an input's format by its first bytes.
//!
//! Names are unreliable and pipes have none, so only the content counts. A wrong guess cannot go unnoticed: every reader
//! refuses input in another format.

use std::io;

use omnilink_value::Value;
use omnilink_value::json::JsonCursor;
use omnilink_value::msgpack::MsgpackCursor;

use crate::import::{
    is_fastlin_title, is_fptlin_line, is_jepsen_line, is_limo_line, is_limo_title, is_otlp_message,
    is_porcupine_key, transaction_log_format, transactions_format,
};
use crate::input::{InputBuffer, is_map};
use crate::{Format, Problem};

/// The number of bytes that are examined.
const EXAMINED_BYTES: usize = 1 << 16;

/// The format by the bytes so far.
enum Guess {
    Sure(Format),
    /// More bytes may decide.
    Unsure,
}

/// The format of an input of which nothing is consumed; `None` if it is unknown.
pub(super) fn detect(buffer: &mut InputBuffer) -> io::Result<Option<Format>> {
    loop {
        let bytes = buffer.unread();
        let is_enough = bytes.len() >= EXAMINED_BYTES;
        if let Guess::Sure(format) = guess(bytes) {
            return Ok(Some(format));
        }
        if is_enough || !buffer.read_more()? {
            return Ok(fallback(buffer.unread()));
        }
    }
}

/// An empty file is an empty trace; a recorder that was killed before its first record leaves a file of zeros. A first line
/// that is cut off still has its first byte.
fn fallback(bytes: &[u8]) -> Option<Format> {
    let line = std::str::from_utf8(first_line(bytes)).unwrap_or_default();
    if let Some(format) = transactions_format(line) {
        return Some(format);
    }
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => Some(Format::Ndjson),
        Some(0) if bytes.iter().all(|&byte| byte == 0) => Some(Format::Msgpack),
        Some(b'{') => Some(Format::Ndjson),
        Some(b'[') => Some(Format::Json),
        Some(b'#') if is_fastlin_title(first_line(bytes)) => Some(Format::Fastlin),
        Some(&byte) if is_map(byte) => Some(Format::Msgpack),
        Some(_) => None,
    }
}

/// The text of a checker of transactions, by its first whole line that is no comment.
fn guess_transactions(bytes: &[u8]) -> Option<Format> {
    let whole = bytes
        .split_inclusive(|&byte| byte == b'\n')
        .filter(|line| line.ends_with(b"\n"));
    let mut lines = whole.map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"//"))?;
    std::str::from_utf8(line).ok().and_then(transactions_format)
}

fn guess(bytes: &[u8]) -> Guess {
    if is_otlp_message(bytes) {
        return Guess::Sure(Format::Otlp);
    }
    if let Some(format) = transaction_log_format(bytes).or_else(|| guess_transactions(bytes)) {
        return Guess::Sure(format);
    }
    let mut visible = bytes
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace() && *byte != b',');
    match visible.next() {
        None => Guess::Unsure,
        Some(byte) if is_map(byte) => guess_msgpack(bytes),
        Some(b'{') => match visible.next() {
            Some(b'"') => guess_json(bytes, Format::Ndjson),
            Some(_) => Guess::Sure(Format::JepsenEdn),
            None => Guess::Unsure,
        },
        Some(b'[') => match (visible.next(), visible.next()) {
            (Some(b'{'), Some(b'"')) => guess_json(bytes, Format::Json),
            // Zipkin's API answers with an array of spans for each trace.
            (Some(b'['), Some(b'{')) if is_array_of_zipkin_traces(bytes) => Guess::Sure(Format::Zipkin),
            (Some(b'['), Some(b'{')) => guess_sessions(bytes),
            (Some(b'['), None) => Guess::Unsure,
            (Some(b']'), _) => Guess::Sure(Format::Porcupine),
            // `[1] call enq(5)`, or EDN whose forms are no maps, which its reader refuses.
            (Some(b'0'..=b'9'), _) if first_line(bytes).ends_with(b"\n") => {
                if is_limo_line(first_line(bytes)) {
                    Guess::Sure(Format::Limo)
                } else {
                    Guess::Sure(Format::JepsenEdn)
                }
            }
            (Some(b'0'..=b'9'), _) => Guess::Unsure,
            (Some(b'{'), None) | (None, _) => Guess::Unsure,
            _ => Guess::Sure(Format::JepsenEdn),
        },
        Some(b'(' | b';') => Guess::Sure(Format::JepsenEdn),
        Some(b'#') => guess_hash(bytes),
        Some(_) => guess_log(bytes),
    }
}

fn guess_msgpack(bytes: &[u8]) -> Guess {
    let mut cursor = MsgpackCursor::new(bytes);
    match cursor.map_len().and_then(|_| cursor.string()) {
        Ok("operation_name" | "operation") => Guess::Sure(Format::OmniLink),
        Ok(_) => Guess::Sure(Format::Msgpack),
        Err(_) => Guess::Unsure,
    }
}

/// Decides by the keys of the first object. `ours` is the format if these are those of trace format 1.
fn guess_json(bytes: &[u8], ours: Format) -> Guess {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    let mut cursor = JsonCursor::new(text);
    if cursor.peek() == Some(b'[') && cursor.array().is_err() {
        return Guess::Unsure;
    }
    if let Some(format) = span_format(cursor.clone()) {
        return Guess::Sure(format);
    }
    if cursor.object().is_err() {
        return Guess::Unsure;
    }
    let mut is_first = true;
    let mut has_accesses = false;
    // The head of a history that dbcop generated, which has a start and an end, too.
    let mut has_params = false;
    loop {
        let key = match cursor.key(is_first) {
            Ok(Some(key)) => key,
            Ok(None) if has_accesses => return Guess::Sure(Format::Viper),
            Ok(None) => return Guess::Sure(ours),
            Err(_) => return Guess::Unsure,
        };
        is_first = false;
        match key.as_ref() {
            "params" => has_params = cursor.peek() == Some(b'{'),
            "start" | "end" if has_params => {}
            "omnilink" | "thread" | "op" | "args" | "start" | "end" | "ret" | "vars" | "clock" | "meta" => {
                return match ours {
                    Format::Ndjson => guess_lines(text),
                    _ => Guess::Sure(ours),
                };
            }
            "type" => {
                let mut ahead = cursor.clone();
                if ahead.peek() == Some(b'"')
                    && let Ok(kind) = ahead.string()
                    && ["invoke", "ok", "fail", "info"].contains(&kind.as_ref())
                {
                    return Guess::Sure(Format::JepsenJson);
                }
            }
            // Jepsen and Porcupine both have it. With nothing that says who did it, a list of accesses is a transaction of Viper's.
            "value" => {
                has_accesses = cursor
                    .clone()
                    .value()
                    .is_ok_and(|value| is_list_of_accesses(&value))
            }
            "process" | "f" => has_accesses = false,
            // A history of dbcop's has its sessions there.
            "data" if cursor.peek() == Some(b'[') => return Guess::Sure(Format::DbcopJson),
            key if is_porcupine_key(key) => return Guess::Sure(Format::Porcupine),
            _ => {}
        }
        if cursor.skip().is_err() {
            return Guess::Unsure;
        }
    }
}

/// An array of arrays: sessions of dbcop's, or EDN.
fn guess_sessions(bytes: &[u8]) -> Guess {
    let text = String::from_utf8_lossy(bytes);
    let inside = text.trim_start_matches(|one: char| one.is_whitespace() || one == '[' || one == '{');
    if inside.starts_with("\"events\"") || inside.starts_with("\"committed\"") {
        Guess::Sure(Format::DbcopJson)
    } else {
        Guess::Sure(Format::JepsenEdn)
    }
}

/// `[["w",1,101],["r",2,55]]`
fn is_list_of_accesses(value: &Value) -> bool {
    let is_access = |access: &Value| {
        { access.as_tuple() }.is_some_and(|parts| parts.len() > 2 && parts[0].as_str().is_some())
    };
    value
        .as_tuple()
        .is_some_and(|list| !list.is_empty() && list.iter().all(is_access))
}

/// The format of spans that an object belongs to, by its keys. Some of them are also keys of other formats.
fn span_format(mut cursor: JsonCursor<'_>) -> Option<Format> {
    cursor.object().ok()?;
    let mut is_first = true;
    while let Ok(Some(key)) = cursor.key(is_first) {
        is_first = false;
        match key.as_ref() {
            "resourceSpans" | "resource_spans" | "resourceMetrics" | "resource_metrics" | "resourceLogs"
            | "resource_logs" => return Some(Format::Otlp),
            "traceEvents" | "ph" => return Some(Format::Chrome),
            "traceId" => return Some(Format::Zipkin),
            "data" if is_array_with_trace(cursor.clone()) => return Some(Format::Jaeger),
            // Jaeger's API, from version 3 on.
            "result" if begins_with_resource_spans(cursor.clone()) => return Some(Format::Otlp),
            _ => cursor.skip().ok()?,
        }
    }
    None
}

fn begins_with_resource_spans(mut cursor: JsonCursor<'_>) -> bool {
    cursor.object().is_ok() && matches!(cursor.key(true), Ok(Some(key)) if key == "resourceSpans")
}

/// Whether the value is an array whose first element is a trace of Jaeger.
fn is_array_with_trace(mut cursor: JsonCursor<'_>) -> bool {
    let begins = cursor
        .array()
        .and_then(|()| cursor.element(true))
        .unwrap_or(false)
        && cursor.object().is_ok();
    let first = begins.then(|| cursor.key(true));
    matches!(first, Some(Ok(Some(key))) if ["traceID", "spans", "processes"].contains(&key.as_ref()))
}

fn is_array_of_zipkin_traces(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut cursor = JsonCursor::new(&text);
    let begins = cursor.array().and_then(|()| cursor.element(true));
    let begins = begins.is_ok() && cursor.array().and_then(|()| cursor.element(true)).is_ok();
    begins && span_format(cursor) == Some(Format::Zipkin)
}

/// One record a line, or records that span lines, as they do when they are printed for people to read: the first object then goes
/// on after its first line.
fn guess_lines(text: &str) -> Guess {
    let line = first_line(text.as_bytes());
    if !line.ends_with(b"\n") {
        return Guess::Sure(Format::Ndjson);
    }
    let is_whole = |text: &str| JsonCursor::new(text).skip().is_ok();
    if std::str::from_utf8(line).is_ok_and(is_whole) || !is_whole(text) {
        Guess::Sure(Format::Ndjson)
    } else {
        Guess::Sure(Format::Json)
    }
}

/// What a file is that is no trace, if it can be told.
pub(super) fn unreadable(bytes: &[u8]) -> Option<Problem> {
    let is_wide = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [first, 0, second, 0, ..] | [0, first, 0, second, ..] => {
            first.is_ascii_graphic() && !second.is_ascii_control()
        }
        _ => false,
    };
    if is_wide {
        return Some(Problem::Utf16);
    }
    let mut visible = bytes
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace() && **byte != b'[');
    match (visible.next(), visible.next()) {
        (Some(b'{'), Some(b'\'')) => Some(Problem::SingleQuotes),
        _ => None,
    }
}

/// `# stack` titles a file of fastlin or fptlin, `# @object queue` one of LiMo; `#jepsen.history.Op{…}`, `#_` and `#{` are
/// EDN.
fn guess_hash(bytes: &[u8]) -> Guess {
    let line = first_line(bytes);
    if !line.ends_with(b"\n") {
        return Guess::Unsure;
    }
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut comments = lines.take_while(|line| line.is_empty() || line.starts_with(b"#"));
    if comments.any(is_limo_title) {
        return Guess::Sure(Format::Limo);
    }
    if !is_fastlin_title(line) {
        return Guess::Sure(Format::JepsenEdn);
    }
    match first_line(&bytes.trim_ascii_start()[line.len()..]) {
        [] => Guess::Unsure,
        next if is_fptlin_line(next) => Guess::Sure(Format::Fptlin),
        _ => Guess::Sure(Format::Fastlin),
    }
}

fn guess_log(bytes: &[u8]) -> Guess {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    if lines.any(is_jepsen_line) {
        Guess::Sure(Format::JepsenLog)
    } else {
        Guess::Unsure
    }
}

fn first_line(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.trim_ascii_start();
    bytes
        .split_inclusive(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default()
}
