//! Inputs that can be read more than once, pipes included.
//!
//! An answer may need a second reading: the parts of a history that belong together are known at its end, and where an
//! operation was read matters only after it turned out to be part of an answer. What comes through standard input or another pipe
//! is copied to a temporary file while it is read, so a pipe is checked as it flows and can still be read again. The
//! operations of a short input are kept until it is dealt with.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use omnilink_trace::{
    Format, Name, OpenOptions, Operation, Order, Rereading, Trace, TraceError, UnknownFormat,
};

use crate::error::CliError;
use crate::interrupt;

/// One trace that a command was given.
#[derive(Debug)]
pub(crate) struct Input {
    /// As the user named it.
    pub(crate) name: String,
    source: Source,
    options: OpenOptions,
    /// The name of an operation that comes after all others, if there is to be one.
    pub(crate) end: Option<&'static str>,
    /// What an earlier reading found out about the order.
    order: OnceLock<Order>,
    kept: Mutex<Kept>,
}

/// What is kept of an input for later readings.
#[derive(Debug, Default)]
enum Kept {
    /// Nothing yet.
    #[default]
    Nothing,
    Readings(Rereading),
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
}

impl Input {
    /// The trace at `path`; `-` is standard input.
    pub(crate) fn new(path: &Path, options: OpenOptions) -> Result<Self, CliError> {
        let is_stdin = path.as_os_str() == "-";
        let is_pipe =
            is_stdin || std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
        let source = match is_pipe {
            true => Source::Pipe {
                name: if is_stdin {
                    "stdin".to_owned()
                } else {
                    path.display().to_string()
                },
                spool: Arc::new(Mutex::new(Spool::new(path).map_err(CliError::Spool)?)),
            },
            false => Source::Path(path.to_owned()),
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

    /// Operations of another input, in order of start.
    pub(crate) fn of_operations(name: String, operations: Arc<[Arc<Operation>]>, format: Format) -> Self {
        Self {
            name,
            source: Source::Operations(operations, format),
            options: OpenOptions::default(),
            end: None,
            order: OnceLock::new(),
            kept: Mutex::new(Kept::Never),
        }
    }

    /// The bytes from the beginning, unless it is a folder.
    pub(crate) fn bytes_from_start(&self) -> io::Result<Box<dyn Read>> {
        match &self.source {
            Source::Path(path) => Ok(Box::new(File::open(path)?)),
            Source::Pipe { spool, .. } => Ok(Box::new(SpoolReader::new(spool))),
            Source::Operations(..) => Ok(Box::new(io::empty())),
        }
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

    /// How large the file is, or the files of the folder together, as far as that is known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let Source::Path(path) = &self.source else {
            return None;
        };
        let about = std::fs::metadata(path).ok()?;
        if !about.is_dir() {
            return about.is_file().then_some(about.len());
        }
        let entries = std::fs::read_dir(path).ok()?.flatten();
        let sizes = entries.filter_map(|entry| entry.metadata().ok());
        Some(sizes.map(|about| about.len()).sum())
    }

    /// Begins to read, from the beginning.
    pub(crate) fn open(&self) -> Result<Trace, CliError> {
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

    /// Begins the only reading there is going to be.
    pub(crate) fn open_once(&self) -> Result<Trace, CliError> {
        Ok(self.source.open(&self.options())?)
    }

    /// Lets go of what was kept for later readings.
    pub(crate) fn forget(&self) {
        *self.kept() = Kept::Never;
    }

    /// What `gather` makes of the whole input. Most inputs are in order of start; where this one is, it is gathered from without
    /// looking ahead, and no later reading needs to, either.
    pub(crate) fn gather<T>(&self, gather: impl Fn(Trace) -> Result<T, CliError>) -> Result<T, CliError> {
        let is_open = self.options.order == Order::Auto && self.order.get().is_none();
        if is_open && let Ok(gathered) = self.gather_sorted(&gather) {
            // Whoever was first has found the same.
            let _ = self.order.set(Order::Sorted);
            return Ok(gathered);
        }
        gather(self.open()?)
    }

    fn gather_sorted<T>(&self, gather: impl Fn(Trace) -> Result<T, CliError>) -> Result<T, CliError> {
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

    /// Whether one of the first `count` operations, each with its position, is as asked; without reading further than that if
    /// they are in order. What cannot be read is not asked.
    pub(crate) fn has_among_first(
        &self,
        count: usize,
        mut is_it: impl FnMut(usize, &Operation) -> bool,
    ) -> bool {
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

    /// How to read, as far as it is known by now.
    fn options(&self) -> OpenOptions {
        OpenOptions {
            order: self.order.get().copied().unwrap_or(self.options.order),
            ..self.options.clone()
        }
    }

    fn sorted(&self) -> OpenOptions {
        OpenOptions {
            order: Order::Sorted,
            ..self.options.clone()
        }
    }

    fn rereading(&self, options: OpenOptions) -> Result<Rereading, TraceError> {
        let source = self.source.clone();
        Rereading::new(KEPT_BYTES, move || source.open(&options))
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
        }
    }
}

/// A format by its name, for arguments.
pub(crate) fn format_name(name: &str) -> Result<Format, String> {
    name.parse().map_err(|error: UnknownFormat| error.to_string())
}

/// A code and the name that it stands for, for arguments.
pub(crate) fn renaming(text: &str) -> Result<(String, Name), String> {
    match text.split_once('=') {
        Some((code, name)) if !code.trim().is_empty() && !name.trim().is_empty() => {
            Ok((code.trim().to_owned(), Name::new(name.trim())))
        }
        _ => Err("give CODE=NAME, such as 0=put".to_owned()),
    }
}

/// What has come through a pipe so far.
#[derive(Debug)]
struct Spool {
    /// The pipe, unless it is standard input; opened when it is first read, since that may wait for its writer.
    path: Option<PathBuf>,
    pipe: Option<File>,
    file: File,
    len: u64,
}

impl Spool {
    fn new(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: (path.as_os_str() != "-").then(|| path.to_owned()),
            pipe: None,
            file: tempfile::tempfile()?,
            len: 0,
        })
    }

    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if at < self.len {
            self.file.seek(SeekFrom::Start(at))?;
            return self.file.read(buffer);
        }
        // After Ctrl-C nobody waits for more.
        if interrupt::is_raised() {
            return Err(io::Error::other("interrupted"));
        }
        let read = interrupt::final_if_raised(self.read_pipe(buffer))?;
        self.file.seek(SeekFrom::Start(self.len))?;
        self.file.write_all(&buffer[..read])?;
        self.len += read as u64;
        Ok(read)
    }
}

impl Spool {
    fn read_pipe(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(path) = &self.path else {
            return io::stdin().lock().read(buffer);
        };
        match &mut self.pipe {
            Some(pipe) => pipe.read(buffer),
            None => self.pipe.insert(File::open(path)?).read(buffer),
        }
    }
}

/// One reading of a pipe, from its beginning.
struct SpoolReader {
    spool: Arc<Mutex<Spool>>,
    at: u64,
}

impl SpoolReader {
    fn new(spool: &Arc<Mutex<Spool>>) -> Self {
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
