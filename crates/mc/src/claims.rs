//! States that workers have found in the block they are working on, so that they need not find each other's.
//!
//! Workers take the segments of a block one after the other, and what they find is merged in the order of the segments: of two
//! that find the same state, the one with the earlier segment keeps it. Whoever meets a state that is claimed by an earlier
//! segment can therefore leave it at once. A claim that is overwritten or seen too late costs a state made twice and nothing
//! else: merging still decides.
//!
//! Segments are numbered on from block to block. A claim of an earlier block is that of an earlier segment, and true: by then the
//! state is in the table of those seen. So claims have to be cleared only when the numbers are used up.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::fingerprint::Fingerprint;

const ROW_BITS: u32 = 13;
/// As many words as a cache line has: looking at them all costs hardly more than looking at one.
const ROW_SLOTS: usize = 8;
const EMPTY: u64 = 0;

/// One word for each state: in which row it is says the lower bits of its fingerprint, the word has the others and the segment.
/// Rows fill from the left. One that is full forgets its oldest claim for each new one.
#[derive(Debug)]
pub(crate) struct Claims {
    rows: Box<[Row]>,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Row([AtomicU64; ROW_SLOTS]);

impl Default for Claims {
    fn default() -> Self {
        Self {
            rows: (0..1 << ROW_BITS).map(|_| Row::default()).collect(),
        }
    }
}

impl Claims {
    /// More segments than this cannot be told apart.
    pub(crate) const SEGMENTS_MAX: usize = 1 << ROW_BITS;

    /// Nothing is claimed. To be called while nobody works.
    pub(crate) fn clear(&self) {
        for slot in self.rows.iter().flat_map(|row| &row.0) {
            slot.store(EMPTY, Ordering::Relaxed);
        }
    }

    fn row(&self, state: Fingerprint) -> (&Row, u64) {
        let word = state.word();
        let at = word as usize & (self.rows.len() - 1);
        (&self.rows[at], word >> ROW_BITS)
    }

    /// Whether a segment before this one has claimed a state.
    #[inline]
    pub(crate) fn is_taken(&self, state: Fingerprint, segment: usize) -> bool {
        let (row, mark) = self.row(state);
        for slot in &row.0 {
            let there = slot.load(Ordering::Relaxed);
            if there >> ROW_BITS == mark {
                return segment_of(there) < segment;
            }
            // The upper half of a fingerprint is never zero, so no claim looks like an empty slot.
            if there == EMPTY {
                return false;
            }
        }
        false
    }

    /// Claims a state for a segment, unless an earlier one has it.
    #[inline]
    pub(crate) fn claim(&self, state: Fingerprint, segment: usize) {
        let (row, mark) = self.row(state);
        let claim = mark << ROW_BITS | segment as u64;
        for slot in &row.0 {
            let there = slot.load(Ordering::Relaxed);
            if there == EMPTY || (there >> ROW_BITS == mark && segment_of(there) > segment) {
                slot.store(claim, Ordering::Relaxed);
                return;
            }
            if there >> ROW_BITS == mark {
                return;
            }
        }
        let oldest = row
            .0
            .iter()
            .min_by_key(|slot| segment_of(slot.load(Ordering::Relaxed)));
        if let Some(slot) = oldest {
            slot.store(claim, Ordering::Relaxed);
        }
    }
}

fn segment_of(claim: u64) -> usize {
    claim as usize & (Claims::SEGMENTS_MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state whose claim is in one row with those of all others of these.
    fn state(number: u64) -> Fingerprint {
        Fingerprint::new(0x1234_5678_0000_0def + (number << ROW_BITS))
    }

    #[test]
    fn a_state_is_taken_for_later_segments_only() {
        let claims = Claims::default();
        assert!(!claims.is_taken(state(0), 7));
        claims.claim(state(0), 5);
        assert!(claims.is_taken(state(0), 7));
        assert!(!claims.is_taken(state(0), 5) && !claims.is_taken(state(0), 4));
        assert!(!claims.is_taken(state(1), 7));
        claims.claim(state(0), 6);
        assert!(claims.is_taken(state(0), 6), "the earlier claim stays");
        claims.claim(state(0), 3);
        assert!(claims.is_taken(state(0), 4), "an earlier one counts more");
        claims.clear();
        assert!(!claims.is_taken(state(0), 10));
    }

    #[test]
    fn a_full_row_forgets_but_never_mistakes_a_state_for_another() {
        let claims = Claims::default();
        let mut known = 0;
        for number in 0..100 {
            assert!(!claims.is_taken(state(number), 9), "nobody has claimed {number}");
            claims.claim(state(number), 8);
            assert!(claims.is_taken(state(number), 9));
            known = (0..=number)
                .filter(|known| claims.is_taken(state(*known), 9))
                .count();
            assert!(known == ROW_SLOTS || known == number as usize + 1);
        }
        assert_eq!(known, ROW_SLOTS);
    }
}
