//! A memo of model steps that forgets.

use crate::mask::mix;
use crate::state_ids::{ClassId, StateId, Successors};

#[derive(Clone, Copy)]
struct MemoSlot {
    state: StateId,
    class: ClassId,
    successors: Successors,
}

const VACANT: MemoSlot = MemoSlot {
    state: u32::MAX,
    class: u32::MAX,
    successors: Successors::REFUSED,
};

/// A direct-mapped cache of steps: a new entry replaces the one in its slot.
///
/// A lost entry costs a repeated step and never an answer. So memory stays bounded for traces of any length, without
/// pauses for cleaning up. The cache doubles while it keeps losing entries, up to a limit.
///
/// Successors are a function of the key: ids stand for equal states and equal operations, a step of a [`Model`](crate::Model) depends on
/// nothing else by its contract, and a step that was cut short (a limit, a failure) is not put here. Ids change only when the tables are
/// compacted, and the memo is cleared before.
pub(crate) struct Memo {
    slots: Vec<MemoSlot>,
    lost: usize,
}

impl Memo {
    const SLOTS_MIN: usize = 1 << 10;
    /// 2^20 slots of 12 bytes: 12 MB, a few times the size of a processor cache.
    const SLOTS_MAX: usize = 1 << 20;

    pub fn new() -> Self {
        Self {
            slots: vec![VACANT; Self::SLOTS_MIN],
            lost: 0,
        }
    }

    #[inline]
    fn index(&self, state: StateId, class: ClassId) -> usize {
        mix(u64::from(state) << 32 | u64::from(class)) as usize & (self.slots.len() - 1)
    }

    #[inline]
    pub fn get(&self, state: StateId, class: ClassId) -> Option<Successors> {
        let slot = self.slots[self.index(state, class)];
        (slot.state == state && slot.class == class).then_some(slot.successors)
    }

    pub fn put(&mut self, state: StateId, class: ClassId, successors: Successors) {
        let index = self.index(state, class);
        if self.slots[index].state != VACANT.state {
            self.lost += 1;
            if self.lost > self.slots.len() * 2 && self.slots.len() < Self::SLOTS_MAX {
                self.grow();
                return self.put(state, class, successors);
            }
        }
        self.slots[index] = MemoSlot {
            state,
            class,
            successors,
        };
    }

    fn grow(&mut self) {
        let doubled = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![VACANT; doubled]);
        self.lost = 0;
        for slot in old.into_iter().filter(|slot| slot.state != VACANT.state) {
            let index = self.index(slot.state, slot.class);
            self.slots[index] = slot;
        }
    }

    pub fn clear(&mut self) {
        // Shrink the table, so that a hard return does not make every later clearing slow.
        let used = self
            .slots
            .iter()
            .filter(|slot| slot.state != VACANT.state)
            .count();
        let enough = (used * 2)
            .next_power_of_two()
            .clamp(Self::SLOTS_MIN, self.slots.len());
        self.slots.truncate(enough);
        self.slots.shrink_to(enough * 2);
        self.slots.fill(VACANT);
        self.lost = 0;
    }

    pub fn heap_bytes(&self) -> usize {
        self.slots.len() * size_of::<MemoSlot>()
    }
}
