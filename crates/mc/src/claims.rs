//! States that workers have found in the block they are working on, so that they need not find each other's.
//!
//! Workers take the segments of a block one after the other, and what they find is merged in the order of the segments: of two
//! that find the same state, the one with the earlier segment keeps it. Whoever meets a state that is claimed by an earlier
//! segment can therefore leave it at once. A claim that is overwritten or seen too late costs a state made twice and nothing
//! else: merging still decides.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::fingerprint::Fingerprint;

const SLOT_BITS: u32 = 16;
const EMPTY: u64 = 0;

/// One word for each state: where it is says the lower bits of its fingerprint, the word has the others and the segment.
#[derive(Debug)]
pub(crate) struct Claims {
    slots: Box<[AtomicU64]>,
}

impl Default for Claims {
    fn default() -> Self {
        Self {
            slots: (0..1 << SLOT_BITS).map(|_| AtomicU64::new(EMPTY)).collect(),
        }
    }
}

impl Claims {
    /// More segments than this cannot be told apart.
    pub(crate) const SEGMENTS_MAX: usize = 1 << SLOT_BITS;

    /// Nothing is claimed. To be called while nobody works.
    pub(crate) fn clear(&self) {
        for slot in &self.slots {
            slot.store(EMPTY, Ordering::Relaxed);
        }
    }

    fn slot(&self, state: Fingerprint) -> (&AtomicU64, u64) {
        let word = state.word();
        let at = word as usize & (self.slots.len() - 1);
        (&self.slots[at], word >> SLOT_BITS << SLOT_BITS)
    }

    /// Whether a segment before this one has claimed a state.
    #[inline]
    pub(crate) fn is_taken(&self, state: Fingerprint, segment: usize) -> bool {
        let (slot, mark) = self.slot(state);
        let there = slot.load(Ordering::Relaxed);
        // The upper half of a fingerprint is never zero, so no claim looks like an empty slot.
        there >> SLOT_BITS << SLOT_BITS == mark && (there & (Self::SEGMENTS_MAX as u64 - 1)) < segment as u64
    }

    /// Claims a state for a segment.
    #[inline]
    pub(crate) fn claim(&self, state: Fingerprint, segment: usize) {
        if !self.is_taken(state, segment) {
            let (slot, mark) = self.slot(state);
            slot.store(mark | segment as u64, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_taken_for_later_segments_only() {
        let claims = Claims::default();
        let state = Fingerprint::new(0x1234_5678_9abc_def0);
        let lookalike = Fingerprint::new(0x1234_5678_9abd_def0);
        assert!(!claims.is_taken(state, 7));
        claims.claim(state, 5);
        assert!(claims.is_taken(state, 7));
        assert!(!claims.is_taken(state, 5) && !claims.is_taken(state, 4));
        assert!(!claims.is_taken(lookalike, 7));
        claims.claim(state, 6);
        assert!(claims.is_taken(state, 6), "the earlier claim stays");
        claims.claim(lookalike, 9);
        assert!(!claims.is_taken(state, 7), "forgotten, which is harmless");
        claims.clear();
        assert!(!claims.is_taken(lookalike, 10));
    }
}
