//! A trace that is being read.

use std::fmt;
use std::io::Read;
use std::iter::FusedIterator;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::input::Input;
use crate::note::Notes;
use crate::open::{Opened, open_inputs, open_paths};
use crate::order::sorted;
use crate::records::Records;
use crate::validate::ThreadCheck;
use crate::{Format, Header, Note, OpenOptions, Operation, TraceError};

/// The operations of a trace, **in order of start**, ties in the order of the input; read as they are asked for, in
/// memory that does not grow with the trace. After an error there is nothing more.
///
/// ```
/// use omnilink_trace::{OpenOptions, Trace};
///
/// let text = r#"{"thread":0,"op":"push","args":{"value":7},"start":1,"end":4}
/// {"thread":1,"op":"pop","ret":7,"start":2,"end":3}"#;
/// let trace = Trace::from_bytes("queue", text.as_bytes(), &OpenOptions::default())?;
/// let operations = trace.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(operations[1].to_string(), "pop() = 7");
/// # Ok::<(), omnilink_trace::TraceError>(())
/// ```
pub struct Trace {
    records: Checked,
    header: Option<Header>,
    format: Format,
    notes: Notes,
    has_ended: bool,
}

impl Trace {
    /// Opens a file, a directory of one file per thread, or standard input for `-`.
    ///
    /// # Errors
    /// When it cannot be read or its beginning is no trace. Errors further on are met while iterating.
    pub fn open(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, TraceError> {
        let notes = Notes::default();
        let opened = open_paths(&[path.as_ref().to_owned()], options, &notes, false)?;
        Ok(Self::new(opened, notes, options))
    }

    /// Opens several files or directories as one trace, such as the files of the nodes of a system.
    ///
    /// # Errors
    /// As [`Trace::open`].
    pub fn open_all<P: AsRef<Path>>(paths: &[P], options: &OpenOptions) -> Result<Self, TraceError> {
        let notes = Notes::default();
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.as_ref().to_owned()).collect();
        let opened = open_paths(&paths, options, &notes, paths.len() > 1)?;
        Ok(Self::new(opened, notes, options))
    }

    /// Reads a stream that people know as `name`.
    ///
    /// # Errors
    /// As [`Trace::open`].
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        options: &OpenOptions,
    ) -> Result<Self, TraceError> {
        Self::from_input(Input::reader(name, Box::new(reader)), options)
    }

    /// Reads bytes that people know as `name`.
    ///
    /// # Errors
    /// As [`Trace::open`].
    pub fn from_bytes(
        name: &str,
        bytes: impl Into<Arc<[u8]>>,
        options: &OpenOptions,
    ) -> Result<Self, TraceError> {
        Self::from_input(Input::bytes(name, bytes.into()), options)
    }

    /// Reads several byte buffers as one trace, such as what each thread of a recording in memory wrote. They are known as
    /// `name[0]`, `name[1]` and so on.
    ///
    /// # Errors
    /// As [`Trace::open`].
    pub fn from_buffers<B: Into<Arc<[u8]>>>(
        name: &str,
        buffers: impl IntoIterator<Item = B>,
        options: &OpenOptions,
    ) -> Result<Self, TraceError> {
        let inputs = buffers
            .into_iter()
            .enumerate()
            .map(|(index, bytes)| Input::bytes(&format!("{name}[{index}]"), bytes.into()))
            .collect();
        Self::from_inputs(inputs, options)
    }

    /// Operations that were read before, in order of start, such as some of those of another trace.
    pub fn from_operations(operations: Arc<[Arc<Operation>]>, format: Format) -> Self {
        Self::reread(
            Box::new(Held { operations, at: 0 }),
            None,
            format,
            Notes::default(),
        )
    }

    fn from_input(input: Input, options: &OpenOptions) -> Result<Self, TraceError> {
        Self::from_inputs(vec![input], options)
    }

    fn from_inputs(inputs: Vec<Input>, options: &OpenOptions) -> Result<Self, TraceError> {
        let notes = Notes::default();
        let opened = open_inputs(inputs, options, &notes)?;
        Ok(Self::new(opened, notes, options))
    }

    fn new(opened: Opened, notes: Notes, options: &OpenOptions) -> Self {
        let Opened {
            records,
            header,
            format,
        } = opened;
        // In fastlin's format every operation is a thread of its own, so there is nothing to check.
        let has_threads = !options.async_threads && format != Format::Fastlin;
        let threads = has_threads.then(ThreadCheck::default);
        Self {
            records: Checked { records, threads },
            header,
            format,
            notes,
            has_ended: false,
        }
    }

    /// The header, if the (first) file has one.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The format of the (first) file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What a person should be told so far; complete at the end.
    pub fn notes(&self) -> Vec<Note> {
        self.notes.to_vec()
    }

    /// The next operation as the reader has it, which may keep it for another reading: cheaper than a copy of one's own.
    #[inline]
    pub fn next_shared(&mut self) -> Option<Result<Arc<Operation>, TraceError>> {
        if self.has_ended {
            return None;
        }
        let next = self.records.next().transpose();
        self.has_ended = !matches!(next, Some(Ok(_)));
        next
    }

    /// Operations that were read and checked before, of a trace like this one.
    pub(crate) fn reread(
        records: Box<dyn Records>,
        header: Option<Header>,
        format: Format,
        notes: Notes,
    ) -> Self {
        Self {
            records: Checked {
                records,
                threads: None,
            },
            header,
            format,
            notes,
            has_ended: false,
        }
    }

    /// Where notes are left while this is read.
    pub(crate) fn shared_notes(&self) -> Notes {
        self.notes.clone()
    }

    /// The same trace after a change that may leave operations out of order.
    pub(crate) fn resorted(
        self,
        change: impl FnOnce(Box<dyn Records>, Notes) -> Box<dyn Records>,
    ) -> Result<Self, TraceError> {
        let Self {
            records,
            header,
            format,
            notes,
            ..
        } = self;
        let threads = records.threads.is_some().then(ThreadCheck::default);
        let records = Checked {
            records: sorted(change(Box::new(records), notes.clone()))?,
            threads,
        };
        Ok(Self {
            records,
            header,
            format,
            notes,
            has_ended: false,
        })
    }
}

/// Operations that are all there.
struct Held {
    operations: Arc<[Arc<Operation>]>,
    at: usize,
}

impl Records for Held {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let next = self.operations.get(self.at).cloned();
        self.at += 1;
        Ok(next)
    }
}

/// Records whose threads are checked.
struct Checked {
    records: Box<dyn Records>,
    /// `None` when calls of one thread may overlap.
    threads: Option<ThreadCheck>,
}

impl Records for Checked {
    #[inline]
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let operation = self.records.next()?;
        if let (Some(operation), Some(threads)) = (&operation, &mut self.threads) {
            threads.check(operation)?;
        }
        Ok(operation)
    }
}

impl Iterator for Trace {
    type Item = Result<Operation, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_shared().map(|next| next.map(Arc::unwrap_or_clone))
    }
}

impl FusedIterator for Trace {}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace")
            .field("format", &self.format)
            .field("header", &self.header)
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}
