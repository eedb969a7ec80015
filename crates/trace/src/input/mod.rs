//! Where the bytes of a trace come from.

mod compression;
mod window;

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::NamedTempFile;

pub use compression::Compression;
pub(crate) use window::Window;

/// What some editors put in front of a text. It says nothing.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An input, possibly one that can be read only once.
#[derive(Clone)]
pub(crate) struct Input {
    /// What people call it.
    pub(crate) name: String,
    /// How much is read at a time.
    pub(crate) buffer_bytes: usize,
    kind: Kind,
}

/// How much is read at a time, unless many inputs are open at once.
pub(crate) const BUFFER_BYTES: usize = 1 << 15;

#[derive(Clone)]
enum Kind {
    File(PathBuf),
    Bytes(Arc<[u8]>),
    /// What was read once, put aside so that it can be read again.
    Spooled(Arc<NamedTempFile>),
    Once(Arc<Mutex<Option<Box<dyn Read + Send>>>>),
}

impl Input {
    fn new(name: String, kind: Kind) -> Self {
        Self {
            name,
            buffer_bytes: BUFFER_BYTES,
            kind,
        }
    }

    /// A file, a pipe, or standard input for `-`.
    pub(crate) fn path(path: &Path) -> io::Result<Self> {
        let name = path.display().to_string();
        if path.as_os_str() == "-" {
            return Ok(Self::reader(&name, Box::new(io::stdin())));
        }
        match std::fs::metadata(path)?.is_file() {
            true => Ok(Self::new(name, Kind::File(path.to_owned()))),
            false => Ok(Self::reader(&name, Box::new(File::open(path)?))),
        }
    }

    pub(crate) fn bytes(name: &str, bytes: Arc<[u8]>) -> Self {
        Self::new(name.to_owned(), Kind::Bytes(bytes))
    }

    pub(crate) fn reader(name: &str, reader: Box<dyn Read + Send>) -> Self {
        Self::new(name.to_owned(), Kind::Once(Arc::new(Mutex::new(Some(reader)))))
    }

    /// Whether [`Input::open`] can be called again.
    pub(crate) fn is_repeatable(&self) -> bool {
        !matches!(self.kind, Kind::Once(_))
    }

    /// The bytes from the beginning, decompressed.
    pub(crate) fn open(&self) -> io::Result<Window> {
        let mut window = Window::new(compression::decompress(self.open_raw()?)?, self.buffer_bytes);
        window.fetch(BYTE_ORDER_MARK.len())?;
        if window.unread().starts_with(BYTE_ORDER_MARK) {
            window.consume(BYTE_ORDER_MARK.len());
        }
        Ok(window)
    }

    /// This input with what has been read of it already put back in front.
    pub(crate) fn with_window(&self, window: Window) -> Self {
        match self.is_repeatable() {
            true => self.clone(),
            false => Self {
                buffer_bytes: self.buffer_bytes,
                ..Self::reader(&self.name, Box::new(window))
            },
        }
    }

    /// A copy on disk of an input that can be read only once.
    pub(crate) fn repeatable(self) -> io::Result<Self> {
        let Kind::Once(reader) = &self.kind else {
            return Ok(self);
        };
        let mut file = NamedTempFile::new()?;
        if let Some(mut reader) = take(reader) {
            io::copy(&mut reader, &mut file)?;
        }
        Ok(Self {
            kind: Kind::Spooled(Arc::new(file)),
            ..self
        })
    }

    fn open_raw(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match &self.kind {
            Kind::File(path) => Box::new(File::open(path)?),
            Kind::Bytes(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            Kind::Spooled(file) => Box::new(file.reopen()?),
            Kind::Once(reader) => take(reader)
                .ok_or_else(|| io::Error::other("this input can be read only once, and it has been"))?,
        })
    }
}

fn take(reader: &Mutex<Option<Box<dyn Read + Send>>>) -> Option<Box<dyn Read + Send>> {
    reader.lock().unwrap_or_else(PoisonError::into_inner).take()
}
