//! Reading log files: NDJSON, or text with rules that make events of it; plain or compressed, one after the other or followed while they grow.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use omnilink_log_extract::{ExtractError, ExtractedEvent, ExtractionCounts, ExtractionRules, Extractor};
use omnilink_value::Value;

use crate::error::LogError;
use crate::raw_line::{Place, RawLine};
use crate::span_lines::SpanLines;

/// The files of one log: a file, the files of a folder in the order of their names, or standard input (`-`).
///
/// # Errors
/// If a folder cannot be read or is empty.
pub fn log_files(path: &Path) -> Result<Vec<PathBuf>, LogError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = |error| LogError::File {
        path: path.to_owned(),
        error,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?.path();
        let is_hidden = entry
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if entry.is_file() && !is_hidden {
            files.push(entry);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(failed(io::Error::other(
            "the folder has no files; give a folder with one log file per node",
        )));
    }
    Ok(files)
}

/// The last event of a log that is followed may have several lines. If none comes for so long, it is complete.
const EVENT_PAUSE: Duration = Duration::from_secs(2);

/// The lines of a file, one at a time.
pub struct LineReader {
    file: Arc<str>,
    path: PathBuf,
    input: Box<dyn BufRead + Send>,
    number: u64,
    buffer: Vec<u8>,
    is_following: bool,
    is_closed: bool,
    last_read: Instant,
    /// Makes events of lines of text.
    extractor: Option<Extractor>,
}

impl std::fmt::Debug for LineReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineReader")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl LineReader {
    /// Opens a file; `-` is standard input.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let failed = |error| LogError::File {
            path: path.to_owned(),
            error,
        };
        let input: Box<dyn Read + Send> = if path.as_os_str() == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).map_err(failed)?)
        };
        Self::new(path, input)
    }

    /// The lines of an input, which is called as a file is.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn new(path: &Path, input: Box<dyn Read + Send>) -> Result<Self, LogError> {
        let failed = |error| LogError::File {
            path: path.to_owned(),
            error,
        };
        let mut input = BufReader::with_capacity(1 << 16, input);
        let start = input.fill_buf().map_err(failed)?;
        let input: Box<dyn BufRead + Send> = match start {
            [0x1f, 0x8b, ..] => Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(input))),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(BufReader::new(
                zstd::stream::read::Decoder::with_buffer(input).map_err(failed)?,
            )),
            _ => Box::new(input),
        };
        let name = if path.as_os_str() == "-" {
            "stdin".to_owned()
        } else {
            path.display().to_string()
        };
        Ok(Self {
            file: name.into(),
            path: path.to_owned(),
            input,
            number: 0,
            buffer: Vec::new(),
            is_following: false,
            is_closed: false,
            last_read: Instant::now(),
            extractor: None,
        })
    }

    /// Its lines are text, of which rules make events.
    #[must_use]
    pub fn with_rules(mut self, rules: Option<&Arc<ExtractionRules>>) -> Self {
        self.extractor = rules.map(|rules| Extractor::new(Arc::clone(rules)));
        self
    }

    /// The next line as it stands, whatever it is; `None` at the end. Of a line that is longer than `bytes_max`, the next part.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn next_text(&mut self, bytes_max: u64) -> Result<Option<String>, LogError> {
        let mut line = Vec::new();
        let read = self.input.by_ref().take(bytes_max).read_until(b'\n', &mut line);
        match read {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(String::from_utf8_lossy(&line).into_owned())),
            Err(error) => Err(LogError::File {
                path: self.path.clone(),
                error,
            }),
        }
    }

    /// What became of lines of text so far; none if lines are JSON.
    pub fn extraction(&self) -> Option<ExtractionCounts> {
        self.extractor.as_ref().map(Extractor::counts)
    }

    /// Opens a file: its spans, if it holds any, as lines, and otherwise its lines.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn of_spans_or_lines(path: &Path, rules: &[String]) -> Result<Self, LogError> {
        let Some(spans) = SpanLines::open(path, rules)? else {
            return Self::open(path);
        };
        Ok(Self {
            // Its lines are counted in the order in which `omnilink trace convert` has them.
            file: format!("{}#span", path.display()).into(),
            path: path.to_owned(),
            input: Box::new(BufReader::new(spans)),
            number: 0,
            buffer: Vec::new(),
            is_following: false,
            is_closed: false,
            last_read: Instant::now(),
            extractor: None,
        })
    }

    /// Whether the input has at most `bytes` bytes. They are read and kept for the lines.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn is_within(&mut self, bytes: u64) -> Result<bool, LogError> {
        let mut input = std::mem::replace(&mut self.input, Box::new(io::empty()));
        let mut start = Vec::new();
        let read = input.by_ref().take(bytes + 1).read_to_end(&mut start);
        let read = read.map_err(|error| LogError::File {
            path: self.path.clone(),
            error,
        })?;
        self.input = Box::new(Cursor::new(start).chain(input));
        Ok(read as u64 <= bytes)
    }

    /// From now on, a line that has no end yet is not read: its end is still to come.
    #[must_use]
    pub(crate) fn following(mut self) -> Self {
        self.is_following = true;
        self
    }

    /// The next line that is not empty; `None` at the end, or where nothing more is there yet.
    ///
    /// # Errors
    /// If it cannot be read or is no JSON object.
    pub fn next_line(&mut self) -> Result<Option<RawLine>, LogError> {
        loop {
            let is_rest = !self.buffer.is_empty();
            let read = self
                .input
                .read_until(b'\n', &mut self.buffer)
                .map_err(|error| LogError::File {
                    path: self.path.clone(),
                    error,
                })?;
            if read == 0 && !is_rest && !self.is_following {
                let last = self.extractor.as_mut().map_or(Ok(None), Extractor::finish);
                return self.extracted(last);
            }
            if read == 0 && (!is_rest || self.is_following) {
                return self.after_a_pause();
            }
            self.last_read = Instant::now();
            if self.is_following && self.buffer.last() != Some(&b'\n') {
                // The rest of the line is still to be written.
                return Ok(None);
            }
            self.number += 1;
            let buffer = std::mem::take(&mut self.buffer);
            let text = buffer.trim_ascii();
            let ends_record = self.extractor.as_ref().is_some_and(Extractor::reads_records);
            if text.is_empty() && !ends_record {
                self.buffer = buffer;
                self.buffer.clear();
                continue;
            }
            let line = match &mut self.extractor {
                None => self.parsed(self.number, text).map(Some),
                Some(extractor) => {
                    let text = String::from_utf8_lossy(buffer.trim_ascii_end());
                    let extracted = extractor.push(self.number, &text);
                    self.extracted(extracted)
                }
            };
            self.buffer = buffer;
            self.buffer.clear();
            let Some(line) = line? else { continue };
            // A header of our own format describes the file.
            if line.record.field("omnilink").is_some() && line.record.field("event").is_none() {
                continue;
            }
            return Ok(Some(line));
        }
    }

    /// Whether more lines may still be written.
    pub(crate) fn is_following(&self) -> bool {
        self.is_following
    }

    /// Nobody waits for more lines any longer. Whether somebody did.
    pub(crate) fn close(&mut self) -> bool {
        self.is_following && !std::mem::replace(&mut self.is_closed, true)
    }

    /// Whether nothing will come that belongs to the last line: the end, or a pause.
    pub(crate) fn is_quiet(&self) -> bool {
        !self.is_following
            || self.is_closed
            || (self.buffer.is_empty() && self.last_read.elapsed() >= EVENT_PAUSE)
    }

    /// Whether an event of several lines may go on.
    pub(crate) fn has_open_event(&self) -> bool {
        self.extractor.as_ref().is_some_and(Extractor::is_open)
    }

    /// What there is while nothing more comes: an event of several lines is taken to be complete after a while.
    fn after_a_pause(&mut self) -> Result<Option<RawLine>, LogError> {
        let is_over = self.is_following && self.is_quiet();
        match self.extractor.as_mut().filter(|_| is_over) {
            Some(extractor) => {
                let last = extractor.finish();
                self.extracted(last)
            }
            None => Ok(None),
        }
    }

    fn place(&self, line: u64) -> Place {
        Place {
            file: Arc::clone(&self.file),
            line,
        }
    }

    /// The line of an event that rules have made.
    fn extracted(
        &self,
        extracted: Result<Option<ExtractedEvent>, ExtractError>,
    ) -> Result<Option<RawLine>, LogError> {
        match extracted {
            Ok(None) => Ok(None),
            Ok(Some(event)) => {
                let text = serde_json::Value::Object(event.event).to_string();
                self.parsed(event.line, text.as_bytes()).map(Some)
            }
            Err(error) => Err(LogError::Line {
                place: self.place(error.line).to_string(),
                message: error.message,
            }),
        }
    }

    fn parsed(&self, line: u64, text: &[u8]) -> Result<RawLine, LogError> {
        let place = self.place(line);
        let wrong = |message: String| LogError::Line {
            place: place.to_string(),
            message,
        };
        let record = Value::from_json(text).map_err(|error| {
            wrong(format!(
                "this is no JSON: {error}; each line of a log is one JSON object"
            ))
        })?;
        let is_object = record.as_record().is_some() || (text.starts_with(b"{") && record.is_empty());
        if !is_object {
            return Err(wrong(
                "this is no JSON object; a line of a log looks like {\"event\":\"Name\",\"event_args\":[1]}"
                    .to_owned(),
            ));
        }
        Ok(RawLine::new(place, record))
    }
}

/// Whether a file is a log of events and variables, and no trace of operations: judged by its first lines.
pub fn is_log(path: &Path) -> bool {
    let Ok(files) = log_files(path) else { return false };
    let Some(first) = files.first() else { return false };
    if first.as_os_str() == "-" || !first.is_file() {
        return false;
    }
    let Ok(mut reader) = LineReader::open(first) else {
        return false;
    };
    for _ in 0..32 {
        match reader.next_line() {
            Ok(Some(line)) => {
                if let Some(is_log) = is_log_line(&line.record) {
                    return is_log;
                }
            }
            _ => return false,
        }
    }
    false
}

/// Whether a line is of a log; `None` if it may be of either kind.
fn is_log_line(record: &Value) -> Option<bool> {
    let has = |name: &str| record.field(name).is_some();
    if has("op") && (has("start") || has("end") || has("thread") || has("process") || has("type")) {
        return Some(false);
    }
    let is_updates = |value: &Value| {
        let updates = value.as_tuple().unwrap_or_default();
        !updates.is_empty() && updates.iter().all(|update| update.field("op").is_some())
    };
    let fields = record.as_record();
    let mut fields = fields.iter().flat_map(|record| record.iter());
    let is_log = has("event") || has("vars") || has("state") || fields.any(|(_, value)| is_updates(value));
    is_log.then_some(true)
}
