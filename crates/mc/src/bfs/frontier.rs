//! Frontier of the breadth-first search: the level that is being expanded, and the next one.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::io;

use super::segment::{SEGMENT_STATES_MAX, Segment};
use super::state_queue::StateQueue;
use crate::fingerprint::Fingerprint;

/// Two queues. States may be added to both, because segments of the previous level may still be in flight while states of the
/// current level are taken.
#[derive(Debug)]
pub(crate) struct Frontier {
    level: u32,
    /// Segments that were taken and not expanded, with their levels. They come before those of the current level.
    returned: VecDeque<(u32, Segment)>,
    current: StateQueue,
    next: StateQueue,
    bytes_max: u64,
    segment_states: usize,
}

impl Frontier {
    /// An empty frontier before the first level. Beyond this many bytes, states go to disk.
    pub(crate) fn new(bytes_max: u64) -> Self {
        let bytes_max = bytes_max / 2;
        Self {
            level: 0,
            returned: VecDeque::new(),
            current: StateQueue::new(bytes_max),
            next: StateQueue::new(bytes_max),
            bytes_max,
            segment_states: SEGMENT_STATES_MAX,
        }
    }

    /// Sets the number of states per segment from now on.
    pub(crate) fn set_segment_states(&mut self, states: usize) {
        self.segment_states = states;
        self.current.set_segment_states(states);
        self.next.set_segment_states(states);
    }

    /// The current level.
    pub(crate) fn level(&self) -> u32 {
        self.level
    }

    /// Number of queued segments of the current level, and of those that were returned.
    pub(crate) fn segments(&self) -> usize {
        self.returned.len() + self.current.segments()
    }

    /// Number of states of the next level so far.
    pub(crate) fn next_len(&self) -> u64 {
        self.next.len()
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.current.memory_bytes() + self.next.memory_bytes()
    }

    /// Adds a state of the current or the next level.
    pub(crate) fn push(&mut self, level: u32, state: Fingerprint, encoded: &[u8]) -> io::Result<()> {
        debug_assert!(level == self.level || level == self.level + 1);
        let queue = if level == self.level {
            &mut self.current
        } else {
            &mut self.next
        };
        queue.push(state, encoded)
    }

    /// Removes the oldest segment, with its level.
    pub(crate) fn pop(&mut self) -> io::Result<Option<(u32, Segment)>> {
        if let Some(returned) = self.returned.pop_front() {
            return Ok(Some(returned));
        }
        Ok(self.current.pop()?.map(|segment| (self.level, segment)))
    }

    /// Returns the segment that was taken before all others that are queued.
    pub(crate) fn return_segment(&mut self, level: u32, segment: Segment) {
        self.returned.push_front((level, segment));
    }

    /// All segments with their levels, in the order in which they are taken; those of the next level come last.
    pub(crate) fn each_segment<E: From<io::Error>>(
        &mut self,
        mut visit: impl FnMut(u32, &Segment) -> Result<(), E>,
    ) -> Result<(), E> {
        for (level, segment) in &self.returned {
            visit(*level, segment)?;
        }
        let level = self.level;
        self.current.each_segment(|segment| visit(level, segment))?;
        self.next.each_segment(|segment| visit(level + 1, segment))
    }

    /// A frontier at this level. Its segments are added with [`Self::push_segment`], in their order.
    pub(crate) fn at_level(bytes_max: u64, level: u32) -> Self {
        Self {
            level,
            ..Self::new(bytes_max)
        }
    }

    /// Adds a segment after all others of its level.
    pub(crate) fn push_segment(&mut self, level: u32, segment: Segment) -> io::Result<()> {
        match level.cmp(&self.level) {
            Ordering::Less => {
                self.returned.push_back((level, segment));
                Ok(())
            }
            Ordering::Equal => self.current.push_segment(segment),
            Ordering::Greater => self.next.push_segment(segment),
        }
    }

    /// Makes the next level the current one, which must be empty and stay empty.
    pub(crate) fn advance(&mut self) {
        debug_assert_eq!(self.segments(), 0);
        self.level += 1;
        self.current = std::mem::replace(&mut self.next, StateQueue::new(self.bytes_max));
        self.next.set_segment_states(self.segment_states);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_leave_level_by_level_in_segments_of_the_size_set_when_they_came() {
        let state = |number: i64| Fingerprint::of_state(&[number.into()]);
        let mut frontier = Frontier::new(u64::MAX);
        let push = |frontier: &mut Frontier, level, count| {
            for number in 0..count {
                frontier.push(level, state(number), &[]).expect("memory");
            }
        };
        push(&mut frontier, 1, 100);
        assert_eq!((frontier.segments(), frontier.next_len()), (0, 100));
        frontier.advance();
        assert_eq!((frontier.level(), frontier.segments()), (1, 2));
        frontier.set_segment_states(1);
        push(&mut frontier, 1, 3);
        push(&mut frontier, 2, 5);
        // The next state closes the open segment.
        assert_eq!(frontier.segments(), 4);
        while frontier.pop().expect("memory").is_some() {}
        frontier.advance();
        assert_eq!((frontier.segments(), frontier.next_len()), (5, 0));
        push(&mut frontier, 3, 4);
        while frontier.pop().expect("memory").is_some() {}
        frontier.advance();
        assert_eq!(frontier.segments(), 4);
    }
}
