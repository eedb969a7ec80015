//! Seen set: the fingerprints of all states found so far, with the tags of their parents.
//!
//! A sharded open-addressing hash table. Beside each fingerprint lies the upper half of its parent's, its [`Tag`]: 12 bytes per
//! slot, 15 to 23 per state. The home slot of a fingerprint depends on its tag alone, so one probe finds all states with a given
//! tag. Usually there is one. Where there are several, the reconstruction of a counterexample tries each: only the real parent
//! has the child as a successor.
//!
//! Shards grow by half, one at a time, so growing needs memory for one more shard, not for a second table.
//!
//! One thread writes at a time. Any number of threads read concurrently without locks, each through a [`FingerprintReader`]. After
//! a shard has grown, a reader misses new entries of that shard until it is refreshed. So "absent" is a hint for a reader, and
//! certain only for the writer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fingerprint::{Fingerprint, Tag};

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;

/// A set of fingerprints with their parents' tags.
#[derive(Debug)]
pub struct FingerprintSet {
    shards: Box<[Shard]>,
    /// How many times a shard has grown.
    growths: u64,
}

impl Default for FingerprintSet {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            growths: 0,
        }
    }
}

/// The shard of a tag.
#[inline]
fn shard_of(tag: Tag) -> usize {
    (tag >> (32 - SHARD_BITS)) as usize
}

impl FingerprintSet {
    /// Number of states.
    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.len as u64).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory of the table, in bytes.
    pub fn bytes(&self) -> u64 {
        self.shards.iter().map(Shard::bytes).sum()
    }

    /// All states with this tag.
    pub fn with_tag(&self, tag: Tag) -> Vec<Fingerprint> {
        self.shards[shard_of(tag)].with_tag(tag)
    }

    /// The tag of a state's parent: zero for an initial state, `None` if the state is not in the set.
    pub fn parent(&self, state: Fingerprint) -> Option<Tag> {
        self.shards[shard_of(state.tag())].parent(state)
    }

    /// Inserts a state. Returns whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, state: Fingerprint, parent: Tag) -> bool {
        let shard = &mut self.shards[shard_of(state.tag())];
        if shard.is_full() {
            shard.grow();
            self.growths += 1;
        }
        shard.insert(state, parent)
    }

    #[inline]
    pub(crate) fn contains(&self, state: Fingerprint) -> bool {
        contains(&self.shards[shard_of(state.tag())].fingerprints, state)
    }

    /// The content of the slot where the probe for a state starts.
    #[inline]
    pub(crate) fn home_slot(&self, state: Fingerprint) -> u64 {
        let slots = &self.shards[shard_of(state.tag())].fingerprints;
        slots
            .get(home(slots, state.tag()))
            .map_or(EMPTY, |slot| slot.load(Ordering::Relaxed))
    }
}

type Slots = Arc<[AtomicU64]>;

/// Read access to the set for another thread.
#[derive(Debug, Default)]
pub(crate) struct FingerprintReader {
    shards: Vec<Slots>,
    growths: u64,
}

impl FingerprintReader {
    /// Makes all current entries visible, and those added until the next growth.
    pub(crate) fn refresh(&mut self, seen: &FingerprintSet) {
        if self.shards.is_empty() {
            self.shards = seen
                .shards
                .iter()
                .map(|shard| shard.fingerprints.clone())
                .collect();
        } else if self.growths != seen.growths {
            for (mine, shard) in self.shards.iter_mut().zip(&seen.shards) {
                if !Arc::ptr_eq(mine, &shard.fingerprints) {
                    *mine = shard.fingerprints.clone();
                }
            }
        }
        self.growths = seen.growths;
    }

    /// Releases the table, so that shards which have grown can be freed. Nothing is visible until the next refresh.
    pub(crate) fn release(&mut self) {
        self.shards.clear();
    }

    /// Whether a state is visible.
    #[inline]
    pub(crate) fn contains(&self, state: Fingerprint) -> bool {
        self.shards
            .get(shard_of(state.tag()))
            .is_some_and(|slots| contains(slots, state))
    }
}

/// One shard: linear probing over two parallel arrays. A lookup reads only the first.
#[derive(Debug)]
struct Shard {
    fingerprints: Slots,
    parents: Vec<Tag>,
    len: usize,
}

const EMPTY: u64 = 0;
const SLOTS_MIN: usize = 16;

impl Default for Shard {
    fn default() -> Self {
        Self::with_slots(0)
    }
}

/// The home slot of a tag: its lower bits, scaled to the number of slots, which need not be a power of two.
#[inline]
fn home(slots: &[AtomicU64], tag: Tag) -> usize {
    let spread = u64::from(tag << SHARD_BITS);
    ((spread * slots.len() as u64) >> 32) as usize
}

/// The slot of a state, or the empty slot where it belongs. Requires an empty slot.
#[inline]
fn find(slots: &[AtomicU64], state: Fingerprint) -> (usize, bool) {
    let mut slot = home(slots, state.tag());
    loop {
        let entry = slots[slot].load(Ordering::Relaxed);
        if entry == state.word() {
            return (slot, true);
        }
        if entry == EMPTY {
            return (slot, false);
        }
        slot += 1;
        if slot == slots.len() {
            slot = 0;
        }
    }
}

#[inline]
fn contains(slots: &[AtomicU64], state: Fingerprint) -> bool {
    !slots.is_empty() && find(slots, state).1
}

impl Shard {
    fn with_slots(slots: usize) -> Self {
        Self {
            fingerprints: (0..slots).map(|_| AtomicU64::new(EMPTY)).collect(),
            parents: vec![0; slots],
            len: 0,
        }
    }

    fn bytes(&self) -> u64 {
        (self.fingerprints.len() * size_of::<u64>() + self.parents.capacity() * size_of::<Tag>()) as u64
    }

    /// Whether the shard must grow. A fifth of the slots stays empty, which also ends the probes of concurrent readers.
    #[inline]
    fn is_full(&self) -> bool {
        self.len * 5 >= self.fingerprints.len() * 4
    }

    #[inline]
    fn insert(&mut self, state: Fingerprint, parent: Tag) -> bool {
        let (slot, is_present) = find(&self.fingerprints, state);
        if !is_present {
            self.fingerprints[slot].store(state.word(), Ordering::Relaxed);
            self.parents[slot] = parent;
            self.len += 1;
        }
        !is_present
    }

    #[cold]
    fn grow(&mut self) {
        let slots = self.fingerprints.len();
        let old = std::mem::replace(self, Self::with_slots((slots + slots / 2).max(SLOTS_MIN)));
        // Growing preserves the order of home slots, so this walks both tables from front to back.
        for (slot, parent) in old.fingerprints.iter().zip(old.parents) {
            let word = slot.load(Ordering::Relaxed);
            if word != EMPTY {
                self.insert(Fingerprint::new(word), parent);
            }
        }
    }

    fn parent(&self, state: Fingerprint) -> Option<Tag> {
        if self.fingerprints.is_empty() {
            return None;
        }
        let (slot, is_present) = find(&self.fingerprints, state);
        is_present.then(|| self.parents[slot])
    }

    fn with_tag(&self, tag: Tag) -> Vec<Fingerprint> {
        let slots = &self.fingerprints;
        let start = home(slots, tag);
        let from_home = slots.iter().skip(start).chain(slots.iter().take(start));
        from_home
            .map(|slot| slot.load(Ordering::Relaxed))
            .take_while(|word| *word != EMPTY)
            .map(Fingerprint::new)
            .filter(|state| state.tag() == tag)
            .collect()
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
        let mut seen = FingerprintSet::default();
        for state in some(20_000) {
            assert!(seen.insert(state, 7));
        }
        for state in some(20_000) {
            assert!(!seen.insert(state, 8));
        }
        assert_eq!(seen.len(), 20_000);
        assert!(some(20_000).all(|state| seen.parent(state) == Some(7)));
        assert_eq!(seen.parent(Fingerprint::of_state(&["other".into()])), None);
    }

    #[test]
    fn a_tag_finds_every_state_that_has_it() {
        let mut seen = FingerprintSet::default();
        let twins = [5, 6].map(|low| Fingerprint::new(0xABCD_0123_0000_0000 + low));
        for state in some(1_000).chain(twins) {
            seen.insert(state, 0);
        }
        assert_eq!(seen.with_tag(0xABCD_0123), twins);
        assert_eq!(seen.with_tag(0xABCD_0124), []);
        assert_eq!(FingerprintSet::default().with_tag(1), []);
    }

    #[test]
    fn a_state_takes_no_more_than_24_bytes() {
        let mut seen = FingerprintSet::default();
        for (count, state) in (1..).zip(some(100_000)) {
            seen.insert(state, 0);
            if count == 50_000 || count == 75_000 || count == 100_000 {
                assert!(seen.bytes() < 24 * count, "{} bytes for {count}", seen.bytes());
            }
        }
    }

    #[test]
    fn a_reader_sees_every_entry_present_at_its_refresh_and_no_others() {
        let mut seen = FingerprintSet::default();
        let mut reader = FingerprintReader::default();
        let states: Vec<_> = some(30_000).collect();
        assert!(!reader.contains(states[0]), "a new reader sees nothing");
        for (at, state) in states.iter().enumerate() {
            assert!(!reader.contains(*state));
            seen.insert(*state, 0);
            if at % 1_000 == 999 {
                reader.refresh(&seen);
                assert!(states[..=at].iter().all(|state| reader.contains(*state)));
            }
        }
        reader.release();
        assert!(!reader.contains(states[0]));
        reader.refresh(&seen);
        assert!(reader.contains(states[0]));
    }

    #[test]
    fn threads_read_while_one_writes() {
        let mut seen = FingerprintSet::default();
        let states: Vec<_> = some(50_000).collect();
        let (early, late) = states.split_at(1_000);
        let absent: Vec<_> = some(60_000).skip(50_000).collect();
        for state in early {
            seen.insert(*state, 0);
        }
        let mut reader = FingerprintReader::default();
        reader.refresh(&seen);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert!(early.iter().all(|state| reader.contains(*state)));
                    assert!(!absent.iter().any(|state| reader.contains(*state)));
                }
            });
            late.iter().for_each(|state| assert!(seen.insert(*state, 0)));
        });
        assert_eq!(seen.len(), 50_000);
    }
}
