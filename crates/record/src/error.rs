//! Errors of recording, each with its remedy.

use std::{error, fmt, io, path::PathBuf};

/// A recorder that cannot be created, or a recording that is incomplete.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// The trace directory is not empty. A trace is a whole directory, so writing beside old files would mix two traces.
    DirectoryNotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// The path of the trace directory is not a directory.
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// An error of the operating system.
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The attempted action, as an infinitive: "create the trace directory".
        doing: &'static str,
        /// The error.
        source: io::Error,
    },
    /// Two threads with the same label: their operations would be indistinguishable.
    LabelTaken {
        /// The label.
        label: String,
    },
    /// An invalid label: empty, or with a `'`, which marks a thread after a pending operation.
    LabelInvalid {
        /// The label.
        label: String,
    },
    /// More threads than `RecordOptions::happens_before` allows.
    TooManyThreads {
        /// The thread beyond the limit.
        label: String,
        /// The limit.
        threads: usize,
    },
    /// A header field of the user has a name that the recorder writes, or occurs twice.
    HeaderTaken {
        /// The field's name.
        name: String,
    },
    /// The requested clock is not reliable on this machine.
    ClockUnavailable {
        /// Its name.
        clock: &'static str,
        /// The reason.
        reason: String,
    },
    /// The clock went backwards within one thread: no timebox of this recording is reliable.
    ClockWentBack {
        /// The thread that observed it.
        thread: String,
        /// The difference in ticks of the recorder's clock.
        ticks: i64,
    },
    /// A value does not fit into MessagePack, or a thread's log not into the address space.
    TooLarge {
        /// The thread that recorded it.
        thread: String,
        /// Its size.
        bytes: usize,
    },
    /// An in-memory recording exceeded the memory.
    OutOfMemory {
        /// The thread that recorded it.
        thread: String,
        /// The requested size.
        bytes: usize,
    },
    /// A call returned a value that a trace cannot hold, or was made with one.
    Unrecordable {
        /// The operation and the value.
        what: String,
    },
    /// Recording stopped while the system continued. The recorded part is a sound trace: see
    /// [the crate's page](crate#when-recording-stops).
    Stopped {
        /// The number of operations that were not recorded.
        lost: u64,
        /// The reason.
        cause: Box<RecordError>,
    },
    /// [`finish`](crate::Recorder::finish) was called while thread logs were still in use.
    StillOpen {
        /// Their labels.
        labels: Vec<String>,
    },
}

impl RecordError {
    /// Whether the disk, a quota or a limit on the size of files leaves no room.
    pub(crate) fn is_lack_of_room(&self) -> bool {
        let Self::Io { source, .. } = self else {
            return false;
        };
        let kinds = [
            io::ErrorKind::StorageFull,
            io::ErrorKind::QuotaExceeded,
            io::ErrorKind::FileTooLarge,
        ];
        kinds.contains(&source.kind())
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DirectoryNotEmpty { path } => write!(
                f,
                "{}: the directory is not empty; a trace needs a directory of its own: name a new one, or \
                 remove this one first",
                path.display()
            ),
            Self::NotADirectory { path } => {
                write!(
                    f,
                    "{}: not a directory; name a new directory for the trace",
                    path.display()
                )
            }
            Self::Io { path, doing, source } => {
                write!(
                    f,
                    "{}: cannot {doing}: {source}; {}",
                    path.display(),
                    advice(source)
                )
            }
            Self::LabelTaken { label } => {
                write!(
                    f,
                    "thread label {label} is already in use; give every thread of a recorder its own label"
                )
            }
            Self::TooManyThreads { label, threads } => write!(
                f,
                "thread {label}: happens-before is recorded for {threads} threads, and there are more; give \
                 `RecordOptions::happens_before` a larger number (a thread that continues after a pending operation counts again)"
            ),
            Self::LabelInvalid { label } => write!(
                f,
                "thread label {label:?} is not usable; use a number, or a text that is not empty and has \
                 no `'`"
            ),
            Self::HeaderTaken { name } => write!(
                f,
                "header field {name:?} is already taken; choose another name (the recorder writes {})",
                crate::header::OWN_FIELDS.join(", ")
            ),
            Self::ClockUnavailable { clock, reason } => write!(
                f,
                "clock {clock} cannot be used: {reason}; let the recorder choose with ClockChoice::Auto"
            ),
            Self::ClockWentBack { thread, ticks } => write!(
                f,
                "thread {thread}: the clock went back by {ticks} ticks, so no timebox of this recording can \
                 be trusted; record again with ClockChoice::Monotonic"
            ),
            Self::TooLarge { thread, bytes } => write!(
                f,
                "thread {thread}: a value of {bytes} bytes or items does not fit into the trace; record a \
                 digest of it instead"
            ),
            Self::OutOfMemory { thread, bytes } => write!(
                f,
                "thread {thread}: no memory for {bytes} more bytes of the recording; record into a \
                 directory instead (Recorder::create)"
            ),
            Self::Unrecordable { what } => f.write_str(what),
            Self::Stopped { lost, cause } => write!(
                f,
                "recording stopped and {lost} operations were not recorded (what was recorded \
                 before is usable): {cause}"
            ),
            Self::StillOpen { labels } => write!(
                f,
                "thread logs still in use: {}; drop them (join their threads) before finishing the recording",
                labels.join(", ")
            ),
        }
    }
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space or record elsewhere",
        io::ErrorKind::FileTooLarge => "raise the limit on file sizes (ulimit -f) or record elsewhere",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a place that this user may write to"
        }
        _ => "check the path and the disk",
    }
}

impl error::Error for RecordError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Stopped { cause, .. } => Some(cause),
            _ => None,
        }
    }
}
