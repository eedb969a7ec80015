//! Deduplication of successors, for a single worker and for one of several.
//!
//! Most successors are duplicates, and most duplicates were generated a moment ago, by the previous state or by its neighbour in
//! the level. So a worker first looks in a private direct-mapped [`RecentCache`], which catches two thirds to nine tenths of the
//! duplicates. Only the other successors are looked up in shared memory.

use std::num::NonZeroU16;

use crate::bfs::in_flight::{InFlight, InFlightStates};
use crate::fingerprint::{Fingerprint, Tag};
use crate::fingerprint_set::{FingerprintReader, FingerprintSet};

/// Result of looking up a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Novelty {
    /// The state was seen before.
    Seen,
    /// The later segment at this distance has built and checked the state, but the state belongs to this segment.
    BuiltLater(NonZeroU16),
    /// The state is new.
    New,
}

/// Decides whether a state is new.
pub(crate) trait Dedup {
    /// Looks up a state. From now on it counts as seen.
    fn insert(&mut self, state: Fingerprint, parent: Tag) -> Novelty;

    /// Looks up a state, but does not insert a new one.
    fn probe(&mut self, state: Fingerprint) -> Novelty;

    /// Reads the memory in which a state will be looked up, so that it is near by then. The result means nothing, but must be used: several
    /// reads that nothing waits for go on at the same time.
    fn touch(&self, _: Fingerprint) -> u64 {
        0
    }

    /// Records that the invariants hold in a state that was inserted as new.
    fn mark_checked(&mut self, state: Fingerprint);
}

impl Dedup for FingerprintSet {
    #[inline]
    fn insert(&mut self, state: Fingerprint, parent: Tag) -> Novelty {
        novelty(Self::insert(self, state, parent))
    }

    #[inline]
    fn probe(&mut self, state: Fingerprint) -> Novelty {
        novelty(!self.contains(state))
    }

    #[inline]
    fn touch(&self, state: Fingerprint) -> u64 {
        self.home_slot(state)
    }

    #[inline]
    fn mark_checked(&mut self, _: Fingerprint) {}
}

#[inline]
fn novelty(is_new: bool) -> Novelty {
    if is_new { Novelty::New } else { Novelty::Seen }
}

impl<D: Dedup> Dedup for &mut D {
    #[inline]
    fn insert(&mut self, state: Fingerprint, parent: Tag) -> Novelty {
        (**self).insert(state, parent)
    }

    #[inline]
    fn probe(&mut self, state: Fingerprint) -> Novelty {
        (**self).probe(state)
    }

    #[inline]
    fn touch(&self, state: Fingerprint) -> u64 {
        (**self).touch(state)
    }

    #[inline]
    fn mark_checked(&mut self, state: Fingerprint) {
        (**self).mark_checked(state);
    }
}

/// Deduplication for one of several workers: the committed states, and those of segments in flight.
pub(crate) struct SharedDedup<'a> {
    pub(crate) seen: &'a FingerprintReader,
    /// `None` for a backup task, which must not rely on other segments; see [`crate::bfs`].
    pub(crate) in_flight: Option<&'a InFlightStates>,
    /// The number of the segment that is being expanded.
    pub(crate) segment: u64,
    /// Whether equal fingerprints mean equal states, so that the encoding of another segment can be used.
    pub(crate) can_reuse_states: bool,
}

impl Dedup for SharedDedup<'_> {
    #[inline]
    fn insert(&mut self, state: Fingerprint, _: Tag) -> Novelty {
        let novelty = self.probe(state);
        if novelty == Novelty::New
            && let Some(in_flight) = self.in_flight
        {
            in_flight.record(state, self.segment, false);
        }
        novelty
    }

    #[inline]
    fn probe(&mut self, state: Fingerprint) -> Novelty {
        if self.seen.contains(state) {
            return Novelty::Seen;
        }
        let Some(in_flight) = self.in_flight else {
            return Novelty::New;
        };
        match in_flight.lookup(state, self.segment) {
            InFlight::Earlier => Novelty::Seen,
            InFlight::CheckedLater(distance) if self.can_reuse_states => {
                in_flight.record(state, self.segment, true);
                Novelty::BuiltLater(distance)
            }
            InFlight::CheckedLater(_) | InFlight::Unknown => Novelty::New,
        }
    }

    #[inline]
    fn mark_checked(&mut self, state: Fingerprint) {
        if let Some(in_flight) = self.in_flight {
            in_flight.record(state, self.segment, true);
        }
    }
}

/// Direct-mapped cache of the states that one worker generated last.
///
/// A state that is seen for a segment is seen for all later segments. So the cache must be cleared when a worker moves to an
/// earlier segment.
#[derive(Debug)]
pub(crate) struct RecentCache {
    states: Box<[u64]>,
}

/// 128 KB, which fits the private cache of a core beside everything else.
const RECENT_STATES: usize = 1 << 14;

impl Default for RecentCache {
    fn default() -> Self {
        // No fingerprint is zero.
        Self {
            states: vec![0; RECENT_STATES].into(),
        }
    }
}

impl RecentCache {
    #[inline]
    fn slot(&mut self, state: Fingerprint) -> &mut u64 {
        &mut self.states[state.word() as usize % RECENT_STATES]
    }

    pub(crate) fn clear(&mut self) {
        self.states.fill(0);
    }

    /// Puts the cache in front of another deduplication.
    pub(crate) fn in_front_of<D: Dedup>(&mut self, dedup: D) -> CachedDedup<'_, D> {
        CachedDedup { recent: self, dedup }
    }
}

/// Deduplication behind a [`RecentCache`].
pub(crate) struct CachedDedup<'a, D> {
    recent: &'a mut RecentCache,
    dedup: D,
}

impl<D: Dedup> Dedup for CachedDedup<'_, D> {
    #[inline]
    fn insert(&mut self, state: Fingerprint, parent: Tag) -> Novelty {
        let slot = self.recent.slot(state);
        if *slot == state.word() {
            return Novelty::Seen;
        }
        *slot = state.word();
        self.dedup.insert(state, parent)
    }

    #[inline]
    fn probe(&mut self, state: Fingerprint) -> Novelty {
        let slot = self.recent.slot(state);
        if *slot == state.word() {
            return Novelty::Seen;
        }
        let novelty = self.dedup.probe(state);
        if novelty != Novelty::New {
            *slot = state.word();
        }
        novelty
    }

    #[inline]
    fn touch(&self, state: Fingerprint) -> u64 {
        self.dedup.touch(state)
    }

    #[inline]
    fn mark_checked(&mut self, state: Fingerprint) {
        self.dedup.mark_checked(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(count: i64) -> Vec<Fingerprint> {
        (0..count).map(|n| Fingerprint::of_state(&[n.into()])).collect()
    }

    /// A reader of a set that contains these states.
    fn reader_of(states: &[Fingerprint]) -> FingerprintReader {
        let mut seen = FingerprintSet::default();
        for state in states {
            seen.insert(*state, 0);
        }
        let mut reader = FingerprintReader::default();
        reader.refresh(&seen);
        reader
    }

    /// Deduplication for a segment.
    fn shared<'a>(
        seen: &'a FingerprintReader,
        in_flight: &'a InFlightStates,
        segment: u64,
    ) -> SharedDedup<'a> {
        SharedDedup {
            seen,
            in_flight: Some(in_flight),
            segment,
            can_reuse_states: true,
        }
    }

    fn built_later(distance: u16) -> Novelty {
        Novelty::BuiltLater(NonZeroU16::new(distance).expect("not zero"))
    }

    #[test]
    fn shared_dedup_finds_committed_states_and_ignores_segments_in_flight_if_it_must() {
        let states = some(3);
        let seen = reader_of(&states[..1]);
        let in_flight = InFlightStates::default();
        let mut dedup = shared(&seen, &in_flight, 4);
        let novelties = [0, 1, 2].map(|n| dedup.insert(states[n], 0));
        assert_eq!(novelties, [Novelty::Seen, Novelty::New, Novelty::New]);
        for segment in [3, 5] {
            dedup.mark_checked(states[1]);
            let mut backup = SharedDedup {
                in_flight: None,
                ..shared(&seen, &in_flight, segment)
            };
            let novelties = [0, 1, 2].map(|n| backup.insert(states[n], 0));
            assert_eq!(novelties, [Novelty::Seen, Novelty::New, Novelty::New]);
        }
    }

    /// ```text
    /// segment 4  |--------------- finds a, b --|     5 has checked b, so 4 need not build it again. It must build a.
    /// segment 5  |-- finds a and b; checks b -----|
    /// ```
    #[test]
    fn a_state_checked_by_a_later_segment_is_reused_and_one_found_by_an_earlier_segment_is_seen() {
        let seen = reader_of(&[]);
        let in_flight = InFlightStates::default();
        let [a, b]: [Fingerprint; 2] = some(2).try_into().expect("two");
        let mut fifth = shared(&seen, &in_flight, 5);
        assert_eq!([a, b].map(|state| fifth.insert(state, 1)), [Novelty::New; 2]);
        fifth.mark_checked(b);

        let mut fourth = shared(&seen, &in_flight, 4);
        assert_eq!(fourth.probe(a), Novelty::New);
        assert_eq!(fourth.probe(b), built_later(1));
        assert_eq!(fourth.insert(a, 2), Novelty::New);

        let mut sixth = shared(&seen, &in_flight, 6);
        assert_eq!([a, b].map(|state| sixth.insert(state, 3)), [Novelty::Seen; 2]);
        let mut second = shared(&seen, &in_flight, 2);
        assert_eq!(
            second.probe(b),
            built_later(2),
            "from segment 4, which refers to segment 5"
        );
        let mut first = SharedDedup {
            can_reuse_states: false,
            ..shared(&seen, &in_flight, 1)
        };
        assert_eq!(first.probe(b), Novelty::New);
    }

    #[test]
    fn a_cached_state_is_seen_and_probing_a_new_state_leaves_it_new() {
        let mut seen = FingerprintSet::default();
        let mut recent = RecentCache::default();
        let mut dedup = recent.in_front_of(&mut seen);
        for state in some(2 * RECENT_STATES as i64) {
            assert_eq!(dedup.probe(state), Novelty::New);
            assert_eq!(dedup.insert(state, 0), Novelty::New);
            assert_eq!(dedup.probe(state), Novelty::Seen);
        }
        for state in some(2 * RECENT_STATES as i64) {
            assert_eq!(dedup.probe(state), Novelty::Seen, "even if it was evicted");
            assert_eq!(dedup.insert(state, 0), Novelty::Seen);
        }
        recent.clear();
        let mut other = FingerprintSet::default();
        assert_eq!(recent.in_front_of(&mut other).probe(some(1)[0]), Novelty::New);
    }
}
