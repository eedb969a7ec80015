//! The first map of every file: what was recorded, where, and with which clock.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::{
    Label, Record, RecordError,
    buffer::Buffer,
    clock::Clock,
    storage::Storage,
    value::{Count, MAP, Slot},
};

/// The fields that the recorder itself writes.
pub(crate) const OWN_FIELDS: [&str; 11] = [
    "omnilink",
    "unit",
    "ticks_per_second",
    "clock",
    "host",
    "pid",
    "command",
    "recorded_at",
    "thread",
    "sorted",
    "happens_before",
];

/// What the headers of a recorder's files have in common.
#[derive(Debug)]
pub(crate) struct Header {
    host: String,
    command: String,
    recorded_at_unix_ns: u64,
    has_happens_before: bool,
    /// Names and MessagePack values of the user's own fields.
    own: Vec<(String, Vec<u8>)>,
}

impl Header {
    pub(crate) fn new(own: Vec<(String, Vec<u8>)>, has_happens_before: bool) -> Self {
        let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            host: host(),
            command: arguments.collect::<Vec<_>>().join(" "),
            recorded_at_unix_ns: u64::try_from(since_epoch.as_nanos()).unwrap_or(u64::MAX),
            has_happens_before,
            own,
        }
    }

    /// The header of a trace of all threads.
    pub(crate) fn of_all_threads(&self, clock: &Clock) -> Result<Vec<u8>, RecordError> {
        let mut buffer = Buffer::new(Storage::in_memory());
        self.write(&mut buffer, clock, None);
        buffer.into_bytes()
    }

    /// Writes the header as a record of its own, for a trace of one thread or of all.
    pub(crate) fn write(&self, buffer: &mut Buffer, clock: &Clock, thread: Option<&Label>) {
        let mut count = Count::begin_record(buffer);
        let mut field = |name: &str, value: &dyn Record| {
            count.add();
            Slot::new(buffer).str(name);
            value.record(Slot::new(buffer));
        };
        field("omnilink", &1);
        field("unit", &clock.unit());
        field("ticks_per_second", &clock.ticks_per_second());
        field("clock", &clock.name());
        field("host", &self.host);
        field("pid", &std::process::id());
        field("command", &self.command);
        field("recorded_at", &self.recorded_at_unix_ns);
        if self.has_happens_before {
            // Every operation's `clock` says how many operations of each thread were over.
            field("happens_before", &"counters");
        }
        if let Some(thread) = thread {
            field("thread", thread);
            // A promise to readers: a thread's operations come in the order of their starts.
            field("sorted", &true);
        }
        for (name, value) in &self.own {
            count.add();
            Slot::new(buffer).str(name);
            buffer.put(value);
        }
        count.end(buffer);
        buffer.publish(MAP);
    }
}

#[cfg(unix)]
fn host() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the call writes at most the length it is told, and the last byte stays zero.
    let result = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let name = if result == 0 { &name[..] } else { &[] };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    String::from_utf8_lossy(name.get(..end).unwrap_or_default()).into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
