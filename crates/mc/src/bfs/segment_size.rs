//! Adaptive size of segments.
//!
//! A worker visits the scheduler once per segment, so segments should not be too short. The states of one segment are not
//! distributed, so segments should not be too long: a level of fifty states that take a second each must keep all workers busy.

use std::time::Duration;

use super::segment::SEGMENT_STATES_MAX;

/// Target duration of a segment: a hundred times that of a visit to the scheduler.
const SEGMENT_DURATION: Duration = Duration::from_millis(1);
/// Beyond this number of states, older measurements count half.
const SAMPLE_STATES: u64 = 1_024;

/// Estimates how many states make a segment of the target duration.
#[derive(Debug, Default)]
pub(crate) struct SegmentSizer {
    states: u64,
    elapsed: Duration,
}

impl SegmentSizer {
    /// Adds a measurement, and returns the number of states per segment.
    pub(crate) fn segment_states(&mut self, elapsed: Duration, states: u64) -> usize {
        self.states += states;
        self.elapsed = self.elapsed.saturating_add(elapsed);
        if self.states > SAMPLE_STATES {
            self.states /= 2;
            self.elapsed /= 2;
        }
        let per_state = self.elapsed.as_nanos() / u128::from(self.states.max(1));
        let states = SEGMENT_DURATION.as_nanos() / per_state.max(1);
        usize::try_from(states).map_or(SEGMENT_STATES_MAX, |states| states.clamp(1, SEGMENT_STATES_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_states_make_small_segments_and_fast_ones_large_segments() {
        let mut sizer = SegmentSizer::default();
        assert_eq!(sizer.segment_states(Duration::ZERO, 0), SEGMENT_STATES_MAX);
        assert_eq!(sizer.segment_states(Duration::from_secs(2), 10), 1);
        assert_eq!(sizer.segment_states(Duration::MAX, 1), 1);
        let mut sizer = SegmentSizer::default();
        assert_eq!(
            sizer.segment_states(Duration::from_micros(640), 64),
            SEGMENT_STATES_MAX
        );
        assert_eq!(sizer.segment_states(Duration::from_micros(64 * 190), 64), 10);
    }

    #[test]
    fn old_measurements_fade() {
        let mut sizer = SegmentSizer::default();
        sizer.segment_states(Duration::from_secs(10), 64);
        let segments =
            (0..).position(|_| sizer.segment_states(Duration::from_micros(320), 64) == SEGMENT_STATES_MAX);
        assert!(segments.is_some_and(|segments| segments < 1_000));
    }
}
