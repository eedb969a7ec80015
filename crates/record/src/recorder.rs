//! The recorder: its threads, its clock and the outcome of the recording.

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
    EndFence, RecordError, RecordOptions, Recording, ThreadLabel, ThreadLog, ThreadRecording,
    clock::Clock,
    header::Header,
    progress_counters::ProgressCounters,
    storage::{Backing, Storage},
};

/// Records the operations of the threads of a system as a trace.
///
/// A recorder is shared by reference (it is `Sync`); each thread uses its own [`ThreadLog`], which can also be created first
/// and moved into its thread. When all logs are dropped, [`finish`](Self::finish) returns the outcome.
#[derive(Debug)]
pub struct Recorder {
    shared: Arc<Shared>,
}

/// The state that the logs of a recorder share. The hot path only reads `stopped`.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    pub(crate) end_fence: EndFence,
    /// The process that created the recorder. A forked child must not touch the recording.
    pub(crate) owner: u32,
    stopped: AtomicBool,
    directory: Option<PathBuf>,
    backing: Backing,
    chunk_bytes: usize,
    header: Header,
    /// The progress of each thread, if happens-before is recorded.
    pub(crate) progress: Option<ProgressCounters>,
    registry: Mutex<ThreadRegistry>,
}

/// The threads in the order of their registration.
#[derive(Debug, Default)]
struct ThreadRegistry {
    threads: BTreeMap<u64, Entry>,
    next_number: u64,
    /// The first reason for which recording stopped.
    stopped_by: Option<RecordError>,
    lost: u64,
}

#[derive(Debug)]
enum Entry {
    Open(ThreadLabel),
    Closed(ThreadRecording),
}

impl Entry {
    fn label(&self) -> &ThreadLabel {
        match self {
            Self::Open(label) => label,
            Self::Closed(recording) => &recording.label,
        }
    }
}

impl Recorder {
    /// A recorder that writes one file per thread into `directory`, which must be empty or not exist yet.
    pub fn create(directory: impl AsRef<Path>) -> Result<Self, RecordError> {
        RecordOptions::new().create(directory)
    }

    /// A recorder that keeps everything in memory.
    pub fn in_memory() -> Result<Self, RecordError> {
        RecordOptions::new().in_memory()
    }

    pub(crate) fn with(options: RecordOptions, directory: Option<&Path>) -> Result<Self, RecordError> {
        if let Some(directory) = directory {
            make_empty_directory(directory)?;
        }
        let RecordOptions {
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
            progress: counted_threads.map(|threads| ProgressCounters::new(threads.into())),
            registry: Mutex::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// A log for one thread. Labels must differ, even after a log was dropped: otherwise the trace would have both as one
    /// thread.
    ///
    /// On a full disk, recording stops as it does wherever else the disk is found to be full: the log records nothing,
    /// and [`finish`](Self::finish) fails.
    pub fn thread(&self, label: impl Into<ThreadLabel>) -> Result<ThreadLog, RecordError> {
        let label = label.into();
        let number = self.shared.register(&label)?;
        let storage = self.shared.storage(number, &label);
        let storage = storage.or_else(|error| self.shared.storage_without_room(error));
        let made = storage.and_then(|storage| {
            let header = &self.shared.header;
            ThreadLog::new(storage, header, Arc::clone(&self.shared), number, label)
        });
        if made.is_err() {
            self.shared.registry().threads.remove(&number);
        }
        made
    }

    /// Ends the recording, after all logs were dropped. Fails if recording stopped before the system did.
    pub fn finish(self) -> Result<Recording, RecordError> {
        let mut registry = self.shared.registry();
        let still_open: Vec<String> = registry
            .threads
            .values()
            .filter(|entry| matches!(entry, Entry::Open(_)))
            .map(|entry| entry.label().to_string())
            .collect();
        if !still_open.is_empty() {
            return Err(RecordError::StillOpen { labels: still_open });
        }
        if let Some(cause) = registry.stopped_by.take() {
            return Err(RecordError::Stopped {
                lost: registry.lost,
                cause: Box::new(cause),
            });
        }
        let closed = std::mem::take(&mut registry.threads)
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

    /// Whether recording had stopped before any effect that the preceding operation observed.
    ///
    /// An operation that is not recorded begins after its thread has set or read the flag, and after the fence of
    /// [`before_lost_operation`](Self::before_lost_operation). A thread that has observed its effect, directly or
    /// indirectly, reads the flag as set behind this fence. Hence no recorded end depends on a missing operation.
    #[inline]
    pub(crate) fn had_stopped(&self) -> bool {
        fence(Ordering::Acquire);
        self.stopped.load(Ordering::Relaxed)
    }

    /// Stops recording on all threads. Prints the reason once, immediately: a harness may never call `finish`.
    #[cold]
    pub(crate) fn stop(&self, reason: RecordError) {
        let mut registry = self.registry();
        if registry.stopped_by.is_none() {
            eprintln!("omnilink-record: recording stopped: {reason}");
            registry.stopped_by = Some(reason);
        }
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// The storage of a thread for whose file there is no room: its system goes on, and recording stops.
    #[cold]
    pub(crate) fn storage_without_room(&self, error: RecordError) -> Result<Storage, RecordError> {
        if !error.is_lack_of_room() {
            return Err(error);
        }
        self.stop(error);
        Ok(Storage::in_memory())
    }

    /// Orders the access to the flag before the effects of an operation that is not recorded.
    #[cold]
    pub(crate) fn before_lost_operation(&self) {
        fence(Ordering::SeqCst);
    }

    pub(crate) fn close(&self, number: u64, lost: u64, recording: Result<ThreadRecording, RecordError>) {
        match recording {
            Ok(recording) => {
                self.registry().threads.insert(number, Entry::Closed(recording));
            }
            Err(error) => {
                self.registry().threads.remove(&number);
                self.stop(error);
            }
        }
        self.registry().lost += lost;
    }

    fn register(&self, label: &ThreadLabel) -> Result<u64, RecordError> {
        let text = label.to_string();
        if !label.is_usable() {
            return Err(RecordError::LabelInvalid { label: text });
        }
        let mut registry = self.registry();
        // By text: `0` and `"0"` are distinct to a program, but not to the reader of a report.
        if registry
            .threads
            .values()
            .any(|entry| entry.label().to_string() == text)
        {
            return Err(RecordError::LabelTaken { label: text });
        }
        let number = registry.next_number;
        registry.next_number += 1;
        registry.threads.insert(number, Entry::Open(label.clone()));
        Ok(number)
    }

    fn storage(&self, number: u64, label: &ThreadLabel) -> Result<Storage, RecordError> {
        match &self.directory {
            None => Ok(Storage::in_memory()),
            Some(directory) => {
                let file = directory.join(format!("{number:04}-{}.msgpack", label.file_stem()));
                Storage::in_file(file, self.backing, self.chunk_bytes)
            }
        }
    }

    /// A thread that panicked while it held the lock left the registry consistent: every change is one statement.
    fn registry(&self) -> MutexGuard<'_, ThreadRegistry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
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
