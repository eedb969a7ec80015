//! Segments: runs of encoded states, the unit of work and of disk storage.

use crate::codec::{Decoder, StateDecodeError};
use crate::fingerprint::Fingerprint;
use crate::transition_system::State;

/// Maximum number of states in a segment.
pub(crate) const SEGMENT_STATES_MAX: usize = 64;

/// Consecutive states, encoded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    pub(super) bytes: Vec<u8>,
    pub(super) states: usize,
}

impl Segment {
    pub(crate) fn reader(&self) -> SegmentReader<'_> {
        SegmentReader {
            decoder: Decoder::new(&self.bytes),
            left: self.states,
        }
    }

    /// A segment of this many encoded states.
    pub(crate) fn new(bytes: Vec<u8>, states: usize) -> Self {
        Self { bytes, states }
    }

    /// The encoded states, and their number.
    pub(crate) fn encoded(&self) -> (&[u8], usize) {
        (&self.bytes, self.states)
    }
}

/// Decodes the states of a segment one by one.
#[derive(Debug)]
pub(crate) struct SegmentReader<'a> {
    decoder: Decoder<'a>,
    left: usize,
}

impl<'a> SegmentReader<'a> {
    /// The fingerprint and the bytes of the next state, and of those after it.
    pub(crate) fn peek(&self) -> Option<(Fingerprint, &'a [u8])> {
        if self.left == 0 {
            return None;
        }
        let mut ahead = self.decoder.clone();
        let fingerprint = Fingerprint::new(ahead.word().ok()?);
        Some((fingerprint, ahead.rest()))
    }

    /// Skips the next state, whose encoding has this length.
    pub(crate) fn skip(&mut self, length: usize) -> Result<(), StateDecodeError> {
        self.left -= 1;
        self.decoder.word()?;
        self.decoder.take(length).map(|_| ())
    }

    /// The next state, which has this many variables.
    pub(crate) fn next(
        &mut self,
        variables: usize,
    ) -> Result<Option<(Fingerprint, State)>, StateDecodeError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let fingerprint = Fingerprint::new(self.decoder.word()?);
        Ok(Some((fingerprint, self.decoder.state(variables)?)))
    }
}
