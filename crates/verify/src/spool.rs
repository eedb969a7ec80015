//! A pipe that can be read more than once: what has come through it is kept in a temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use omnilink_engine::Interrupt;

/// What has come through a pipe so far.
pub(crate) struct Spool {
    /// The pipe, unless it is standard input; opened when it is first read, since that may wait for its writer.
    path: Option<PathBuf>,
    pipe: Option<Box<dyn Read + Send>>,
    /// What was read so far.
    file: File,
    len: u64,
    interrupt: Option<Interrupt>,
}

impl std::fmt::Debug for Spool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spool")
            .field("path", &self.path)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl Spool {
    pub(crate) fn new(path: &Path, interrupt: Option<Interrupt>) -> io::Result<Self> {
        Ok(Self {
            path: (path.as_os_str() != "-").then(|| path.to_owned()),
            pipe: None,
            file: tempfile::tempfile()?,
            len: 0,
            interrupt,
        })
    }

    /// Of something that is read like a pipe. Its end is the end, whatever ended it.
    #[cfg(feature = "weak")]
    pub(crate) fn of(source: Box<dyn Read + Send>) -> io::Result<Self> {
        Ok(Self {
            path: Some(PathBuf::new()),
            pipe: Some(source),
            file: tempfile::tempfile()?,
            len: 0,
            interrupt: None,
        })
    }

    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if at < self.len {
            self.file.seek(SeekFrom::Start(at))?;
            return self.file.read(buffer);
        }
        let read = self.read_pipe(buffer)?;
        self.file.seek(SeekFrom::Start(self.len))?;
        self.file.write_all(&buffer[..read])?;
        self.len += read as u64;
        Ok(read)
    }

    /// Reads on. After an interrupt every read fails for good: readers retry after an error of kind `Interrupted`.
    fn read_pipe(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let interrupted = || io::Error::other("interrupted");
        if self.is_interrupted() {
            return Err(interrupted());
        }
        let read = match (&self.path, &mut self.pipe) {
            (None, _) => io::stdin().lock().read(buffer),
            (Some(_), Some(pipe)) => pipe.read(buffer),
            (Some(path), None) => self.pipe.insert(Box::new(File::open(path)?)).read(buffer),
        };
        match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted && self.is_interrupted() => {
                Err(interrupted())
            }
            read => read,
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(Interrupt::is_raised)
    }
}

/// One reading of a pipe, from its beginning.
pub(crate) struct SpoolReader {
    spool: Arc<Mutex<Spool>>,
    at: u64,
}

impl SpoolReader {
    pub(crate) fn new(spool: &Arc<Mutex<Spool>>) -> Self {
        Self {
            spool: Arc::clone(spool),
            at: 0,
        }
    }
}

impl Read for SpoolReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A reader that panicked left no half-done change behind: the length is counted up last.
        let mut spool = self.spool.lock().unwrap_or_else(PoisonError::into_inner);
        let read = spool.read_at(self.at, buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}
