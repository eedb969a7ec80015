//! The writer of traces.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use omnilink_value::json;
use omnilink_value::msgpack;

use super::chrome::ChromeWriter;
use super::encode::{encode_json, encode_msgpack};
use super::sink::{Sink, Target};
use crate::{Compression, Header, Location, Operation, Problem, Time, TraceError};

/// How records are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// JSON, one record a line.
    #[default]
    Ndjson,
    /// A sequence of MessagePack maps.
    Msgpack,
    /// Chrome's trace events, for viewers. There is no header in them.
    Chrome,
}

/// How to write a trace.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// How records are encoded.
    pub encoding: Encoding,
    /// How the file is compressed.
    pub compression: Compression,
    /// The header, if any.
    pub header: Option<Header>,
    /// Promise in the header that operations are in order of start; writing one out of order is then an error. Readers of a
    /// large trace need not scan it first.
    pub sorted: bool,
}

impl WriteOptions {
    /// Plain NDJSON without a header.
    pub fn new() -> Self {
        Self::default()
    }

    /// The encoding and compression by the extensions of a file: `.msgpack`, `.zst`, `.gz`, otherwise plain NDJSON.
    pub fn for_path(path: &Path) -> Self {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default();
        let (name, compression) = match name.rsplit_once('.') {
            Some((name, "zst" | "zstd")) => (name, Compression::Zstd),
            Some((name, "gz")) => (name, Compression::Gzip),
            _ => (name.as_str(), Compression::None),
        };
        let is_msgpack = matches!(name.rsplit_once('.'), Some((_, "msgpack" | "mp" | "mpk")));
        let encoding = if is_msgpack {
            Encoding::Msgpack
        } else {
            Encoding::Ndjson
        };
        Self {
            encoding,
            compression,
            ..Self::default()
        }
    }

    /// The same options with this [`encoding`](Self::encoding).
    #[must_use]
    pub fn with_encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// The same options with this [`header`](Self::header).
    #[must_use]
    pub fn with_header(mut self, header: impl Into<Option<Header>>) -> Self {
        self.header = header.into();
        self
    }

    /// The same options with [`sorted`](Self::sorted).
    #[must_use]
    pub fn with_sorted(mut self, sorted: bool) -> Self {
        self.sorted = sorted;
        self
    }
}

/// Writes a trace, operation by operation. A file appears under its name once [`TraceWriter::finish`] has
/// written all of it. A writer that is dropped before leaves no file.
///
/// ```
/// use omnilink_trace::{Args, OpenOptions, Operation, Timebox, Trace, TraceWriter, WriteOptions};
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("queue.ndjson.zst");
/// let mut writer = TraceWriter::create(&path, &WriteOptions::for_path(&path))?;
/// writer.write(&Operation::new(0, "push", Args::named([("value", 7.into())]), Timebox::new(3, 5)))?;
/// writer.finish()?;
///
/// let read: Vec<Operation> = Trace::open(&path, &OpenOptions::default())?.collect::<Result<_, _>>()?;
/// assert_eq!(read[0].to_string(), "push(value: 7)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TraceWriter {
    sink: Sink,
    location: Location,
    encoding: Encoding,
    chrome: ChromeWriter,
    is_sorted: bool,
    /// The start of the last operation.
    last_start: Time,
    text: String,
    bytes: Vec<u8>,
}

impl TraceWriter {
    /// Starts to write the file `path`.
    ///
    /// # Errors
    /// When no file can be created in that folder.
    pub fn create(path: &Path, options: &WriteOptions) -> Result<Self, TraceError> {
        let location = Location::whole(&path.display().to_string());
        match Target::file(path) {
            Ok(target) => Self::new(target, location, options),
            Err(error) => Err(TraceError::new(location, error)),
        }
    }

    /// Starts to write to a stream, such as standard output. Messages call it `name`.
    ///
    /// # Errors
    /// When the stream refuses the header.
    pub fn to_stream(
        name: &str,
        stream: impl Write + Send + 'static,
        options: &WriteOptions,
    ) -> Result<Self, TraceError> {
        Self::new(Target::Stream(Box::new(stream)), Location::whole(name), options)
    }

    fn new(target: Target, location: Location, options: &WriteOptions) -> Result<Self, TraceError> {
        let sink = match Sink::new(target, options.compression) {
            Ok(sink) => sink,
            Err(error) => return Err(TraceError::new(location, error)),
        };
        let unit = options
            .header
            .as_ref()
            .and_then(|header| header.get("unit")?.as_str());
        let mut writer = Self {
            sink,
            location,
            encoding: options.encoding,
            chrome: ChromeWriter::new(unit == Some("ns")),
            is_sorted: options.sorted,
            last_start: Time::MIN,
            text: String::new(),
            bytes: Vec::new(),
        };
        if options.encoding == Encoding::Chrome {
            ChromeWriter::begin(&mut writer.text);
            writer.flush_record()?;
            return Ok(writer);
        }
        let header = match (&options.header, options.sorted) {
            (Some(header), true) => Some(header.sorted()),
            (Some(header), false) => Some(header.clone()),
            (None, true) => Some(Header::new([] as [(&str, _); 0]).sorted()),
            (None, false) => None,
        };
        if let Some(header) = header {
            writer.write_header(&header)?;
        }
        Ok(writer)
    }

    /// Readers recognise a header by its first key, so the fields are not written in canonical order.
    fn write_header(&mut self, header: &Header) -> Result<(), TraceError> {
        let fields: Vec<_> = header
            .as_value()
            .as_record()
            .into_iter()
            .flat_map(|record| record.iter())
            .collect();
        let is_key = |name: &str| name == Header::KEY;
        let in_order = fields
            .iter()
            .filter(|(name, _)| is_key(name))
            .chain(fields.iter().filter(|(name, _)| !is_key(name)));
        match self.encoding {
            Encoding::Ndjson | Encoding::Chrome => {
                for (index, (name, value)) in in_order.enumerate() {
                    self.text.push(if index == 0 { '{' } else { ',' });
                    json::write_string(&mut self.text, name);
                    self.text.push(':');
                    json::write_value(&mut self.text, value);
                }
                self.text.push('}');
            }
            Encoding::Msgpack => {
                msgpack::write_map_len(&mut self.bytes, fields.len());
                for (name, value) in in_order {
                    msgpack::write_str(&mut self.bytes, name);
                    msgpack::write_value(&mut self.bytes, value);
                }
            }
        }
        self.flush_record()
    }

    /// Writes an operation.
    ///
    /// # Errors
    /// When the disk refuses, or when the trace is promised to be sorted and this operation starts before the last.
    pub fn write(&mut self, operation: &Operation) -> Result<(), TraceError> {
        let start = operation.timebox.start;
        if self.is_sorted && start < self.last_start {
            return Err(TraceError::new(
                operation.location.clone(),
                Problem::Late {
                    op: operation.name.clone(),
                    start,
                },
            ));
        }
        self.last_start = start;
        match self.encoding {
            Encoding::Ndjson => encode_json(operation, &mut self.text),
            Encoding::Msgpack => encode_msgpack(operation, &mut self.bytes),
            Encoding::Chrome => self.chrome.event(operation, &mut self.text),
        }
        self.flush_record()
    }

    fn flush_record(&mut self) -> Result<(), TraceError> {
        let written = match self.encoding {
            Encoding::Ndjson => {
                self.text.push('\n');
                self.sink.write_all(self.text.as_bytes())
            }
            Encoding::Msgpack => self.sink.write_all(&self.bytes),
            Encoding::Chrome => self.sink.write_all(self.text.as_bytes()),
        };
        self.text.clear();
        self.bytes.clear();
        written.map_err(|error| self.error(error))
    }

    /// Writes the rest and renames the file.
    ///
    /// # Errors
    /// When the disk refuses; there is no file then.
    pub fn finish(mut self) -> Result<(), TraceError> {
        if self.encoding == Encoding::Chrome {
            ChromeWriter::end(&mut self.text);
            self.flush_record()?;
        }
        let location = self.location;
        self.sink
            .finish()
            .map_err(|error| TraceError::new(location, error))
    }

    #[cold]
    fn error(&self, error: io::Error) -> TraceError {
        TraceError::new(self.location.clone(), error)
    }
}

impl fmt::Debug for TraceWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceWriter")
            .field("location", &self.location)
            .field("encoding", &self.encoding)
            .finish_non_exhaustive()
    }
}
