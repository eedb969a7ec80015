//! Opening inputs: files, directories, streams; finding their format; bringing them in order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omnilink_value::Value;

use crate::detect::detect;
use crate::format1::{Defaults, MsgpackRecords, NdjsonRecords};
use crate::import::{
    FastlinRecords, JepsenEdnRecords, JepsenLogRecords, OmniLinkRecords, PorcupineRecords, jepsen_clock,
};
use crate::input::Input;
use crate::note::Notes;
use crate::order::{Merge, Order, Plan, in_order};
use crate::place::Source;
use crate::records::Records;
use crate::{Format, Header, Note, Operation, Place, Problem, TraceError};

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
}

/// How many operations may be held in memory to bring inputs in order; all inputs of a trace share it.
const CHUNK_OPS: usize = 1 << 15;
const CHUNK_OPS_MIN: usize = 1 << 8;

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
        let place = || Place::whole(&path.display().to_string());
        let is_directory = path.as_os_str() != "-" && path.is_dir();
        let files = if is_directory {
            files_of(path, notes)?
        } else {
            vec![path.clone()]
        };
        for file in files {
            let input = Input::path(&file).map_err(|error| TraceError::new(place_of(&file), error))?;
            let stem = stem(&file);
            parts.push(Part {
                input,
                thread: (is_directory || is_given_as_many).then(|| Value::str(&stem)),
                qualifier: options.qualify_threads.then_some(stem),
            });
        }
        if is_directory && parts.is_empty() {
            return Err(TraceError::new(place(), Problem::EmptyDirectory));
        }
    }
    open_parts(parts, options, notes)
}

/// Opens a single input that is no path.
pub(crate) fn open_input(input: Input, options: &OpenOptions, notes: &Notes) -> Result<Opened, TraceError> {
    open_parts(
        vec![Part {
            input,
            thread: None,
            qualifier: None,
        }],
        options,
        notes,
    )
}

fn open_parts(parts: Vec<Part>, options: &OpenOptions, notes: &Notes) -> Result<Opened, TraceError> {
    let chunk_ops = (CHUNK_OPS / parts.len().max(1)).max(CHUNK_OPS_MIN);
    let mut header = None;
    let mut format = None;
    let mut inputs = Vec::with_capacity(parts.len());
    for part in parts {
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
        let format = match options.format {
            Some(format) => format,
            None => detect(&mut window)
                .map_err(error)?
                .ok_or_else(|| TraceError::new(Place::whole(&file), Problem::UnknownFormat))?,
        };
        self.input = self.input.with_window(window);
        if !matches!(format, Format::Ndjson | Format::Msgpack) {
            self.input = self.input.repeatable().map_err(error)?;
        }
        let (records, header) = self.records(format, options, notes)?;
        let is_promised = options.order == Order::Auto && header.as_ref().is_some_and(Header::is_sorted);
        let plan = Plan {
            file: &file,
            order: if is_promised { Order::Sorted } else { options.order },
            is_repeatable: self.input.is_repeatable(),
            chunk_ops,
            notes,
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
            Format::JepsenEdn => {
                let clock = jepsen_clock(open()?, name);
                (
                    Box::new(JepsenEdnRecords::new(open()?, name, clock, notes.clone())),
                    None,
                )
            }
            Format::JepsenLog => (
                Box::new(JepsenLogRecords::new(open()?, name, notes.clone())),
                None,
            ),
            Format::Porcupine => (
                Box::new(PorcupineRecords::new(open()?, name, notes.clone())),
                None,
            ),
            Format::Fastlin => {
                let mut records = FastlinRecords::new(open()?, name, notes.clone());
                let header = records.title()?;
                (Box::new(records), header)
            }
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
    fn next(&mut self) -> Result<Option<Operation>, TraceError> {
        let Some(mut operation) = self.records.next()? else {
            return Ok(None);
        };
        operation.thread = match operation.thread.as_str() {
            // A thread that was named after the file already says it.
            Some(thread) if thread == self.qualifier => Value::str(thread),
            Some(thread) => Value::str(&format!("{}/{thread}", self.qualifier)),
            None => Value::str(&format!("{}/{}", self.qualifier, operation.thread)),
        };
        Ok(Some(operation))
    }

    fn next_start(&mut self) -> Result<Option<crate::Time>, TraceError> {
        self.records.next_start()
    }
}

/// The extensions that make a file of a directory part of the trace. A harness leaves other things there.
const EXTENSIONS: [&str; 9] = [
    "ndjson", "jsonl", "json", "msgpack", "mp", "mpk", "log", "edn", "txt",
];

fn files_of(directory: &Path, notes: &Notes) -> Result<Vec<PathBuf>, TraceError> {
    let error = |error| TraceError::new(place_of(directory), error);
    let mut files = Vec::new();
    let mut skipped = 0;
    for entry in std::fs::read_dir(directory).map_err(error)? {
        let path = entry.map_err(error)?.path();
        match path.is_file() && is_trace_name(&path) {
            true => files.push(path),
            false => skipped += 1,
        }
    }
    files.sort_unstable();
    if skipped > 0 {
        let file = directory.display().to_string();
        notes.push(Note::Skipped {
            file,
            count: skipped,
            what: "entries that are no trace files by their extension",
        });
    }
    Ok(files)
}

fn is_trace_name(path: &Path) -> bool {
    let name = uncompressed_name(path);
    let extension = Path::new(&name)
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    !name.starts_with('.') && extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

fn uncompressed_name(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let shorter = [".zst", ".zstd", ".gz"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix));
    shorter.map_or(name.clone(), str::to_owned)
}

/// The file's name without folder, compression and extension.
fn stem(path: &Path) -> String {
    let name = uncompressed_name(path);
    Path::new(&name)
        .file_stem()
        .map_or(name.clone(), |stem| stem.to_string_lossy().into_owned())
}

fn place_of(path: &Path) -> Place {
    Place::whole(&path.display().to_string())
}
