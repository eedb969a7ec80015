//! States that wait to be explored, first in, first out, in memory or on disk.
//!
//! They wait in segments of a few dozen: a segment is what a worker takes at a time, and what goes to disk in one piece once
//! those in memory exceed their budget.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::codec::{Decoder, Garbled};
use crate::fingerprint::Fingerprint;
use crate::machine::State;

/// As many states as a segment has at most.
pub(crate) const SEGMENT_STATES_MAX: usize = 64;
const SEGMENT_BYTES: usize = 64 << 10;

/// Some states in a row.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    bytes: Vec<u8>,
    states: usize,
}

impl Segment {
    /// Reads them one by one.
    pub(crate) fn reader(&self) -> SegmentReader<'_> {
        SegmentReader {
            decoder: Decoder::new(&self.bytes),
            left: self.states,
        }
    }

    fn push(&mut self, fingerprint: Fingerprint, encoded: &[u8]) {
        self.bytes.extend_from_slice(&fingerprint.word().to_le_bytes());
        self.bytes.extend_from_slice(encoded);
        self.states += 1;
    }
}

/// Reads the states of a segment.
#[derive(Debug)]
pub(crate) struct SegmentReader<'a> {
    decoder: Decoder<'a>,
    left: usize,
}

impl SegmentReader<'_> {
    /// The next state, which has this many variables.
    pub(crate) fn next(&mut self, variables: usize) -> Result<Option<(Fingerprint, State)>, Garbled> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let fingerprint = Fingerprint::new(self.decoder.word()?);
        Ok(Some((fingerprint, self.decoder.state(variables)?)))
    }
}

/// Where a segment is.
#[derive(Debug)]
enum Held {
    Memory(Segment),
    Disk { at: u64, bytes: usize, states: usize },
}

/// The states of one level that wait for their turn.
#[derive(Debug)]
pub(crate) struct Waiting {
    sealed: VecDeque<Held>,
    open: Segment,
    /// So many states make a segment.
    segment_states: usize,
    states: u64,
    memory_bytes: u64,
    memory_bytes_max: u64,
    disk: Option<File>,
    disk_bytes: u64,
}

impl Waiting {
    /// Nobody yet; beyond this many bytes, segments go to disk.
    pub(crate) fn new(memory_bytes_max: u64) -> Self {
        Self {
            sealed: VecDeque::new(),
            open: Segment::default(),
            segment_states: SEGMENT_STATES_MAX,
            states: 0,
            memory_bytes: 0,
            memory_bytes_max,
            disk: None,
            disk_bytes: 0,
        }
    }

    /// How many states wait.
    pub(crate) fn len(&self) -> u64 {
        self.states
    }

    /// So many states make a segment from now on.
    pub(crate) fn set_segment_states(&mut self, states: usize) {
        self.segment_states = states;
    }

    /// In how many segments they wait.
    pub(crate) fn segments(&self) -> usize {
        self.sealed.len() + usize::from(self.open.states > 0)
    }

    /// How much memory they take.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.memory_bytes + self.open.bytes.len() as u64
    }

    /// Adds a state.
    pub(crate) fn push(&mut self, fingerprint: Fingerprint, encoded: &[u8]) -> io::Result<()> {
        self.open.push(fingerprint, encoded);
        self.states += 1;
        if self.open.states >= self.segment_states || self.open.bytes.len() >= SEGMENT_BYTES {
            self.seal()?;
        }
        Ok(())
    }

    fn seal(&mut self) -> io::Result<()> {
        let mut segment = std::mem::take(&mut self.open);
        let bytes = segment.bytes.len();
        if self.memory_bytes + bytes as u64 <= self.memory_bytes_max {
            segment.bytes.shrink_to_fit();
            self.memory_bytes += bytes as u64;
            self.sealed.push_back(Held::Memory(segment));
            return Ok(());
        }
        let file = match &mut self.disk {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(self.disk_bytes))?;
        file.write_all(&segment.bytes)?;
        self.sealed.push_back(Held::Disk {
            at: self.disk_bytes,
            bytes,
            states: segment.states,
        });
        self.disk_bytes += bytes as u64;
        Ok(())
    }

    /// Takes the segment that has waited longest.
    pub(crate) fn pop(&mut self) -> io::Result<Option<Segment>> {
        let segment = match self.sealed.pop_front() {
            None if self.open.states == 0 => return Ok(None),
            None => std::mem::take(&mut self.open),
            Some(Held::Memory(segment)) => {
                self.memory_bytes -= segment.bytes.len() as u64;
                segment
            }
            Some(Held::Disk { at, bytes, states }) => {
                let mut segment = Segment {
                    bytes: vec![0; bytes],
                    states,
                };
                if let Some(file) = &mut self.disk {
                    file.seek(SeekFrom::Start(at))?;
                    file.read_exact(&mut segment.bytes)?;
                }
                segment
            }
        };
        self.states -= segment.states as u64;
        Ok(Some(segment))
    }
}

#[cfg(test)]
mod tests {
    use omnilink_value::Value;

    use super::*;
    use crate::codec::encode;

    #[test]
    fn states_come_back_in_order_from_memory_and_from_disk() {
        for memory_bytes_max in [0, 2_000, u64::MAX] {
            let mut waiting = Waiting::new(memory_bytes_max);
            for n in 0..1_000i64 {
                let mut encoded = Vec::new();
                encode(&n.into(), &mut encoded);
                encode(&"x".into(), &mut encoded);
                let pushed = waiting.push(Fingerprint::of_state(&[n.into()]), &encoded);
                assert!(pushed.is_ok());
            }
            assert_eq!(waiting.len(), 1_000);
            assert!(waiting.memory_bytes() <= memory_bytes_max.saturating_add(SEGMENT_BYTES as u64));
            assert_eq!(waiting.disk.is_some(), memory_bytes_max < u64::MAX);
            let mut expected = 0i64..;
            while let Ok(Some(segment)) = waiting.pop() {
                let mut reader = segment.reader();
                while let Ok(Some((fingerprint, state))) = reader.next(2) {
                    let n = Value::int(expected.next().unwrap_or_default());
                    assert_eq!(*state, [n.clone(), "x".into()]);
                    assert_eq!(fingerprint, Fingerprint::of_state(&[n]));
                }
            }
            assert_eq!(expected.next(), Some(1_000));
            assert_eq!((waiting.len(), waiting.memory_bytes()), (0, 0));
        }
    }
}
