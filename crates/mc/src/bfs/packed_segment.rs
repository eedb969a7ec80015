//! Segments as they wait in the queue: each state by what differs from the one before it.
//!
//! Neighbours in the queue are often successors of one state, so they share most of their encodings. A state is a list of edits of its
//! neighbour's bytes: copy some, insert some, leave some out. That takes one comparison of the bytes, and no table.

use super::segment::Segment;
use crate::fingerprint::Fingerprint;

/// Fewer equal bytes in a row are not worth an edit.
const COPIED_MIN: usize = 4;
/// The same where the lengths differ: there fewer may be equal by chance, before what was inserted.
const COPIED_MIN_BEFORE_INSERTION: usize = 8;

/// Consecutive states, packed.
#[derive(Debug, Default)]
pub(crate) struct PackedSegment {
    bytes: Vec<u8>,
    states: usize,
    /// The encoding of the last state.
    last: Vec<u8>,
}

impl PackedSegment {
    /// From the bytes of one that was stored.
    pub(crate) fn new(bytes: Vec<u8>, states: usize) -> Self {
        Self {
            bytes,
            states,
            last: Vec::new(),
        }
    }

    pub(crate) fn states(&self) -> usize {
        self.states
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes, without what is needed to add more.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.shrink_to_fit();
        self.bytes
    }

    pub(crate) fn push(&mut self, fingerprint: Fingerprint, encoded: &[u8]) {
        self.bytes.extend_from_slice(&fingerprint.word().to_le_bytes());
        write_edits(&self.last, encoded, &mut self.bytes);
        self.last.clear();
        self.last.extend_from_slice(encoded);
        self.states += 1;
    }

    /// The states as they were added; `None` if the bytes are damaged.
    pub(crate) fn unpacked(&self) -> Option<Segment> {
        let mut left = &self.bytes[..];
        let mut bytes = Vec::with_capacity(4 * self.bytes.len());
        let mut last = 0..0;
        for _ in 0..self.states {
            let (fingerprint, rest) = left.split_at_checked(size_of::<u64>())?;
            left = rest;
            bytes.extend_from_slice(fingerprint);
            let start = bytes.len();
            read_edits(&mut left, last, &mut bytes)?;
            last = start..bytes.len();
        }
        Some(Segment::new(bytes, self.states))
    }
}

/// Writes how `new` differs from `last`: the number of edits, and for each how many bytes to copy, to insert and to leave out.
fn write_edits(last: &[u8], new: &[u8], bytes: &mut Vec<u8>) {
    let at = bytes.len();
    bytes.push(0);
    let (mut edits, mut done, mut read) = (0_u8, 0, 0);
    while done < new.len() || read < last.len() {
        let copied = equal_bytes(&last[read..], &new[done..]);
        (done, read) = (done + copied, read + copied);
        let (rest_new, rest_last) = (&new[done..], &last[read..]);
        let (inserted, left_out) = if edits == u8::MAX - 1 {
            (rest_new.len(), rest_last.len())
        } else if rest_new.len() == rest_last.len() {
            let changed = changed_bytes(rest_last, rest_new, COPIED_MIN);
            (changed, changed)
        } else {
            let kept = equal_bytes_at_end(rest_last, rest_new);
            let ends = (rest_new.len() - kept, rest_last.len() - kept);
            // A change of the same length, behind which others follow, is cheaper than all up to the last of these.
            let changed = changed_bytes(rest_last, rest_new, COPIED_MIN_BEFORE_INSERTION);
            if changed + COPIED_MIN_BEFORE_INSERTION < ends.0.min(ends.1) {
                (changed, changed)
            } else {
                ends
            }
        };
        write_count(copied, bytes);
        write_count(inserted, bytes);
        write_count(left_out, bytes);
        bytes.extend_from_slice(&rest_new[..inserted]);
        (done, read) = (done + inserted, read + left_out);
        edits += 1;
    }
    bytes[at] = edits;
}

fn read_edits(left: &mut &[u8], last: std::ops::Range<usize>, bytes: &mut Vec<u8>) -> Option<()> {
    let (&edits, rest) = left.split_first()?;
    *left = rest;
    let mut read = last.start;
    for _ in 0..edits {
        let (copied, inserted, left_out) = (read_count(left)?, read_count(left)?, read_count(left)?);
        let end = read.checked_add(copied).filter(|end| *end <= last.end)?;
        bytes.extend_from_within(read..end);
        let (own, rest) = left.split_at_checked(inserted)?;
        bytes.extend_from_slice(own);
        *left = rest;
        read = end.checked_add(left_out)?;
    }
    Some(())
}

/// The number of equal bytes at the start.
fn equal_bytes(left: &[u8], right: &[u8]) -> usize {
    left.iter()
        .zip(right)
        .take_while(|(left, right)| left == right)
        .count()
}

/// The number of equal bytes at the end.
fn equal_bytes_at_end(left: &[u8], right: &[u8]) -> usize {
    let pairs = left.iter().rev().zip(right.iter().rev());
    pairs.take_while(|(left, right)| left == right).count()
}

/// How many bytes there are before enough equal ones in a row.
fn changed_bytes(left: &[u8], right: &[u8], enough: usize) -> usize {
    let mut equal = 0;
    for (at, (left, right)) in left.iter().zip(right).enumerate() {
        equal = if left == right { equal + 1 } else { 0 };
        if equal == enough {
            return at + 1 - enough;
        }
    }
    left.len().min(right.len()) - equal
}

/// Writes a number, seven bits to a byte.
fn write_count(mut count: usize, bytes: &mut Vec<u8>) {
    while count >= 0x80 {
        bytes.push(count as u8 | 0x80);
        count >>= 7;
    }
    bytes.push(count as u8);
}

fn read_count(left: &mut &[u8]) -> Option<usize> {
    let (mut count, mut shift) = (0_usize, 0);
    loop {
        let (&byte, rest) = left.split_first()?;
        *left = rest;
        count |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(count);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use omnilink_value::Value;

    use super::*;

    fn fingerprint(number: u64) -> Fingerprint {
        Fingerprint::of_state(&[Value::int(number as i64)])
    }

    #[test]
    fn random_neighbours_come_back() {
        let mut random = 7_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (random >> 33) % below
        };
        for _ in 0..2_000 {
            let mut packed = PackedSegment::default();
            let (mut expected, mut states) = (Vec::new(), 0);
            let mut state: Vec<u8> = Vec::new();
            for number in 0..next(20) {
                for _ in 0..next(6) {
                    let at = next(state.len() as u64 + 1) as usize;
                    match next(3) {
                        0 if at < state.len() => state[at] = next(3) as u8,
                        1 if at < state.len() => {
                            drop(state.drain(at..(at + next(9) as usize).min(state.len())))
                        }
                        _ => {
                            let new: Vec<u8> = (0..next(400)).map(|_| next(3) as u8).collect();
                            drop(state.splice(at..at, new));
                        }
                    }
                }
                packed.push(fingerprint(number), &state);
                expected.extend_from_slice(&fingerprint(number).word().to_le_bytes());
                expected.extend_from_slice(&state);
                states += 1;
            }
            let stored = PackedSegment::new(packed.into_bytes(), states);
            let found = stored.unpacked().map(|segment| segment.bytes);
            assert_eq!(found.as_ref(), Some(&expected));
            // Damaged bytes are no reason to panic.
            let cut = next(stored.bytes.len() as u64 + 1) as usize;
            let _ = PackedSegment::new(stored.bytes[..cut].to_vec(), stored.states).unpacked();
        }
    }

    #[test]
    fn a_change_in_two_places_takes_a_few_bytes() {
        let mut packed = PackedSegment::default();
        let mut state = vec![5; 300];
        packed.push(fingerprint(1), &state);
        let first = packed.bytes().len();
        (state[10], state[280]) = (1, 2);
        packed.push(fingerprint(2), &state);
        assert!(packed.bytes().len() - first < 24);
    }
}
