//! How long states take, and how many of them make a segment that is neither too short nor too long.
//!
//! A segment costs a turn at the desk, so it should not be too short; and states of one segment are not shared, so it should not be too
//! long: a level of fifty states that take a second each is to keep all workers busy.

use std::time::Duration;

use crate::waiting::SEGMENT_STATES_MAX;

/// A turn at the desk takes a hundredth of that.
const SEGMENT: Duration = Duration::from_millis(1);
/// What was measured for more states than this counts half.
const STATES_REMEMBERED: u64 = 1_024;

/// What the states explored lately took.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    states: u64,
    taken: Duration,
}

impl Pace {
    /// Takes note of what some states took, and says how many are to make a segment.
    pub(crate) fn segment_states(&mut self, taken: Duration, states: u64) -> usize {
        self.states += states;
        self.taken = self.taken.saturating_add(taken);
        if self.states > STATES_REMEMBERED {
            self.states /= 2;
            self.taken /= 2;
        }
        let per_state = self.taken.as_nanos() / u128::from(self.states.max(1));
        let states = SEGMENT.as_nanos() / per_state.max(1);
        usize::try_from(states).map_or(SEGMENT_STATES_MAX, |states| states.clamp(1, SEGMENT_STATES_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_take_long_are_shared_one_by_one_and_quick_ones_by_the_dozen() {
        let mut pace = Pace::default();
        assert_eq!(pace.segment_states(Duration::ZERO, 0), SEGMENT_STATES_MAX);
        assert_eq!(pace.segment_states(Duration::from_secs(2), 10), 1);
        assert_eq!(pace.segment_states(Duration::MAX, 1), 1);
        let mut pace = Pace::default();
        assert_eq!(
            pace.segment_states(Duration::from_micros(640), 64),
            SEGMENT_STATES_MAX
        );
        assert_eq!(pace.segment_states(Duration::from_micros(64 * 190), 64), 10);
    }

    #[test]
    fn what_was_long_ago_is_forgotten() {
        let mut pace = Pace::default();
        pace.segment_states(Duration::from_secs(10), 64);
        let segments =
            (0..).position(|_| pace.segment_states(Duration::from_micros(320), 64) == SEGMENT_STATES_MAX);
        assert!(segments.is_some_and(|segments| segments < 1_000));
    }
}
