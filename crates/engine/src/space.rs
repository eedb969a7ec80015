//! The model as the search sees it: numbered states, numbered operation classes, and a memo of steps.
//!
//! The search handles nothing but numbers. What a number means, and how a step is computed, is behind [`Source`], which
//! is called once for each `(state, class)` the memo does not know. So the search is compiled once for all models, and
//! its inner loop neither clones nor hashes a model's state.

use std::hash::{BuildHasher, Hash};
use std::time::Instant;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::mask::mix;
use crate::model::{Model, Outcomes};
use crate::partition::Partitioning;

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
    fn state_count(&self) -> usize;
    fn heap_bytes(&self) -> usize;
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

    /// Forgets every remembered step: the numbers are about to change their meaning.
    pub fn forget_steps(&mut self) {
        self.memo.clear();
        self.branches.clear();
        self.pool.clear();
    }
}

impl AnySpace<'_> {
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

/// A table that gives equal values equal numbers.
#[derive(Debug)]
struct Numbering<T> {
    items: Vec<T>,
    hashes: Vec<u64>,
    index: HashTable<u32>,
}

impl<T: Eq + Hash> Numbering<T> {
    fn new() -> Self {
        Self {
            items: Vec::new(),
            hashes: Vec::new(),
            index: HashTable::new(),
        }
    }

    /// The number of `item` and whether it is new.
    fn number(&mut self, item: T) -> (u32, bool) {
        let hash = FxBuildHasher.hash_one(&item);
        let (items, hashes) = (&mut self.items, &mut self.hashes);
        if let Some(found) = self.index.find(hash, |&id| {
            hashes[id as usize] == hash && items[id as usize] == item
        }) {
            return (*found, false);
        }
        let id = items.len() as u32;
        items.push(item);
        hashes.push(hash);
        self.index.insert_unique(hash, id, |&id| hashes[id as usize]);
        (id, true)
    }

    fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.hashes.capacity() * 8 + self.index.capacity() * 8
    }
}

/// A model's states and operations, numbered as they are met.
pub(crate) struct Interned<'m, M: Model> {
    model: &'m M,
    states: Numbering<M::State>,
    classes: Numbering<M::Op>,
    facts: Vec<ClassFacts>,
    /// By class: the part of the state it belongs to, if it is one.
    homes: Vec<Option<u64>>,
    partitioning: Partitioning,
    outcomes: Outcomes<M::State>,
    state_heap_bytes: usize,
}

impl<'m, M: Model> Interned<'m, M> {
    pub fn new(model: &'m M, deadline: Option<Instant>, partitioning: Partitioning) -> Self {
        Self {
            model,
            homes: Vec::new(),
            partitioning,
            states: Numbering::new(),
            classes: Numbering::new(),
            facts: Vec::new(),
            outcomes: Outcomes::new(deadline),
            state_heap_bytes: 0,
        }
    }

    /// Puts everything into one part, before anything was put anywhere else.
    pub fn check_together(&mut self) {
        self.partitioning = Partitioning::Whole;
        self.homes.fill(Some(0));
    }

    /// The part of the state that the class belongs to, if it is one.
    pub fn home(&self, class: ClassId) -> Option<u64> {
        self.homes[class as usize]
    }

    pub fn state_heap_bytes(&self) -> usize {
        self.state_heap_bytes
    }

    pub fn state_id(&mut self, state: M::State) -> StateId {
        let (id, new) = self.states.number(state);
        if new {
            self.state_heap_bytes += self.model.state_bytes(&self.states.items[id as usize]);
        }
        id
    }

    pub fn class_id(&mut self, op: M::Op) -> ClassId {
        let (id, new) = self.classes.number(op);
        if new {
            let op = &self.classes.items[id as usize];
            let footprint = self.model.footprint(op);
            let pure = self.model.is_pure(op);
            self.homes.push(self.partitioning.home(&footprint));
            let writes = if pure { 0 } else { footprint.writes.mask() };
            self.facts.push(ClassFacts {
                pure,
                reads: footprint.reads.mask(),
                writes,
                only_key: footprint.only_key(),
                blind: footprint.is_blind(),
            });
        }
        id
    }

    pub fn state(&self, id: StateId) -> &M::State {
        &self.states.items[id as usize]
    }

    pub fn op(&self, id: ClassId) -> &M::Op {
        &self.classes.items[id as usize]
    }

    pub fn class_count(&self) -> usize {
        self.classes.items.len()
    }

    /// Runs a step for its result alone, past every table: for replaying a witness.
    pub fn step_afresh(&mut self, state: &M::State, class: ClassId, successors: &mut Vec<M::State>) {
        self.outcomes.clear();
        self.model
            .step(state, &self.classes.items[class as usize], &mut self.outcomes);
        successors.append(self.outcomes.states());
    }

    /// Starts over with the states that are still in use, and, if `classes`, with the classes that are; the result is
    /// handed to whoever holds numbers, to exchange old for new.
    pub fn compact(&mut self, classes: bool) -> Renumbering<'_, 'm, M> {
        let states = std::mem::replace(&mut self.states, Numbering::new());
        self.state_heap_bytes = 0;
        let classes = classes.then(|| {
            self.facts.clear();
            self.homes.clear();
            Exchange::new(std::mem::replace(&mut self.classes, Numbering::new()).items)
        });
        Renumbering {
            states: Exchange::new(states.items),
            classes,
            interned: self,
        }
    }
}

/// Old numbers and the new ones that those still in use get.
struct Exchange<T> {
    items: Vec<Option<T>>,
    map: Vec<u32>,
}

impl<T> Exchange<T> {
    fn new(items: Vec<T>) -> Self {
        Self {
            map: vec![u32::MAX; items.len()],
            items: items.into_iter().map(Some).collect(),
        }
    }

    fn exchange(&mut self, id: &mut u32, number: impl FnOnce(T) -> u32) {
        let old = *id as usize;
        if let Some(item) = self.items[old].take() {
            self.map[old] = number(item);
        }
        *id = self.map[old];
    }
}

/// An exchange of old numbers for new ones.
pub(crate) struct Renumbering<'a, 'm, M: Model> {
    interned: &'a mut Interned<'m, M>,
    states: Exchange<M::State>,
    /// `None`: classes keep their numbers.
    classes: Option<Exchange<M::Op>>,
}

/// Exchanges numbers, whatever the model.
pub(crate) trait Renumber {
    fn state(&mut self, id: &mut StateId);
    fn class(&mut self, id: &mut ClassId);
}

impl<M: Model> Renumber for Renumbering<'_, '_, M> {
    fn state(&mut self, id: &mut StateId) {
        self.states.exchange(id, |state| self.interned.state_id(state));
    }

    fn class(&mut self, id: &mut ClassId) {
        if let Some(classes) = &mut self.classes {
            classes.exchange(id, |class| self.interned.class_id(class));
        }
    }
}

impl<M: Model> Source for Interned<'_, M> {
    fn step(&mut self, state: StateId, class: ClassId, successors: &mut Vec<StateId>) -> bool {
        self.outcomes.clear();
        self.model.step(
            &self.states.items[state as usize],
            &self.classes.items[class as usize],
            &mut self.outcomes,
        );
        // A pure operation leads nowhere else: no need to look its successor up.
        if self.facts[class as usize].pure {
            let states = self.outcomes.states();
            debug_assert!(states.iter().all(|next| *next == self.states.items[state as usize]));
            if !states.is_empty() {
                successors.push(state);
                states.clear();
            }
            return !self.outcomes.was_interrupted();
        }
        let mut found = std::mem::take(self.outcomes.states());
        successors.extend(found.drain(..).map(|next| self.state_id(next)));
        *self.outcomes.states() = found;
        !self.outcomes.was_interrupted()
    }

    fn may_enable(&self, state: StateId, refused: ClassId, helper: ClassId) -> bool {
        self.model
            .may_enable(self.state(state), self.op(refused), self.op(helper))
    }

    fn facts(&self, class: ClassId) -> &ClassFacts {
        &self.facts[class as usize]
    }

    fn describe_state(&self, state: StateId) -> String {
        self.model.describe_state(self.state(state))
    }

    fn describe_op(&self, class: ClassId) -> String {
        self.model.describe_op(self.op(class))
    }

    fn explain(&self, state: StateId, class: ClassId) -> Option<String> {
        let mut outcomes = Outcomes::explaining();
        self.model.step(self.state(state), self.op(class), &mut outcomes);
        outcomes.into_reason()
    }

    fn failure(&self) -> Option<&str> {
        self.outcomes.failure()
    }

    fn state_count(&self) -> usize {
        self.states.items.len()
    }

    fn heap_bytes(&self) -> usize {
        self.states.bytes() + self.classes.bytes() + self.state_heap_bytes
    }
}
