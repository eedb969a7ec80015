//! The states that wait to be explored, level by level.

use std::io;

use crate::fingerprint::Fingerprint;
use crate::waiting::{Segment, Waiting};

/// Two levels: the one whose states are taken, and the one after it. States are found for both: some of those that lead to the first
/// may still be under way.
#[derive(Debug)]
pub(crate) struct Levels {
    level: u32,
    current: Waiting,
    next: Waiting,
    bytes_max: u64,
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
        }
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
    }
}
