//! The states seen so far, and where each was reached from.
//!
//! An open-addressing table of fingerprints, in shards. Beside each fingerprint lies the upper half of its parent's, its
//! [`Tag`]: 12 bytes a slot, 15 to 23 a state. The home of a fingerprint is decided by its tag alone, so the states that a
//! tag can mean are found by one probe of the table. Usually there is one; where there are more, rebuilding a
//! counterexample tries each, and only the real parent has the child as a successor.
//!
//! Shards grow by half, one at a time: growing needs room for one shard more, not for a second table.
//!
//! Access is by phase: [`SeenStates::reading`] while states are expanded by many workers, [`SeenStates::writing`] for one
//! worker alone, [`SeenStates::shard`] when each worker merges the shards that are its own. Locks are taken once per phase,
//! not once per state.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::fingerprint::{Fingerprint, Tag};

const SHARD_BITS: u32 = 6;
/// How many shards there are.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;

/// A set of fingerprints with their parents' tags.
#[derive(Debug)]
pub struct SeenStates {
    shards: Box<[RwLock<Shard>]>,
}

impl Default for SeenStates {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| RwLock::default()).collect(),
        }
    }
}

/// Which shard a tag belongs to.
#[inline]
pub(crate) fn shard_of(tag: Tag) -> usize {
    (tag >> (32 - SHARD_BITS)) as usize
}

impl SeenStates {
    /// How many states were seen.
    pub fn len(&self) -> u64 {
        let reading = self.reading();
        reading.shards.iter().map(|shard| shard.taken as u64).sum()
    }

    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How much memory the table takes.
    pub fn bytes(&self) -> u64 {
        let reading = self.reading();
        reading.shards.iter().map(|shard| shard.bytes()).sum()
    }

    /// The states that can be meant by a tag.
    pub fn with_tag(&self, tag: Tag) -> Vec<Fingerprint> {
        let shard = read(&self.shards[shard_of(tag)]);
        shard.with_tag(tag)
    }

    /// The tag of a state's parent: zero if it is an initial state, none if it was never seen.
    pub fn parent(&self, state: Fingerprint) -> Option<Tag> {
        read(&self.shards[shard_of(state.tag())]).parent(state)
    }

    pub(crate) fn reading(&self) -> Reading<'_> {
        Reading {
            shards: self.shards.iter().map(read).collect(),
        }
    }

    pub(crate) fn writing(&self) -> Writing<'_> {
        Writing {
            shards: self.shards.iter().map(write).collect(),
        }
    }

    pub(crate) fn shard(&self, number: usize) -> RwLockWriteGuard<'_, Shard> {
        write(&self.shards[number])
    }
}

// A shard is changed by whole entries, so one that a panicking thread left behind is still a table.
fn read(shard: &RwLock<Shard>) -> RwLockReadGuard<'_, Shard> {
    shard.read().unwrap_or_else(PoisonError::into_inner)
}

fn write(shard: &RwLock<Shard>) -> RwLockWriteGuard<'_, Shard> {
    shard.write().unwrap_or_else(PoisonError::into_inner)
}

/// The table while nobody writes.
pub(crate) struct Reading<'a> {
    shards: Vec<RwLockReadGuard<'a, Shard>>,
}

/// The table while one worker has it to itself.
pub(crate) struct Writing<'a> {
    shards: Vec<RwLockWriteGuard<'a, Shard>>,
}

impl Reading<'_> {
    #[inline]
    pub(crate) fn contains(&self, state: Fingerprint) -> bool {
        self.shards[shard_of(state.tag())].contains(state)
    }
}

impl Writing<'_> {
    /// Gives whether the state was not there before.
    #[inline]
    pub(crate) fn insert(&mut self, state: Fingerprint, parent: Tag) -> bool {
        self.shards[shard_of(state.tag())].insert(state, parent)
    }

    #[inline]
    pub(crate) fn contains(&self, state: Fingerprint) -> bool {
        self.shards[shard_of(state.tag())].contains(state)
    }
}

/// One shard: linear probing over two parallel arrays, of which a lookup reads only the first.
#[derive(Debug, Default)]
pub(crate) struct Shard {
    fingerprints: Vec<u64>,
    parents: Vec<Tag>,
    taken: usize,
}

const EMPTY: u64 = 0;
const SLOTS_MIN: usize = 16;

impl Shard {
    fn bytes(&self) -> u64 {
        (self.fingerprints.capacity() * size_of::<u64>() + self.parents.capacity() * size_of::<Tag>()) as u64
    }

    /// Forgets everything, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.fingerprints.fill(EMPTY);
        self.taken = 0;
    }

    /// Where the search for a tag starts: its lower bits, scaled to the number of slots, which need not be a power of two.
    #[inline]
    fn home(&self, tag: Tag) -> usize {
        let spread = u64::from(tag << SHARD_BITS);
        ((spread * self.fingerprints.len() as u64) >> 32) as usize
    }

    /// What stands where the search for a state starts.
    #[inline]
    pub(crate) fn at_home(&self, state: Fingerprint) -> u64 {
        self.fingerprints
            .get(self.home(state.tag()))
            .copied()
            .unwrap_or(EMPTY)
    }

    /// The slot of a state, or the empty one where it belongs. There must be an empty slot.
    #[inline]
    fn find(&self, state: u64, tag: Tag) -> (usize, bool) {
        let mut slot = self.home(tag);
        loop {
            let there = self.fingerprints[slot];
            if there == state {
                return (slot, true);
            }
            if there == EMPTY {
                return (slot, false);
            }
            slot += 1;
            if slot == self.fingerprints.len() {
                slot = 0;
            }
        }
    }

    #[inline]
    pub(crate) fn contains(&self, state: Fingerprint) -> bool {
        !self.fingerprints.is_empty() && self.find(state.word(), state.tag()).1
    }

    #[inline]
    pub(crate) fn insert(&mut self, state: Fingerprint, parent: Tag) -> bool {
        if self.taken * 5 >= self.fingerprints.len() * 4 {
            self.grow();
        }
        let (slot, is_there) = self.find(state.word(), state.tag());
        if !is_there {
            self.fingerprints[slot] = state.word();
            self.parents[slot] = parent;
            self.taken += 1;
        }
        !is_there
    }

    #[cold]
    fn grow(&mut self) {
        let slots = (self.fingerprints.len() + self.fingerprints.len() / 2).max(SLOTS_MIN);
        let old = std::mem::replace(
            self,
            Self {
                fingerprints: vec![EMPTY; slots],
                parents: vec![0; slots],
                taken: 0,
            },
        );
        self.taken = old.taken;
        // Homes keep their order when the table grows, so this walks both tables from front to back.
        for (word, parent) in old.fingerprints.into_iter().zip(old.parents) {
            if word != EMPTY {
                let (slot, _) = self.find(word, (word >> 32) as Tag);
                self.fingerprints[slot] = word;
                self.parents[slot] = parent;
            }
        }
    }

    fn parent(&self, state: Fingerprint) -> Option<Tag> {
        if self.fingerprints.is_empty() {
            return None;
        }
        let (slot, is_there) = self.find(state.word(), state.tag());
        is_there.then(|| self.parents[slot])
    }

    fn with_tag(&self, tag: Tag) -> Vec<Fingerprint> {
        let mut found = Vec::new();
        if self.fingerprints.is_empty() {
            return found;
        }
        let mut slot = self.home(tag);
        while self.fingerprints[slot] != EMPTY {
            let state = Fingerprint::new(self.fingerprints[slot]);
            if state.tag() == tag {
                found.push(state);
            }
            slot = (slot + 1) % self.fingerprints.len();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(count: i64) -> impl Iterator<Item = Fingerprint> {
        (0..count).map(|n| Fingerprint::of_state(&[n.into()]))
    }

    #[test]
    fn a_state_is_new_once_and_keeps_its_first_parent() {
        let seen = SeenStates::default();
        let mut table = seen.writing();
        for state in some(20_000) {
            assert!(table.insert(state, 7));
        }
        for state in some(20_000) {
            assert!(!table.insert(state, 8));
        }
        drop(table);
        assert_eq!(seen.len(), 20_000);
        assert!(some(20_000).all(|state| seen.parent(state) == Some(7)));
        assert_eq!(seen.parent(Fingerprint::of_state(&["other".into()])), None);
    }

    #[test]
    fn a_tag_finds_every_state_that_has_it() {
        let seen = SeenStates::default();
        let twins = [5, 6].map(|low| Fingerprint::new(0xABCD_0123_0000_0000 + low));
        for state in some(1_000).chain(twins) {
            seen.writing().insert(state, 0);
        }
        assert_eq!(seen.with_tag(0xABCD_0123), twins);
        assert_eq!(seen.with_tag(0xABCD_0124), []);
    }

    #[test]
    fn a_state_takes_no_more_than_24_bytes() {
        let seen = SeenStates::default();
        for (count, state) in (1..).zip(some(100_000)) {
            seen.shard(shard_of(state.tag())).insert(state, 0);
            if count == 50_000 || count == 75_000 || count == 100_000 {
                assert!(seen.bytes() < 24 * count, "{} bytes for {count}", seen.bytes());
            }
        }
    }
}
