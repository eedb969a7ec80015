//! Options of a recording.

use std::path::Path;

use crate::{
    ClockChoice, Record, RecordError, Recorder, header::OWN_FIELDS, storage::Backing, value::encoded,
};

/// The stores and loads that must complete before an operation's `end` is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndFence {
    /// All stores are visible to every core: the timebox certainly encloses the effect.
    #[default]
    DrainStores,
    /// Only the loads are complete. Some nanoseconds cheaper, and it does not drain the store buffer, so bugs can appear that
    /// need a store to stay in the buffer beyond its operation. In return, an operation whose effect is a plain store may
    /// take effect after its `end`: only the order *within* threads is certain, so check such traces for sequential
    /// consistency.
    LoadsOnly,
}

/// The options of a [`Recorder`].
#[derive(Debug, Default)]
#[must_use = "options do nothing until they create a recorder"]
pub struct RecordOptions {
    pub(crate) clock: ClockChoice,
    pub(crate) end_fence: EndFence,
    pub(crate) backing: Backing,
    pub(crate) chunk: ChunkBytes,
    pub(crate) header: Vec<(String, Vec<u8>)>,
    pub(crate) counted_threads: Option<u16>,
}

/// How much of a file is allocated and mapped at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkBytes(pub(crate) usize);

impl Default for ChunkBytes {
    /// About 16,000 operations: allocating them costs a few nanoseconds each, and a thread that records little wastes
    /// little.
    fn default() -> Self {
        Self(1 << 20)
    }
}

impl RecordOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The clock to read.
    pub fn clock(mut self, clock: ClockChoice) -> Self {
        self.clock = clock;
        self
    }

    /// The stores and loads that must complete before an operation's `end` is read.
    pub fn end_fence(mut self, end_fence: EndFence) -> Self {
        self.end_fence = end_fence;
        self
    }

    /// How the files are written.
    pub fn backing(mut self, backing: Backing) -> Self {
        self.backing = backing;
        self
    }

    /// How much of a file is allocated and mapped at a time; rounded up to whole pages.
    pub fn chunk_bytes(mut self, bytes: usize) -> Self {
        self.chunk = ChunkBytes(bytes);
        self
    }

    /// Also records happens-before: the vector `clock` of every operation counts the operations of each thread that had ended
    /// when it began, and `return_clock` in its `meta` those that had begun when it ended. For up to `threads` threads; a
    /// thread that continues after a pending operation counts as another.
    ///
    /// This order does not depend on the clock. With [`EndFence::LoadsOnly`] there is no `return_clock`, because it needs the
    /// fence; the vector clocks need none. It is a partial order, not always one of timeboxes: `omnilink check` uses it for
    /// histories of up to 128 operations.
    pub fn happens_before(mut self, threads: u16) -> Self {
        self.counted_threads = Some(threads);
        self
    }

    /// Adds a field to the header of every file, such as the seed or the version of the system under test.
    pub fn header(mut self, name: &str, value: impl Record) -> Result<Self, RecordError> {
        if OWN_FIELDS.contains(&name) || self.header.iter().any(|(taken, _)| taken == name) {
            return Err(RecordError::HeaderTaken {
                name: name.to_owned(),
            });
        }
        let encoded = encoded(&value)?;
        self.header.push((name.to_owned(), encoded));
        Ok(self)
    }

    /// A recorder that writes one file per thread into `directory`, which must be empty or not exist yet.
    pub fn create(self, directory: impl AsRef<Path>) -> Result<Recorder, RecordError> {
        Recorder::with(self, Some(directory.as_ref()))
    }

    /// A recorder that keeps everything in memory.
    pub fn in_memory(self) -> Result<Recorder, RecordError> {
        Recorder::with(self, None)
    }
}
