//! The bytes of a trace: files, pipes and memory, decompressed and buffered, and the framing of text, JSON and MessagePack.

mod binary;
mod buffer;
mod cancellation;
mod compression;
mod damage;
mod end;
mod json_elements;
mod msgpack_maps;
mod text;

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::NamedTempFile;

use cancellation::Cancellable;

pub(crate) use binary::BinaryInput;
pub(crate) use buffer::InputBuffer;
#[cfg(feature = "compression")]
pub(crate) use buffer::RECORD_BYTES_MAX;
pub(crate) use cancellation::Cancelled;
pub use compression::Compression;
pub(crate) use end::{End, Next, Reader, Reading};
pub(crate) use json_elements::JsonElements;
pub(crate) use msgpack_maps::{MsgpackMaps, is_map};
pub(crate) use text::{TextInput, newlines};

/// Some editors write it in front of a text. It carries no information.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An input. A pipe can be read only once.
#[derive(Clone)]
pub(crate) struct Input {
    /// Its name in messages: a path, or `-` for standard input.
    pub(crate) name: String,
    /// The initial size of its buffer.
    pub(crate) buffer_bytes: usize,
    /// Whether reading is to stop with an error; asked before each read.
    pub(crate) is_cancelled: Option<fn() -> bool>,
    /// How many bytes are read, unpacked.
    pub(crate) max_bytes: Option<u64>,
    kind: InputKind,
}

/// The initial size of a buffer, unless many inputs are open at once.
pub(crate) const BUFFER_BYTES: usize = 1 << 15;

#[derive(Clone)]
enum InputKind {
    File(PathBuf),
    Bytes(Arc<[u8]>),
    /// A copy on disk of an input that can be read only once.
    Spooled(Arc<NamedTempFile>),
    Once(Arc<Mutex<Option<Box<dyn Read + Send>>>>),
}

impl Input {
    fn new(name: String, kind: InputKind) -> Self {
        Self {
            name,
            buffer_bytes: BUFFER_BYTES,
            is_cancelled: None,
            max_bytes: None,
            kind,
        }
    }

    /// A file, a pipe, or standard input for `-`.
    pub(crate) fn path(path: &Path) -> io::Result<Self> {
        let name = path.display().to_string();
        if path.as_os_str() == "-" {
            return Ok(Self::reader(&name, Box::new(io::stdin())));
        }
        if std::fs::metadata(path)?.is_file() {
            Ok(Self::new(name, InputKind::File(path.to_owned())))
        } else {
            Ok(Self::reader(&name, Box::new(File::open(path)?)))
        }
    }

    pub(crate) fn bytes(name: &str, bytes: Arc<[u8]>) -> Self {
        Self::new(name.to_owned(), InputKind::Bytes(bytes))
    }

    pub(crate) fn reader(name: &str, reader: Box<dyn Read + Send>) -> Self {
        Self::new(
            name.to_owned(),
            InputKind::Once(Arc::new(Mutex::new(Some(reader)))),
        )
    }

    /// Whether [`Input::open`] can be called again.
    pub(crate) fn is_repeatable(&self) -> bool {
        !matches!(self.kind, InputKind::Once(_))
    }

    /// The bytes from the beginning, decompressed.
    pub(crate) fn open(&self) -> io::Result<InputBuffer> {
        let mut buffer = InputBuffer::new(
            compression::decompress(self.open_raw()?, self.max_bytes)?,
            self.buffer_bytes,
        );
        buffer.fill_to(BYTE_ORDER_MARK.len())?;
        if buffer.unread().starts_with(BYTE_ORDER_MARK) {
            buffer.consume(BYTE_ORDER_MARK.len());
        }
        Ok(buffer)
    }

    /// The same input, to be opened again: one that can be read only once starts with the unread bytes of `buffer`.
    pub(crate) fn resume_from(&self, buffer: InputBuffer) -> Self {
        if self.is_repeatable() {
            self.clone()
        } else {
            Self {
                buffer_bytes: self.buffer_bytes,
                is_cancelled: self.is_cancelled,
                max_bytes: self.max_bytes,
                ..Self::reader(&self.name, Box::new(buffer))
            }
        }
    }

    /// The same input, copied to disk if it can be read only once.
    pub(crate) fn repeatable(self) -> io::Result<Self> {
        let InputKind::Once(reader) = &self.kind else {
            return Ok(self);
        };
        let mut file = NamedTempFile::new()?;
        if let Some(mut reader) = take(reader) {
            io::copy(&mut reader, &mut file)?;
        }
        Ok(Self {
            kind: InputKind::Spooled(Arc::new(file)),
            ..self
        })
    }

    fn open_raw(&self) -> io::Result<Box<dyn Read + Send>> {
        let reader = self.open_reader()?;
        Ok(match self.is_cancelled {
            Some(is_cancelled) => Box::new(Cancellable { reader, is_cancelled }),
            None => reader,
        })
    }

    fn open_reader(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match &self.kind {
            InputKind::File(path) => Box::new(File::open(path)?),
            InputKind::Bytes(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            InputKind::Spooled(file) => Box::new(file.reopen()?),
            InputKind::Once(reader) => take(reader)
                .ok_or_else(|| io::Error::other("this input can be read only once, and it has been"))?,
        })
    }
}

fn take(reader: &Mutex<Option<Box<dyn Read + Send>>>) -> Option<Box<dyn Read + Send>> {
    reader.lock().unwrap_or_else(PoisonError::into_inner).take()
}
