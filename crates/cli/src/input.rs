//! Inputs that can be read more than once, standard input included.
//!
//! An answer may need a second reading: the parts of a history that belong together are known at its end, and where an
//! operation was read is worth knowing only after it turned out to matter. What comes through standard input is copied
//! to a temporary file while it is read, so a pipe is checked as it flows and can still be read again.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use omnilink_trace::{Format, OpenOptions, Order, Trace, UnknownFormat};

use crate::error::CliError;
use crate::interrupt;

/// One trace that a command was given.
#[derive(Debug)]
pub(crate) struct Input {
    /// As the user named it.
    pub(crate) name: String,
    source: Source,
    options: OpenOptions,
    /// What an earlier reading found out about the order.
    order: OnceLock<Order>,
}

#[derive(Debug)]
enum Source {
    Path(PathBuf),
    Stdin(Arc<Mutex<Spool>>),
}

impl Input {
    /// The trace at `path`; `-` is standard input.
    pub(crate) fn new(path: &Path, options: OpenOptions) -> Result<Self, CliError> {
        let source = match path.as_os_str() == "-" {
            true => Source::Stdin(Arc::new(Mutex::new(Spool::new().map_err(CliError::Spool)?))),
            false => Source::Path(path.to_owned()),
        };
        Ok(Self {
            name: path.display().to_string(),
            source,
            options,
            order: OnceLock::new(),
        })
    }

    /// Several traces, each to be read by itself.
    pub(crate) fn all(paths: &[PathBuf], options: &OpenOptions) -> Result<Vec<Self>, CliError> {
        if paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            let message = "standard input (-) is given more than once; it can be only one of the traces";
            return Err(CliError::Usage(message.to_owned()));
        }
        paths
            .iter()
            .map(|path| Self::new(path, options.clone()))
            .collect()
    }

    /// Begins to read, from the beginning.
    pub(crate) fn open(&self) -> Result<Trace, CliError> {
        let mut options = self.options.clone();
        options.order = self.order.get().copied().unwrap_or(options.order);
        self.open_with(&options)
    }

    /// What `gather` makes of the whole input. Most inputs are in order of start; where this one is, it is gathered from without
    /// looking ahead, and no later reading needs to, either.
    pub(crate) fn gather<T>(&self, gather: impl Fn(Trace) -> Result<T, CliError>) -> Result<T, CliError> {
        let sorted = OpenOptions {
            order: Order::Sorted,
            ..self.options.clone()
        };
        let is_open = self.options.order == Order::Auto && self.order.get().is_none();
        if is_open && let Ok(gathered) = self.open_with(&sorted).and_then(&gather) {
            // Whoever was first has found the same.
            let _ = self.order.set(Order::Sorted);
            return Ok(gathered);
        }
        gather(self.open()?)
    }

    fn open_with(&self, options: &OpenOptions) -> Result<Trace, CliError> {
        Ok(match &self.source {
            Source::Path(path) => Trace::open(path, options)?,
            Source::Stdin(spool) => {
                let reader = SpoolReader {
                    spool: Arc::clone(spool),
                    at: 0,
                };
                Trace::from_reader("stdin", reader, options)?
            }
        })
    }
}

/// A format by its name, for arguments.
pub(crate) fn format_name(name: &str) -> Result<Format, String> {
    name.parse().map_err(|error: UnknownFormat| error.to_string())
}

/// What has come through standard input so far.
#[derive(Debug)]
struct Spool {
    file: File,
    len: u64,
}

impl Spool {
    fn new() -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile()?,
            len: 0,
        })
    }

    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if at < self.len {
            self.file.seek(SeekFrom::Start(at))?;
            return self.file.read(buffer);
        }
        let read = interrupt::final_if_raised(io::stdin().lock().read(buffer))?;
        self.file.seek(SeekFrom::Start(self.len))?;
        self.file.write_all(&buffer[..read])?;
        self.len += read as u64;
        Ok(read)
    }
}

/// One reading of standard input, from its beginning.
struct SpoolReader {
    spool: Arc<Mutex<Spool>>,
    at: u64,
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
