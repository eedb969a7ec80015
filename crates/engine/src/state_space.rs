//! The model as the search sees it: numbered states, numbered operation classes, and a memo of steps.
//!
//! The search handles nothing but numbers. What a number means, and how a step is computed, is behind [`Source`], which
//! is called once for each `(state, class)` the memo does not know. So the search is compiled once for all models, and
//! its inner loop neither clones nor hashes a model's state.

use crate::mask::mix;
use crate::replay::ReplayId;

/// A state's number.
pub(crate) type StateId = u32;
/// The number of a class of operations: those with equal name, arguments and result.
pub(crate) type ClassId = u32;

/// What the search needs to know of a class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassFacts {
    /// Never changes any state.
    pub pure: bool,
    /// What its outcome depends on, as key bits.
    pub reads: u64,
    /// What it may change, as key bits.
    pub writes: u64,
    /// The key, if only one is read or written.
    pub only_key: Option<u64>,
    /// Reads nothing.
    pub blind: bool,
    /// The part of the state it belongs to, if it is one.
    pub home: Option<u64>,
}

/// The meaning of the numbers.
pub(crate) trait Source {
    /// Appends the successors of `state` under `class`. Returns whether the answer may be remembered.
    fn step(&mut self, state: StateId, class: ClassId, successors: &mut Vec<StateId>) -> bool;
    fn may_enable(&self, state: StateId, refused: ClassId, helper: ClassId) -> bool;
    fn facts(&self, class: ClassId) -> &ClassFacts;
    fn describe_state(&self, state: StateId) -> String;
    fn describe_op(&self, class: ClassId) -> String;
    /// Why `state` refuses `class`, in the model's words.
    fn explain(&self, state: StateId, class: ClassId) -> Option<String>;
    /// The first failure of the model itself.
    fn failure(&self) -> Option<&str>;
    /// The first limit of the model itself that some step ran into.
    fn exceeded(&self) -> Option<&str>;
    /// Whether some step was cut short because the time is over: its answer is none, though it looks like a refusal.
    fn was_interrupted(&self) -> bool;
    fn tally(&self) -> Tally;
    fn heap_bytes(&self) -> usize;
    /// Puts everything into one part, before anything was put anywhere else.
    fn check_together(&mut self);
    /// Starts over with the states that are still in use, and, if `classes`, with the classes that are: `exchange` hands
    /// in every number that somebody holds, to get a new one for it.
    fn compact(&mut self, classes: bool, exchange: &mut dyn FnMut(&mut dyn Renumber));
    /// Begins to replay an explanation, past every table, from these states.
    fn start_replay(&mut self, from: &[StateId]) -> ReplayId;
    /// Replays one more operation. Returns whether the model accepts it.
    fn replay(&mut self, replay: ReplayId, class: ClassId) -> bool;
    fn end_replay(&mut self, replay: ReplayId);
    /// The states that a replay may be in.
    fn describe_replay(&self, replay: ReplayId) -> Vec<String>;
}

/// Exchanges old numbers for new ones.
pub(crate) trait Renumber {
    fn state(&mut self, id: &mut StateId);
    fn class(&mut self, id: &mut ClassId);
}

/// How much is numbered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    pub states: usize,
    pub classes: usize,
    pub state_heap_bytes: usize,
}

/// What a step leads to: nothing, one state, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Successors(u32);

impl Successors {
    const REFUSED: Self = Self(u32::MAX);
    const MANY: u32 = 1 << 31;

    #[inline]
    pub fn is_refused(self) -> bool {
        self == Self::REFUSED
    }
}

/// States, classes, and what is known of their steps.
pub(crate) struct Space<S: ?Sized> {
    memo: Memo,
    /// Successor lists of more than one state, as ranges of `pool`.
    branches: Vec<(u32, u32)>,
    pool: Vec<StateId>,
    scratch: Vec<StateId>,
    /// How many times the model was asked for a step.
    pub steps: u64,
    pub source: S,
}

/// The space whatever the model.
pub(crate) type AnySpace<'a> = Space<dyn Source + 'a>;

impl<S> Space<S> {
    pub fn new(source: S) -> Self {
        Self {
            memo: Memo::new(),
            branches: Vec::new(),
            pool: Vec::new(),
            scratch: Vec::new(),
            steps: 0,
            source,
        }
    }
}

impl AnySpace<'_> {
    /// Forgets every remembered step: the numbers are about to change their meaning.
    pub fn forget_steps(&mut self) {
        self.memo.clear();
        self.branches.clear();
        self.pool.clear();
    }

    /// Where `class` leads from `state`.
    #[inline]
    pub fn successors(&mut self, state: StateId, class: ClassId) -> Successors {
        match self.memo.get(state, class) {
            Some(known) => known,
            None => self.compute(state, class),
        }
    }

    /// The `index`-th successor, if there are so many.
    #[inline]
    pub fn successor(&self, successors: Successors, index: usize) -> Option<StateId> {
        if successors.is_refused() {
            None
        } else if successors.0 & Successors::MANY == 0 {
            (index == 0).then_some(successors.0)
        } else {
            let (start, len) = self.branches[(successors.0 & !Successors::MANY) as usize];
            (index < len as usize).then(|| self.pool[start as usize + index])
        }
    }

    /// Whether `class` can happen in `state`.
    #[inline]
    pub fn accepts(&mut self, state: StateId, class: ClassId) -> bool {
        !self.successors(state, class).is_refused()
    }

    #[cold]
    #[inline(never)]
    fn compute(&mut self, state: StateId, class: ClassId) -> Successors {
        self.steps += 1;
        self.scratch.clear();
        let lasting = self.source.step(state, class, &mut self.scratch);
        if self.scratch.len() > 1 {
            self.scratch.sort_unstable();
            self.scratch.dedup();
        }
        let successors = match self.scratch.as_slice() {
            [] => Successors::REFUSED,
            [one] => Successors(*one),
            many => {
                let range = (self.pool.len() as u32, many.len() as u32);
                self.pool.extend_from_slice(many);
                self.branches.push(range);
                Successors(Successors::MANY | (self.branches.len() - 1) as u32)
            }
        };
        if lasting {
            self.memo.put(state, class, successors);
        }
        successors
    }

    /// Bytes held by the tables and, roughly, by the states.
    pub fn heap_bytes(&self) -> usize {
        self.memo.slots.len() * size_of::<MemoSlot>()
            + self.pool.capacity() * size_of::<StateId>()
            + self.branches.capacity() * size_of::<(u32, u32)>()
            + self.source.heap_bytes()
    }
}

impl<S: ?Sized> std::fmt::Debug for Space<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Space")
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

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

/// A cache of steps that forgets: a new entry takes the place of whatever hashed to the same slot.
///
/// Forgetting costs a repeated step and never an answer, and it is what keeps memory flat however long the trace is,
/// with no pause to clean up. The cache doubles while it keeps losing entries, up to a limit.
struct Memo {
    slots: Vec<MemoSlot>,
    lost: usize,
}

impl Memo {
    const SLOTS_MIN: usize = 1 << 10;
    /// 2^20 slots of 12 bytes: 12 MB, a few times what the caches of the machine hold.
    const SLOTS_MAX: usize = 1 << 20;

    fn new() -> Self {
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
    fn get(&self, state: StateId, class: ClassId) -> Option<Successors> {
        let slot = self.slots[self.index(state, class)];
        (slot.state == state && slot.class == class).then_some(slot.successors)
    }

    fn put(&mut self, state: StateId, class: ClassId, successors: Successors) {
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

    fn clear(&mut self) {
        // What one hard spot needed, the easy ones after it should not have to clear each time.
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
}
