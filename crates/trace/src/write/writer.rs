//! The writer.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use omnilink_value::json;
use omnilink_value::msgpack;

use super::encode::{encode_json, encode_msgpack};
use super::sink::{Sink, Target};
use crate::{Compression, Header, Operation, Place, Problem, Time, TraceError};

/// How records are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// JSON, one record a line.
    #[default]
    Ndjson,
    /// MessagePack, one map after the other.
    Msgpack,
}

/// How to write a trace.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// How records are encoded.
    pub encoding: Encoding,
    /// How the file is compressed.
    pub compression: Compression,
    /// The header, if there is to be one.
    pub header: Option<Header>,
    /// Promise in the header that operations come in order of start, and hold the caller to it. Readers of a large
    /// trace then need not look through it first.
    pub sorted: bool,
}

impl WriteOptions {
    /// The encoding and compression that the name of a file asks for: `.msgpack`, `.zst`, `.gz`, or plain NDJSON.
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
}

/// Writes a trace in format 1, operation by operation. A file appears under its name when [`TraceWriter::finish`] has
/// written all of it, and not at all when the writer is dropped before.
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
    place: Place,
    encoding: Encoding,
    is_sorted: bool,
    /// The start that was written last.
    last_start: Time,
    text: String,
    bytes: Vec<u8>,
}

impl TraceWriter {
    /// Begins to write the file `path`.
    ///
    /// # Errors
    /// When no file can be made in that folder.
    pub fn create(path: &Path, options: &WriteOptions) -> Result<Self, TraceError> {
        let place = Place::whole(&path.display().to_string());
        match Target::file(path) {
            Ok(target) => Self::new(target, place, options),
            Err(error) => Err(TraceError::new(place, error)),
        }
    }

    /// Begins to write to a stream, such as standard output, that people know as `name`.
    ///
    /// # Errors
    /// When the stream refuses the header.
    pub fn to_stream(
        name: &str,
        stream: impl Write + Send + 'static,
        options: &WriteOptions,
    ) -> Result<Self, TraceError> {
        Self::new(Target::Stream(Box::new(stream)), Place::whole(name), options)
    }

    fn new(target: Target, place: Place, options: &WriteOptions) -> Result<Self, TraceError> {
        let sink = match Sink::new(target, options.compression) {
            Ok(sink) => sink,
            Err(error) => return Err(TraceError::new(place, error)),
        };
        let mut writer = Self {
            sink,
            place,
            encoding: options.encoding,
            is_sorted: options.sorted,
            last_start: Time::MIN,
            text: String::new(),
            bytes: Vec::new(),
        };
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

    /// Readers know a header by its first key, so the fields are not written in their canonical order.
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
            Encoding::Ndjson => {
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
                operation.place.clone(),
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
        };
        self.text.clear();
        self.bytes.clear();
        written.map_err(|error| self.error(error))
    }

    /// Writes what is left and puts the file in its place.
    ///
    /// # Errors
    /// When the disk refuses; there is no file then.
    pub fn finish(self) -> Result<(), TraceError> {
        let place = self.place.clone();
        self.sink.finish().map_err(|error| TraceError::new(place, error))
    }

    #[cold]
    fn error(&self, error: io::Error) -> TraceError {
        TraceError::new(self.place.clone(), error)
    }
}

impl fmt::Debug for TraceWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceWriter")
            .field("place", &self.place)
            .field("encoding", &self.encoding)
            .finish_non_exhaustive()
    }
}
