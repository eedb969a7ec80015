//! States that workers have found in segments that are not entered yet, so that they need not find each other's.
//!
//! What workers find is entered into the table in the order of the segments: of two that find the same state, the one with the
//! earlier segment keeps it. Whoever meets a state that is claimed by an earlier segment can therefore leave it at once. Whoever meets
//! one that a later segment has *approved* (made, checked, and kept) takes it without making it: the bytes are found there when the
//! finds are entered. A claim that is overwritten or seen too late costs a state made twice and nothing else: the table decides.
//!
//! Only the lower bits of a segment's number are kept, which tell apart what is under way: see [`Claims::UNDER_WAY_MAX`]. A claim
//! of a segment that was entered long ago may be read as that of a later one, but nobody reads it: its state is in the table, where
//! workers look first.

use std::num::NonZeroU16;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fingerprint::Fingerprint;

const ROW_BITS: u32 = 13;
/// As many numbers of segments can be told apart.
const SEGMENTS: usize = 1 << (ROW_BITS - 1);
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
    /// The segment that comes so many later has it, and nothing is wrong with it.
    LaterAndApproved(NonZeroU16),
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
    /// So many segments can be under way at a time: numbers of two of them differ by less than half of those there are.
    pub(crate) const UNDER_WAY_MAX: usize = SEGMENTS / 2;

    fn row(&self, state: Fingerprint) -> (&Row, u64) {
        let word = state.word();
        let at = word as usize & (self.rows.len() - 1);
        (&self.rows[at], word >> ROW_BITS)
    }

    /// What is known of a state, for this segment.
    #[inline]
    pub(crate) fn of(&self, state: Fingerprint, segment: u64) -> Claim {
        let (row, mark) = self.row(state);
        for slot in &row.0 {
            let there = slot.load(Ordering::Relaxed);
            if there >> ROW_BITS == mark {
                let later = later_by(there, segment);
                return match NonZeroU16::new(later) {
                    None => Claim::None,
                    Some(_) if is_earlier(later) => Claim::Earlier,
                    Some(later) if is_approved(there) => Claim::LaterAndApproved(later),
                    Some(_) => Claim::None,
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
    pub(crate) fn claim(&self, state: Fingerprint, segment: u64, is_approved: bool) {
        let (row, mark) = self.row(state);
        let claim = mark << ROW_BITS | (segment % SEGMENTS as u64) << 1 | u64::from(is_approved);
        for slot in &row.0 {
            let there = slot.load(Ordering::Relaxed);
            if there == EMPTY {
                slot.store(claim, Ordering::Relaxed);
                return;
            }
            if there >> ROW_BITS == mark {
                let later = later_by(there, segment);
                if (later == 0 && is_approved) || (later > 0 && !is_earlier(later)) {
                    slot.store(claim, Ordering::Relaxed);
                }
                return;
            }
        }
        let oldest = row
            .0
            .iter()
            .min_by_key(|slot| later_by(slot.load(Ordering::Relaxed), segment + Self::UNDER_WAY_MAX as u64));
        if let Some(slot) = oldest {
            slot.store(claim, Ordering::Relaxed);
        }
    }
}

/// By how many a claim's segment is later than this one, as if numbers went round.
#[inline]
fn later_by(claim: u64, segment: u64) -> u16 {
    ((claim >> 1).wrapping_sub(segment) % SEGMENTS as u64) as u16
}

#[inline]
fn is_earlier(later_by: u16) -> bool {
    usize::from(later_by) >= Claims::UNDER_WAY_MAX
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
    }

    #[test]
    fn numbers_go_round() {
        let claims = Claims::default();
        let rounds = SEGMENTS as u64 * 5;
        for (at, segment) in [rounds - 3, rounds - 1, rounds, rounds + 2]
            .into_iter()
            .enumerate()
        {
            let state = state(at as u64);
            claims.claim(state, segment, true);
            let far = Claims::UNDER_WAY_MAX as u64 - 1;
            assert_eq!(
                [1, 7, far].map(|after| claims.of(state, segment + after)),
                [Claim::Earlier; 3]
            );
            for before in [1, 7, far] {
                let later = NonZeroU16::new(before as u16).expect("not zero");
                assert_eq!(claims.of(state, segment - before), Claim::LaterAndApproved(later));
            }
        }
    }

    #[test]
    fn an_approved_state_is_there_for_earlier_segments() {
        let claims = Claims::default();
        claims.claim(state(0), 5, false);
        claims.claim(state(0), 5, true);
        claims.claim(state(0), 5, false);
        assert_eq!(
            claims.of(state(0), 4),
            Claim::LaterAndApproved(NonZeroU16::MIN),
            "approval stays"
        );
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
