//! What says whether a state is new, for a worker alone and for one among many.
//!
//! Most successors are old, and most of these were met a moment ago: by the state before, or by its neighbour in the level. So a
//! worker first looks among the states that it has met lately, in memory that nobody else uses; two thirds to nine tenths of the
//! old ones are there. Only the others are looked up where all workers read and write, which takes as long as the
//! memory that they share.

use std::num::NonZeroU16;

use crate::claims::{Claim, Claims};
use crate::fingerprint::{Fingerprint, Tag};
use crate::seen::{SeenStates, View};

/// What there is to do about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sighting {
    /// Nothing: it was seen before.
    Old,
    /// The segment that comes so many later has it. It was made and checked there, but belongs here.
    Elsewhere(NonZeroU16),
    /// Everything.
    New,
}

/// What says whether a state is new.
pub(crate) trait Sieve {
    /// Meets a state: from now on it was seen.
    fn meet(&mut self, state: Fingerprint, parent: Tag) -> Sighting;

    /// Meets a state unless it is new.
    fn glance(&mut self, state: Fingerprint) -> Sighting;

    /// A state that was met as a new one is as it should be.
    fn approve(&mut self, state: Fingerprint);
}

impl<S: Sieve> Sieve for &mut S {
    #[inline]
    fn meet(&mut self, state: Fingerprint, parent: Tag) -> Sighting {
        (**self).meet(state, parent)
    }

    #[inline]
    fn glance(&mut self, state: Fingerprint) -> Sighting {
        (**self).glance(state)
    }

    #[inline]
    fn approve(&mut self, state: Fingerprint) {
        (**self).approve(state);
    }
}

impl Sieve for SeenStates {
    #[inline]
    fn meet(&mut self, state: Fingerprint, parent: Tag) -> Sighting {
        if self.insert(state, parent) {
            Sighting::New
        } else {
            Sighting::Old
        }
    }

    #[inline]
    fn glance(&mut self, state: Fingerprint) -> Sighting {
        if self.contains(state) {
            Sighting::Old
        } else {
            Sighting::New
        }
    }

    #[inline]
    fn approve(&mut self, _: Fingerprint) {}
}

/// The sieve of one worker among many: what the table shows, and what the others have claimed.
pub(crate) struct Shared<'a> {
    pub(crate) view: &'a View,
    /// None for whoever must not rely on others: see [`crate::crew`].
    pub(crate) claims: Option<&'a Claims>,
    /// The segment that is being expanded.
    pub(crate) segment: u64,
    /// Whether states of one fingerprint are one state, whoever makes it.
    pub(crate) may_be_elsewhere: bool,
}

impl Sieve for Shared<'_> {
    #[inline]
    fn meet(&mut self, state: Fingerprint, _: Tag) -> Sighting {
        let sighting = self.glance(state);
        if sighting == Sighting::New
            && let Some(claims) = self.claims
        {
            claims.claim(state, self.segment, false);
        }
        sighting
    }

    #[inline]
    fn glance(&mut self, state: Fingerprint) -> Sighting {
        if self.view.contains(state) {
            return Sighting::Old;
        }
        let Some(claims) = self.claims else {
            return Sighting::New;
        };
        match claims.of(state, self.segment) {
            Claim::Earlier => Sighting::Old,
            Claim::LaterAndApproved(later) if self.may_be_elsewhere => {
                claims.claim(state, self.segment, true);
                Sighting::Elsewhere(later)
            }
            Claim::LaterAndApproved(_) | Claim::None => Sighting::New,
        }
    }

    #[inline]
    fn approve(&mut self, state: Fingerprint) {
        if let Some(claims) = self.claims {
            claims.claim(state, self.segment, true);
        }
    }
}

/// States that a worker has met lately, each where its fingerprint says unless another has taken the place.
///
/// A state that is old for a segment is old for all later ones, so this is to be emptied when a worker goes back to an earlier one.
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

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.states.fill(0);
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
    fn glance(&mut self, state: Fingerprint) -> Sighting {
        let place = self.recent.place(state);
        if *place == state.word() {
            return Sighting::Old;
        }
        let sighting = self.sieve.glance(state);
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

    fn some(count: i64) -> Vec<Fingerprint> {
        (0..count).map(|n| Fingerprint::of_state(&[n.into()])).collect()
    }

    /// A table in which these states are.
    fn table(states: &[Fingerprint]) -> (SeenStates, View) {
        let mut seen = SeenStates::default();
        for state in states {
            seen.insert(*state, 0);
        }
        let mut view = View::default();
        view.renew(&seen);
        (seen, view)
    }

    /// One worker's sieve for a segment.
    fn shared<'a>(view: &'a View, claims: &'a Claims, segment: u64) -> Shared<'a> {
        Shared {
            view,
            claims: Some(claims),
            segment,
            may_be_elsewhere: true,
        }
    }

    const NEXT_BUT: [Option<NonZeroU16>; 3] = [NonZeroU16::new(1), NonZeroU16::new(2), NonZeroU16::new(3)];

    fn elsewhere(later: usize) -> Sighting {
        Sighting::Elsewhere(NEXT_BUT[later - 1].expect("not zero"))
    }

    #[test]
    fn a_shared_sieve_knows_what_is_in_the_table_and_relies_on_nothing_else_if_it_must_not() {
        let states = some(3);
        let (_seen, view) = table(&states[..1]);
        let claims = Claims::default();
        let mut sieve = shared(&view, &claims, 4);
        let answers = [0, 1, 2].map(|n| sieve.meet(states[n], 0));
        assert_eq!(answers, [Sighting::Old, Sighting::New, Sighting::New]);
        for segment in [3, 5] {
            sieve.approve(states[1]);
            let mut alone = Shared {
                claims: None,
                ..shared(&view, &claims, segment)
            };
            let answers = [0, 1, 2].map(|n| alone.meet(states[n], 0));
            assert_eq!(answers, [Sighting::Old, Sighting::New, Sighting::New]);
        }
    }

    /// ```text
    /// segment 4  |------------- finds a, b --|     b was approved by 5: it need not be made again. a was not.
    /// segment 5  |-- finds a, b; approves b -----|
    /// ```
    #[test]
    fn what_a_later_segment_has_approved_is_elsewhere_and_what_an_earlier_one_has_met_is_old() {
        let (_seen, view) = table(&[]);
        let claims = Claims::default();
        let [a, b]: [Fingerprint; 2] = some(2).try_into().expect("two");
        let mut fifth = shared(&view, &claims, 5);
        assert_eq!([a, b].map(|state| fifth.meet(state, 1)), [Sighting::New; 2]);
        fifth.approve(b);

        let mut fourth = shared(&view, &claims, 4);
        assert_eq!(fourth.glance(a), Sighting::New);
        assert_eq!(fourth.glance(b), elsewhere(1));
        assert_eq!(fourth.meet(a, 2), Sighting::New);

        let mut sixth = shared(&view, &claims, 6);
        assert_eq!([a, b].map(|state| sixth.meet(state, 3)), [Sighting::Old; 2]);
        let mut second = shared(&view, &claims, 2);
        assert_eq!(
            second.glance(b),
            elsewhere(2),
            "with the fourth, which has it from the fifth"
        );
        let mut first = Shared {
            may_be_elsewhere: false,
            ..shared(&view, &claims, 1)
        };
        assert_eq!(first.glance(b), Sighting::New);
    }

    #[test]
    fn what_was_met_lately_is_old_and_a_glance_at_a_new_state_leaves_it_new() {
        let mut seen = SeenStates::default();
        let mut recent = Recent::default();
        let mut sieve = recent.before(&mut seen);
        for state in some(2 * RECENT_STATES as i64) {
            assert_eq!(sieve.glance(state), Sighting::New);
            assert_eq!(sieve.meet(state, 0), Sighting::New);
            assert_eq!(sieve.glance(state), Sighting::Old);
        }
        for state in some(2 * RECENT_STATES as i64) {
            assert_eq!(
                sieve.glance(state),
                Sighting::Old,
                "also where its place was taken"
            );
            assert_eq!(sieve.meet(state, 0), Sighting::Old);
        }
        recent.clear();
        let mut other = SeenStates::default();
        assert_eq!(recent.before(&mut other).glance(some(1)[0]), Sighting::New);
    }
}
