//! Opening a trace: its files, their formats, and their order.

mod detect;
mod directory;
mod options;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omnilink_value::Value;

use crate::format1::{JsonReader, MsgpackReader, NdjsonReader};
use crate::import::{
    EventHistory, FastlinReader, JepsenHistory, JepsenLog, JepsenScan, LimoHistory, OmniLinkReader,
    PorcupineHistory, SessionJson, SessionLog, SessionTransactions, SpanReader, SpanSurvey, is_otlp_message,
    span_source,
};
use crate::input::{BUFFER_BYTES, Input, Reading};
use crate::note::Notes;
use crate::order::{CHUNK_OPS, InputOrder, Merge, SortOptions, in_order};
use crate::stream::OperationStream;
use crate::{Format, Header, Location, Operation, Problem, Time, TraceError};

pub use options::OpenOptions;

use detect::{detect, unreadable};
use directory::{files_of, stem};

/// All inputs of a trace share the memory for sorting and reading, but each gets at least this much.
const CHUNK_OPS_MIN: usize = 1 << 6;
const BUFFER_BYTES_MIN: usize = 1 << 14;

/// How many bytes tell binary formats.
const FIRST_BYTES: usize = 16;
/// The first bytes of Jepsen's own binary files.
const JEPSEN_BINARY: &[u8] = b"JEPSEN";

/// A trace as it was opened: operations in order of start.
pub(crate) struct OpenedTrace {
    pub(crate) operations: Box<dyn OperationStream>,
    pub(crate) header: Option<Header>,
    pub(crate) format: Format,
}

/// One input of a trace.
struct TraceInput {
    input: Input,
    /// The thread of records without one.
    thread: Option<Value>,
    /// The prefix of every record's thread.
    qualifier: Option<String>,
}

/// Opens files and directories as one trace.
pub(crate) fn open_paths(
    paths: &[PathBuf],
    options: &OpenOptions,
    notes: &Notes,
) -> Result<OpenedTrace, TraceError> {
    let mut inputs = Vec::new();
    for path in paths {
        let is_directory = path.as_os_str() != "-" && path.is_dir();
        let files = if is_directory {
            files_of(path, notes)?
        } else {
            vec![path.clone()]
        };
        for file in files {
            let input = Input::path(&file)
                .map_err(|error| TraceError::new(Location::whole(&file.display().to_string()), error))?;
            let stem = stem(&file);
            inputs.push(TraceInput {
                input,
                thread: (is_directory || paths.len() > 1).then(|| Value::str(&stem)),
                qualifier: options.qualify_threads.then_some(stem),
            });
        }
    }
    open_all(inputs, options, notes)
}

/// Whether a file holds spans of a tracing system, by its content.
pub fn holds_spans(path: &Path) -> bool {
    let detected = Input::path(path).and_then(|input| {
        let mut buffer = input.open()?;
        detect(&mut buffer)
    });
    matches!(detected, Ok(Some(format)) if format.holds_spans())
}

/// Opens inputs that are no paths as one trace.
pub(crate) fn open_inputs(
    inputs: Vec<Input>,
    options: &OpenOptions,
    notes: &Notes,
) -> Result<OpenedTrace, TraceError> {
    let named = |input: Input| TraceInput {
        thread: None,
        qualifier: options.qualify_threads.then(|| input.name.clone()),
        input,
    };
    open_all(inputs.into_iter().map(named).collect(), options, notes)
}

fn open_all(
    inputs: Vec<TraceInput>,
    options: &OpenOptions,
    notes: &Notes,
) -> Result<OpenedTrace, TraceError> {
    let share = inputs.len().max(1);
    let chunk_ops = (CHUNK_OPS / share).max(CHUNK_OPS_MIN);
    let buffer_bytes = (BUFFER_BYTES / share).max(BUFFER_BYTES_MIN);
    let mut header = None;
    let mut format = None;
    let mut streams = Vec::with_capacity(inputs.len());
    for mut input in inputs {
        input.input.buffer_bytes = buffer_bytes;
        input.input.is_cancelled = options.is_cancelled;
        input.input.max_bytes = options.max_input_bytes;
        let opened = input.open(options, chunk_ops, notes)?;
        header = header.or(opened.header);
        format.get_or_insert(opened.format);
        streams.push(opened.operations);
    }
    let operations = match streams.len() {
        1 => streams.remove(0),
        _ => Box::new(Merge::new(streams)?),
    };
    Ok(OpenedTrace {
        operations,
        header,
        format: format.unwrap_or(Format::Ndjson),
    })
}

impl TraceInput {
    fn open(
        mut self,
        options: &OpenOptions,
        chunk_ops: usize,
        notes: &Notes,
    ) -> Result<OpenedTrace, TraceError> {
        let file = self.input.name.clone();
        let format = self.detect_format(options)?;
        let is_foreign = !matches!(format, Format::Ndjson | Format::Json | Format::Msgpack);
        if is_foreign && options.order != InputOrder::Arrival {
            self.input = self
                .input
                .repeatable()
                .map_err(|error| TraceError::new(Location::whole(&file), error))?;
        }
        let (operations, header) = self.read(format, options, notes)?;
        let is_promised = header.as_ref().is_some_and(Header::is_sorted);
        let order = match options.order {
            InputOrder::Auto | InputOrder::Sorted if format.has_positions_for_times() => InputOrder::Sorted,
            // Other tools' events complete operations in the order of their returns, even if the events are sorted.
            InputOrder::Sorted if is_foreign => InputOrder::Auto,
            InputOrder::Auto if is_promised => InputOrder::Sorted,
            order => order,
        };
        let sort = SortOptions {
            file: &file,
            order,
            is_repeatable: self.input.is_repeatable(),
            chunk_ops,
            // A history of events is never in order of start: no note.
            notes: if is_foreign { &Notes::default() } else { notes },
        };
        // The scan for the order meets everything that reading meets: its notes would be duplicates.
        let reopen = || {
            let (operations, _) = self.read(format, options, &Notes::default())?;
            Ok(operations)
        };
        Ok(OpenedTrace {
            operations: in_order(operations, reopen, &sort)?,
            header,
            format,
        })
    }

    fn detect_format(&mut self, options: &OpenOptions) -> Result<Format, TraceError> {
        let location = Location::whole(&self.input.name);
        let error = |error: std::io::Error| TraceError::new(location.clone(), error);
        let mut buffer = self.input.open().map_err(error)?;
        buffer.fill_to(FIRST_BYTES).map_err(error)?;
        if buffer.unread().is_empty() && buffer.is_truncated() {
            return Err(TraceError::new(location, Problem::TruncatedAtStart));
        }
        if buffer.unread().starts_with(JEPSEN_BINARY) {
            return Err(TraceError::new(location, Problem::JepsenBinary));
        }
        if !is_otlp_message(buffer.unread())
            && let Some(problem) = unreadable(buffer.unread())
        {
            return Err(TraceError::new(location, problem));
        }
        let format = match options.format {
            Some(format) => Some(format),
            None => detect(&mut buffer).map_err(error)?,
        };
        let format = match format {
            None => return Err(TraceError::new(location, Problem::UnknownFormat)),
            // An array of records is not one record a line, even if the caller asks for NDJSON.
            Some(Format::Ndjson) if buffer.unread().trim_ascii_start().starts_with(b"[") => Format::Json,
            Some(format) => format,
        };
        self.input = self.input.resume_from(buffer);
        Ok(format)
    }

    /// The operations of the input in the order of the input.
    fn read(
        &self,
        format: Format,
        options: &OpenOptions,
        notes: &Notes,
    ) -> Result<(Box<dyn OperationStream>, Option<Header>), TraceError> {
        let name = &self.input.name;
        let (thread, notes) = (self.thread.clone(), notes.clone());
        let open = || {
            self.input
                .open()
                .map_err(|error| TraceError::new(Location::whole(name), error))
        };
        let mut header = None;
        let operations: Box<dyn OperationStream> = match format {
            Format::Ndjson => {
                let mut reader = NdjsonReader::new(open()?, name, thread, notes);
                header = reader.header()?;
                Box::new(Reading(reader))
            }
            Format::Json => {
                let mut reader = JsonReader::new(open()?, name, thread, notes);
                header = reader.header()?;
                Box::new(Reading(reader))
            }
            Format::Msgpack => {
                let mut reader = MsgpackReader::new(open()?, name, thread, notes);
                header = reader.header()?;
                Box::new(Reading(reader))
            }
            Format::OmniLink => Box::new(Reading(OmniLinkReader::new(
                open()?,
                name,
                thread,
                options.thread_ends,
                notes,
            ))),
            Format::JepsenEdn | Format::JepsenJson => {
                let scan = match options.order {
                    InputOrder::Arrival => JepsenScan::unread(),
                    _ => JepsenScan::new(format, open()?, name),
                };
                header = scan.header();
                let events = JepsenHistory::new(format, open()?, name, scan, notes);
                Box::new(Reading(EventHistory::new(events)))
            }
            Format::JepsenLog => Box::new(Reading(EventHistory::new(JepsenLog::new(open()?, name, notes)))),
            Format::Porcupine => Box::new(Reading(EventHistory::new(PorcupineHistory::new(
                open()?,
                name,
                notes,
            )))),
            Format::Fastlin | Format::Fptlin => {
                let mut reader = FastlinReader::new(open()?, name, notes);
                header = reader.title()?;
                Box::new(Reading(reader))
            }
            Format::Limo => {
                let mut events = LimoHistory::new(open()?, name, notes);
                header = events.title()?;
                Box::new(Reading(EventHistory::new(events)))
            }
            Format::Cobra | Format::DbcopBincode => {
                Box::new(Reading(SessionLog::new(format, open()?, name, thread, notes)))
            }
            Format::DbcopJson | Format::Viper => {
                Box::new(Reading(SessionJson::new(format, open()?, name, thread, notes)))
            }
            Format::Plume | Format::Dbcop | Format::Awdit | Format::Csv => {
                Box::new(Reading(SessionTransactions::new(format, open()?, name, notes)))
            }
            Format::Otlp | Format::Jaeger | Format::Zipkin | Format::Chrome => {
                let source = |notes| {
                    let mut buffer = open()?;
                    buffer
                        .fill_to(FIRST_BYTES)
                        .map_err(|error| TraceError::new(Location::whole(name), error))?;
                    Ok(span_source(format, buffer, name, notes))
                };
                let survey = SpanSurvey::of(|| source(Notes::default()), &options.spans, name)?;
                if format != Format::Chrome {
                    header = Some(Header::new([("unit", "ns".into())]));
                }
                let rules = options.spans.clone();
                Box::new(Reading(SpanReader::new(
                    source(notes.clone())?,
                    rules,
                    survey,
                    name,
                    notes,
                )))
            }
        };
        Ok((self.relabel(operations, options), header))
    }

    /// The operations with the names and threads that the options ask for.
    fn relabel(
        &self,
        operations: Box<dyn OperationStream>,
        options: &OpenOptions,
    ) -> Box<dyn OperationStream> {
        if options.names.is_empty() && self.qualifier.is_none() {
            return operations;
        }
        let (names, qualifier) = (options.names.clone(), self.qualifier.clone());
        let relabel = move |operation: &mut Operation| {
            if let Some(name) = names.get(operation.name.as_str()) {
                operation.name = name.clone();
            }
            if let Some(qualifier) = &qualifier {
                operation.thread = qualified(qualifier, &operation.thread);
            }
        };
        Box::new(Relabelled { operations, relabel })
    }
}

/// The thread with the name of its file: `file/thread`.
fn qualified(file: &str, thread: &Value) -> Value {
    Value::str(&match thread.as_str() {
        // The thread of a record without one is the name of the file already.
        Some(thread) if thread == file => thread.to_owned(),
        Some(thread) => format!("{file}/{thread}"),
        None => format!("{file}/{thread}"),
    })
}

/// Operations after a change that keeps their times.
struct Relabelled<F> {
    operations: Box<dyn OperationStream>,
    relabel: F,
}

impl<F: Fn(&mut Operation) + Send> OperationStream for Relabelled<F> {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let mut next = self.operations.next()?;
        if let Some(operation) = &mut next {
            (self.relabel)(Arc::make_mut(operation));
        }
        Ok(next)
    }

    fn next_start(&mut self) -> Result<Option<Time>, TraceError> {
        self.operations.next_start()
    }
}
