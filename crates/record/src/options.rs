//! What can be chosen about a recording.

use std::path::Path;

use crate::{
    ClockChoice, Record, RecordError, Recorder, header::OWN_FIELDS, storage::Backing, value::encoded,
};

/// What an operation's `end` waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndFence {
    /// Until every store of the operation can be seen by every core: the timebox surely encloses the effect.
    #[default]
    DrainStores,
    /// Only until its loads have their values. Some nanoseconds cheaper, and it leaves the store buffer as it
    /// is, so that bugs can show that need a store to linger beyond its operation. In return an operation
    /// whose effect is a plain store may be seen to take effect after its `end`: only the order *within*
    /// threads is certain then, so check such traces for sequential consistency.
    LoadsOnly,
}

/// The choices for a [`Recorder`]. The defaults are right for most.
#[derive(Debug, Default)]
#[must_use = "options do nothing until a recorder is made of them"]
pub struct Options {
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
    /// Some 16,000 operations: making room for them costs a few nanoseconds each, and a thread that records
    /// little does not take much.
    fn default() -> Self {
        Self(1 << 20)
    }
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Which clock to read.
    pub fn clock(mut self, clock: ClockChoice) -> Self {
        self.clock = clock;
        self
    }

    /// What an operation's `end` waits for.
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

    /// Also records happens-before: with every operation, as its vector `clock`, how many operations of each thread
    /// were over when it began, and, as `return_clock` in its `meta`, how many had begun when it was over. For up to
    /// `threads` threads; a thread that goes on after an operation left pending counts as another.
    ///
    /// This order is certain whatever the clock does. What had begun is only noted where stores are drained around
    /// calls; with [`EndFence::LoadsOnly`] the vector clocks are all, and they take no fence. It is a partial order, not
    /// always one of timeboxes: `omnilink check` uses it for histories of up to 128 operations.
    pub fn happens_before(mut self, threads: u16) -> Self {
        self.counted_threads = Some(threads);
        self
    }

    /// Adds a field to the header of every file: the seed, the version of the system under test, the workload
    /// …
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
