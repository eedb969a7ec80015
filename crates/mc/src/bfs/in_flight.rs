//! Table of the states that segments in flight have found, so that workers need not build each other's states.
//!
//! Results are committed in the order of the segments: of two segments that find the same state, the earlier one keeps it.
//! - A worker that finds a state which an earlier segment has recorded can drop it.
//! - A worker that finds a state which a later segment has built and *checked* can keep it without building it. The encoding is
//!   taken from the later segment at commit.
//!
//! The table is a lossy hint. An entry that was overwritten or is read too late makes a worker build a state twice, and nothing
//! else, because the seen set decides at commit.
//!
//! Entries hold only the lower bits of a segment number, which distinguish all segments in flight: see
//! [`InFlightStates::SEGMENTS_MAX`]. An old entry of a committed segment may look like one of a later segment, but is never read:
//! its state is in the seen set, where workers look first.

use std::num::NonZeroU16;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fingerprint::Fingerprint;

const BUCKET_BITS: u32 = 13;
/// Number of distinguishable segment numbers.
const SEGMENT_NUMBERS: usize = 1 << (BUCKET_BITS - 1);
/// A bucket fills a cache line: reading all of it costs hardly more than reading one word.
const BUCKET_SLOTS: usize = 8;
const EMPTY: u64 = 0;

/// What the table says about a state, relative to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InFlight {
    /// Nothing useful.
    Unknown,
    /// An earlier segment has found it.
    Earlier,
    /// The later segment at this distance has built it, and the invariants hold in it.
    CheckedLater(NonZeroU16),
}

/// A lock-free hash table with one word per state. The lower bits of the fingerprint select the bucket. The word holds the other
/// bits, the segment number and whether the state was checked. Buckets fill from the left; a full one replaces its oldest entry.
#[derive(Debug)]
pub(crate) struct InFlightStates {
    buckets: Box<[Bucket]>,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([AtomicU64; BUCKET_SLOTS]);

impl Default for InFlightStates {
    fn default() -> Self {
        Self {
            buckets: (0..1 << BUCKET_BITS).map(|_| Bucket::default()).collect(),
        }
    }
}

impl InFlightStates {
    /// Maximum number of segments in flight: their numbers differ by less than half of the number range.
    pub(crate) const SEGMENTS_MAX: usize = SEGMENT_NUMBERS / 2;

    fn bucket(&self, state: Fingerprint) -> (&Bucket, u64) {
        let word = state.word();
        let at = word as usize & (self.buckets.len() - 1);
        (&self.buckets[at], word >> BUCKET_BITS)
    }

    /// Looks up a state for this segment.
    #[inline]
    pub(crate) fn lookup(&self, state: Fingerprint, segment: u64) -> InFlight {
        let (bucket, key) = self.bucket(state);
        for slot in &bucket.0 {
            let entry = slot.load(Ordering::Relaxed);
            if entry >> BUCKET_BITS == key {
                let distance = distance_to(entry, segment);
                return match NonZeroU16::new(distance) {
                    None => InFlight::Unknown,
                    Some(_) if is_earlier(distance) => InFlight::Earlier,
                    Some(distance) if is_checked(entry) => InFlight::CheckedLater(distance),
                    Some(_) => InFlight::Unknown,
                };
            }
            // The upper half of a fingerprint is never zero, so no entry looks like an empty slot.
            if entry == EMPTY {
                return InFlight::Unknown;
            }
        }
        InFlight::Unknown
    }

    /// Records that a segment has found a state. An entry of an earlier segment stays, and a checked one stays checked.
    #[inline]
    pub(crate) fn record(&self, state: Fingerprint, segment: u64, is_checked: bool) {
        let (bucket, key) = self.bucket(state);
        let new = key << BUCKET_BITS | (segment % SEGMENT_NUMBERS as u64) << 1 | u64::from(is_checked);
        for slot in &bucket.0 {
            let entry = slot.load(Ordering::Relaxed);
            if entry == EMPTY {
                slot.store(new, Ordering::Relaxed);
                return;
            }
            if entry >> BUCKET_BITS == key {
                let distance = distance_to(entry, segment);
                if (distance == 0 && is_checked) || (distance > 0 && !is_earlier(distance)) {
                    slot.store(new, Ordering::Relaxed);
                }
                return;
            }
        }
        let oldest = bucket.0.iter().min_by_key(|slot| {
            distance_to(slot.load(Ordering::Relaxed), segment + Self::SEGMENTS_MAX as u64)
        });
        if let Some(slot) = oldest {
            slot.store(new, Ordering::Relaxed);
        }
    }
}

/// The distance from this segment to that of an entry, modulo the number range.
#[inline]
fn distance_to(entry: u64, segment: u64) -> u16 {
    ((entry >> 1).wrapping_sub(segment) % SEGMENT_NUMBERS as u64) as u16
}

#[inline]
fn is_earlier(distance: u16) -> bool {
    usize::from(distance) >= InFlightStates::SEGMENTS_MAX
}

fn is_checked(entry: u64) -> bool {
    entry & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States that all belong to one bucket.
    fn state(number: u64) -> Fingerprint {
        Fingerprint::new(0x1234_5678_0000_0def + (number << BUCKET_BITS))
    }

    #[test]
    fn the_earliest_segment_keeps_a_state() {
        let states = InFlightStates::default();
        assert_eq!(states.lookup(state(0), 7), InFlight::Unknown);
        states.record(state(0), 5, false);
        assert_eq!(states.lookup(state(0), 7), InFlight::Earlier);
        assert_eq!(
            [4, 5].map(|segment| states.lookup(state(0), segment)),
            [InFlight::Unknown; 2]
        );
        assert_eq!(states.lookup(state(1), 7), InFlight::Unknown);
        states.record(state(0), 6, true);
        assert_eq!(
            states.lookup(state(0), 6),
            InFlight::Earlier,
            "the earlier entry stays"
        );
        assert_eq!(
            states.lookup(state(0), 4),
            InFlight::Unknown,
            "and is not checked"
        );
        states.record(state(0), 3, false);
        assert_eq!(
            states.lookup(state(0), 4),
            InFlight::Earlier,
            "an earlier segment replaces a later one"
        );
    }

    #[test]
    fn segment_numbers_wrap_around() {
        let states = InFlightStates::default();
        let multiple = SEGMENT_NUMBERS as u64 * 5;
        for (at, segment) in [multiple - 3, multiple - 1, multiple, multiple + 2]
            .into_iter()
            .enumerate()
        {
            let state = state(at as u64);
            states.record(state, segment, true);
            let far = InFlightStates::SEGMENTS_MAX as u64 - 1;
            for distance in [1, 7, far] {
                assert_eq!(states.lookup(state, segment + distance), InFlight::Earlier);
                let checked = NonZeroU16::new(distance as u16).map(InFlight::CheckedLater);
                assert_eq!(Some(states.lookup(state, segment - distance)), checked);
            }
        }
    }

    #[test]
    fn a_checked_state_is_available_to_earlier_segments() {
        let states = InFlightStates::default();
        states.record(state(0), 5, false);
        states.record(state(0), 5, true);
        states.record(state(0), 5, false);
        assert_eq!(
            states.lookup(state(0), 4),
            InFlight::CheckedLater(NonZeroU16::MIN),
            "it stays checked"
        );
        assert_eq!(
            states.lookup(state(0), 5),
            InFlight::Unknown,
            "the segment's own entry says nothing"
        );
        states.record(state(0), 4, false);
        assert_eq!(
            states.lookup(state(0), 3),
            InFlight::Unknown,
            "the new entry is not checked"
        );
    }

    #[test]
    fn a_full_bucket_evicts_entries_and_never_confuses_states() {
        let states = InFlightStates::default();
        let is_present = |number| states.lookup(state(number), 9) == InFlight::Earlier;
        let mut present = 0;
        for number in 0..100 {
            assert!(!is_present(number));
            states.record(state(number), 8, true);
            assert!(is_present(number));
            present = (0..=number).filter(|number| is_present(*number)).count();
            assert!(present == BUCKET_SLOTS || present == number as usize + 1);
        }
        assert_eq!(present, BUCKET_SLOTS);
    }
}
