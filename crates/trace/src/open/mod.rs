//! Opening inputs: files, directories, streams; finding their format; bringing them in order.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use omnilink_value::Value;

use crate::detect::detect;
use crate::directory::{files_of, stem};
use crate::format1::{Defaults, JsonRecords, MsgpackRecords, NdjsonRecords};
use crate::import::{
    FastlinRecords, JepsenLogRecords, JepsenRecords, JepsenSurvey, LimoRecords, OmniLinkRecords,
    PorcupineRecords,
};
use crate::input::{BUFFER_BYTES, Input};
use crate::note::Notes;
use crate::order::{CHUNK_OPS, Merge, Order, Plan, in_order};
use crate::place::Source;
use crate::records::Records;
use crate::{Format, Header, Name, Operation, Place, Problem, TraceError};

/// How to read a trace.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The format; found by content if not given.
    pub format: Option<Format>,
    /// Calls of one thread may overlap: the thread is a label, not an order.
    pub async_threads: bool,
    /// What to believe about the order of the input.
    pub order: Order,
    /// Of several files: make the file's name part of the thread, as `file/thread`. Use it to merge the files of nodes
    /// that number their threads alike.
    pub qualify_threads: bool,
    /// Keep OmniLink's `__TerminateThread` and `__AbortThread` records as operations, for specs that give them a
    /// meaning. Without it the former are dropped and the latter become notes.
    pub thread_ends: bool,
    /// What operations are called instead: `0` may stand for `put`.
    pub names: BTreeMap<String, Name>,
}

/// However many inputs share the memory for sorting and reading, each gets room for so much.
const CHUNK_OPS_MIN: usize = 1 << 6;
const BUFFER_BYTES_MIN: usize = 1 << 14;

/// How Jepsen's own binary files begin.
const JEPSEN_BINARY: &[u8] = b"JEPSEN";

/// What opening gives.
pub(crate) struct Opened {
    pub(crate) records: Box<dyn Records>,
    pub(crate) header: Option<Header>,
    pub(crate) format: Format,
}

/// An input and what is known about it from its name.
struct Part {
    input: Input,
    /// The thread of records that name none.
    thread: Option<Value>,
    /// What goes before the thread of every record.
    qualifier: Option<String>,
}

/// Opens files and directories as one trace.
pub(crate) fn open_paths(
    paths: &[PathBuf],
    options: &OpenOptions,
    notes: &Notes,
    is_given_as_many: bool,
) -> Result<Opened, TraceError> {
    let mut parts = Vec::new();
    for path in paths {
        let is_directory = path.as_os_str() != "-" && path.is_dir();
        let files = if is_directory {
            files_of(path, notes)?
        } else {
            vec![path.clone()]
        };
        for file in files {
            let input = Input::path(&file)
                .map_err(|error| TraceError::new(Place::whole(&file.display().to_string()), error))?;
            let stem = stem(&file);
            parts.push(Part {
                input,
                thread: (is_directory || is_given_as_many).then(|| Value::str(&stem)),
                qualifier: options.qualify_threads.then_some(stem),
            });
        }
    }
    open_parts(parts, options, notes)
}

/// Opens inputs that are no paths as one trace.
pub(crate) fn open_inputs(
    inputs: Vec<Input>,
    options: &OpenOptions,
    notes: &Notes,
) -> Result<Opened, TraceError> {
    let part = |input: Input| Part {
        thread: None,
        qualifier: options.qualify_threads.then(|| input.name.clone()),
        input,
    };
    open_parts(inputs.into_iter().map(part).collect(), options, notes)
}

fn open_parts(parts: Vec<Part>, options: &OpenOptions, notes: &Notes) -> Result<Opened, TraceError> {
    let share = parts.len().max(1);
    let chunk_ops = (CHUNK_OPS / share).max(CHUNK_OPS_MIN);
    let buffer_bytes = (BUFFER_BYTES / share).max(BUFFER_BYTES_MIN);
    let mut header = None;
    let mut format = None;
    let mut inputs = Vec::with_capacity(parts.len());
    for mut part in parts {
        part.input.buffer_bytes = buffer_bytes;
        let opened = part.open(options, chunk_ops, notes)?;
        header = header.or(opened.header);
        format.get_or_insert(opened.format);
        inputs.push(opened.records);
    }
    let records = match inputs.len() {
        1 => inputs.remove(0),
        _ => Box::new(Merge::new(inputs)?),
    };
    Ok(Opened {
        records,
        header,
        format: format.unwrap_or(Format::Ndjson),
    })
}

impl Part {
    fn open(mut self, options: &OpenOptions, chunk_ops: usize, notes: &Notes) -> Result<Opened, TraceError> {
        let file = self.input.name.clone();
        let error = |problem: std::io::Error| TraceError::new(Place::whole(&file), problem);
        let mut window = self.input.open().map_err(error)?;
        window.fetch(JEPSEN_BINARY.len()).map_err(error)?;
        if window.unread().is_empty() && window.is_truncated() {
            return Err(TraceError::new(Place::whole(&file), Problem::NothingUnpacked));
        }
        if window.unread().starts_with(JEPSEN_BINARY) {
            return Err(TraceError::new(Place::whole(&file), Problem::JepsenBinary));
        }
        let format = match options.format {
            Some(format) => format,
            None => detect(&mut window)
                .map_err(error)?
                .ok_or_else(|| TraceError::new(Place::whole(&file), Problem::UnknownFormat))?,
        };
        // An array of records is not one record a line, whatever it is called.
        let format = match format {
            Format::Ndjson if window.unread().trim_ascii_start().starts_with(b"[") => Format::Json,
            other => other,
        };
        self.input = self.input.with_window(window);
        let is_foreign = !matches!(format, Format::Ndjson | Format::Json | Format::Msgpack);
        if is_foreign {
            self.input = self.input.repeatable().map_err(error)?;
        }
        let (records, header) = self.records(format, options, notes)?;
        let is_promised = header.as_ref().is_some_and(Header::is_sorted);
        let order = match options.order {
            // Other tools' events complete operations in the order of their returns, however well they are sorted.
            Order::Sorted if is_foreign => Order::Auto,
            Order::Auto if is_promised => Order::Sorted,
            order => order,
        };
        let plan = Plan {
            file: &file,
            order,
            is_repeatable: self.input.is_repeatable(),
            chunk_ops,
            // That a history of events does not come in order of start is no news.
            notes: if is_foreign { &Notes::default() } else { notes },
        };
        // Looking ahead meets everything that reading meets: it must not say it twice.
        let reopen = || {
            self.records(format, options, &Notes::default())
                .map(|(records, _)| records)
        };
        let records = in_order(records, reopen, &plan)?;
        Ok(Opened {
            records,
            header,
            format,
        })
    }

    fn records(
        &self,
        format: Format,
        options: &OpenOptions,
        notes: &Notes,
    ) -> Result<(Box<dyn Records>, Option<Header>), TraceError> {
        let name = &self.input.name;
        let open = || {
            self.input
                .open()
                .map_err(|error| TraceError::new(Place::whole(name), error))
        };
        let defaults = |source: Arc<Source>| Defaults {
            source,
            thread: self.thread.clone(),
        };
        let (records, header): (Box<dyn Records>, _) = match format {
            Format::Ndjson => {
                let mut records = NdjsonRecords::new(open()?, defaults(Source::lines(name)), notes.clone());
                let header = records.header()?;
                (Box::new(records), header)
            }
            Format::Json => {
                let mut records = JsonRecords::new(open()?, defaults(Source::lines(name)), notes.clone());
                let header = records.header()?;
                (Box::new(records), header)
            }
            Format::Msgpack => {
                let mut records = MsgpackRecords::new(open()?, defaults(Source::bytes(name)), notes.clone());
                let header = records.header()?;
                (Box::new(records), header)
            }
            Format::OmniLink => {
                let thread = self.thread.clone();
                (
                    Box::new(OmniLinkRecords::new(
                        open()?,
                        name,
                        thread,
                        options.thread_ends,
                        notes.clone(),
                    )),
                    None,
                )
            }
            Format::JepsenEdn | Format::JepsenJson => {
                let survey = JepsenSurvey::of(format, open()?, name);
                let records = JepsenRecords::new(format, open()?, name, survey, notes.clone());
                (Box::new(records), None)
            }
            Format::JepsenLog => (
                Box::new(JepsenLogRecords::new(open()?, name, notes.clone())),
                None,
            ),
            Format::Porcupine => (
                Box::new(PorcupineRecords::new(open()?, name, notes.clone())),
                None,
            ),
            Format::Fastlin | Format::Fptlin => {
                let mut records = FastlinRecords::new(open()?, name, notes.clone());
                let header = records.title()?;
                (Box::new(records), header)
            }
            Format::Limo => {
                let mut records = LimoRecords::new(open()?, name, notes.clone());
                let header = records.title()?;
                (Box::new(records), header)
            }
        };
        let records: Box<dyn Records> = match options.names.is_empty() {
            true => records,
            false => Box::new(Renamed {
                records,
                names: options.names.clone(),
            }),
        };
        Ok(match &self.qualifier {
            Some(qualifier) => (
                Box::new(Qualified {
                    records,
                    qualifier: qualifier.clone(),
                }),
                header,
            ),
            None => (records, header),
        })
    }
}

/// Records whose threads carry the name of their file.
struct Qualified {
    records: Box<dyn Records>,
    qualifier: String,
}

impl Records for Qualified {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let Some(mut operation) = self.records.next()? else {
            return Ok(None);
        };
        let named = match operation.thread.as_str() {
            // A thread that was named after the file already says it.
            Some(thread) if thread == self.qualifier => Value::str(thread),
            Some(thread) => Value::str(&format!("{}/{thread}", self.qualifier)),
            None => Value::str(&format!("{}/{}", self.qualifier, operation.thread)),
        };
        Arc::make_mut(&mut operation).thread = named;
        Ok(Some(operation))
    }

    fn next_start(&mut self) -> Result<Option<crate::Time>, TraceError> {
        self.records.next_start()
    }
}

/// Records whose operations go by other names.
struct Renamed {
    records: Box<dyn Records>,
    names: BTreeMap<String, Name>,
}

impl Records for Renamed {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let Some(mut operation) = self.records.next()? else {
            return Ok(None);
        };
        if let Some(name) = self.names.get(operation.name.as_str()) {
            Arc::make_mut(&mut operation).name = name.clone();
        }
        Ok(Some(operation))
    }

    fn next_start(&mut self) -> Result<Option<crate::Time>, TraceError> {
        self.records.next_start()
    }
}
