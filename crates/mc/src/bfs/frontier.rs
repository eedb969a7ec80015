//! The states that wait to be explored, level by level.

use std::io;

use crate::fingerprint::Fingerprint;
use crate::waiting::{SEGMENT_STATES_MAX, Segment, Waiting};

/// Two levels: the one whose states are taken, and the one after it. States are found for both: some of those that lead to the first
/// may still be under way.
#[derive(Debug)]
pub(crate) struct Levels {
    level: u32,
    current: Waiting,
    next: Waiting,
    bytes_max: u64,
    segment_states: usize,
}

impl Levels {
    /// In front of the first level; beyond this many bytes, states go to disk.
    pub(crate) fn new(bytes_max: u64) -> Self {
        let bytes_max = bytes_max / 2;
        Self {
            level: 0,
            current: Waiting::new(bytes_max),
            next: Waiting::new(bytes_max),
            bytes_max,
            segment_states: SEGMENT_STATES_MAX,
        }
    }

    /// So many states make a segment from now on.
    pub(crate) fn set_segment_states(&mut self, states: usize) {
        self.segment_states = states;
        self.current.set_segment_states(states);
        self.next.set_segment_states(states);
    }

    /// The level whose states are taken.
    pub(crate) fn level(&self) -> u32 {
        self.level
    }

    /// In how many segments the states of this level wait.
    pub(crate) fn segments(&self) -> usize {
        self.current.segments()
    }

    /// How many states of the next level were found so far.
    pub(crate) fn in_next(&self) -> u64 {
        self.next.len()
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.current.memory_bytes() + self.next.memory_bytes()
    }

    /// A state of this level or the next one waits.
    pub(crate) fn push(&mut self, level: u32, state: Fingerprint, encoded: &[u8]) -> io::Result<()> {
        debug_assert!(level == self.level || level == self.level + 1);
        let waiting = if level == self.level {
            &mut self.current
        } else {
            &mut self.next
        };
        waiting.push(state, encoded)
    }

    /// Takes the states of this level that have waited longest.
    pub(crate) fn pop(&mut self) -> io::Result<Option<Segment>> {
        self.current.pop()
    }

    /// Goes to the next level. To be called when nobody waits in this one, and nobody will.
    pub(crate) fn go_on(&mut self) {
        debug_assert_eq!(self.current.len(), 0);
        self.level += 1;
        self.current = std::mem::replace(&mut self.next, Waiting::new(self.bytes_max));
        self.next.set_segment_states(self.segment_states);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_leave_level_by_level_in_segments_as_large_as_was_said_when_they_came() {
        let state = |number: i64| Fingerprint::of_state(&[number.into()]);
        let mut levels = Levels::new(u64::MAX);
        let push = |levels: &mut Levels, level, count| {
            for number in 0..count {
                levels.push(level, state(number), &[]).expect("memory");
            }
        };
        push(&mut levels, 1, 100);
        assert_eq!((levels.segments(), levels.in_next()), (0, 100));
        levels.go_on();
        assert_eq!((levels.level(), levels.segments()), (1, 2));
        levels.set_segment_states(1);
        push(&mut levels, 1, 3);
        push(&mut levels, 2, 5);
        // What was begun is sealed by the next that comes.
        assert_eq!(levels.segments(), 4);
        while levels.pop().expect("memory").is_some() {}
        levels.go_on();
        assert_eq!((levels.segments(), levels.in_next()), (5, 0));
        push(&mut levels, 3, 4);
        while levels.pop().expect("memory").is_some() {}
        levels.go_on();
        assert_eq!(levels.segments(), 4);
    }
}
