//! States that workers have found in the block they are working on, so that they need not find each other's.
//!
//! Workers take the segments of a block one after the other, and what they find is merged in the order of the segments: of two
//! that find the same state, the one with the earlier segment keeps it. Whoever meets a state that is claimed by an earlier
//! segment can therefore leave it at once. Whoever meets one that a later segment has *approved* (made, checked, and kept) takes it
//! without making it: the bytes are found where they are when the finds are collected. A claim that is overwritten or seen too late
//! costs a state made twice and nothing else: merging still decides.
//!
//! Segments are numbered on from block to block. A claim of an earlier block is that of an earlier segment, and true: by then the
//! state is in the table of those seen. So claims have to be cleared only when the numbers are used up.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::fingerprint::Fingerprint;

const ROW_BITS: u32 = 13;
const SEGMENT_BITS: u32 = ROW_BITS - 1;
/// As many words as a cache line has: looking at them all costs hardly more than looking at one.
const ROW_SLOTS: usize = 8;
const EMPTY: u64 = 0;

/// What is known of a state, from the point of view of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Nothing that helps.
    None,
    /// An earlier segment has it.
    Earlier,
    /// A later segment has it, and nothing is wrong with it.
    LaterAndApproved,
}

/// One word for each state: in which row it is says the lower bits of its fingerprint; the word has the others, the segment, and
/// whether the state is approved. Rows fill from the left. One that is full forgets its oldest claim for each new one.
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
    pub(crate) const SEGMENTS_MAX: usize = 1 << SEGMENT_BITS;

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

    /// What is known of a state, for this segment.
    #[inline]
    pub(crate) fn of(&self, state: Fingerprint, segment: usize) -> Claim {
        let (row, mark) = self.row(state);
        for slot in &row.0 {
            let there = slot.load(Ordering::Relaxed);
            if there >> ROW_BITS == mark {
                return match segment_of(there) {
                    earlier if earlier < segment => Claim::Earlier,
                    later if later > segment && is_approved(there) => Claim::LaterAndApproved,
                    _ => Claim::None,
                };
            }
            // The upper half of a fingerprint is never zero, so no claim looks like an empty slot.
            if there == EMPTY {
                return Claim::None;
            }
        }
        Claim::None
    }

    /// Claims a state for a segment, unless an earlier one has it, or it has it itself and says no more of it.
    #[inline]
    pub(crate) fn claim(&self, state: Fingerprint, segment: usize, is_approved: bool) {
        let (row, mark) = self.row(state);
        let claim = mark << ROW_BITS | (segment as u64) << 1 | u64::from(is_approved);
        for slot in &row.0 {
            let there = slot.load(Ordering::Relaxed);
            if there == EMPTY {
                slot.store(claim, Ordering::Relaxed);
                return;
            }
            if there >> ROW_BITS == mark {
                let is_news = segment_of(there) > segment || (segment_of(there) == segment && is_approved);
                if is_news {
                    slot.store(claim, Ordering::Relaxed);
                }
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
    (claim >> 1) as usize & (Claims::SEGMENTS_MAX - 1)
}

fn is_approved(claim: u64) -> bool {
    claim & 1 == 1
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
        assert_eq!(claims.of(state(0), 7), Claim::None);
        claims.claim(state(0), 5, false);
        assert_eq!(claims.of(state(0), 7), Claim::Earlier);
        assert_eq!(
            [4, 5].map(|segment| claims.of(state(0), segment)),
            [Claim::None; 2]
        );
        assert_eq!(claims.of(state(1), 7), Claim::None);
        claims.claim(state(0), 6, true);
        assert_eq!(claims.of(state(0), 6), Claim::Earlier, "the earlier claim stays");
        assert_eq!(claims.of(state(0), 4), Claim::None, "and is not approved");
        claims.claim(state(0), 3, false);
        assert_eq!(
            claims.of(state(0), 4),
            Claim::Earlier,
            "an earlier one counts more"
        );
        claims.clear();
        assert_eq!(claims.of(state(0), 10), Claim::None);
    }

    #[test]
    fn an_approved_state_is_there_for_earlier_segments() {
        let claims = Claims::default();
        claims.claim(state(0), 5, false);
        claims.claim(state(0), 5, true);
        claims.claim(state(0), 5, false);
        assert_eq!(claims.of(state(0), 4), Claim::LaterAndApproved, "approval stays");
        assert_eq!(
            claims.of(state(0), 5),
            Claim::None,
            "who has it itself knows that"
        );
        claims.claim(state(0), 4, false);
        assert_eq!(
            claims.of(state(0), 3),
            Claim::None,
            "whoever claims it anew has not approved it"
        );
    }

    #[test]
    fn a_full_row_forgets_but_never_mistakes_a_state_for_another() {
        let claims = Claims::default();
        let is_known = |number| claims.of(state(number), 9) == Claim::Earlier;
        let mut known = 0;
        for number in 0..100 {
            assert!(!is_known(number), "nobody has claimed {number}");
            claims.claim(state(number), 8, true);
            assert!(is_known(number));
            known = (0..=number).filter(|known| is_known(*known)).count();
            assert!(known == ROW_SLOTS || known == number as usize + 1);
        }
        assert_eq!(known, ROW_SLOTS);
    }
}
