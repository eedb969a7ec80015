//! FIFO queue of encoded states, in memory or on disk.
//!
//! States are stored in segments of a few dozen, packed. Once the segments in memory exceed their budget, further ones go to disk whole.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::packed_segment::PackedSegment;
use super::segment::{SEGMENT_STATES_MAX, Segment};
use crate::fingerprint::Fingerprint;

const SEGMENT_BYTES: usize = 64 << 10;

/// A full segment, in memory or on disk.
#[derive(Debug)]
enum StoredSegment {
    Memory(Waiting),
    Disk(DiskPlace),
}

/// Where a segment is on disk.
#[derive(Clone, Copy, Debug)]
struct DiskPlace {
    at: u64,
    bytes: usize,
    states: usize,
    is_packed: bool,
}

/// A segment as it waits. One that came as a whole is not packed.
#[derive(Debug)]
struct Waiting {
    bytes: Vec<u8>,
    states: usize,
    is_packed: bool,
}

impl Waiting {
    fn of_segment(segment: Segment) -> Self {
        Self {
            bytes: segment.bytes,
            states: segment.states,
            is_packed: false,
        }
    }

    fn of_packed(segment: PackedSegment) -> Self {
        Self {
            states: segment.states(),
            bytes: segment.into_bytes(),
            is_packed: true,
        }
    }

    fn into_segment(self) -> io::Result<Segment> {
        if !self.is_packed {
            return Ok(Segment::new(self.bytes, self.states));
        }
        let unpacked = PackedSegment::new(self.bytes, self.states).unpacked();
        unpacked.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a part of the queue is damaged"))
    }
}

/// The queued states of one level.
#[derive(Debug)]
pub(crate) struct StateQueue {
    full: VecDeque<StoredSegment>,
    /// The segment that states are added to.
    open: PackedSegment,
    /// States per segment.
    segment_states: usize,
    states: u64,
    memory_bytes: u64,
    memory_bytes_max: u64,
    disk: Option<File>,
    disk_bytes: u64,
}

impl StateQueue {
    /// An empty queue. Beyond this many bytes, segments go to disk.
    pub(crate) fn new(memory_bytes_max: u64) -> Self {
        Self {
            full: VecDeque::new(),
            open: PackedSegment::default(),
            segment_states: SEGMENT_STATES_MAX,
            states: 0,
            memory_bytes: 0,
            memory_bytes_max,
            disk: None,
            disk_bytes: 0,
        }
    }

    /// Number of states.
    pub(crate) fn len(&self) -> u64 {
        self.states
    }

    /// Sets the number of states per segment from now on.
    pub(crate) fn set_segment_states(&mut self, states: usize) {
        self.segment_states = states;
    }

    /// Number of segments.
    pub(crate) fn segments(&self) -> usize {
        self.full.len() + usize::from(self.open.states() > 0)
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.memory_bytes + self.open.bytes().len() as u64
    }

    /// Appends a state.
    pub(crate) fn push(&mut self, fingerprint: Fingerprint, encoded: &[u8]) -> io::Result<()> {
        self.open.push(fingerprint, encoded);
        self.states += 1;
        if self.open.states() >= self.segment_states || self.open.bytes().len() >= SEGMENT_BYTES {
            self.close_segment()?;
        }
        Ok(())
    }

    /// Appends a segment.
    pub(crate) fn push_segment(&mut self, segment: Segment) -> io::Result<()> {
        if self.open.states() > 0 {
            self.close_segment()?;
        }
        self.states += segment.states as u64;
        self.store(Waiting::of_segment(segment))
    }

    /// All segments, the oldest first.
    pub(crate) fn each_segment<E: From<io::Error>>(
        &mut self,
        mut visit: impl FnMut(&Segment) -> Result<(), E>,
    ) -> Result<(), E> {
        for stored in &self.full {
            let waiting = match stored {
                StoredSegment::Memory(waiting) => Waiting {
                    bytes: waiting.bytes.clone(),
                    ..*waiting
                },
                StoredSegment::Disk(place) => read(&mut self.disk, *place)?,
            };
            visit(&waiting.into_segment()?)?;
        }
        if self.open.states() > 0 {
            let bytes = self.open.bytes().to_vec();
            let open = Waiting::of_packed(PackedSegment::new(bytes, self.open.states()));
            visit(&open.into_segment()?)?;
        }
        Ok(())
    }

    fn close_segment(&mut self) -> io::Result<()> {
        let packed = std::mem::take(&mut self.open);
        self.store(Waiting::of_packed(packed))
    }

    fn store(&mut self, mut segment: Waiting) -> io::Result<()> {
        let bytes = segment.bytes.len();
        if self.memory_bytes + bytes as u64 <= self.memory_bytes_max {
            segment.bytes.shrink_to_fit();
            self.memory_bytes += bytes as u64;
            self.full.push_back(StoredSegment::Memory(segment));
            return Ok(());
        }
        let file = match &mut self.disk {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(self.disk_bytes))?;
        file.write_all(&segment.bytes)?;
        self.full.push_back(StoredSegment::Disk(DiskPlace {
            at: self.disk_bytes,
            bytes,
            states: segment.states,
            is_packed: segment.is_packed,
        }));
        self.disk_bytes += bytes as u64;
        Ok(())
    }

    /// Removes the oldest segment.
    pub(crate) fn pop(&mut self) -> io::Result<Option<Segment>> {
        let waiting = match self.full.pop_front() {
            None if self.open.states() == 0 => return Ok(None),
            None => Waiting::of_packed(std::mem::take(&mut self.open)),
            Some(StoredSegment::Memory(waiting)) => {
                self.memory_bytes -= waiting.bytes.len() as u64;
                waiting
            }
            Some(StoredSegment::Disk(place)) => read(&mut self.disk, place)?,
        };
        self.states -= waiting.states as u64;
        waiting.into_segment().map(Some)
    }
}

/// Reads a segment from disk.
fn read(disk: &mut Option<File>, place: DiskPlace) -> io::Result<Waiting> {
    let mut segment = Waiting {
        bytes: vec![0; place.bytes],
        states: place.states,
        is_packed: place.is_packed,
    };
    if let Some(file) = disk {
        file.seek(SeekFrom::Start(place.at))?;
        file.read_exact(&mut segment.bytes)?;
    }
    Ok(segment)
}

#[cfg(test)]
mod tests {
    use omnilink_value::Value;

    use super::*;
    use crate::codec::encode;

    #[test]
    fn states_come_back_in_order_from_memory_and_from_disk() {
        for memory_bytes_max in [0, 2_000, u64::MAX] {
            let mut queue = StateQueue::new(memory_bytes_max);
            for n in 0..1_000i64 {
                let mut encoded = Vec::new();
                encode(&n.into(), &mut encoded);
                encode(&"x".into(), &mut encoded);
                let pushed = queue.push(Fingerprint::of_state(&[n.into()]), &encoded);
                assert!(pushed.is_ok());
            }
            assert_eq!(queue.len(), 1_000);
            assert!(queue.memory_bytes() <= memory_bytes_max.saturating_add(SEGMENT_BYTES as u64));
            assert_eq!(queue.disk.is_some(), memory_bytes_max < u64::MAX);
            let mut expected = 0i64..;
            while let Ok(Some(segment)) = queue.pop() {
                let mut reader = segment.reader();
                while let Ok(Some((fingerprint, state))) = reader.next(2) {
                    let n = Value::int(expected.next().unwrap_or_default());
                    assert_eq!(*state, [n.clone(), "x".into()]);
                    assert_eq!(fingerprint, Fingerprint::of_state(&[n]));
                }
            }
            assert_eq!(expected.next(), Some(1_000));
            assert_eq!((queue.len(), queue.memory_bytes()), (0, 0));
        }
    }
}
