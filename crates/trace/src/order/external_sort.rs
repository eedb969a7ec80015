//! External merge sort: sorted runs in a temporary file, then their merge.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use omnilink_sorting::sort_by_key;
use omnilink_value::msgpack::MsgpackCursor;

use super::Merge;
use crate::format1::{RawRecord, RecordDefaults, decode_record};
use crate::location::Source;
use crate::name::NameCache;
use crate::stream::OperationStream;
use crate::write::encode_msgpack;
use crate::{Location, Operation, TraceError};

/// The largest number of runs that are merged at once. Each needs a buffer of [`RUN_BUFFER_BYTES`].
const RUNS_MAX: usize = 128;
const RUN_BUFFER_BYTES: usize = 1 << 15;

/// The prefix of each record: its position in the input and its length.
const PREFIX_BYTES: usize = 12;

/// Sorts `first` and `rest` with at most `chunk_ops` operations in memory.
pub(super) fn sort(
    first: Vec<Arc<Operation>>,
    mut rest: Box<dyn OperationStream>,
    chunk_ops: usize,
) -> Result<Box<dyn OperationStream>, TraceError> {
    let Some(source) = first
        .first()
        .map(|operation| Arc::clone(operation.location.source()))
    else {
        return Ok(rest);
    };
    let mut runs = RunFile::new(source).map_err(file_error)?;
    let mut chunk = first;
    loop {
        sort_by_key(&mut chunk, |operation| operation.timebox.start);
        runs.write_run(chunk.drain(..).map(Ok))?;
        while chunk.len() < chunk_ops {
            match rest.next()? {
                Some(operation) => chunk.push(operation),
                None => break,
            }
        }
        if chunk.is_empty() {
            break;
        }
    }
    drop(chunk);
    while runs.runs.len() > RUNS_MAX {
        runs.merge_runs()?;
    }
    Ok(Box::new(Merge::new(runs.readers())?))
}

/// Runs in an anonymous temporary file.
struct RunFile {
    file: Arc<File>,
    source: Arc<Source>,
    runs: Vec<Run>,
    end: u64,
}

#[derive(Clone, Copy)]
struct Run {
    begin: u64,
    end: u64,
}

impl RunFile {
    fn new(source: Arc<Source>) -> io::Result<Self> {
        Ok(Self {
            file: Arc::new(tempfile::tempfile()?),
            source,
            runs: Vec::new(),
            end: 0,
        })
    }

    /// Appends sorted operations as one run.
    fn write_run(
        &mut self,
        operations: impl Iterator<Item = Result<Arc<Operation>, TraceError>>,
    ) -> Result<(), TraceError> {
        let begin = self.end;
        let mut buffer = Vec::with_capacity(RUN_BUFFER_BYTES * 2);
        for operation in operations {
            encode(&*operation?, &mut buffer);
            if buffer.len() >= RUN_BUFFER_BYTES {
                self.append(&buffer).map_err(file_error)?;
                buffer.clear();
            }
        }
        self.append(&buffer).map_err(file_error)?;
        self.runs.push(Run { begin, end: self.end });
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut file = &*self.file;
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Merges neighbouring runs, so that there are fewer and equal starts stay in order.
    fn merge_runs(&mut self) -> Result<(), TraceError> {
        let runs = std::mem::take(&mut self.runs);
        for group in runs.chunks(RUNS_MAX) {
            let mut merge = Merge::new(group.iter().map(|&run| self.reader(run)).collect::<Vec<_>>())?;
            self.write_run(std::iter::from_fn(|| merge.next().transpose()))?;
        }
        Ok(())
    }

    fn readers(&self) -> Vec<RunReader> {
        self.runs.iter().map(|&run| self.reader(run)).collect()
    }

    fn reader(&self, run: Run) -> RunReader {
        RunReader {
            bytes: RunBytes {
                file: Arc::clone(&self.file),
                run,
                buffer: Vec::new(),
                at: 0,
            },
            defaults: RecordDefaults::new(Arc::clone(&self.source), None),
            names: NameCache::new(),
        }
    }
}

fn encode(operation: &Operation, out: &mut Vec<u8>) {
    let begin = out.len();
    out.extend_from_slice(&operation.location.position().unwrap_or_default().to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    encode_msgpack(operation, out);
    // Records are shorter than the input buffer, whose limit is far below four gigabytes.
    let length = (out.len() - begin - PREFIX_BYTES) as u32;
    out[begin + 8..begin + PREFIX_BYTES].copy_from_slice(&length.to_le_bytes());
}

/// The bytes of one run. All runs share one file handle, so each block is read after a seek.
struct RunBytes {
    file: Arc<File>,
    /// The part that is not yet in the buffer.
    run: Run,
    buffer: Vec<u8>,
    at: usize,
}

impl RunBytes {
    /// The next `count` bytes; `None` at the end of the run.
    fn take(&mut self, count: usize) -> io::Result<Option<&[u8]>> {
        if self.buffer.len() - self.at < count {
            self.buffer.drain(..self.at);
            self.at = 0;
            let wanted = RUN_BUFFER_BYTES.max(count).saturating_sub(self.buffer.len()) as u64;
            let wanted = wanted.min(self.run.end - self.run.begin);
            let mut file = &*self.file;
            file.seek(SeekFrom::Start(self.run.begin))?;
            file.take(wanted).read_to_end(&mut self.buffer)?;
            self.run.begin += wanted;
        }
        let bytes = self.buffer.get(self.at..self.at + count);
        self.at += bytes.map_or(0, <[u8]>::len);
        Ok(bytes)
    }
}

/// Reads one run back.
struct RunReader {
    bytes: RunBytes,
    defaults: RecordDefaults,
    names: NameCache,
}

impl OperationStream for RunReader {
    fn next(&mut self) -> Result<Option<Arc<Operation>>, TraceError> {
        let damaged = || file_error(io::ErrorKind::UnexpectedEof.into());
        let Some(prefix) = self.bytes.take(PREFIX_BYTES).map_err(file_error)? else {
            return Ok(None);
        };
        let (position, length) = prefix.split_at(8);
        let position = u64::from_le_bytes(position.try_into().map_err(|_| damaged())?);
        let length = u32::from_le_bytes(length.try_into().map_err(|_| damaged())?);
        let record = self
            .bytes
            .take(length as usize)
            .map_err(file_error)?
            .ok_or_else(damaged)?;
        let mut fields = RawRecord::default();
        decode_record(&mut MsgpackCursor::new(record), &mut self.names, &mut fields)
            .map_err(|problem| TraceError::new(Location::whole("temporary file"), problem))?;
        self.defaults.operation(fields, position).map(Some)
    }
}

#[cold]
fn file_error(error: io::Error) -> TraceError {
    TraceError::new(
        Location::whole("temporary file for sorting (set TMPDIR to a disk with room)"),
        error,
    )
}
