//! One recording: its threads, its clock, and what became of them.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering, fence},
    },
};

use crate::{
    EndFence, Label, Options, RecordError, Recording, ThreadLog, ThreadRecording,
    clock::Clock,
    header::Header,
    progress_counters::ProgressBoard,
    storage::{Backing, Storage},
};

/// Makes a trace of what the threads of a system do.
///
/// A recorder is shared by reference (it is `Sync`); each thread takes a [`ThreadLog`] of its own, which can
/// also be made first and moved into its thread. When all logs are dropped, [`finish`](Self::finish) says
/// whether all is well.
#[derive(Debug)]
pub struct Recorder {
    shared: Arc<Shared>,
}

/// What the logs of a recorder share. The hot path only reads `stopped`.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    pub(crate) end_fence: EndFence,
    /// A child of the process that made the recorder must leave the recording alone.
    pub(crate) owner: u32,
    stopped: AtomicBool,
    directory: Option<PathBuf>,
    backing: Backing,
    chunk_bytes: usize,
    header: Header,
    /// Where threads tell how far they are, if happens-before is recorded.
    pub(crate) progress: Option<ProgressBoard>,
    ledger: Mutex<Ledger>,
}

/// What is known about the threads, by the order in which they came.
#[derive(Debug, Default)]
struct Ledger {
    threads: BTreeMap<u64, Entry>,
    next_number: u64,
    /// Why recording stopped: the first reason counts.
    stopped_by: Option<RecordError>,
    lost: u64,
}

#[derive(Debug)]
enum Entry {
    Open(Label),
    Closed(ThreadRecording),
}

impl Entry {
    fn label(&self) -> &Label {
        match self {
            Self::Open(label) => label,
            Self::Closed(recording) => &recording.label,
        }
    }
}

impl Recorder {
    /// A recorder that writes one file per thread into `directory`, which must be empty or not exist yet.
    pub fn create(directory: impl AsRef<Path>) -> Result<Self, RecordError> {
        Options::new().create(directory)
    }

    /// A recorder that keeps everything in memory.
    pub fn in_memory() -> Result<Self, RecordError> {
        Options::new().in_memory()
    }

    pub(crate) fn with(options: Options, directory: Option<&Path>) -> Result<Self, RecordError> {
        if let Some(directory) = directory {
            make_empty_directory(directory)?;
        }
        let Options {
            clock,
            end_fence,
            backing,
            chunk,
            header,
            counted_threads,
        } = options;
        let shared = Shared {
            clock: Clock::choose(clock)?,
            end_fence,
            owner: std::process::id(),
            stopped: AtomicBool::new(false),
            directory: directory.map(Path::to_owned),
            backing,
            chunk_bytes: chunk.0,
            header: Header::new(header, counted_threads.is_some()),
            progress: counted_threads.map(|threads| ProgressBoard::new(threads.into())),
            ledger: Mutex::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// A log for one thread. Labels must differ, also after a log was dropped: the trace would take both for
    /// one thread.
    pub fn thread(&self, label: impl Into<Label>) -> Result<ThreadLog, RecordError> {
        let label = label.into();
        let number = self.shared.register(&label)?;
        let made = self.shared.storage(number, &label).and_then(|storage| {
            let header = &self.shared.header;
            ThreadLog::new(storage, header, Arc::clone(&self.shared), number, label)
        });
        if made.is_err() {
            self.shared.ledger().threads.remove(&number);
        }
        made
    }

    /// Ends the recording, after all logs were dropped. An error if recording stopped before the system did.
    pub fn finish(self) -> Result<Recording, RecordError> {
        let mut ledger = self.shared.ledger();
        let still_open: Vec<String> = ledger
            .threads
            .values()
            .filter(|entry| matches!(entry, Entry::Open(_)))
            .map(|entry| entry.label().to_string())
            .collect();
        if !still_open.is_empty() {
            return Err(RecordError::StillOpen { labels: still_open });
        }
        if let Some(cause) = ledger.stopped_by.take() {
            return Err(RecordError::Stopped {
                lost: ledger.lost,
                cause: Box::new(cause),
            });
        }
        let closed = std::mem::take(&mut ledger.threads)
            .into_values()
            .filter_map(|entry| match entry {
                Entry::Closed(recording) => Some(recording),
                Entry::Open(_) => None,
            });
        Ok(Recording {
            threads: closed.collect(),
            header: self.shared.header.of_all_threads(&self.shared.clock)?,
        })
    }
}

impl Shared {
    /// Whether recording has stopped.
    #[inline]
    pub(crate) fn has_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether recording had stopped before anything that the operation before this call has seen.
    ///
    /// An operation that is not recorded begins after its thread has set the flag or has seen it, and after
    /// the fence of [`before_lost_operation`](Self::before_lost_operation). Whoever has seen its effect,
    /// however indirectly, sees the flag behind this fence. Hence no operation gets an end that depends on
    /// one that is missing.
    #[inline]
    pub(crate) fn had_stopped(&self) -> bool {
        fence(Ordering::Acquire);
        self.stopped.load(Ordering::Relaxed)
    }

    /// Stops recording on all threads. Says so once, at once: a harness that never asks would not learn of
    /// it.
    #[cold]
    pub(crate) fn stop(&self, reason: RecordError) {
        let mut ledger = self.ledger();
        if ledger.stopped_by.is_none() {
            eprintln!("omnilink-record: recording stopped: {reason}");
            ledger.stopped_by = Some(reason);
        }
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Keeps the flag, set or seen, in front of the effects of an operation that is not recorded.
    #[cold]
    pub(crate) fn before_lost_operation(&self) {
        fence(Ordering::SeqCst);
    }

    pub(crate) fn close(&self, number: u64, lost: u64, recording: Result<ThreadRecording, RecordError>) {
        match recording {
            Ok(recording) => {
                self.ledger().threads.insert(number, Entry::Closed(recording));
            }
            Err(error) => {
                self.ledger().threads.remove(&number);
                self.stop(error);
            }
        }
        self.ledger().lost += lost;
    }

    fn register(&self, label: &Label) -> Result<u64, RecordError> {
        let text = label.to_string();
        if !label.is_usable() {
            return Err(RecordError::LabelInvalid { label: text });
        }
        let mut ledger = self.ledger();
        // By text: `0` and `"0"` would be told apart by a program, not by a person who reads a report.
        if ledger
            .threads
            .values()
            .any(|entry| entry.label().to_string() == text)
        {
            return Err(RecordError::LabelTaken { label: text });
        }
        let number = ledger.next_number;
        ledger.next_number += 1;
        ledger.threads.insert(number, Entry::Open(label.clone()));
        Ok(number)
    }

    fn storage(&self, number: u64, label: &Label) -> Result<Storage, RecordError> {
        match &self.directory {
            None => Ok(Storage::in_memory()),
            Some(directory) => {
                let file = directory.join(format!("{number:04}-{}.msgpack", label.file_stem()));
                Storage::in_file(file, self.backing, self.chunk_bytes)
            }
        }
    }

    /// A thread that panicked while it held the lock left the ledger whole: every change is one statement.
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn make_empty_directory(path: &Path) -> Result<(), RecordError> {
    let refused = |doing| {
        move |source| RecordError::Io {
            path: path.to_owned(),
            doing,
            source,
        }
    };
    match fs::create_dir_all(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(RecordError::NotADirectory {
                path: path.to_owned(),
            });
        }
        Err(error) => return Err(refused("create the trace directory")(error)),
    }
    match fs::read_dir(path)
        .map_err(refused("look into the trace directory"))?
        .next()
    {
        None => Ok(()),
        Some(_) => Err(RecordError::DirectoryNotEmpty {
            path: path.to_owned(),
        }),
    }
}
