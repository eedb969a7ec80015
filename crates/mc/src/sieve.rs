//! What says whether a state is new, for a worker alone and for one among many.
//!
//! Most successors are old, and most of these were met a moment ago: by the state before, or by its neighbour in the level. So a
//! worker first looks among the states that it has met lately, in memory that nobody else uses; two thirds to nine tenths of the
//! old ones are there. Only the others are looked up where all workers read and write, which takes as long as the
//! memory that they share.

use crate::claims::{Claim, Claims};
use crate::fingerprint::{Fingerprint, Tag};
use crate::seen::{Reading, Shard, Writing};

/// What there is to do about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sighting {
    /// Nothing: it was seen before.
    Old,
    /// A later segment of the block has it. It was made and checked there, but belongs here.
    Elsewhere,
    /// Everything.
    New,
}

/// What says whether a state is new.
pub(crate) trait Sieve {
    /// Meets a state: from now on it was seen.
    fn meet(&mut self, state: Fingerprint, parent: Tag) -> Sighting;

    /// Meets a state unless it is new.
    fn glance(&mut self, state: Fingerprint, parent: Tag) -> Sighting;

    /// A state that was met as a new one is as it should be.
    fn approve(&mut self, state: Fingerprint);
}

impl Sieve for Writing<'_> {
    #[inline]
    fn meet(&mut self, state: Fingerprint, parent: Tag) -> Sighting {
        if self.insert(state, parent) {
            Sighting::New
        } else {
            Sighting::Old
        }
    }

    #[inline]
    fn glance(&mut self, state: Fingerprint, _: Tag) -> Sighting {
        if self.contains(state) {
            Sighting::Old
        } else {
            Sighting::New
        }
    }

    #[inline]
    fn approve(&mut self, _: Fingerprint) {}
}

/// The sieve of one worker among many: what all have seen before this block, and what this one has seen in it.
pub(crate) struct Shared<'a> {
    pub(crate) before: &'a Reading<'a>,
    pub(crate) mine: &'a mut Shard,
    pub(crate) claims: &'a Claims,
    /// The segment that is being expanded.
    pub(crate) segment: usize,
    /// Whether states of one fingerprint are one state, whoever makes it.
    pub(crate) may_be_elsewhere: bool,
}

impl Shared<'_> {
    #[inline]
    fn sighting(&self, state: Fingerprint) -> Sighting {
        if self.before.contains(state) || self.mine.contains(state) {
            return Sighting::Old;
        }
        match self.claims.of(state, self.segment) {
            Claim::Earlier => Sighting::Old,
            Claim::LaterAndApproved if self.may_be_elsewhere => Sighting::Elsewhere,
            Claim::LaterAndApproved | Claim::None => Sighting::New,
        }
    }
}

impl Sieve for Shared<'_> {
    #[inline]
    fn meet(&mut self, state: Fingerprint, parent: Tag) -> Sighting {
        let sighting = self.glance(state, parent);
        if sighting == Sighting::New {
            self.mine.insert(state, parent);
            self.claims.claim(state, self.segment, false);
        }
        sighting
    }

    #[inline]
    fn glance(&mut self, state: Fingerprint, parent: Tag) -> Sighting {
        let sighting = self.sighting(state);
        if sighting == Sighting::Elsewhere {
            self.mine.insert(state, parent);
            self.claims.claim(state, self.segment, true);
        }
        sighting
    }

    #[inline]
    fn approve(&mut self, state: Fingerprint) {
        self.claims.claim(state, self.segment, true);
    }
}

/// States that a worker has met lately, each where its fingerprint says unless another has taken the place.
///
/// A state that is old for a worker stays old for it: it takes segments in their order, and what an earlier one has found is in the
/// table when the block is merged. A block of which only a part counts is the last.
#[derive(Debug)]
pub(crate) struct Recent {
    states: Box<[u64]>,
}

/// 128 KB: what a core has for itself holds it beside everything else. Half of that knows about a tenth less.
const RECENT_STATES: usize = 1 << 14;

impl Default for Recent {
    fn default() -> Self {
        // No fingerprint is zero.
        Self {
            states: vec![0; RECENT_STATES].into(),
        }
    }
}

impl Recent {
    #[inline]
    fn place(&mut self, state: Fingerprint) -> &mut u64 {
        &mut self.states[state.word() as usize % RECENT_STATES]
    }

    /// Puts a sieve behind it.
    pub(crate) fn before<S: Sieve>(&mut self, sieve: S) -> Lately<'_, S> {
        Lately { recent: self, sieve }
    }
}

/// A sieve that is asked about those states only that were not met lately.
pub(crate) struct Lately<'a, S> {
    recent: &'a mut Recent,
    sieve: S,
}

impl<S: Sieve> Sieve for Lately<'_, S> {
    #[inline]
    fn meet(&mut self, state: Fingerprint, parent: Tag) -> Sighting {
        let place = self.recent.place(state);
        if *place == state.word() {
            return Sighting::Old;
        }
        *place = state.word();
        self.sieve.meet(state, parent)
    }

    #[inline]
    fn glance(&mut self, state: Fingerprint, parent: Tag) -> Sighting {
        let place = self.recent.place(state);
        if *place == state.word() {
            return Sighting::Old;
        }
        let sighting = self.sieve.glance(state, parent);
        if sighting != Sighting::New {
            *place = state.word();
        }
        sighting
    }

    #[inline]
    fn approve(&mut self, state: Fingerprint) {
        self.sieve.approve(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seen::SeenStates;

    fn some(count: i64) -> Vec<Fingerprint> {
        (0..count).map(|n| Fingerprint::of_state(&[n.into()])).collect()
    }

    /// One worker's sieve for a segment.
    fn shared<'a>(
        before: &'a Reading<'a>,
        mine: &'a mut Shard,
        claims: &'a Claims,
        segment: usize,
    ) -> Shared<'a> {
        Shared {
            before,
            mine,
            claims,
            segment,
            may_be_elsewhere: true,
        }
    }

    #[test]
    fn a_shared_sieve_knows_what_was_seen_before_and_by_itself() {
        let seen = SeenStates::default();
        let states = some(3);
        seen.writing().insert(states[0], 0);
        let (before, claims) = (seen.reading(), Claims::default());
        let mut mine = Shard::default();
        let mut sieve = shared(&before, &mut mine, &claims, 0);
        let answers = [0, 1, 2, 1].map(|n| sieve.meet(states[n], 0));
        assert_eq!(
            answers,
            [Sighting::Old, Sighting::New, Sighting::New, Sighting::Old]
        );
    }

    /// ```text
    /// segment 4  |------------- finds a, b --|     b was approved by 5: it need not be made again. a was not.
    /// segment 5  |-- finds a, b; approves b -----|
    /// ```
    #[test]
    fn what_a_later_segment_has_approved_is_elsewhere_and_what_an_earlier_one_has_met_is_old() {
        let seen = SeenStates::default();
        let (before, claims) = (seen.reading(), Claims::default());
        let [a, b]: [Fingerprint; 2] = some(2).try_into().expect("two");
        let (mut ann, mut ben, mut cid) = (Shard::default(), Shard::default(), Shard::default());
        let mut fifth = shared(&before, &mut ben, &claims, 5);
        assert_eq!([a, b].map(|state| fifth.meet(state, 1)), [Sighting::New; 2]);
        fifth.approve(b);

        let mut fourth = shared(&before, &mut ann, &claims, 4);
        assert_eq!(fourth.glance(a, 2), Sighting::New);
        assert_eq!(fourth.glance(b, 2), Sighting::Elsewhere);
        assert_eq!(fourth.glance(b, 2), Sighting::Old, "it is here now");
        assert_eq!(fourth.meet(a, 2), Sighting::New);

        let mut sixth = shared(&before, &mut cid, &claims, 6);
        assert_eq!([a, b].map(|state| sixth.meet(state, 3)), [Sighting::Old; 2]);
        let mut third = shared(&before, &mut cid, &claims, 3);
        assert_eq!(
            third.glance(b, 3),
            Sighting::Elsewhere,
            "from the fourth, which has it from the fifth"
        );
        third.may_be_elsewhere = false;
        third.mine.clear();
        claims.clear();
        claims.claim(b, 5, true);
        assert_eq!(third.glance(b, 3), Sighting::New);
    }

    #[test]
    fn what_was_met_lately_is_old_and_a_glance_at_a_new_state_leaves_it_new() {
        let seen = SeenStates::default();
        let mut recent = Recent::default();
        let mut sieve = recent.before(seen.writing());
        for state in some(2 * RECENT_STATES as i64) {
            assert_eq!(sieve.glance(state, 0), Sighting::New);
            assert_eq!(sieve.meet(state, 0), Sighting::New);
            assert_eq!(sieve.glance(state, 0), Sighting::Old);
        }
        for state in some(2 * RECENT_STATES as i64) {
            assert_eq!(
                sieve.glance(state, 0),
                Sighting::Old,
                "also where its place was taken"
            );
            assert_eq!(sieve.meet(state, 0), Sighting::Old);
        }
    }
}
