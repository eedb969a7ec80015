//! Seen set: the fingerprints of all states found so far, with the tags of their parents.
//!
//! A sharded open-addressing hash table. Beside each fingerprint lies the upper half of its parent's, its [`Tag`]: 12 bytes per
//! slot, 15 to 23 per state. The home slot of a fingerprint depends on its tag alone, so one probe finds all states with a given
//! tag. Usually there is one. Where there are several, the reconstruction of a counterexample tries each: only the real parent
//! has the child as a successor.
//!
//! Shards grow by half, one at a time, so growing needs memory for one more shard, not for a second table. Once the table takes more
//! than its share of memory, shards that grow move to temporary files that are mapped into memory.
//!
//! One thread writes at a time. Any number of threads read concurrently without locks, each through a [`FingerprintReader`]. After
//! a shard has grown, a reader misses new entries of that shard until it is refreshed. So "absent" is a hint for a reader, and
//! certain only for the writer.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fingerprint::{Fingerprint, Tag};
use crate::slot_memory::SlotMemory;

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;

/// A set of fingerprints with their parents' tags.
#[derive(Debug)]
pub struct FingerprintSet {
    shards: Box<[Shard]>,
    /// How many times a shard has grown.
    growths: u64,
    /// Beyond this many bytes, shards that grow move to files.
    heap_bytes_max: u64,
    /// Why a shard could not move to a file.
    disk_error: Option<io::Error>,
}

impl Default for FingerprintSet {
    /// A set that stays on the heap.
    fn default() -> Self {
        Self::with_heap_bytes(u64::MAX)
    }
}

/// The shard of a tag.
#[inline]
fn shard_of(tag: Tag) -> usize {
    (tag >> (32 - SHARD_BITS)) as usize
}

impl FingerprintSet {
    /// An empty set, which moves to temporary files once it takes more than this many bytes.
    pub fn with_heap_bytes(heap_bytes_max: u64) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            growths: 0,
            heap_bytes_max,
            disk_error: None,
        }
    }

    /// All states with the tags of their parents.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Fingerprint, Tag)> {
        let shards = self.shards.iter();
        shards.flat_map(|shard| {
            let words = shard
                .fingerprints
                .words()
                .iter()
                .map(|word| word.load(Ordering::Relaxed));
            let entries = words.enumerate().filter(|(_, word)| *word != EMPTY);
            entries.map(|(slot, word)| (Fingerprint::new(word), shard.parents.get(slot)))
        })
    }

    /// Why a part of the set could not move to a file; asked for once.
    pub(crate) fn take_disk_error(&mut self) -> Option<io::Error> {
        self.disk_error.take()
    }

    /// Whether a part of the set is in files.
    pub fn is_on_disk(&self) -> bool {
        self.shards.iter().any(|shard| shard.fingerprints.is_in_file())
    }

    /// Number of states.
    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.len as u64).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory of the table on the heap, in bytes.
    pub fn bytes(&self) -> u64 {
        self.shards.iter().map(Shard::heap_bytes).sum()
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
            self.grow(state.tag());
        }
        self.shards[shard_of(state.tag())].insert(state, parent)
    }

    #[cold]
    fn grow(&mut self, tag: Tag) {
        let is_on_heap = self.bytes() < self.heap_bytes_max;
        if let Err(error) = self.shards[shard_of(tag)].grow(is_on_heap) {
            self.disk_error = Some(error);
        }
        self.growths += 1;
    }

    #[inline]
    pub(crate) fn contains(&self, state: Fingerprint) -> bool {
        contains(self.shards[shard_of(state.tag())].fingerprints.words(), state)
    }

    /// The content of the slot where the probe for a state starts.
    #[inline]
    pub(crate) fn home_slot(&self, state: Fingerprint) -> u64 {
        let slots = self.shards[shard_of(state.tag())].fingerprints.words();
        slots
            .get(home(slots, state.tag()))
            .map_or(EMPTY, |slot| slot.load(Ordering::Relaxed))
    }
}

type Slots = Arc<SlotMemory>;

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
            .is_some_and(|slots| contains(slots.words(), state))
    }
}

/// One shard: linear probing over two parallel arrays. A lookup reads only the first.
#[derive(Debug)]
struct Shard {
    fingerprints: Slots,
    parents: Parents,
    len: usize,
}

const EMPTY: u64 = 0;
const SLOTS_MIN: usize = 16;

impl Default for Shard {
    fn default() -> Self {
        Self {
            fingerprints: Arc::new(SlotMemory::on_heap(0)),
            parents: Parents(SlotMemory::on_heap(0)),
            len: 0,
        }
    }
}

/// Tags, two to a word.
#[derive(Debug)]
struct Parents(SlotMemory);

impl Parents {
    /// Number of words for this many tags.
    fn words(tags: usize) -> usize {
        tags.div_ceil(2)
    }

    fn get(&self, slot: usize) -> Tag {
        let word = self.0.words()[slot / 2].load(Ordering::Relaxed);
        (word >> (slot % 2 * 32)) as Tag
    }

    /// Sets a tag that was zero.
    fn set(&mut self, slot: usize, tag: Tag) {
        let word = &self.0.words()[slot / 2];
        let with_tag = word.load(Ordering::Relaxed) | u64::from(tag) << (slot % 2 * 32);
        word.store(with_tag, Ordering::Relaxed);
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
    fn on_heap(slots: usize) -> Self {
        Self {
            fingerprints: Arc::new(SlotMemory::on_heap(slots)),
            parents: Parents(SlotMemory::on_heap(Parents::words(slots))),
            len: 0,
        }
    }

    fn in_files(slots: usize) -> io::Result<Self> {
        Ok(Self {
            fingerprints: Arc::new(SlotMemory::in_file(slots)?),
            parents: Parents(SlotMemory::in_file(Parents::words(slots))?),
            len: 0,
        })
    }

    fn heap_bytes(&self) -> u64 {
        self.fingerprints.heap_bytes() + self.parents.0.heap_bytes()
    }

    /// Whether the shard must grow. A fifth of the slots stays empty, which also ends the probes of concurrent readers.
    #[inline]
    fn is_full(&self) -> bool {
        self.len * 5 >= self.fingerprints.words().len() * 4
    }

    #[inline]
    fn insert(&mut self, state: Fingerprint, parent: Tag) -> bool {
        let slots = self.fingerprints.words();
        let (slot, is_present) = find(slots, state);
        if !is_present {
            slots[slot].store(state.word(), Ordering::Relaxed);
            self.parents.set(slot, parent);
            self.len += 1;
        }
        !is_present
    }

    /// Grows by half, on the heap or in files. If there is no room for files the shard grows on the heap, and the error is returned.
    fn grow(&mut self, is_on_heap: bool) -> io::Result<()> {
        let slots = self.fingerprints.words().len();
        let slots = (slots + slots / 2).max(SLOTS_MIN);
        let (larger, grown) = match is_on_heap {
            true => (Self::on_heap(slots), Ok(())),
            false => match Self::in_files(slots) {
                Ok(larger) => (larger, Ok(())),
                Err(error) => (Self::on_heap(slots), Err(error)),
            },
        };
        let old = std::mem::replace(self, larger);
        // Growing preserves the order of home slots, so this walks both tables from front to back.
        for (slot, word) in old.fingerprints.words().iter().enumerate() {
            let word = word.load(Ordering::Relaxed);
            if word != EMPTY {
                self.insert(Fingerprint::new(word), old.parents.get(slot));
            }
        }
        grown
    }

    fn parent(&self, state: Fingerprint) -> Option<Tag> {
        let slots = self.fingerprints.words();
        if slots.is_empty() {
            return None;
        }
        let (slot, is_present) = find(slots, state);
        is_present.then(|| self.parents.get(slot))
    }

    fn with_tag(&self, tag: Tag) -> Vec<Fingerprint> {
        let slots = self.fingerprints.words();
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
    fn a_set_beyond_its_memory_goes_to_files_and_keeps_its_content() {
        for heap_bytes_max in [0, 100_000] {
            let mut seen = FingerprintSet::with_heap_bytes(heap_bytes_max);
            for (parent, state) in (1..).zip(some(20_000)) {
                assert!(seen.insert(state, parent));
            }
            assert!(seen.is_on_disk() && seen.bytes() <= heap_bytes_max * 2);
            assert!(seen.take_disk_error().is_none());
            assert!(
                (1..)
                    .zip(some(20_000))
                    .all(|(parent, state)| seen.parent(state) == Some(parent))
            );
            let mut entries: Vec<_> = seen.entries().collect();
            let mut expected: Vec<_> = some(20_000).zip(1..).collect();
            entries.sort_unstable();
            expected.sort_unstable();
            assert_eq!(entries, expected);
        }
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
