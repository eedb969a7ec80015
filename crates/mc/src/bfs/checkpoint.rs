//! Checkpoints: a breadth-first search on disk, from which it can be resumed.
//!
//! A checkpoint is one file: a line with the format, a line of JSON with the counts, the seen set, the segments of the frontier, what the
//! sink of the state graph received (if temporal properties need it), and a checksum. It is written beside its place, flushed to the disk and renamed, so the file is complete whenever it exists: a process
//! that is killed leaves the checkpoint before. It is written while no worker runs, when all segments that were taken and not
//! committed are back in the frontier; a search resumed from it therefore commits the same states in the same order as one that was
//! never interrupted.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use omnilink_memory::guard;
use serde::{Deserialize, Serialize};

use super::frontier::Frontier;
use super::search_state::SearchState;
use super::segment::Segment;

use crate::checkpoint_error::{CheckpointError, CheckpointProblem};
use crate::fingerprint::Fingerprint;
use crate::limits::SearchOptions;
use crate::outcome::SearchError;
use crate::statistics::{ActionCount, SearchStatistics};

/// The first line. The version changes with the format and with the function that computes fingerprints.
const FORMAT: &str = concat!("omnilink mc checkpoint 2, version ", env!("CARGO_PKG_VERSION"));
/// Bytes of a state in the seen set: its fingerprint and the tag of its parent.
const SEEN_BYTES: usize = 12;
/// At most this part of the time is spent on checkpoints.
const TIME_FRACTION: u32 = 10;

/// What belongs to a check beside the search itself, such as registers.
pub trait CheckpointContext: Sync + std::fmt::Debug {
    /// Its present state.
    fn save(&self) -> serde_json::Value;
    /// Restores a state. Returns whether it could.
    fn restore(&self, saved: &serde_json::Value) -> bool;
}

/// Where checkpoints go, and what they belong to.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoints<'c> {
    /// The folder.
    pub folder: &'c Path,
    /// Identifies the specification, its configuration and the options that matter.
    pub identity: &'c str,
    /// The time between two checkpoints.
    pub interval: Duration,
    /// Whether the search starts from the checkpoint in the folder.
    pub is_resumed: bool,
    /// What else is to be saved.
    pub context: &'c dyn CheckpointContext,
    /// Whether the checkpoint of a complete search stays, because its states are still needed.
    pub keeps_complete: bool,
}

/// The counts of a search.
#[derive(Serialize, Deserialize)]
struct Header {
    identity: String,
    /// The hash of a known value: another function of fingerprints gives another one.
    sample: String,
    level: u32,
    generated: u64,
    distinct: u64,
    depth: u32,
    queued: u64,
    queued_max: u64,
    deepest_level_len: u64,
    actions: Vec<(u64, u64)>,
    context: serde_json::Value,
    seen: u64,
    segments: u64,
}

fn sample() -> String {
    Fingerprint::of_state(&[omnilink_value::Value::str("omnilink")]).to_string()
}

impl Checkpoints<'_> {
    fn file(&self) -> PathBuf {
        checkpoint_file(self.folder)
    }

    fn error(&self, reason: CheckpointProblem) -> SearchError {
        CheckpointError {
            path: self.file(),
            reason,
        }
        .into()
    }

    /// Prepares the folder: it is created, and must not have the checkpoint of another search.
    pub(super) fn prepare(&self) -> Result<(), SearchError> {
        if self.is_resumed {
            return Ok(());
        }
        fs::create_dir_all(self.folder).map_err(|error| self.error(CheckpointProblem::Write(error)))?;
        match self.file().exists() {
            true => Err(self.error(CheckpointProblem::Present)),
            false => Ok(()),
        }
    }

    /// Removes the checkpoint of a search that has ended.
    pub(super) fn remove(&self) {
        remove_checkpoint(self.folder);
    }

    /// Writes a checkpoint, and sets when the next one is due.
    pub(super) fn write(&self, search: &mut SearchState<'_, '_>) -> Result<(), SearchError> {
        let started = Instant::now();
        let _unfinished = guard::unfinished();
        self.write_file(search)
            .map_err(|error| self.error(CheckpointProblem::Write(error)))?;
        search.pause_at = Some(Instant::now() + self.interval.max(started.elapsed() * TIME_FRACTION));
        Ok(())
    }

    fn write_file(&self, search: &mut SearchState<'_, '_>) -> io::Result<()> {
        let (path, beside) = (self.file(), self.folder.join("search.checkpoint.new"));
        let mut out = Summed::new(BufWriter::with_capacity(1 << 20, File::create(&beside)?));
        let mut segments = 0;
        search.frontier.each_segment(|_, _| {
            segments += 1;
            Ok::<(), io::Error>(())
        })?;
        let statistics = &search.tally.statistics;
        let header = Header {
            identity: self.identity.to_owned(),
            sample: sample(),
            level: search.frontier.level(),
            generated: statistics.generated,
            distinct: statistics.distinct,
            depth: statistics.depth,
            queued: statistics.queued,
            queued_max: statistics.queued_max,
            deepest_level_len: search.deepest_level_len,
            actions: search
                .tally
                .action_counts
                .iter()
                .map(|count| (count.generated, count.distinct))
                .collect(),
            context: self.context.save(),
            seen: search.seen.len(),
            segments,
        };
        writeln!(out, "{FORMAT}\n{}", serde_json::to_string(&header)?)?;
        for (state, parent) in search.seen.entries() {
            out.write_all(&state.word().to_le_bytes())?;
            out.write_all(&parent.to_le_bytes())?;
        }
        search.frontier.each_segment(|level, segment| {
            let (bytes, states) = segment.encoded();
            out.write_all(&level.to_le_bytes())?;
            out.write_all(&(states as u32).to_le_bytes())?;
            out.write_all(&(bytes.len() as u64).to_le_bytes())?;
            out.write_all(bytes)
        })?;
        search.tally.save_sink(&mut out)?;
        let sum = out.sum.clone().finalize();
        out.inner.write_all(&sum.to_le_bytes())?;
        let file = out.inner.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(&beside, &path)?;
        // The rename itself must reach the disk too. Not every system can flush a folder.
        if let Ok(folder) = File::open(self.folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// Restores the search of the checkpoint.
    pub(super) fn read(
        &self,
        search: &mut SearchState<'_, '_>,
        options: &SearchOptions,
    ) -> Result<(), SearchError> {
        let file = File::open(self.file()).map_err(|error| self.error(CheckpointProblem::Absent(error)))?;
        let mut input = Summed::new(BufReader::with_capacity(1 << 20, file));
        match self.read_into(search, options, &mut input) {
            Ok(None) => Ok(()),
            Ok(Some(reason)) => Err(self.error(reason)),
            Err(_) => Err(self.error(CheckpointProblem::Damaged)),
        }
    }

    /// Returns why the checkpoint cannot be used, if so. An error means that it is damaged.
    fn read_into(
        &self,
        search: &mut SearchState<'_, '_>,
        options: &SearchOptions,
        input: &mut Summed<impl Read>,
    ) -> io::Result<Option<CheckpointProblem>> {
        if input.line(FORMAT.len())? != FORMAT.as_bytes() {
            return Ok(Some(CheckpointProblem::Format));
        }
        let header: Header = serde_json::from_slice(&input.line(usize::MAX)?)?;
        if header.sample != sample() {
            return Ok(Some(CheckpointProblem::Format));
        }
        if header.identity != self.identity || header.actions.len() != search.tally.action_counts.len() {
            return Ok(Some(CheckpointProblem::Other));
        }
        for _ in 0..header.seen {
            let entry: [u8; SEEN_BYTES] = input.array()?;
            let (state, parent) = entry.split_at(8);
            let state = u64::from_le_bytes(state.try_into().map_err(io::Error::other)?);
            let parent = u32::from_le_bytes(parent.try_into().map_err(io::Error::other)?);
            search.seen.insert(Fingerprint::new(state), parent);
        }
        search.frontier = Frontier::at_level(options.queue_bytes_max, header.level);
        for _ in 0..header.segments {
            let level = u32::from_le_bytes(input.array()?);
            let states = u32::from_le_bytes(input.array()?) as usize;
            let length = u64::from_le_bytes(input.array()?);
            let mut bytes = Vec::new();
            input.by_ref().take(length).read_to_end(&mut bytes)?;
            if bytes.len() as u64 != length {
                return Ok(Some(CheckpointProblem::Damaged));
            }
            search.frontier.push_segment(level, Segment::new(bytes, states))?;
        }
        search.tally.restore_sink(input)?;
        let sum = input.sum.clone().finalize();
        let is_whole = u32::from_le_bytes(input.array()?) == sum && search.seen.len() == header.seen;
        if !is_whole || !self.context.restore(&header.context) {
            return Ok(Some(CheckpointProblem::Damaged));
        }
        search.deepest_level_len = header.deepest_level_len;
        search.tally.statistics = SearchStatistics {
            generated: header.generated,
            distinct: header.distinct,
            depth: header.depth,
            queued: header.queued,
            queued_max: header.queued_max,
        };
        let counts = header.actions.into_iter();
        search.tally.action_counts = counts
            .map(|(generated, distinct)| ActionCount { generated, distinct })
            .collect();
        search.publish_progress();
        Ok(None)
    }
}

fn checkpoint_file(folder: &Path) -> PathBuf {
    folder.join("search.checkpoint")
}

/// Removes the checkpoint of a search whose states are not needed any more.
pub(crate) fn remove_checkpoint(folder: &Path) {
    // A checkpoint that stays does no harm.
    let _ = fs::remove_file(checkpoint_file(folder));
}

/// Sums up what is written or read.
struct Summed<T> {
    inner: T,
    sum: crc32fast::Hasher,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Self {
        Self {
            inner,
            sum: crc32fast::Hasher::new(),
        }
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum.update(&bytes[..read]);
        Ok(read)
    }
}

impl<R: Read> Summed<R> {
    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The rest of the line without its end, or the first bytes of it.
    fn line(&mut self, length_max: usize) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let [byte] = self.array()?;
            if byte == b'\n' || line.len() > length_max {
                return Ok(line);
            }
            line.push(byte);
        }
    }
}
