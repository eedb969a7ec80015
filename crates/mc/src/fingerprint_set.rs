//! The states seen so far, and where each was reached from.
//!
//! An open-addressing table of fingerprints, in shards. Beside each fingerprint lies the upper half of its parent's, its
//! [`Tag`]: 12 bytes a slot, 15 to 23 a state. The home of a fingerprint is decided by its tag alone, so the states that a
//! tag can mean are found by one probe of the table. Usually there is one; where there are more, rebuilding a
//! counterexample tries each, and only the real parent has the child as a successor.
//!
//! Shards grow by half, one at a time: growing needs room for one shard more, not for a second table.
//!
//! One thread writes, whichever has the table. Any number may read at the same time, each through a [`View`]: it shows what is
//! in the table, but for what has come into a shard since that grew, until the view is renewed. So "not there" is a guess for
//! whoever reads and true only for whoever writes, and nobody waits for anybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fingerprint::{Fingerprint, Tag};

const SHARD_BITS: u32 = 6;
/// How many shards there are.
const SHARDS: usize = 1 << SHARD_BITS;

/// A set of fingerprints with their parents' tags.
#[derive(Debug)]
pub struct SeenStates {
    shards: Box<[Shard]>,
    /// How often a shard has grown.
    growths: u64,
}

impl Default for SeenStates {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            growths: 0,
        }
    }
}

/// Which shard a tag belongs to.
#[inline]
fn shard_of(tag: Tag) -> usize {
    (tag >> (32 - SHARD_BITS)) as usize
}

impl SeenStates {
    /// How many states were seen.
    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.taken as u64).sum()
    }

    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How much memory the table takes.
    pub fn bytes(&self) -> u64 {
        self.shards.iter().map(Shard::bytes).sum()
    }

    /// The states that can be meant by a tag.
    pub fn with_tag(&self, tag: Tag) -> Vec<Fingerprint> {
        self.shards[shard_of(tag)].with_tag(tag)
    }

    /// The tag of a state's parent: zero if it is an initial state, none if it was never seen.
    pub fn parent(&self, state: Fingerprint) -> Option<Tag> {
        self.shards[shard_of(state.tag())].parent(state)
    }

    /// Gives whether the state was not there before.
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

    /// What stands where the search for a state starts.
    #[inline]
    pub(crate) fn at_home(&self, state: Fingerprint) -> u64 {
        let slots = &self.shards[shard_of(state.tag())].fingerprints;
        slots
            .get(home(slots, state.tag()))
            .map_or(EMPTY, |slot| slot.load(Ordering::Relaxed))
    }
}

type Slots = Arc<[AtomicU64]>;

/// What another thread sees of the table.
#[derive(Debug, Default)]
pub(crate) struct View {
    shards: Vec<Slots>,
    growths: u64,
}

impl View {
    /// Shows all that is in the table now, and what will be put into it until it grows.
    pub(crate) fn renew(&mut self, seen: &SeenStates) {
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

    /// Shows nothing, and keeps no memory of a table that has grown.
    pub(crate) fn close(&mut self) {
        self.shards.clear();
    }

    /// Whether a state is seen to be there.
    #[inline]
    pub(crate) fn contains(&self, state: Fingerprint) -> bool {
        self.shards
            .get(shard_of(state.tag()))
            .is_some_and(|slots| contains(slots, state))
    }
}

/// One shard: linear probing over two parallel arrays, of which a lookup reads only the first.
#[derive(Debug)]
struct Shard {
    fingerprints: Slots,
    parents: Vec<Tag>,
    taken: usize,
}

const EMPTY: u64 = 0;
const SLOTS_MIN: usize = 16;

impl Default for Shard {
    fn default() -> Self {
        Self::with_slots(0)
    }
}

/// Where the search for a tag starts: its lower bits, scaled to the number of slots, which need not be a power of two.
#[inline]
fn home(slots: &[AtomicU64], tag: Tag) -> usize {
    let spread = u64::from(tag << SHARD_BITS);
    ((spread * slots.len() as u64) >> 32) as usize
}

/// The slot of a state, or the empty one where it belongs. There must be an empty slot.
#[inline]
fn find(slots: &[AtomicU64], state: Fingerprint) -> (usize, bool) {
    let mut slot = home(slots, state.tag());
    loop {
        let there = slots[slot].load(Ordering::Relaxed);
        if there == state.word() {
            return (slot, true);
        }
        if there == EMPTY {
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
            taken: 0,
        }
    }

    fn bytes(&self) -> u64 {
        (self.fingerprints.len() * size_of::<u64>() + self.parents.capacity() * size_of::<Tag>()) as u64
    }

    /// Whether there is no room for another. A fifth of the slots stays empty, also for those who look at them meanwhile.
    #[inline]
    fn is_full(&self) -> bool {
        self.taken * 5 >= self.fingerprints.len() * 4
    }

    #[inline]
    fn insert(&mut self, state: Fingerprint, parent: Tag) -> bool {
        let (slot, is_there) = find(&self.fingerprints, state);
        if !is_there {
            self.fingerprints[slot].store(state.word(), Ordering::Relaxed);
            self.parents[slot] = parent;
            self.taken += 1;
        }
        !is_there
    }

    #[cold]
    fn grow(&mut self) {
        let slots = self.fingerprints.len();
        let old = std::mem::replace(self, Self::with_slots((slots + slots / 2).max(SLOTS_MIN)));
        // Homes keep their order when the table grows, so this walks both tables from front to back.
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
        let (slot, is_there) = find(&self.fingerprints, state);
        is_there.then(|| self.parents[slot])
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
        let mut seen = SeenStates::default();
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
        let mut seen = SeenStates::default();
        let twins = [5, 6].map(|low| Fingerprint::new(0xABCD_0123_0000_0000 + low));
        for state in some(1_000).chain(twins) {
            seen.insert(state, 0);
        }
        assert_eq!(seen.with_tag(0xABCD_0123), twins);
        assert_eq!(seen.with_tag(0xABCD_0124), []);
        assert_eq!(SeenStates::default().with_tag(1), []);
    }

    #[test]
    fn a_state_takes_no_more_than_24_bytes() {
        let mut seen = SeenStates::default();
        for (count, state) in (1..).zip(some(100_000)) {
            seen.insert(state, 0);
            if count == 50_000 || count == 75_000 || count == 100_000 {
                assert!(seen.bytes() < 24 * count, "{} bytes for {count}", seen.bytes());
            }
        }
    }

    #[test]
    fn a_view_shows_all_that_was_there_when_it_was_renewed_and_never_what_was_not() {
        let mut seen = SeenStates::default();
        let mut view = View::default();
        let states: Vec<_> = some(30_000).collect();
        assert!(
            !view.contains(states[0]),
            "one that was never renewed shows nothing"
        );
        for (at, state) in states.iter().enumerate() {
            assert!(!view.contains(*state));
            seen.insert(*state, 0);
            if at % 1_000 == 999 {
                view.renew(&seen);
                assert!(states[..=at].iter().all(|state| view.contains(*state)));
            }
        }
        view.close();
        assert!(!view.contains(states[0]));
        view.renew(&seen);
        assert!(view.contains(states[0]));
    }

    #[test]
    fn others_read_while_one_writes() {
        let mut seen = SeenStates::default();
        let states: Vec<_> = some(50_000).collect();
        let (early, late) = states.split_at(1_000);
        let strangers: Vec<_> = some(60_000).skip(50_000).collect();
        for state in early {
            seen.insert(*state, 0);
        }
        let mut view = View::default();
        view.renew(&seen);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert!(early.iter().all(|state| view.contains(*state)));
                    assert!(!strangers.iter().any(|state| view.contains(*state)));
                }
            });
            late.iter().for_each(|state| assert!(seen.insert(*state, 0)));
        });
        assert_eq!(seen.len(), 50_000);
    }
}
