//! The header of every file: host, command, clock and the user's own fields.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::{
    Record, RecordError, ThreadLabel,
    buffer::Buffer,
    clock::Clock,
    storage::Storage,
    value::{LengthPrefix, MAP, ValueSlot},
};

/// The names of the fields that the recorder writes.
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

/// The fields that the headers of all files of a recorder share.
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
    pub(crate) fn write(&self, buffer: &mut Buffer, clock: &Clock, thread: Option<&ThreadLabel>) {
        let mut count = LengthPrefix::begin_record(buffer);
        let mut field = |name: &str, value: &dyn Record| {
            count.add();
            ValueSlot::new(buffer).str(name);
            value.record(ValueSlot::new(buffer));
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
            // The `clock` of every operation counts the operations of each thread that had ended.
            field("happens_before", &"counters");
        }
        if let Some(thread) = thread {
            field("thread", thread);
            // A promise to readers: the operations of a thread are in order of start.
            field("sorted", &true);
        }
        for (name, value) in &self.own {
            count.add();
            ValueSlot::new(buffer).str(name);
            buffer.put(value);
        }
        count.end(buffer);
        buffer.publish(MAP);
    }
}

#[cfg(unix)]
fn host() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the call writes at most the given length, so the last byte stays zero.
    let result = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let name = if result == 0 { &name[..] } else { &[] };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    String::from_utf8_lossy(name.get(..end).unwrap_or_default()).into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
