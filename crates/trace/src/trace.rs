//! A trace as a stream of operations.

use std::fmt;
use std::io::Read;
use std::iter::FusedIterator;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::input::Input;
use crate::note::Notes;
use crate::open::{OpenedTrace, open_inputs, open_paths};
use crate::order::sorted;
use crate::stream::{InMemory, OperationStream};
use crate::thread_check::ThreadCheck;
use crate::{Format, Header, Note, OpenOptions, Operation, TraceError};

/// The operations of a trace, **in order of start**, ties in the order of the input. They are read on demand, in memory that
/// does not grow with the trace. An error ends the stream.
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
    operations: Checked,
    header: Option<Header>,
    format: Format,
    notes: Notes,
    has_ended: bool,
}

impl Trace {
    /// Opens a file, a directory of one file per thread, or standard input for `-`.
    ///
    /// # Errors
    /// When it cannot be read or its beginning is no trace. The iterator returns later errors.
    pub fn open(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, TraceError> {
        Self::open_all(&[path], options)
    }

    /// Opens several files or directories as one trace, such as the files of the nodes of a system.
    ///
    /// # Errors
    /// As [`Trace::open`].
    pub fn open_all<P: AsRef<Path>>(paths: &[P], options: &OpenOptions) -> Result<Self, TraceError> {
        let notes = Notes::default();
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.as_ref().to_owned()).collect();
        let opened = open_paths(&paths, options, &notes)?;
        Ok(Self::new(opened, notes, options, paths.len() > 1))
    }

    /// Reads a stream. Messages call it `name`.
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

    /// Reads bytes. Messages call them `name`.
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

    /// Reads several byte buffers as one trace, such as those of the threads of a recording in memory. Messages call them
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

    /// A trace of operations in memory, which are in order of start, such as some operations of another trace.
    pub fn from_operations(operations: Arc<[Arc<Operation>]>, format: Format) -> Self {
        let operations = (0..operations.len()).map(move |at| Arc::clone(&operations[at]));
        Self::from_checked(Box::new(InMemory(operations)), None, format, Notes::default())
    }

    fn from_input(input: Input, options: &OpenOptions) -> Result<Self, TraceError> {
        Self::from_inputs(vec![input], options)
    }

    fn from_inputs(inputs: Vec<Input>, options: &OpenOptions) -> Result<Self, TraceError> {
        let notes = Notes::default();
        let opened = open_inputs(inputs, options, &notes)?;
        Ok(Self::new(opened, notes, options, false))
    }

    fn new(opened: OpenedTrace, notes: Notes, options: &OpenOptions, is_merged: bool) -> Self {
        let OpenedTrace {
            operations,
            header,
            format,
        } = opened;
        // In fastlin's format every operation is a thread of its own, so there is nothing to check.
        let has_threads = !options.async_threads && format != Format::Fastlin;
        let threads = has_threads.then(|| ThreadCheck::new(notes.clone(), is_merged));
        Self {
            operations: Checked { operations, threads },
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

    /// The notes so far; complete at the end of the trace.
    pub fn notes(&self) -> Vec<Note> {
        self.notes.to_vec()
    }

    /// The next operation, shared with the reader's cache: cheaper than the copy that the iterator returns.
    #[inline]
    pub fn next_shared(&mut self) -> Option<Result<Arc<Operation>, TraceError>> {
        if self.has_ended {
            return None;
        }
        let next = self.operations.next().transpose();
        self.has_ended = !matches!(next, Some(Ok(_)));
        next
    }

    /// A trace of operations that are sorted and checked.
    pub(crate) fn from_checked(
        operations: Box<dyn OperationStream>,
        header: Option<Header>,
        format: Format,
        notes: Notes,
    ) -> Self {
        Self {
            operations: Checked {
                operations,
                threads: None,
            },
            header,
            format,
            notes,
            has_ended: false,
        }
    }

    /// The notes, shared with the readers.
    pub(crate) fn shared_notes(&self) -> Notes {
        self.notes.clone()
    }

    /// The same trace after a change, sorted and checked again.
    pub(crate) fn resorted(
        self,
        change: impl FnOnce(Box<dyn OperationStream>, Notes) -> Box<dyn OperationStream>,
    ) -> Result<Self, TraceError> {
        let threads = self.operations.threads.is_some().then(ThreadCheck::default);
        let operations = sorted(change(Box::new(self.operations), self.notes.clone()))?;
        Ok(Self {
            operations: Checked { operations, threads },
            has_ended: false,
            ..self
        })
    }
}

/// Operations whose threads are checked.
struct Checked {
    operations: Box<dyn OperationStream>,
    /// `None` if calls of one thread may overlap.
    threads: Option<ThreadCheck>,
}

impl OperationStream for Checked {
    #[inline]
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let operation = self.operations.next()?;
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
