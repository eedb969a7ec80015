//! Inputs that can be read more than once, pipes included.
//!
//! An answer may need a second reading: the parts of a history that belong together are known at its end, and where an
//! operation was read matters only after it turned out to be part of an answer. What comes through standard input or another pipe
//! is copied to a temporary file while it is read, so a pipe is checked as it flows and can still be read again. The
//! operations of a short input are kept until it is dealt with.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use omnilink_engine::Interrupt;
use omnilink_trace::{CachedTrace, Format, Header, InputOrder, OpenOptions, Operation, Trace, TraceError};

use crate::error::VerifyError;
use crate::spool::{Spool, SpoolReader};
#[cfg(feature = "weak")]
use crate::weak::GrowingFile;

/// One trace, as the user named it.
#[derive(Debug)]
pub struct Input {
    /// As the user named it.
    pub name: String,
    source: Source,
    options: OpenOptions,
    /// The name of an operation that is added after all others, for specifications that want to know where a trace ends.
    pub end: Option<&'static str>,
    /// The order of the operations, once a reading has found it out.
    order: OnceLock<InputOrder>,
    kept: Mutex<Kept>,
}

/// What is kept of an input for later readings.
#[derive(Debug, Default)]
enum Kept {
    /// Nothing yet.
    #[default]
    Nothing,
    Readings(CachedTrace),
    /// Nothing, and nothing is going to be.
    Never,
}

/// Operations of an input are kept while they take no more than this.
const KEPT_BYTES: usize = 16 << 20;

#[derive(Clone, Debug)]
enum Source {
    Path(PathBuf),
    /// Standard input, a named pipe, or what a shell puts in place of `<(command)`.
    Pipe {
        /// What messages call it.
        name: String,
        spool: Arc<Mutex<Spool>>,
    },
    /// Operations that were read from another input.
    Operations(Arc<[Arc<Operation>]>, Format),
    /// A trace in memory.
    Bytes {
        /// What messages call it.
        name: String,
        bytes: Arc<[u8]>,
    },
}

impl Input {
    /// The trace at `path`; `-` is standard input. Reading a pipe ends when `interrupt` is raised.
    ///
    /// # Errors
    /// If a pipe needs a temporary file and there is none to be had.
    pub fn new(path: &Path, options: OpenOptions, interrupt: Option<Interrupt>) -> Result<Self, VerifyError> {
        let is_stdin = path.as_os_str() == "-";
        let is_pipe =
            is_stdin || std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
        let source = if is_pipe {
            Source::Pipe {
                name: if is_stdin {
                    "stdin".to_owned()
                } else {
                    path.display().to_string()
                },
                spool: Arc::new(Mutex::new(
                    Spool::new(path, interrupt).map_err(VerifyError::Spool)?,
                )),
            }
        } else {
            Source::Path(path.to_owned())
        };
        let mut input = Self {
            name: path.display().to_string(),
            source,
            options,
            end: None,
            order: OnceLock::new(),
            kept: Mutex::default(),
        };
        // An operation in memory takes more than its text: no need to begin.
        if input.bytes().is_some_and(|bytes| bytes > KEPT_BYTES as u64) {
            input.kept = Mutex::new(Kept::Never);
        }
        Ok(input)
    }

    /// A file that is still being written: it ends when the interrupt is raised, or, if it is a pipe, with the pipe.
    ///
    /// # Errors
    /// If it cannot be opened, or there is no temporary file to be had.
    #[cfg(feature = "weak")]
    pub fn following(path: &Path, options: OpenOptions, interrupt: Interrupt) -> Result<Self, VerifyError> {
        let name = path.display().to_string();
        let growing = GrowingFile::open(path, Some(interrupt)).map_err(|error| {
            VerifyError::Usage(format!("{name}: {error}; give a file or a pipe that can be read"))
        })?;
        let spool = Spool::of(Box::new(growing)).map_err(VerifyError::Spool)?;
        Ok(Self {
            name: name.clone(),
            source: Source::Pipe {
                name,
                spool: Arc::new(Mutex::new(spool)),
            },
            options,
            end: None,
            order: OnceLock::new(),
            kept: Mutex::default(),
        })
    }

    /// Operations in memory, in order of start.
    pub fn of_operations(name: String, operations: Arc<[Arc<Operation>]>, format: Format) -> Self {
        Self {
            name,
            source: Source::Operations(operations, format),
            options: OpenOptions::default(),
            end: None,
            order: OnceLock::new(),
            kept: Mutex::new(Kept::Never),
        }
    }

    /// A trace in memory, in any format. Messages call it `name`.
    pub fn of_bytes(name: &str, bytes: impl Into<Arc<[u8]>>, options: OpenOptions) -> Self {
        Self {
            name: name.to_owned(),
            source: Source::Bytes {
                name: name.to_owned(),
                bytes: bytes.into(),
            },
            options,
            end: None,
            order: OnceLock::new(),
            kept: Mutex::default(),
        }
    }

    /// The bytes from the beginning; none of operations in memory.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn bytes_from_start(&self) -> io::Result<Box<dyn Read>> {
        match &self.source {
            Source::Path(path) => Ok(Box::new(File::open(path)?)),
            Source::Pipe { spool, .. } => Ok(Box::new(SpoolReader::new(spool))),
            Source::Operations(..) => Ok(Box::new(io::empty())),
            Source::Bytes { bytes, .. } => Ok(Box::new(io::Cursor::new(Arc::clone(bytes)))),
        }
    }

    /// Several traces, each to be read by itself.
    ///
    /// # Errors
    /// If standard input is given twice, or a pipe needs a temporary file and there is none to be had.
    pub fn all(
        paths: &[PathBuf],
        options: &OpenOptions,
        interrupt: Option<Interrupt>,
    ) -> Result<Vec<Self>, VerifyError> {
        if paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            let message = "standard input (-) is given more than once; it can be only one of the traces";
            return Err(VerifyError::Usage(message.to_owned()));
        }
        paths
            .iter()
            .map(|path| Self::new(path, options.clone(), interrupt))
            .collect()
    }

    /// How large the file is, or the files of the folder together, as far as that is known.
    pub fn bytes(&self) -> Option<u64> {
        let path = match &self.source {
            Source::Path(path) => path,
            Source::Bytes { bytes, .. } => return Some(bytes.len() as u64),
            Source::Pipe { .. } | Source::Operations(..) => return None,
        };
        let about = std::fs::metadata(path).ok()?;
        if !about.is_dir() {
            return about.is_file().then_some(about.len());
        }
        let entries = std::fs::read_dir(path).ok()?.flatten();
        let sizes = entries.filter_map(|entry| entry.metadata().ok());
        Some(sizes.map(|about| about.len()).sum())
    }

    /// Starts to read from the beginning, and keeps what it reads for the next reading if that is little.
    ///
    /// # Errors
    /// If the trace cannot be read.
    pub fn open(&self) -> Result<Trace, VerifyError> {
        let options = self.options();
        let mut kept = self.kept();
        if matches!(*kept, Kept::Nothing) {
            *kept = Kept::Readings(self.rereading(options.clone())?);
        }
        if let Kept::Readings(readings) = &*kept {
            match readings.open() {
                Some(trace) => return Ok(trace),
                None => *kept = Kept::Never,
            }
        }
        Ok(self.source.open(&options)?)
    }

    /// Starts to read from the beginning, and keeps nothing.
    ///
    /// # Errors
    /// If the trace cannot be read.
    pub fn open_once(&self) -> Result<Trace, VerifyError> {
        Ok(self.source.open(&self.options())?)
    }

    /// The header, if there is one. Nothing is read but the beginning, where the format allows that.
    pub fn header(&self) -> Option<Header> {
        let trace = self.source.open(&self.sorted()).ok()?;
        trace.header().cloned()
    }

    /// The file or folder, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::Path(path) => Some(path),
            _ => None,
        }
    }

    /// Frees what was kept for later readings.
    pub fn forget(&self) {
        *self.kept() = Kept::Never;
    }

    /// What `gather` makes of the whole input. Most inputs are in order of start. This one is first read as if it were: if
    /// that succeeds, neither this reading nor a later one has to look ahead.
    ///
    /// # Errors
    /// If the trace cannot be read, and what `gather` fails with.
    pub fn gather<T>(&self, gather: impl Fn(Trace) -> Result<T, VerifyError>) -> Result<T, VerifyError> {
        let is_open = self.options.order == InputOrder::Auto && self.order.get().is_none();
        if is_open && let Ok(gathered) = self.gather_sorted(&gather) {
            // Another thread that was first has found the same.
            let _ = self.order.set(InputOrder::Sorted);
            return Ok(gathered);
        }
        gather(self.open()?)
    }

    fn gather_sorted<T>(&self, gather: impl Fn(Trace) -> Result<T, VerifyError>) -> Result<T, VerifyError> {
        if matches!(*self.kept(), Kept::Never) {
            return gather(self.source.open(&self.sorted())?);
        }
        let readings = self.rereading(self.sorted())?;
        let gathered = match readings.open() {
            Some(trace) => gather(trace)?,
            None => gather(self.source.open(&self.sorted())?)?,
        };
        *self.kept() = Kept::Readings(readings);
        Ok(gathered)
    }

    /// Whether `is_it` holds for one of the first `count` operations, given their positions. Reads no further if they are in
    /// order, and ignores what cannot be read.
    pub fn has_among_first(&self, count: usize, mut is_it: impl FnMut(usize, &Operation) -> bool) -> bool {
        let mut any = |trace: Trace| -> Result<bool, TraceError> {
            for (position, operation) in trace.take(count).enumerate() {
                if is_it(position, &operation?) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let sorted = self.source.open(&self.sorted()).and_then(&mut any);
        sorted
            .or_else(|_| self.source.open(&self.options()).and_then(any))
            .unwrap_or(false)
    }

    /// How to read, with what is known about the order.
    fn options(&self) -> OpenOptions {
        let order = self.order.get().copied().unwrap_or(self.options.order);
        self.options.clone().with_order(order)
    }

    fn sorted(&self) -> OpenOptions {
        self.options.clone().with_order(InputOrder::Sorted)
    }

    fn rereading(&self, options: OpenOptions) -> Result<CachedTrace, TraceError> {
        let source = self.source.clone();
        CachedTrace::new(KEPT_BYTES, move || source.open(&options))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source {
    fn open(&self, options: &OpenOptions) -> Result<Trace, TraceError> {
        match self {
            Self::Path(path) => Trace::open(path, options),
            Self::Pipe { name, spool } => Trace::from_reader(name, SpoolReader::new(spool), options),
            Self::Operations(operations, format) => {
                Ok(Trace::from_operations(Arc::clone(operations), *format))
            }
            Self::Bytes { name, bytes } => Trace::from_bytes(name, Arc::clone(bytes), options),
        }
    }
}
